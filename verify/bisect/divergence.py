"""The first place where a run leaves the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from verify.data import Check, OutputReport, StageReport, Verdict

_PLACE = re.compile(r"rank (\d+)(?:, index \[([\d, ]*)\])?")
_POINT = re.compile(r"rounding point ([\w.]+)")
LAYER_CHECKS = "layer"


class Divergence(BaseModel):
    """One failed check, placed."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    stage: str
    """stage, or ``layer`` for a check of the whole layer"""
    output: str
    """tap; empty for a check of the whole layer"""
    check: str
    """criterion"""
    rank: int | None
    """tensor-parallel rank of the first (or worst) element, if it has one"""
    index: list[int] | None
    """index of that element in the rank's tensor"""
    point: str
    """rounding point with the largest share of the bound there; empty where nothing rounds"""
    message: str
    """what was found and what was expected"""
    through: str = ""
    """unexposed values the stage was judged through"""

    def same_place(self, other: Divergence | None) -> bool:
        """Whether the other is the same failure, wherever in the tensor it shows."""
        return other is not None and (self.stage, self.output, self.check) == (
            other.stage,
            other.output,
            other.check,
        )


def first_divergence(
    stages: Sequence[StageReport], layer_checks: Sequence[Check]
) -> Divergence | None:
    """The first failed stage in the layer's order, else the first failed check of the layer."""
    for report in stages:
        for output in report.outputs:
            for check in output.checks:
                if check.verdict is Verdict.FAIL:
                    return _placed(report, output, check)
    for check in layer_checks:
        if check.verdict is Verdict.FAIL:
            rank, index = _place(check.message)
            return Divergence(
                stage=LAYER_CHECKS,
                output="",
                check=check.name,
                rank=rank,
                index=index,
                point="",
                message=check.message,
            )
    return None


def _placed(report: StageReport, output: OutputReport, check: Check) -> Divergence:
    rank, index = _place(check.message)
    point = _POINT.search(check.message)
    named = point.group(1) if point else ""
    if output.worst is not None and check.name in ("bound", "ratio"):
        worst = output.worst
        rank, index, named = worst.rank, worst.index, worst.point
    return Divergence(
        stage=report.stage,
        output=output.output,
        check=check.name,
        rank=rank,
        index=index,
        point="" if named.startswith("none") else named,
        message=check.message,
        through=report.note,
    )


def _place(message: str) -> tuple[int | None, list[int] | None]:
    found = _PLACE.search(message)
    if found is None:
        return None, None
    index = found.group(2)
    return int(found.group(1)), [int(n) for n in index.split(",")] if index else None
