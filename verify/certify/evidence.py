"""Record files as the evidence of a certificate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from kk3fast.certificate import Evidence, Reason
from kk3fast.certificate.policy import HARDWARE, SIMULATED
from kk3ref.presets import PRESETS, preset
from verify.data import Build, Record, Verdict
from verify.data.faults import FaultMatrix
from verify.evals.record import EvalRecord
from verify.replay.record import ReplayRecord
from verify.steps.record import StepsRecord

MAX_RECORD_BYTES = 256 << 20


@dataclass(frozen=True)
class _Kind:
    """How records of one command are told apart and read."""

    check: str
    model: type[BaseModel]
    has: frozenset[str]
    read: Callable[[Any, _Facts], Evidence]


@dataclass(frozen=True)
class _Facts:
    """What every evidence needs of its file."""

    digest: str
    created: float
    eval_on_hardware: bool


def evidence_of(
    paths: Iterable[Path], eval_on_hardware: bool = False
) -> tuple[list[Evidence], list[Reason]]:
    """Read records of ``verify layer``, ``replay``, ``faults``, ``steps`` and ``eval``.

    Args:
        eval_on_hardware: the signer states that the evals' servers ran on the target GPUs; a
            record cannot know it.

    Returns:
        the evidence, and why files are none; the verdicts are judged later.
    """
    found, reasons, seen = [], [], set()
    for path in paths:
        try:
            one = _read(path, eval_on_hardware)
        except (OSError, ValueError) as error:
            reasons.append(Reason("record.unreadable", f"{path}: {error}"))
            continue
        if one.record not in seen:
            seen.add(one.record)
            found.append(one)
    return found, reasons


def _read(path: Path, eval_on_hardware: bool) -> Evidence:
    with path.open("rb") as file:
        data = file.read(MAX_RECORD_BYTES + 1)
    if len(data) > MAX_RECORD_BYTES:
        raise ValueError(f"must have at most {MAX_RECORD_BYTES} bytes")
    try:
        names = set(json.loads(data))
    except (ValueError, TypeError) as error:
        raise ValueError(f"must be a JSON record: {error}") from None
    kind = next((k for k in KINDS if k.has <= names), None)
    if kind is None:
        raise ValueError(f"must be a record of verify {', '.join(k.check for k in KINDS)}")
    try:
        record: Any = kind.model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"must follow the schema of verify {kind.check}: {where}: {first['msg']}"
        ) from None
    created = datetime.fromisoformat(record.created).timestamp()
    facts = _Facts(sha256(data).hexdigest(), created, eval_on_hardware)
    return kind.read(record, facts)


def _layer(r: Record, facts: _Facts) -> Evidence:
    return _launched("layer", r, facts, r.config_digest)


def _replay(r: ReplayRecord, facts: _Facts) -> Evidence:
    return _launched("replay", r, facts, _model_of(r.preset))


def _launched(check: str, r: Record | ReplayRecord, facts: _Facts, model: str) -> Evidence:
    if not r.builds:
        raise ValueError(f"candidate {r.candidate.name} launched no compiled kernel")
    return Evidence(
        check=check,
        kinds=(r.layer,),
        where=_where(r.hardware),
        verdict=r.verdict.value,
        record=facts.digest,
        created=facts.created,
        builds=_digests(r.builds),
        candidate=r.candidate.name,
        tp=r.tp,
        model=model,
        margin_points=None,
        command=r.command,
    )


def _faults(r: FaultMatrix, facts: _Facts) -> Evidence:
    kinds = {plant.kind for fault in (*r.faults, *r.kernel_faults) for plant in fault.plants}
    if not r.faults:
        raise ValueError("holds no planted fault (a control alone is no evidence of power)")
    return Evidence(
        check="faults",
        kinds=tuple(sorted(kinds)),
        where=SIMULATED,
        verdict=r.verdict.value,
        record=facts.digest,
        created=facts.created,
        builds=(),
        candidate="harness",
        tp=r.tp,
        model="",
        margin_points=None,
        command=r.command,
    )


def _steps(r: StepsRecord, facts: _Facts) -> Evidence:
    return Evidence(
        check="steps",
        kinds=tuple(r.kinds),
        where=_where(r.hardware),
        verdict=r.verdict.value,
        record=facts.digest,
        created=facts.created,
        builds=(),
        candidate=r.candidate.name,
        tp=r.tp,
        model=_model_of(r.preset),
        margin_points=None,
        command=r.command,
    )


def _eval(r: EvalRecord, facts: _Facts) -> Evidence:
    if r.mode != "off/on":
        raise ValueError("must compare off with on; an A/A run is a control")
    losses = [max(0.0, -100 * task.interval.lower) for task in r.tasks]
    return Evidence(
        check="eval",
        kinds=tuple(task.task for task in r.tasks),
        where=HARDWARE if facts.eval_on_hardware else SIMULATED,
        verdict=r.verdict.value,
        record=facts.digest,
        created=facts.created,
        builds=(),
        candidate=r.sides[-1].model,
        tp=1,
        model="",
        margin_points=max(losses, default=100.0),
        command=r.command,
    )


def _where(hardware: Verdict) -> str:
    return HARDWARE if hardware is Verdict.PASS else SIMULATED


def _digests(builds: Iterable[Build]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(b.isa_sha256 for b in builds if b.isa_sha256))


def _model_of(name: str) -> str:
    """Digest of a preset's configuration; empty for a file, which the record does not name."""
    return preset(name).digest() if name in PRESETS else ""


KINDS = (
    _Kind("eval", EvalRecord, frozenset({"sides", "tasks"}), _eval),
    _Kind("steps", StepsRecord, frozenset({"growth"}), _steps),
    _Kind("replay", ReplayRecord, frozenset({"mode", "calls"}), _replay),
    _Kind("faults", FaultMatrix, frozenset({"faults", "kernel_faults"}), _faults),
    _Kind("layer", Record, frozenset({"stages", "layer_checks"}), _layer),
)
