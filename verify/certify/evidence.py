"""Record files as the evidence of a certificate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from kk3fast.certificate import Evidence, Reason
from kk3fast.certificate.checks import EVAL, FAULTS, LAYER, REPLAY, STEPS
from verify.certify.of_record import Facts, of_eval, of_faults, of_launched
from verify.data import Record
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
    read: Callable[[Any, Facts], Evidence]


def evidence_of(paths: Iterable[Path]) -> tuple[list[Evidence], list[Reason]]:
    """Read records of ``verify layer``, ``replay``, ``faults``, ``steps`` and ``eval``.

    Returns:
        the evidence, and why files are none; the verdicts are judged later.
    """
    found, reasons, seen = [], [], set()
    for path in paths:
        try:
            one = _read(path)
        except (OSError, ValueError) as error:
            reasons.append(Reason("record.unreadable", f"{path}: {error}"))
            continue
        if one.record not in seen:
            seen.add(one.record)
            found.append(one)
    return found, reasons


def _read(path: Path) -> Evidence:
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
    facts = Facts(sha256(data).hexdigest(), created)
    return kind.read(record, facts)


KINDS = (
    _Kind(EVAL, EvalRecord, frozenset({"sides", "tasks"}), of_eval),
    _Kind(STEPS, StepsRecord, frozenset({"growth"}), partial(of_launched, STEPS)),
    _Kind(REPLAY, ReplayRecord, frozenset({"mode", "calls"}), partial(of_launched, REPLAY)),
    _Kind(FAULTS, FaultMatrix, frozenset({"faults", "kernel_faults"}), of_faults),
    _Kind(LAYER, Record, frozenset({"stages", "layer_checks"}), partial(of_launched, LAYER)),
)
