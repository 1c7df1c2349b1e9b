"""The compact picture of an output's error that every record carries."""

from __future__ import annotations

import math

from pydantic import BaseModel, ConfigDict

STEPS = 12
"""Codes an octave of error over bound, in a map's cells."""
AT_BOUND = 169
"""Largest code of an error within its bound: 1 + 12·14."""
OVER = 170
"""Smallest code of an error beyond its bound."""


def cell_code(ratio: float) -> int:
    """Error over bound as a byte.

    0 no error; 1…169 within the bound, ``2^((code - 169)/12)`` rounded to the nearest; 170…255
    beyond it, the last for everything above 2^7 and for what is not finite.
    """
    if ratio == 0:
        return 0
    if not ratio < math.inf:
        return 255
    code = round(STEPS * math.log2(ratio)) + AT_BOUND
    return min(max(code, OVER), 255) if ratio > 1 else min(max(code, 1), AT_BOUND)


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class ErrorMap(_Model):
    """Error over bound of one rank's tensor, flattened to rows × columns and pooled by maximum."""

    rank: int
    """tensor-parallel rank"""
    rows: int
    """first dimension of the tensor"""
    columns: int
    """product of the others"""
    rows_a_cell: int
    """rows pooled into one cell"""
    columns_a_cell: int
    """columns pooled into one cell"""
    cells: list[str]
    """one string a row of cells, two hexadecimal digits a cell: 0 no error; 1…169 within the bound,
    ``2^((code - 169)/12)`` of it; 170…255 beyond it, likewise, 255 for 2^7 or more. Discrete and
    exact outputs: 0 equal, 169 a legal neighbour, 255 wrong"""


class UlpHistogram(_Model):
    """How many representable values lie between the candidate and the rounded oracle."""

    dtype: str
    """whose spacing counts"""
    equal: int
    """elements equal to the rounded oracle"""
    below: list[int]
    """elements below it; entry i counts distances above 2^(i-1) and up to 2^i"""
    above: list[int]
    """elements above it, likewise"""
    not_finite: int
    """elements left out"""


class RowError(_Model):
    """One row of one rank's tensor."""

    row: int
    """index in the first dimension"""
    rank: int
    """tensor-parallel rank"""
    rel_l2: float
    """relative L2 error"""
    max_over_bound: float
    """largest error over its bound in the row"""


class Errors(_Model):
    """Where and how large an output's errors are."""

    maps: list[ErrorMap]
    """one a judged rank"""
    ulps: UlpHistogram | None = None
    """over all ranks, for floating-point outputs"""
    worst_rows: list[RowError] = []
    """largest relative L2 error first, at most 16 over all ranks"""
    sample: list[tuple[float, float]] = []
    """(bound, error) of the elements nearest to their bounds and of some of the others"""
