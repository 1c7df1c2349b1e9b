"""What each kind of record is evidence of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kk3fast.certificate import Evidence
from kk3fast.certificate.checks import EVAL, FAULTS, HARDWARE, SIMULATED
from kk3fast.compile.environment import DEFAULT_TARGET
from kk3fast.serve.settings import FLYDSL
from verify.data import Build, Record, Verdict
from verify.data.faults import FaultMatrix
from verify.evals.record import EvalRecord, Served
from verify.faults.catalogue import FAULTS as CATALOGUE
from verify.replay.record import ReplayRecord
from verify.steps.record import StepsRecord


@dataclass(frozen=True)
class Facts:
    """What every evidence needs of its file."""

    digest: str
    created: float


def of_launched(check: str, r: Record | ReplayRecord | StepsRecord, facts: Facts) -> Evidence:
    """A record of ``verify layer``, ``replay`` or ``steps``."""
    if not r.builds:
        raise ValueError(f"candidate {r.candidate.name} launched no compiled kernel")
    return Evidence(
        check=check,
        kinds=tuple(r.kinds) if isinstance(r, StepsRecord) else (r.layer,),
        where=_where(r),
        verdict=r.verdict.value,
        record=facts.digest,
        created=facts.created,
        builds=_digests(r.builds),
        families=() if isinstance(r, StepsRecord) else (r.family,),
        candidate=r.candidate.name,
        tp=r.tp,
        model=r.config_digest,
        harness=r.environment.harness,
        command=r.command,
    )


def of_faults(r: FaultMatrix, facts: Facts) -> Evidence:
    """A matrix of all planted faults: what the harness sees."""
    kinds = {plant.kind for fault in (*r.faults, *r.kernel_faults) for plant in fault.plants}
    missing = [name for name in CATALOGUE if name not in {fault.fault for fault in r.faults}]
    if missing:
        raise ValueError(f"must hold every planted fault, {', '.join(missing)} are missing")
    return Evidence(
        check=FAULTS,
        kinds=tuple(sorted(kinds)),
        where=SIMULATED,
        verdict=r.verdict.value,
        record=facts.digest,
        created=facts.created,
        builds=(),
        candidate="harness",
        tp=r.tp,
        model="",
        harness=r.environment.harness,
        command=r.command,
    )


def of_eval(r: EvalRecord, facts: Facts) -> Evidence:
    """A record of ``verify eval`` on two servers behind kk3's gate."""
    if r.mode != "off/on":
        raise ValueError("must compare off with on; an A/A run is a control")
    off, on = _served(r)
    losses = [max(0.0, -100 * task.interval.lower) for task in r.tasks]
    real = on.device == DEFAULT_TARGET and on.kernels == FLYDSL
    return Evidence(
        check=EVAL,
        kinds=tuple(task.task for task in r.tasks),
        where=HARDWARE if real and off.device == DEFAULT_TARGET else SIMULATED,
        verdict=r.verdict.value,
        record=facts.digest,
        created=facts.created,
        builds=(),
        candidate=on.backend,
        tp=on.tp,
        model=on.model,
        deployment=on.deployment,
        harness=r.environment.harness,
        margin_points=max(losses, default=100.0),
        command=r.command,
    )


def _served(r: EvalRecord) -> tuple[Served, Served]:
    """What both servers told of themselves: one deployment, its off switch on and off.

    Raises:
        ValueError: lists everything that does not bind the record to one deployment.
    """
    sides = [side.served for side in r.sides]
    nameless = [side.name for side in r.sides if side.served is None]
    if nameless or len(sides) != 2:
        told = f"{' and '.join(nameless)} tell no deployment in /metrics"
        raise ValueError(f"{told}: both must be servers behind kk3's gate, off by kk3_off_switch")
    off, on = (side for side in sides if side is not None)
    problems = []
    if off.deployment != on.deployment:
        problems.append(f"off ran {off.deployment[:12]}…, on {on.deployment[:12]}…")
    if off.planned:
        problems.append(f"off ran {off.planned} steps of the fused layers, must be 0")
    if not on.planned:
        problems.append("on ran no step of the fused layers")
    if problems:
        raise ValueError("; ".join(problems))
    return off, on


def _where(r: Record | ReplayRecord | StepsRecord) -> str:
    """``hardware`` if the record says so, and nothing else in it says otherwise.

    Raises:
        ValueError: it contradicts itself.
    """
    if r.hardware is not Verdict.PASS:
        return SIMULATED
    named = (r.environment.accelerator or "").split()
    problems = []
    for target in sorted({build.target for build in r.builds}):
        if target not in named:
            told = f"its environment names {r.environment.accelerator or 'no accelerator'}"
            problems.append(f"{told}, its builds are for {target}")
    if getattr(r, "simulation", None) is not None:
        problems.append("it was simulated")
    if problems:
        raise ValueError(f"says that hardware passed, but {'; '.join(problems)}")
    return HARDWARE


def _digests(builds: Iterable[Build]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(b.isa_sha256 for b in builds if b.isa_sha256))
