"""Every fault in every layer kind that can show it, run as ``verify layer`` runs by default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from kk3ref.checkpoint import Source, SyntheticWeights
from kk3ref.presets import preset as configuration
from kk3ref.stages import LayerOptions
from verify.candidates import Candidate
from verify.candidates.reference import contract
from verify.candidates.rowwise import RowwiseCandidate
from verify.data import Verdict
from verify.data.faults import FaultReport, PlantReport
from verify.faults.candidate import FaultyCandidate
from verify.faults.catalogue import FAULTS, Fault
from verify.faults.observe import FIRST, Seen, observe
from verify.faults.plant import Plant
from verify.faults.spread import spread
from verify.inputs import Case
from verify.jobs import Job, default_step, jobs
from verify.layers import LAYERS

Progress = Callable[[str], None]
_Key = tuple[str, str, str]
"""Fault, plant and layer kind."""

CHECKS = (
    "guard_bands",
    "inputs_unchanged",
    "untouched_slots",
    "outputs_written",
    "ranks_equal",
    "dtype_and_shape",
    "finite",
    "exact",
    "picks",
    "codes",
    "bound",
    "ratio",
    "batch_invariant",
    "waits_and_alarms",
    "faults",
    "sanitizer",
    "run",
    "schedules",
)
"""Names of checks, the cheapest first."""


class FalseAlarm(RuntimeError):
    """The reference without a fault fails a check: nothing seen of a fault would mean anything."""


@dataclass(frozen=True)
class Sighting:
    """A failed check of a run: where it stood in the run, and its name."""

    job: int
    family: str
    launch: int
    name: str
    check: str

    @property
    def cost(self) -> tuple[int, int, int]:
        """Cheapest first: one launch before several, then the order of the checks, then of jobs."""
        return self.launch, CHECKS.index(self.check), self.job

    def __str__(self) -> str:
        where = "" if self.name == FIRST else f", launch {self.name}"
        return f"{self.check} ({self.family}{where})"


@dataclass
class Tally:
    """Runs of a plant in a layer kind."""

    seen: dict[int, list[Sighting]] = field(default_factory=dict)
    """sightings by run"""

    def add(self, run: int, sightings: Iterable[Sighting]) -> None:
        """Add what a run's job saw."""
        self.seen.setdefault(run, []).extend(sightings)

    def report(self, plant: str, kind: str) -> PlantReport:
        """Its report."""
        checks: Counter[str] = Counter()
        everywhere: Counter[Sighting] = Counter()
        for sightings in self.seen.values():
            checks.update({sighting.check for sighting in sightings})
            everywhere.update(set(sightings))
        most = max(everywhere.values(), default=0)
        best = [sighting for sighting, count in everywhere.items() if count == most]
        runs = len(self.seen)
        return PlantReport(
            plant=plant,
            kind=kind,
            runs=runs,
            detected=sum(bool(sightings) for sightings in self.seen.values()),
            checks={name: checks[name] / runs for name in CHECKS if name in checks},
            cheapest=str(min(best, key=lambda s: s.cost)) if best else "",
            missed_seeds=sorted(run for run, sightings in self.seen.items() if not sightings),
        )


@dataclass(frozen=True)
class Unit:
    """One default run of a layer kind: all its families with one seed."""

    kind: str
    seed: int


@dataclass(frozen=True)
class Setting:
    """What all runs of a campaign have in common.

    Attributes:
        faults: ids of the catalogue.
        preset: configuration of the synthetic weights.
        tp: ranks.
        until_seen: leave out the families after the first in which a check failed.
    """

    faults: tuple[str, ...]
    preset: str
    tp: int
    until_seen: bool


