"""Take a record up again: its case, and one of its stages under other precisions."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from torch import Tensor

from kk3ref.precision import BASELINE, CONTRACT, ORACLE, Precision
from kk3ref.stages import LayerOptions, run_layer, run_stage
from verify.data.record import Record
from verify.data.store import read
from verify.inputs import Case
from verify.layers import LAYERS

POLICIES = (ORACLE, CONTRACT, BASELINE)


def case_of(record: Record) -> Case:
    """The very case of a record: weights, inputs and step, from its command.

    Raises:
        ValueError: the record's command is none of ``verify layer``.
        CheckpointError, ConfigError: the model it names cannot be read here.
    """
    from verify.plan import plan

    words = shlex.split(record.command)
    if words[:4] != ["python", "-m", "verify", "layer"]:
        raise ValueError(f"the record must come from verify layer, got {record.command!r}")
    (planned,) = plan(words[4:])
    return planned.case()


def stage_under(
    path: str | Path, stage: str, policies: Sequence[Precision] = POLICIES
) -> dict[str, list[Mapping[str, Tensor]]]:
    """A stage's outputs under several precisions, on the inputs the contract gives it.

    Args:
        path: a record.
        stage: name of one of its stages.
        policies: oracle, contract and baseline unless others are given.

    Returns:
        by policy name, the stage's outputs by name, one mapping a rank.

    Raises:
        RecordError: the file is no record.
        KeyError: the layer has no such stage; names those there are.
    """
    case = case_of(read(Path(path)))
    wanted = case.layer.stage(stage)
    values = run_layer(case.layer, CONTRACT, case.contexts, case.inputs)
    return {p.name: list(run_stage(wanted, p, case.contexts, values)) for p in policies}


def differences(outputs: Mapping[str, Sequence[Mapping[str, Tensor]]]) -> pd.DataFrame:
    """How far each precision's outputs are from the oracle's.

    Args:
        outputs: of :func:`stage_under`, the oracle among them.

    Returns:
        one row a precision, output and rank: policy, output, rank, max_error, equal_fraction (of
        elements equal to the oracle rounded to their type).
    """
    rows = []
    for policy, ranks in outputs.items():
        for rank, taps in enumerate(ranks):
            for name, value in taps.items():
                oracle = outputs[ORACLE.name][rank][name]
                error = (value.double() - oracle.double()).abs()
                equal = (value == oracle.to(value.dtype)).double().mean()
                row = {"policy": policy, "output": name, "rank": rank}
                figures = {"max_error": float(error.max()), "equal_fraction": float(equal)}
                rows.append(row | figures)
    return pd.DataFrame(rows)


def walk(path: str | Path) -> pd.DataFrame:
    """The stages of a record's layer in order: what each reads and gives, and its verdict.

    Returns:
        one row a stage: stage, scope (rank, replicated or collective), reads, gives, verdict.
    """
    record = read(Path(path))
    layer = LAYERS[record.layer].make(LayerOptions())
    verdicts = {report.stage: report.verdict.value for report in record.stages}
    rows = [
        {
            "stage": s.name,
            "scope": s.scope.value,
            "reads": ", ".join(s.inputs),
            "gives": ", ".join(tap.name for tap in s.outputs),
            "verdict": verdicts.get(s.name, "not judged"),
        }
        for s in layer.stages
    ]
    return pd.DataFrame(rows)
