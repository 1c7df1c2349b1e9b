"""The A/A control: the reference as candidate, which must pass everything, over many seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from scipy.stats import beta

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset as configuration
from kk3ref.stages import LayerOptions
from verify.candidates import RunOptions, load
from verify.data import Verdict
from verify.data.faults import ControlReport
from verify.faults.observe import Seen, observe
from verify.faults.spread import spread
from verify.jobs import Job, default_step, jobs
from verify.layers import LAYERS

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Unit:
    """One seed of one layer kind."""

    kind: str
    seed: int


@dataclass
class Count:
    """What was compared, and what failed."""

    cases: int = 0
    launches: int = 0
    checks: int = 0
    elements: int = 0
    largest: float = 0.0
    largest_at: str = ""
    failures: list[str] = field(default_factory=list)

    def add(self, other: Count) -> None:
        """Add another's."""
        self.cases += other.cases
        self.launches += other.launches
        self.checks += other.checks
        self.elements += other.elements
        self.failures += other.failures
        if other.largest > self.largest:
            self.largest, self.largest_at = other.largest, other.largest_at


def run_control(
    candidates: Sequence[str],
    kinds: Sequence[str],
    preset: str,
    tp: int,
    seeds: Iterable[int],
    workers: int,
    progress: Callable[[str], None],
) -> ControlReport:
    """Run the default cases of every kind with every seed; every failure is a false alarm.

    Args:
        candidates: built-in candidates without a fault.
        workers: processes.
    """
    chosen = list(seeds)
    units = [Unit(kind, seed) for seed in chosen for kind in kinds]
    total = Count()
    work = partial(_unit, tuple(candidates), preset, tp)
    for count in spread(work, units, workers, progress, lambda u: f"seed {u.seed}, {u.kind}"):
        total.add(count)
    return ControlReport(
        candidates=list(candidates),
        seeds=len(chosen),
        cases=total.cases,
        launches=total.launches,
        checks=total.checks,
        elements=total.elements,
        false_alarms=len(total.failures),
        upper=upper_limit(len(total.failures), total.cases),
        confidence=CONFIDENCE,
        largest=total.largest,
        largest_at=total.largest_at,
        failures=total.failures,
    )


def upper_limit(found: int, n: int, confidence: float = CONFIDENCE) -> float:
    """One-sided upper Clopper–Pearson limit of a rate (Clopper and Pearson 1934)."""
    return 1.0 if found >= n else float(beta.ppf(confidence, found + 1, n - found))


def _unit(candidates: tuple[str, ...], preset: str, tp: int, unit: Unit) -> Count:
    source = SyntheticWeights(configuration(preset), unit.seed)
    choice = LAYERS[unit.kind]
    total = Count()
    for job in jobs(choice, source.config, tp, LayerOptions(), default_step(unit.seed)):
        case = job.case(source, tp, unit.seed, preset)
        for name in candidates:
            candidate, _ = load(name, job.layer, RunOptions())
            launches = list(observe(case, candidate, job.sequence))
            total.add(_count(launches, job, name, unit, preset, tp))
    return total


def _count(
    launches: list[Seen], job: Job, candidate: str, unit: Unit, preset: str, tp: int
) -> Count:
    count = Count(cases=1, launches=len(launches))
    failed = []
    for seen in launches:
        count.checks += sum(c.verdict is not Verdict.NOT_CHECKED for c in seen.every)
        failed += [f"{seen.launch} {name}" for name in seen.failed]
        for report in seen.stages:
            for output in report.outputs:
                count.elements += output.elements
                peak = output.metrics.max_over_bound if output.metrics else 0.0
                if peak > count.largest:
                    count.largest = peak
                    count.largest_at = (
                        f"{job.kind}, {job.family}, {report.stage}.{output.output}, "
                        f"seed {unit.seed}, {candidate}"
                    )
    if failed:
        count.failures.append(
            f"python -m verify layer {job.kind} --preset {preset} --tp {tp} --layer {job.index} "
            f"--weights-seed {unit.seed} --seed {unit.seed} --family {job.family} "
            f"--candidate {candidate}: {', '.join(failed)}"
        )
    return count