def run_faults(
    setting: Setting,
    kinds: Sequence[str],
    seeds: Sequence[int],
    workers: int,
    progress: Progress,
) -> list[FaultReport]:
    """Plant the faults and judge.

    A fault is run on the first decoder layer that can show it, with every family of the default
    run.

    Args:
        kinds: layer kinds; a fault is planted in those that can show it.
        seeds: of inputs; each is one default run.
        workers: processes.

    Raises:
        FalseAlarm: the reference without a fault fails a check.
    """
    tallies: dict[_Key, Tally] = {}
    units = [Unit(kind, seed) for kind in kinds for seed in seeds]
    work = partial(_unit, setting)
    for unit, found in zip(
        units,
        spread(work, units, workers, progress, lambda u: f"{u.kind}, seed {u.seed}"),
        strict=True,
    ):
        for key, sightings in found.items():
            tallies.setdefault(key, Tally()).add(unit.seed, sightings)
    return [_fault_report(FAULTS[name], kinds, tallies) for name in setting.faults]


def _unit(setting: Setting, unit: Unit) -> dict[_Key, list[Sighting]]:
    source = SyntheticWeights(configuration(setting.preset), 0)
    found: dict[_Key, list[Sighting]] = {}
    layers: dict[Plant, int] = {}
    for number, job in enumerate(_jobs(unit.kind, source, setting.tp, unit.seed)):
        case = job.case(source, setting.tp, unit.seed, setting.preset)
        plants = []
        for name in setting.faults:
            for plant in FAULTS[name].plants:
                key = (name, plant.name, unit.kind)
                fits = plant.fits(job.layer, case.contexts[0], job.step.drafts)
                if not fits or layers.setdefault(plant, job.index) != job.index:
                    continue
                if not (setting.until_seen and found.get(key)):
                    plants.append((key, plant))
        for key, sightings in _run_job(number, job, case, plants):
            found.setdefault(key, []).extend(sightings)
    return found


def _jobs(kind: str, source: Source, tp: int, seed: int) -> list[Job]:
    choice = LAYERS[kind]
    return list(jobs(choice, source.config, tp, LayerOptions(), default_step(seed)))


def _run_job(
    number: int, job: Job, case: Case, plants: Sequence[tuple[_Key, Plant]]
) -> Iterator[tuple[_Key, list[Sighting]]]:
    clean: dict[bool, list[Seen]] = {}
    for key, plant in plants:
        if plant.by_rows not in clean:
            clean[plant.by_rows] = _without(case, job, plant.by_rows)
        touched = None if plant.late else frozenset(plant.targets(job.layer))
        launches = observe(
            case, FaultyCandidate(plant), job.sequence, clean[plant.by_rows], touched
        )
        yield (
            key,
            [
                Sighting(number, job.family, place, seen.launch, check)
                for place, seen in enumerate(launches)
                for check in seen.failed
            ],
        )


def _without(case: Case, job: Job, by_rows: bool) -> list[Seen]:
    """The same run without a fault: what a fault does not touch is not judged again."""
    candidate: Candidate = RowwiseCandidate() if by_rows else contract()
    seen = list(observe(case, candidate, job.sequence))
    alarms = [f"{one.launch}: {one.failed}" for one in seen if one.failed]
    if alarms:
        what = f"{job.kind}, layer {job.index}, {job.family}, seed {case.seed}"
        raise FalseAlarm(f"the reference without a fault failed in {what}: {'; '.join(alarms)}")
    return seen


def _fault_report(fault: Fault, kinds: Sequence[str], tallies: dict[_Key, Tally]) -> FaultReport:
    plants = [
        tallies[fault.id, plant.name, kind].report(plant.name, kind)
        for plant in fault.plants
        for kind in kinds
        if (fault.id, plant.name, kind) in tallies
    ]
    return summed(fault.id, fault.title, fault.reveals, plants)


def summed(fault: str, title: str, reveals: str, plants: list[PlantReport]) -> FaultReport:
    """A fault's report from those of its forms; not checked if none of them ran."""
    runs, detected = sum(p.runs for p in plants), sum(p.detected for p in plants)
    verdict = Verdict.PASS if detected == runs else Verdict.FAIL
    return FaultReport(
        fault=fault,
        title=title,
        reveals=reveals,
        plants=plants,
        rate=detected / runs if runs else 0.0,
        verdict=verdict if runs else Verdict.NOT_CHECKED,
    )
