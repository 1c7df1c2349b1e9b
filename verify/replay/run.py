"""Every replay check of one candidate on one captured step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import torch

from verify.candidates import Candidate, CandidateError, Evidence
from verify.candidates.reference import CompiledCandidate, ReferenceCandidate
from verify.checks import layerwide
from verify.checks.compare import differences, not_finite
from verify.data import CandidateInfo, Check, StepInfo, Verdict, worst_verdict
from verify.environment import environment
from verify.inputs import Case
from verify.ranks import Ranks
from verify.replay.alone import alone_checks
from verify.replay.graph import graph_launch, on_default_device
from verify.replay.judged import judge_taps
from verify.replay.launch import Launch, Mode, Taps, all_taps, bind, mode_of
from verify.replay.memory import StaticStep
from verify.replay.record import ReplayRecord
from verify.replay.stalled import stalled_rank
from verify.replay.variants import Variant, variants

Progress = Callable[[str], None]
MAX_PROBLEMS = 4


@dataclass(frozen=True)
class ReplayPlan:
    """What to replay, and how often.

    Attributes:
        cases: the captured step and two more of the same shape, drawn with other seeds.
        make: a new candidate: it must remember nothing of an earlier one.
        info: how the candidate is named in the record.
        command: the command line that repeats the run.
        launches: launches on the same inputs (default 300; 6 simulated).
        calls: back-to-back calls (default 1000; 6 simulated).
        device: ``cpu``, or a torch device that has graphs.
        idle_s: seconds without a launch before the first one after idling.
        ranks: the group, where each rank has a process of its own; the first one judges.
    """

    cases: tuple[Case, Case, Case]
    make: Callable[[], Candidate]
    info: CandidateInfo
    command: str
    launches: int | None = None
    calls: int | None = None
    device: str = "cpu"
    idle_s: float = 1.0
    ranks: Ranks | None = None


LAUNCHES = {Mode.SIMULATED: 6}
CALLS = {Mode.SIMULATED: 6}
DEFAULT_LAUNCHES, DEFAULT_CALLS = 300, 1000


def replay(plan: ReplayPlan, progress: Progress = lambda _: None) -> ReplayRecord:
    """Capture one step and replay it.

    Raises:
        CandidateError: the candidate broke the protocol.
    """
    started = time.perf_counter()
    run = _Replay(plan, progress)
    checks = run.checks()
    if plan.ranks is not None:
        progress("a stalled rank")
        checks.append(stalled_rank(run.separate(), plan.ranks))
        checks = plan.ranks.merged([*checks, plan.ranks.links()])
    case, evidence = plan.cases[0], run.evidence()
    step = case.step
    where = environment(
        run.memory.device, evidence.hardware, plan.ranks.named if plan.ranks else None
    )
    verdict = worst_verdict(check.verdict for check in checks)
    return ReplayRecord(
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=plan.command,
        environment=where,
        candidate=plan.info,
        mode=mode_of(run.launch).value,
        notes=run.notes,
        layer=case.layer.name,
        layer_index=case.contexts[0].layer.index,
        preset=case.preset,
        config_digest=case.contexts[0].config.digest(),
        weights=case.weights,
        tp=len(case.contexts),
        seed=case.seed,
        family=case.family,
        step=StepInfo(
            rows=step.rows,
            drafts=step.drafts,
            requests=step.requests,
            accepted=list(step.accepted),
            padded=step.padded,
        ),
        launches=run.launches,
        calls=run.calls,
        checks=checks,
        builds=list(evidence.builds),
        simulation=evidence.simulation,
        hardware=verdict if evidence.hardware else Verdict.NOT_CHECKED,
        verdict=verdict,
        seconds=time.perf_counter() - started,
    )


class _Replay:
    """One candidate bound to one memory, and what its launches are compared with."""

    def __init__(self, plan: ReplayPlan, progress: Progress):
        self.plan, self.progress = plan, progress
        self.case = plan.cases[0]
        progress("binding")
        self.candidate = plan.make()
        self.memory = StaticStep(self.case, plan.device, ranks=plan.ranks)
        self._contexts = self.memory.call.contexts
        device = self.memory.device
        self._place: Callable[[], AbstractContextManager[object]] = nullcontext
        if device.type != "cpu":
            self._place = on_default_device(device)
        self.launch: Launch = bind(self.candidate, self.memory.call, self._place)
        self.uncaptured = ""
        self.notes: list[str] = list(getattr(self.launch, "notes", []))
        if device.type != "cpu":
            progress("capturing")
            bound = self.launch
            self.launch, self.uncaptured = graph_launch(
                self.candidate, self.memory.call, bound, device
            )
            self.notes = list(getattr(self.launch, "notes", []))
        mode = mode_of(self.launch)
        self.launches = plan.launches or LAUNCHES.get(mode, DEFAULT_LAUNCHES)
        self.calls = plan.calls or CALLS.get(mode, DEFAULT_CALLS)
        self.first: Taps = []

    # -- launches ----------------------------------------------------------------------------

    def run(self, case: Case) -> Taps:
        """One launch over the static memory, with a case's contents."""
        self.memory.load(case)
        return self._now()

    def _now(self) -> Taps:
        self.launch()
        return all_taps(self.memory.call, self.launch)

    def fresh(self, case: Case) -> Taps:
        """What a candidate that has launched nothing yet makes of a case, uncaptured."""
        candidate = self.candidate
        if not isinstance(candidate, (ReferenceCandidate, CompiledCandidate)):
            candidate = self.plan.make()  # it may keep state; the reference has none
        memory = StaticStep(case, self.plan.device, self._contexts, self.plan.ranks)
        launch = bind(candidate, memory.call, self._place)
        launch()
        return all_taps(memory.call, launch)

    def separate(self) -> Any:
        """The launch bound to memory and mailboxes of its own."""
        memory = StaticStep(self.case, self.plan.device, self._contexts, self.plan.ranks)
        return bind(self.plan.make(), memory.call, self._place)

    def evidence(self) -> Evidence:
        """What the candidate knows of its launches."""
        own: Callable[[], Evidence] | None = getattr(self.launch, "evidence", None)
        return own() if own is not None else Evidence()

    # -- checks ------------------------------------------------------------------------------

    def checks(self) -> list[Check]:
        """Every check, in the order of the launches."""
        self.progress("first launch")
        self.first = self.run(self.case)
        checks = [
            Check.none_of("outputs_written", not_finite(self.case.layer, self.first)),
            Check.none_of("first_launch", differences(self.fresh(self.case), self.first)),
            self._launches(),
            self._after_idle(),
        ]
        ranks = list(self._rank_problems("captured step", self.first))
        changed = variants(self.case, self.plan.cases[1])
        for variant in changed:
            check, problems = self._variant(variant, checks)
            checks.append(check)
            ranks += problems
        again = differences(self.first, self.run(self.case))
        checks += [Check.none_of("back_on_the_captured_step", again), *self._chain()]
        checks += alone_checks(self.case, self.first, self.fresh, self.candidate, self.progress)
        if self.case.step.requests < 2:
            self.notes.append("one request: padded replays and a row alone do not apply")
        checks.append(Check.none_of("ranks_equal", ranks))
        own: Callable[[], list[str]] | None = getattr(self.launch, "problems", None)
        if own is not None:
            checks.append(Check.none_of("waits_and_alarms", own()))
        if self.memory.device.type != "cpu":
            verdict = Verdict.NOT_CHECKED if self.uncaptured else Verdict.PASS
            checks.append(Check(name="captured", verdict=verdict, message=self.uncaptured))
        return checks

    def _launches(self) -> Check:
        problems: list[str] = []
        count = 0
        for number in range(2, self.launches + 1):
            self.progress(f"launches: {number} of {self.launches}")
            found = differences(self.first, self.run(self.case))
            count += bool(found)
            problems += [f"launch {number}: {text}" for text in found[: MAX_PROBLEMS - count]]
        check = Check.none_of("launches_equal", problems, count)
        return check.model_copy(update={"message": check.message or f"{self.launches} launches"})

    def _after_idle(self) -> Check:
        self.progress(f"idle for {self.plan.idle_s:g} s")
        if self.memory.device.type != "cpu":
            torch.cuda.synchronize(self.memory.device)
        time.sleep(self.plan.idle_s)
        late: Callable[[], None] | None = getattr(self.launch, "idle", None)
        if late is not None:
            late()
        return Check.none_of("after_idle", differences(self.first, self.run(self.case)))

    def _variant(self, variant: Variant, checks: list[Check]) -> tuple[Check, list[str]]:
        self.progress(f"replay: {variant.name}")
        case, rows = variant.case, variant.case.step.rows
        given = self.run(case)
        live = case.step.live_rows if case.step.padded else None
        problems = differences(self.fresh(case), given, live, rows)
        problems += not_finite(case.layer, given)
        problems += self._memory_problems(case, given)
        follower = self.plan.ranks is not None and self.plan.ranks.follower
        if variant.judge and follower:
            checks.append(Check(name=f"bounds_{variant.name}", verdict=Verdict.PASS))
        elif variant.judge:
            self.progress(f"replay: {variant.name}, against the reference")
            name = f"bounds_{variant.name}"
            checks.append(judge_taps(name, case, given, self.plan.info, self.plan.command))
        if self.plan.ranks is not None:  # the next launch waits for rank 0, which has judged
            self.plan.ranks.exchange(None)
        name = f"replay_{variant.name}"
        return Check.none_of(name, problems), self._rank_problems(variant.name, given)

    def _memory_problems(self, case: Case, given: Taps) -> list[str]:
        """Slots a step does not write, guard bands, inputs."""
        host = [{n: t.cpu() for n, t in values.items()} for values in given]
        inputs = [{n: t.cpu() for n, t in values.items()} for values in self.memory.call.inputs]
        found = (
            layerwide.untouched_slots(case.layer, case.pools_before(), host, case.written()),
            layerwide.guards_intact(self.memory.storage),
            layerwide.inputs_unchanged(case.inputs, inputs),
        )
        return [check.message for check in found if check.verdict is Verdict.FAIL]

    def _rank_problems(self, what: str, taps: Taps) -> list[str]:
        check = layerwide.ranks_equal(self.case.layer, taps)
        return [f"{what}: {check.message}"] if check.verdict is Verdict.FAIL else []

    def _chain(self) -> list[Check]:
        """Back-to-back calls that go on from each other's state, with three sets of inputs in turn.

        Three, because a value left over from the step before, or from the last one of the same
        epoch parity, must then be a wrong one.
        """
        looked_at = {0, 1, 2, 3, self.calls - 2, self.calls - 1}
        parity: dict[int, list[str]] = {0: [], 1: []}
        given: Taps = []
        for number in range(self.calls):
            self.progress(f"back to back: {number + 1} of {self.calls}")
            case = self.plan.cases[number % 3]
            if number == 0:
                self.memory.load(case)
            else:
                self.memory.next_step(case)
            if number not in looked_at:
                self.launch()
                continue
            now = self.memory.as_case(case)
            given = self._now()
            found = differences(self.fresh(now), given)
            parity[number % 2] += [f"call {number + 1}: {text}" for text in found[:MAX_PROBLEMS]]
        problems = not_finite(self.case.layer, given)
        last = self.calls - 1
        problems += [text for text in parity[last % 2] if text.startswith(f"call {self.calls}:")]
        done = Check.none_of("back_to_back", problems)
        done = done.model_copy(update={"message": done.message or f"{self.calls} calls"})
        return [done, Check.none_of("epoch_parity", parity[0] + parity[1])]


__all__: Sequence[str] = ["CandidateError", "ReplayPlan", "replay"]
