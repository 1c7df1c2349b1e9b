"""A record as pandas frames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

SCHEMA_VERSION = 1
"""Version of the record schema this module reads."""

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
    ulps: pd.DataFrame
    """one row a bin of an output's histogram: stage, output, side (-1 below the rounded oracle, 0
    equal, 1 above), up_to (largest distance of the bin in representable values), count"""
    rows: pd.DataFrame
    """one row a tensor's row: stage, output, rank, row, rel_l2, max_over_bound"""
    sample: pd.DataFrame
    """one row a sampled element: stage, output, bound, error"""
    vacuity: pd.DataFrame
    """one row a planted fault: fault, stage, seen, by (criteria that failed, in one string)"""

    @cached_property
    def maps(self) -> pd.DataFrame:
        """One row a cell of an error map: stage, output, rank, row, column (its first ones),
        over_bound (largest error over bound in the cell; inf for a wrong discrete value)"""
        parts = []
        for place, error_map in each_map(self.record):
            cells = map_cells(error_map)
            row, column = np.indices(cells.shape)
            parts.append(
                pd.DataFrame(
                    place
                    | {
                        "rank": error_map["rank"],
                        "row": row.ravel() * error_map["rows_a_cell"],
                        "column": column.ravel() * error_map["columns_a_cell"],
                        "over_bound": cells.ravel(),
                    }
                )
            )
        columns = ["stage", "output", "rank", "row", "column", "over_bound"]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


@dataclass(frozen=True)
class EvalFrames:
    """The frames of one record of ``verify eval``."""

    record: dict[str, Any]
    """the record as it was read"""
    tasks: pd.DataFrame
    """one row a task: task, questions, samples, off, on (scores), difference, lower, upper, method,
    b, c, p, p_holm, non_inferior, equivalent, detectable_difference, discordance, same_text,
    verdict, reason"""
    answers: pd.DataFrame
    """one row an answer: task, document, sample, off, on (scores)"""
    disagreements: pd.DataFrame
    """one row a disagreement: task, document, sample, question, target, off_answer, on_answer,
    off_text, on_text, right (off, on, or nothing)"""


def load_eval(path: str | Path) -> EvalFrames:
    """Read a record of ``verify eval``.

    Raises:
        ValueError: the file is not such a record of schema version 1.
        OSError: the file cannot be read.
    """
    try:
        record = json.loads(Path(path).read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} must be a kk3 record in JSON: {error}") from error
    found = record if isinstance(record, dict) else {}
    if (found.get("kind"), found.get("schema_version")) != ("eval", SCHEMA_VERSION):
        raise ValueError(f"{path} must be a record of verify eval, schema_version {SCHEMA_VERSION}")
    plain = ["questions", "samples", "difference", "b", "c", "p", "p_holm", "non_inferior"]
    plain += (
        "equivalent",
        "detectable_difference",
        "discordance",
        "same_text",
        "verdict",
        "reason",
    )
    tasks, answers, cases = [], [], []
    for t in record["tasks"]:
        limits = {k: t["interval"][k] for k in ("lower", "upper", "method")}
        scores = {side: t[side]["score"] for side in ("off", "on")}
        tasks.append({"task": t["task"]} | scores | limits | {k: t[k] for k in plain})
        columns = ("document", "sample", "off", "on")
        answers += [
            {"task": t["task"]} | dict(zip(columns, row, strict=True)) for row in t["scores"]
        ]
        for case in t["disagreements"]:
            kept = {k: case[k] for k in ("document", "sample", "question", "target")}
            sides = {
                f"{side}_{k}": case[side][k] for side in ("off", "on") for k in ("answer", "text")
            }
            right = [side for side in ("off", "on") if case[side]["right"]]
            who = {"right": right[0] if len(right) == 1 else ""}
            cases.append({"task": t["task"]} | kept | sides | who)
    names = ["task", "document", "sample", "question", "target", "off_answer", "off_text"]
    return EvalFrames(
        record=record,
        tasks=pd.DataFrame(tasks),
        answers=pd.DataFrame(answers),
        disagreements=pd.DataFrame(cases, columns=[*names, "on_answer", "on_text", "right"]),
    )


