"""Faults built into kernels for a test: a missing barrier, a wrong scope, a stale tag, and so on.

A kernel's build parameters have a field ``plant`` (``"none"`` in every real build), and its module
a mapping ``PLANTS`` from each other value to what it breaks. The candidate hands
:attr:`verify.candidates.RunOptions.plant` to the build. Such kernels are simulated here, with the
simulator's own checks and under several schedules: some faults show in one order of events only.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from kk3ref.stages import Layer
from verify.candidates import NO_PLANT, Candidate, CandidateError, RunOptions
from verify.data.faults import FaultReport
from verify.faults.campaign import FalseAlarm, Sighting, Tally, summed
from verify.faults.observe import FIRST, observe
from verify.inputs import Case
from verify.memory import same_bits

SOURCES: tuple[tuple[str, str], ...] = (
    ("k1", "kk3fast.flydsl.k1.build:K1Build"),
    ("k2", "kk3fast.flydsl.k2.build:K2Build"),
    ("kda-decode", "kk3fast.flydsl.kda_decode.build:KdaDecodeBuild"),
    ("m1", "kk3fast.flydsl.m1a.build:M1aBuild"),
    ("m1", "kk3fast.flydsl.m1c.build:M1cBuild"),
    ("m1", "kk3fast.flydsl.m1b.build:M1bBuild"),
)
"""Layer kind of every kernel that can have a plant, and ``module:name`` of its build."""

SCHEDULES = (
    RunOptions(sanitize=True),
    RunOptions(order="reverse", sanitize=True),
    RunOptions(order="random", schedule_seed=1, sanitize=True),
    RunOptions(order="random", schedule_seed=2, sanitize=True),
)
"""Orders of events a kernel is run under."""

Make = Callable[[Layer, RunOptions], Candidate]


@dataclass(frozen=True)
class KernelPlant:
    """A fault of a kernel.

    Attributes:
        kind: layer kind of the kernel.
        name: value of the build parameter ``plant``.
        description: what is broken.
    """

    kind: str
    name: str
    description: str

    @property
    def id(self) -> str:
        """As in ``--fault``."""
        return f"{self.kind}:{self.name}"


def kernel_plants(sources: Sequence[tuple[str, str]] | None = None) -> list[KernelPlant]:
    """Every plant of the kernels' modules.

    Args:
        sources: layer kinds and modules; by default :data:`SOURCES`.

    Raises:
        ImportError: a module cannot be imported here.
        AttributeError: a module has no ``PLANTS``.
    """
    found = []
    for kind, module in SOURCES if sources is None else sources:
        where, _, name = module.partition(":")
        owner = importlib.import_module(where)
        plants: Mapping[str, str] = getattr(owner, name).PLANTS if name else owner.PLANTS
        found += [KernelPlant(kind, name, text) for name, text in plants.items()]
    return found


def run_kernel_faults(
    plants: Sequence[KernelPlant],
    make: Make,
    case_of: Callable[[str, int], Case],
    seeds: Sequence[int],
    progress: Callable[[str], None] = lambda _: None,
    quick: bool = False,
) -> list[FaultReport]:
    """Simulate each faulty kernel, schedule by schedule until it shows, judged as any candidate.

    A fault is detected with a seed if a check failed under one of the schedules, the run broke off,
    or two schedules gave different bits.

    Args:
        make: a candidate of a layer, from options of which ``plant`` is one.
        case_of: the case of a layer kind and seed.
        quick: one launch under the first schedule only.

    Raises:
        FalseAlarm: the kernel without a fault fails a check.
    """
    reports = []
    for kind in dict.fromkeys(plant.kind for plant in plants):
        cases = {seed: case_of(kind, seed) for seed in seeds}
        for seed, case in cases.items():
            progress(f"{kind} kernel without a fault, seed {seed}")
            alarms = [str(sighting) for sighting in _sightings(case, make, NO_PLANT, quick)]
            if alarms:
                raise FalseAlarm(f"the {kind} kernel without a fault failed: {'; '.join(alarms)}")
        for plant in (plant for plant in plants if plant.kind == kind):
            tally = Tally()
            for seed, case in cases.items():
                progress(f"{kind} kernel, {plant.name}, seed {seed}")
                tally.add(seed, _sightings(case, make, plant.name, quick))
            report = tally.report(plant.name, kind)
            reports.append(summed(plant.id, plant.description, "any, simulated", [report]))
    return reports


def _sightings(case: Case, make: Make, plant: str, quick: bool = False) -> Iterator[Sighting]:
    """What fails under the first schedule that shows something, or between the schedules."""
    first: list[dict[str, Tensor]] | None = None
    for number, options in enumerate(SCHEDULES[:1] if quick else SCHEDULES):
        schedule, shown = _name(options), False
        candidate = make(case.layer, replace(options, plant=plant))
        try:
            for place, seen in enumerate(observe(case, candidate, sequence=not quick)):
                for check in seen.failed:
                    shown = True
                    yield Sighting(number, schedule, place, seen.launch, check)
                if place == 0 and first is None:
                    # A later launch may write the same buffers.
                    first = [{n: t.clone() for n, t in taps.items()} for taps in seen.taps]
                elif place == 0 and not _alike(first or [], seen.taps):
                    shown = True
                    yield Sighting(number, schedule, 0, FIRST, "schedules")
        except CandidateError:
            shown = True
            yield Sighting(number, schedule, 0, FIRST, "run")
        if shown:
            return


def _name(options: RunOptions) -> str:
    seed = f":{options.schedule_seed}" if options.order == "random" else ""
    return f"{options.order}{seed}"


def _alike(a: Sequence[Mapping[str, Tensor]], b: Sequence[Mapping[str, Tensor]]) -> bool:
    return all(
        x.keys() == y.keys() and all(bool(same_bits(x[n], y[n]).all()) for n in x)
        for x, y in zip(a, b, strict=True)
    )
