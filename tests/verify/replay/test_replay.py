"""Replays of good candidates pass; each planted fault is seen, by the check meant for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import run_layer
from verify.candidates import LayerCall
from verify.candidates.reference import contract
from verify.data import CandidateInfo, Verdict
from verify.inputs import Case
from verify.replay import Mode, ReplayPlan, ReplayRecord, replay

MakeCase = Callable[..., Case]
INFO = CandidateInfo(name="test")


class Kernel:
    """A bound kernel in plain PyTorch: reads and writes static memory, keeps scratch of its own."""

    name = description = "kernel"
    batch_invariant = False
    launches = 0

    def available(self) -> tuple[bool, str]:
        return True, ""

    def bind(self, call: LayerCall) -> Kernel:
        self.mode, self.call = Mode.SIMULATED, call
        self.late = False
        self.inner: list[dict[str, Tensor]] = []
        return self

    def taps(self) -> list[dict[str, Tensor]]:
        return self.inner

    def idle(self) -> None:
        self.late = True

    def inputs(self) -> list[dict[str, Tensor]]:
        """What the memory holds now: pools in the buffers, the rest in the inputs."""
        return [
            {n: (b.get(f"{n}_after", t) if n != "prefix" else t).clone() for n, t in v.items()}
            for v, b in zip(self.call.inputs, self.call.buffers, strict=True)
        ]

    def __call__(self) -> None:
        self.launches += 1
        values = run_layer(self.call.layer, CONTRACT, self.call.contexts, self.seen())
        names = {tap.name for tap in self.call.layer.taps} - set(self.call.buffers[0])
        self.inner = [{n: taps[n] for n in names} for taps in values]
        for rank, (buffers, taps) in enumerate(zip(self.call.buffers, values, strict=True)):
            for name, buffer in buffers.items():
                buffer.copy_(taps[name])
            self.after(rank, buffers)
        self.late = False

    def seen(self) -> list[dict[str, Tensor]]:
        return self.inputs()

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        pass


class FrozenCounts(Kernel):
    """F29: accepted counts as they were when the graph was captured."""

    kept: Tensor | None = None

    def seen(self) -> list[dict[str, Tensor]]:
        values = self.inputs()
        self.kept = values[0]["num_accepted"] if self.kept is None else self.kept
        return [{**v, "num_accepted": self.kept} for v in values]


class FrozenLengths(Kernel):
    """F29: context lengths as they were when the graph was captured."""

    kept: Tensor | None = None

    def seen(self) -> list[dict[str, Tensor]]:
        values = self.inputs()
        self.kept = values[0]["context_len"] if self.kept is None else self.kept
        return [{**v, "context_len": self.kept} for v in values]


class StaleInput(Kernel):
    """F25: what was handed over in the step before, every second step."""

    last: list[dict[str, Tensor]] | None = None

    def seen(self) -> list[dict[str, Tensor]]:
        now, last = self.inputs(), self.last
        self.last = now
        if last is None or self.launches % 2:
            return now
        return [{**v, "delta": old["delta"]} for v, old in zip(now, last, strict=True)]


class StaleParity(Kernel):
    """A mailbox of the same parity, two steps old, in the back-to-back calls."""

    def __init__(self) -> None:
        self.kept: list[list[dict[str, Tensor]]] = []

    def seen(self) -> list[dict[str, Tensor]]:
        now = self.inputs()
        self.kept.append(now)
        if len(self.kept) < 3 or self.launches % 2:
            return now
        return [{**v, "delta": old["delta"]} for v, old in zip(now, self.kept[-3], strict=True)]


class DirtyScratch(Kernel):
    """F28: a partial sum that is not zeroed again."""

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        buffers["core"].add_(self.launches - 1)


class SometimesWrong(Kernel):
    """A race that shows once in many launches."""

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        if self.launches == 5 and rank == 1:
            buffers["core"][3, 7] += 1


class WrongAfterIdle(Kernel):
    """Ranks that start late find the mailbox of the step before."""

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        if self.late:
            buffers["core"][0, 0] += 1


class PaddingWrites(Kernel):
    """F6: a padding request writes the last slot."""

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        if int(self.call.inputs[rank]["state_index"][-1, 0]) == 0:
            buffers["recurrent_state_after"][-1] = 1.0


class Unwritten(Kernel):
    """F7: the padding rows are left as they were."""

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        if int(self.call.inputs[rank]["state_index"][-1, 0]) == 0:
            buffers["core"][-1] = torch.nan


class SplitByBatch(Kernel):
    """F31: another order of sums where there are more rows, and batch invariance declared."""

    batch_invariant = True

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        if buffers["core"].shape[0] > 4:
            first = buffers["core"][0, 0].item()
            buffers["core"][0, 0] = first * (1 + 2.0**-7)


class OneRankApart(Kernel):
    """A rank whose prefix differs, on changed inputs only."""

    first: Tensor | None = None

    def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
        delta = self.call.inputs[rank]["delta"]
        self.first = delta.clone() if self.first is None else self.first
        if rank == 1 and not torch.equal(delta, self.first):
            buffers["prefix_after"][2, 2] += 1


def run(make_case: MakeCase, kind: str, make: Callable[[], object], **more: int) -> ReplayRecord:
    cases = tuple(make_case(kind, seed=seed, tp=2) for seed in range(3))
    plan = ReplayPlan(
        cases,  # type: ignore[arg-type]
        make,  # type: ignore[arg-type]
        INFO,
        "repeat",
        **{"launches": 6, "calls": 8, **more},
        idle_s=0.0,
    )
    return replay(plan)


def failed(record: ReplayRecord) -> set[str]:
    return {check.name for check in record.checks if check.verdict is Verdict.FAIL}


@pytest.mark.parametrize("kind", ["k1", "k2", "m1", "kda-decode", "dense-mlp", "attn_res"])
def test_the_reference_passes(make_case: MakeCase, kind: str) -> None:
    record = run(make_case, kind, contract)
    assert failed(record) == set()
    assert record.verdict is Verdict.PASS
    assert record.mode == "eager replay"
    assert any("no bind" in note for note in record.notes)
    assert record.hardware is Verdict.NOT_CHECKED


def test_a_bound_kernel_passes_and_is_labelled(make_case: MakeCase) -> None:
    record = run(make_case, "k1", Kernel)
    assert (record.verdict, record.mode) == (Verdict.PASS, "simulated replay")
    names = [check.name for check in record.checks]
    for name in ("inputs", "slots", "accepted", "everything", "padded"):
        assert f"replay_{name}" in names
    assert {"alone_request_0", "alone_request_1", "bounds_everything", "epoch_parity"} < set(names)


FAULTS = [
    ("k1", FrozenCounts, "replay_accepted"),
    ("m1", FrozenLengths, "replay_lengths"),
    ("k1", StaleInput, "replay_inputs"),
    ("k1", StaleParity, "epoch_parity"),
    ("k1", DirtyScratch, "launches_equal"),
    ("k1", SometimesWrong, "launches_equal"),
    ("k1", WrongAfterIdle, "after_idle"),
    ("k1", PaddingWrites, "bounds_padded"),
    ("k1", Unwritten, "replay_padded"),
    ("k1", SplitByBatch, "alone_request_0"),
    ("k1", OneRankApart, "ranks_equal"),
]


@pytest.mark.parametrize(
    ("kind", "fault", "check"), FAULTS, ids=lambda v: getattr(v, "__name__", v)
)
def test_a_planted_replay_fault_is_seen(
    make_case: MakeCase, kind: str, fault: type[Kernel], check: str
) -> None:
    record = run(make_case, kind, fault)
    assert check in failed(record)
    assert record.verdict is Verdict.FAIL


def test_replaying_one_input_sees_no_frozen_counts(make_case: MakeCase) -> None:
    """Why the inputs change: launches on the captured inputs alone are all equal."""
    assert "launches_equal" not in failed(run(make_case, "k1", FrozenCounts))


def test_a_difference_within_the_bound_is_reported_where_invariance_is_not_declared(
    make_case: MakeCase,
) -> None:
    class Undeclared(SplitByBatch):
        batch_invariant = False

    checks = {check.name: check for check in run(make_case, "k1", Undeclared).checks}
    assert checks["alone_request_0"].verdict is not Verdict.FAIL
    assert "differ from the request among others" in checks["alone_request_0"].message


def test_a_wrong_kernel_fails_the_bounds_though_it_repeats_itself(make_case: MakeCase) -> None:
    class Wrong(Kernel):
        def after(self, rank: int, buffers: Mapping[str, Tensor]) -> None:
            buffers["prefix_after"].mul_(2)

    assert {"bounds_everything", "bounds_padded"} <= failed(run(make_case, "k1", Wrong))


def test_one_request_leaves_padding_out_and_says_so(make_case: MakeCase) -> None:
    from verify.step import Step

    step = Step.resolve(rows=2, drafts=1)
    cases = tuple(make_case("k1", seed=seed, tp=2, step=step) for seed in range(3))
    plan = ReplayPlan(cases, contract, INFO, "repeat", 3, 4, idle_s=0.0)  # type: ignore[arg-type]
    record = replay(plan)
    assert record.verdict is Verdict.PASS
    assert "replay_padded" not in {check.name for check in record.checks}
    assert any(note.startswith("one request") for note in record.notes)


def test_padding_made_of_a_request_is_the_engines(make_case: MakeCase) -> None:
    from verify.replay.variants import padded

    case = make_case("m1", tp=2)
    made = padded(case, 1)
    assert made.step == replace(case.step, padded=1, accepted=(*case.step.accepted[:1], 1))
    assert int(made.inputs[0]["context_len"][1]) == 0
    assert not made.inputs[0]["block_table"][1].any()