def number(value: Any) -> float | None:
    """A record's number: infinities and NaN are strings in JSON."""
    return None if value is None else float(value)


def map_cells(error_map: dict[str, Any]) -> np.ndarray:
    """Error over bound of a map's cells, ``[rows of cells, columns of cells]``."""
    codes = np.array([list(bytes.fromhex(row)) for row in error_map["cells"]], dtype=np.float64)
    cells: np.ndarray = np.exp2((codes - 169) / 12)
    cells[codes == 0] = 0.0
    cells[codes == 255] = np.inf
    return cells


def each_map(record: dict[str, Any]) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """Every error map with its stage and output."""
    return [
        ({"stage": stage["stage"], "output": output["output"]}, error_map)
        for stage in record["stages"]
        for output in stage["outputs"]
        for error_map in (output.get("errors") or {}).get("maps", [])
    ]


def load(path: str | Path) -> Frames:
    """Read a record of ``verify layer``.

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
    if "stages" not in record:
        raise ValueError(f"{path} must be a record of verify layer, got no stages in it")
    return of_record(record)


def of_record(record: dict[str, Any]) -> Frames:
    """The frames of a record that was read already."""
    outputs, checks, points, ulps, rows, sample = [], [], [], [], [], []
    for stage in record["stages"]:
        for output in stage["outputs"]:
            place = {"stage": stage["stage"], "output": output["output"]}
            figures = output["metrics"] or {}
            named = {key: output[key] for key in ("kind", "verdict", "covered_by")}
            outputs.append(place | named | {key: number(figures.get(key)) for key in _FIGURES})
            checks += [place | _check(c) for c in output["checks"]]
            shares = (output["worst"] or {}).get("points", {})
            points += [place | {"point": p, "share": number(share)} for p, share in shares.items()]
            errors = output.get("errors") or {}
            ulps += [place | bin_ for bin_ in _bins(errors.get("ulps"))]
            rows += [place | _row(row) for row in errors.get("worst_rows", [])]
            sample += [
                place | {"bound": float(bound), "error": float(error)}
                for bound, error in errors.get("sample", [])
            ]
    checks += [{"stage": "", "output": ""} | _check(c) for c in record["layer_checks"]]
    vacuity = [proof | {"by": ", ".join(proof["by"])} for proof in record["vacuity"]]
    place_names = ["stage", "output"]
    return Frames(
        record=record,
        outputs=pd.DataFrame(outputs),
        checks=pd.DataFrame(checks),
        points=pd.DataFrame(points, columns=[*place_names, "point", "share"]),
        end_to_end=pd.DataFrame(record["end_to_end"]),
        ulps=pd.DataFrame(ulps, columns=[*place_names, "side", "up_to", "count"]),
        rows=pd.DataFrame(rows, columns=[*place_names, "rank", "row", "rel_l2", "max_over_bound"]),
        sample=pd.DataFrame(sample, columns=[*place_names, "bound", "error"]),
        vacuity=pd.DataFrame(vacuity, columns=["fault", "stage", "seen", "by"]),
    )


def _check(check: dict[str, Any]) -> dict[str, Any]:
    return {
        "check": check["name"],
        "verdict": check["verdict"],
        "value": number(check["value"]),
        "limit": number(check["limit"]),
        "message": check["message"],
    }


def _bins(histogram: dict[str, Any] | None) -> list[dict[str, Any]]:
    if histogram is None:
        return []
    bins = [{"side": 0, "up_to": 0, "count": histogram["equal"]}]
    for side, name in ((-1, "below"), (1, "above")):
        bins += [
            {"side": side, "up_to": 2**i, "count": count} for i, count in enumerate(histogram[name])
        ]
    return bins


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "rank": row["rank"],
        "row": row["row"],
        "rel_l2": float(row["rel_l2"]),
        "max_over_bound": float(row["max_over_bound"]),
    }
