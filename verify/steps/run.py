"""A multi-step decode run of a candidate beside the baseline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone

import torch

from kk3ref.checkpoint import Source
from kk3ref.precision import BASELINE
from kk3ref.stages import LayerOptions
from verify.candidates import Candidate
from verify.candidates.reference import ReferenceCandidate
from verify.data import CandidateInfo, Check, Verdict, worst_verdict
from verify.device import CPU
from verify.environment import environment
from verify.steps.bound import cells, judge, judge_flips
from verify.steps.model import CandidateModel, ForcedModel
from verify.steps.record import StepsRecord
from verify.steps.track import Error, Track
from verify.steps.traffic import Traffic, draw_traffic

KINDS = ("k1", "m1", "k2", "dense-post")
Progress = Callable[[str], None]


@dataclass(frozen=True)
class StepsPlan:
    """What to run.

    Attributes:
        source: weights.
        preset: how the configuration is named in the record.
        candidates: by fused layer (a key of :data:`KINDS`); the contract runs the others.
        info: how the candidate is named in the record.
        command: the command line that repeats the run.
        steps, requests, drafts, tp, seed: size of the run.
        layers: decoder layers the candidate runs (all if None).
        options: storage choices.
        device: where the candidates run.
    """

    source: Source
    preset: str
    candidates: Mapping[str, Candidate]
    info: CandidateInfo
    command: str
    steps: int = 512
    requests: int = 2
    drafts: int = 3
    tp: int = 1
    seed: int = 0
    layers: frozenset[int] | None = None
    options: LayerOptions = field(default_factory=LayerOptions)
    device: torch.device = CPU


@dataclass(frozen=True)
class StepsOutcome:
    """A finished run.

    Attributes:
        record: the evidence.
        errors: every error, of the ``candidate`` and the ``baseline``.
    """

    record: StepsRecord
    errors: dict[str, list[Error]]


def run_steps(plan: StepsPlan, progress: Progress = lambda _: None) -> StepsOutcome:
    """Run candidate and baseline through the same traffic and compare their errors.

    Raises:
        CandidateError: the candidate broke the protocol.
    """
    started = time.perf_counter()
    config = plan.source.config
    traffic = draw_traffic(plan.steps, plan.requests, plan.drafts + 1, config.vocab_size, plan.seed)
    tracks = {"candidate": _track(plan, traffic, plan.candidates, None, plan.device)}
    errors: dict[str, list[Error]] = {"candidate": [], "baseline": []}
    for step in range(plan.steps):
        progress(f"steps: {step + 1} of {plan.steps}")
        errors["candidate"] += tracks["candidate"].run(step)
        if step == 0:  # the baseline exposes what the candidate does, to be judged alike
            baseline = ReferenceCandidate(BASELINE)
            shown = _shown(tracks["candidate"])
            given = dict.fromkeys(plan.candidates, baseline)
            tracks["baseline"] = _track(plan, traffic, given, shown)
        errors["baseline"] += tracks["baseline"].run(step)
    own = plan.layers or frozenset(range(config.num_hidden_layers))
    kept = {name: [e for e in found if e.layer in own] for name, found in errors.items()}
    track = tracks["candidate"]
    unit = 2.0**-8 if plan.options.kv_dtype == "bf16" else 2.0**-4
    growth, checks = judge(*(cells(kept[name], unit) for name in ("candidate", "baseline")))
    flips, flip_checks = judge_flips(track.flips, tracks["baseline"].flips)
    coverage = _coverage(plan, traffic, track, own)
    notes = [f"not compared with the state's shadow: {text}" for text in sorted(track.hidden)]
    notes += [f"not forced on the depth's shadow: {name}" for name in sorted(track.depth.unforced)]
    checks = [
        Check.none_of("outputs_and_slots", track.model.problems),
        _covered(coverage),
        *checks,
        *flip_checks,
        *(
            Check(name="compared", verdict=Verdict.NOT_CHECKED, message="\n".join(notes))
            for _ in notes[:1]
        ),
    ]
    verdict = worst_verdict(check.verdict for check in checks)
    record = StepsRecord(
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=plan.command,
        environment=environment(plan.device, track.model.hardware),
        candidate=plan.info,
        preset=plan.preset,
        config_digest=config.digest(),
        weights=plan.source.identity,
        tp=plan.tp,
        seed=plan.seed,
        steps=plan.steps,
        requests=plan.requests,
        drafts=plan.drafts,
        layers=sorted(own),
        kinds=sorted(plan.candidates),
        coverage=coverage,
        checks=checks,
        growth=growth,
        flips=flips,
        notes=notes,
        builds=track.model.builds,
        hardware=verdict if track.model.hardware else Verdict.NOT_CHECKED,
        verdict=verdict,
        seconds=time.perf_counter() - started,
    )
    return StepsOutcome(record, kept)


def _track(
    plan: StepsPlan,
    traffic: Traffic,
    candidates: Mapping[str, Candidate],
    shown: Mapping[str, frozenset[str]] | None,
    device: torch.device = CPU,
) -> Track:
    model = CandidateModel(
        plan.source, plan.tp, plan.options, candidates, plan.layers, shown, device
    )
    depth = ForcedModel(plan.source, plan.tp, plan.options)
    return Track(model, depth, traffic, plan.requests, plan.drafts)


def _shown(track: Track) -> dict[str, frozenset[str]]:
    """What is exposed of each fused layer, on every decoder layer that has it."""
    shown: dict[str, frozenset[str]] = {}
    for played in track.model.tape:
        names = frozenset.intersection(*(frozenset(values) for values in played.taps))
        shown[played.layer.name] = shown.get(played.layer.name, names) & names
    return shown


def _coverage(
    plan: StepsPlan, traffic: Traffic, track: Track, own: frozenset[int]
) -> dict[str, int]:
    layers = plan.source.config.layers
    steps = range(traffic.steps)
    counts = {traffic.accepted[step][life.place] for step in steps for life in traffic.living(step)}
    last = {layers[-1].index, layers[-2].index}
    return {
        "lives": len(traffic.lives),
        "longest life": max(life.steps for life in traffic.lives),
        "slots used again": sum(n > 1 for n in track.slots_used.values()),
        "pages begun while decoding": track.pages_crossed,
        "steps with padding": sum(len(traffic.living(step)) < plan.requests for step in steps),
        "accepted counts seen": len(counts),
        "accepted counts there are": plan.drafts + 1,
        "block-write layers": sum(i.writes_block and i.index in own for i in layers),
        "MLA tail layers": sum(
            i.attention == "mla" and i.index in own and i.index in last for i in layers
        ),
    }


def _covered(coverage: dict[str, int]) -> Check:
    """What a run must have met to say anything about serving."""
    wanted = ("slots used again", "pages begun while decoding", "steps with padding")
    missing = [name for name in wanted if not coverage[name]]
    if coverage["accepted counts seen"] < coverage["accepted counts there are"]:
        missing.append("some accepted counts")
    if not missing:
        told = ", ".join(f"{name} {count}" for name, count in coverage.items())
        return Check(name="coverage", verdict=Verdict.PASS, message=told)
    message = f"the run met no {', no '.join(missing)}: run more steps"
    return Check(name="coverage", verdict=Verdict.NOT_CHECKED, message=message)
