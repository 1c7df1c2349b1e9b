"""Quantised outputs: exact given exact inputs, else a neighbouring code within the bound.

A scale must belong to a largest magnitude the block can have; an element must lie between the
codes of the two ends of its interval, taken at the scale the candidate chose, and be at most one
step from the code of the oracle's value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from kk3ref import formats
from verify.bounds import CodePool, CodeRange
from verify.checks.elements import NO_POINT, Where, shares, unravel
from verify.checks.survey import Survey
from verify.data import Check

_SIXTH = torch.tensor(1 / 6, dtype=torch.float32)


@dataclass
class Codes:
    """Collects one quantised output over the ranks."""

    wrong: int = 0
    flips: int = 0
    unbounded: int = 0
    messages: list[str] = field(default_factory=list)
    survey: Survey = field(default_factory=Survey)

    def add(
        self,
        where: Where,
        expected: CodeRange | CodePool,
        codes: Tensor,
        scales: Tensor | None = None,
    ) -> None:
        """Judge one rank's bytes.

        Args:
            expected: values with their bound, or a pool into which they were written.
            codes: the candidate's bytes.
            scales: for MXFP4 elements, the candidate's own scales.
        """
        if isinstance(expected, CodePool):
            self._pool(where, expected, codes)
            return
        if expected.part == "scales":
            low, middle, high = _scale_range(expected)
            given = codes.to(torch.int16)
        elif expected.part == "codes":
            *lead, n = expected.values.shape
            if scales is None or scales.shape != (*lead, n // formats.GROUP):
                self.wrong += 1
                self.messages.append(
                    f"stage {where.stage}, output {where.output}, rank {where.rank}: "
                    "its scales must be exposed with it, one a block"
                )
                return
            low, middle, high = _element_range(expected, scales)
            given = _e2m1_order(formats.unpack_e2m1(codes))
        else:
            low, middle, high = _fp8_range(expected)
            given = _fp8_order(codes, expected.part)
        self.unbounded += int(expected.values.total().isinf().sum())
        low, high = torch.maximum(low, middle - 1), torch.minimum(high, middle + 1)
        bad = (given < low) | (given > high)
        self.flips += int(((given != middle) & ~bad).sum())
        differs = torch.where(given == middle, 0.0, 1.0)
        self.survey.ratios(where.rank, torch.where(bad, math.inf, differs))
        if bad.any():
            self.wrong += int(bad.sum())
            index = unravel(int(bad.flatten().int().argmax()), bad.shape)
            self.messages.append(_explain(where, expected, index, given, middle, low, high))

    def _pool(self, where: Where, expected: CodePool, codes: Tensor) -> None:
        """Rows that were written are judged; all others must keep their bytes."""
        rows = codes.reshape(expected.before.shape)
        changed = (rows != expected.before).any(-1)
        changed[expected.index] = False
        if changed.any():
            self.wrong += int(changed.sum())
            row = int(torch.nonzero(changed)[0])
            self.messages.append(f"{where.at([row])}: a row the step does not write was changed")
        if expected.index.numel():
            self.add(where, expected.codes, rows[expected.index])

    def checks(self) -> list[Check]:
        """The code criterion, and how often the oracle's neighbour was taken."""
        checks = [Check.none_of("codes", self.messages, self.wrong)]
        if self.unbounded:
            what = "values: any neighbouring code is legal"
            checks.append(Check.unbounded(self.unbounded, what))
        if self.flips:
            checks.append(Check.flips(self.flips, "codes"))
        return checks


def _explain(
    where: Where,
    expected: CodeRange,
    index: list[int],
    given: Tensor,
    middle: Tensor,
    low: Tensor,
    high: Tensor,
) -> str:
    at = tuple(index)
    bounded = expected.values
    if expected.part == "scales":
        block = slice(index[-1] * formats.GROUP, (index[-1] + 1) * formats.GROUP)
        peak = int(bounded.value[at[:-1]][block].abs().argmax())
        element = [*index[:-1], block.start + peak]
    else:
        element = index
    point = next((p for p, share in shares(bounded, element).items() if share > 0), NO_POINT)
    value = float(bounded.value[tuple(element)])
    return (
        f"{where.at(index)}: code {int(given[at])} must be in {int(low[at])}…{int(high[at])} "
        f"(oracle {int(middle[at])}, from value {value:.9g}); rounding point {point}"
    )


def _scale_range(expected: CodeRange) -> tuple[Tensor, Tensor, Tensor]:
    value, error = expected.values.value.abs(), expected.values.total()

    def code(x: Tensor) -> Tensor:
        amax = x.unflatten(-1, (-1, formats.GROUP)).amax(-1).to(torch.float32)
        return formats.e8m0_at_least(amax * _SIXTH).to(torch.int16)

    return code((value - error).clamp(min=0)), code(value), code(value + error)


def _element_range(expected: CodeRange, scales: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    value, error = expected.values.value, expected.values.total()
    scale = formats.decode_e8m0(scales, torch.float64).repeat_interleave(formats.GROUP, -1)
    low, middle, high = (
        _e2m1_order(formats.encode_e2m1(v / scale)) for v in (value - error, value, value + error)
    )
    return low, middle, high


def _e2m1_order(codes: Tensor) -> Tensor:
    """E2M1 codes as integers in the order of their values; -0 equals +0."""
    return _sign_order(codes, 8)


def _sign_order(codes: Tensor, sign: int) -> Tensor:
    size = (codes & (sign - 1)).to(torch.int16)
    return torch.where((codes & sign) != 0, -size, size)


def _fp8_order(codes: Tensor, name: str) -> Tensor:
    """fp8 bytes as integers in the order of their values; FNUZ's one NaN stands beyond them all."""
    codes = codes.view(torch.uint8)
    order = _sign_order(codes, 0x80)
    return torch.where(codes == 0x80, 0x80, order) if name == "fp8_e4m3fnuz" else order


def _fp8_range(expected: CodeRange) -> tuple[Tensor, Tensor, Tensor]:
    value, error = expected.values.value, expected.values.total()
    low, middle, high = (
        _fp8_order(formats.encode_fp8(v, expected.part), expected.part)
        for v in (value - error, value, value + error)
    )
    return low, middle, high
