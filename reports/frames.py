"""A record as pandas frames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

SCHEMA_VERSION = 1
"""Version of the record schema this module reads."""


@dataclass(frozen=True)
class Frames:
    """The frames of one record."""

    record: dict[str, Any]
    """the record as it was read"""
    outputs: pd.DataFrame
    """one row an output: stage, output, kind, verdict, covered_by, and the figures max_error,
    max_over_bound, nrmse, worst_row, worst_row_rel_l2, baseline_error, equal_fraction,
    bound_width"""
    checks: pd.DataFrame
    """one row a check: stage, output, check, verdict, value, limit, message"""
    points: pd.DataFrame
    """one row a rounding point at an output's worst element: stage, output, point, share"""
    end_to_end: pd.DataFrame
    """one row a layer output: output, cosine, rel_l2, worst_row_rel_l2, upstream"""


_FIGURES = (
    "max_error",
    "max_over_bound",
    "nrmse",
    "worst_row",
    "worst_row_rel_l2",
    "baseline_error",
    "equal_fraction",
    "bound_width",
)


def load(path: str | Path) -> Frames:
    """Read a record.

    Raises:
        ValueError: the file is not a record of schema version 1.
        OSError: the file cannot be read.
    """
    try:
        record = json.loads(Path(path).read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} must be a kk3 record in JSON: {error}") from error
    version = record.get("schema_version") if isinstance(record, dict) else None
    if version != SCHEMA_VERSION:
        raise ValueError(f"{path}: schema_version must be {SCHEMA_VERSION}, got {version!r}")
    outputs, checks, points = [], [], []
    for stage in record["stages"]:
        for output in stage["outputs"]:
            place = {"stage": stage["stage"], "output": output["output"]}
            figures = output["metrics"] or {}
            named = {key: output[key] for key in ("kind", "verdict", "covered_by")}
            outputs.append(place | named | {key: figures.get(key) for key in _FIGURES})
            checks += [place | _check(c) for c in output["checks"]]
            shares = (output["worst"] or {}).get("points", {})
            points += [place | {"point": p, "share": share} for p, share in shares.items()]
    checks += [{"stage": "", "output": ""} | _check(c) for c in record["layer_checks"]]
    return Frames(
        record=record,
        outputs=pd.DataFrame(outputs),
        checks=pd.DataFrame(checks),
        points=pd.DataFrame(points, columns=["stage", "output", "point", "share"]),
        end_to_end=pd.DataFrame(record["end_to_end"]),
    )


def _check(check: dict[str, Any]) -> dict[str, Any]:
    return {
        "check": check["name"],
        "verdict": check["verdict"],
        "value": check["value"],
        "limit": check["limit"],
        "message": check["message"],
    }
