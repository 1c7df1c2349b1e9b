"""The precision policy: one object owns every place where a layer rounds or reduces.

A stage is ordinary PyTorch code that takes a policy ``p`` first and

* brings stored tensors into the arithmetic dtype with ``p.load``,
* marks a *rounding point* with ``p.round(x, "kda.proj", torch.bfloat16)``,
* reduces with ``p.sum``, ``p.mean``, ``p.linear``, ``p.einsum``, each named as well.

The same code then runs as

* **oracle**: float64 and nothing rounded (quantisation to MXFP4 and fp8 is part of a layer's
  definition, so it stays),
* **contract**: fp32 arithmetic with every production rounding point,
* **baseline**: the contract's rounding points with another legal reduction order, whose error
  against the oracle is what rounding alone costs.

``p.rank_sum`` and the fold over picks (``kk3ref.moe``) have an order that is part of the contract:
no policy changes it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from kk3ref import formats

# A tensor, or what a policy of another package computes with (error-carrying values).
Value = Any

_CHUNK_ELEMENTS = 1 << 21  # weight elements upcast at once: blocks the allocator reuses


class RowSource(Protocol):
    """A weight matrix [n, k] that is decoded a few rows at a time (e.g. MXFP4)."""

    @property
    def shape(self) -> torch.Size | tuple[int, ...]: ...

    def rows(self, start: int, stop: int, dtype: torch.dtype) -> Tensor:
        """Rows ``start:stop`` as a dense ``[stop - start, k]`` tensor of ``dtype``."""
        ...


def weight_rows(weight: Tensor | RowSource, start: int, stop: int, dtype: torch.dtype) -> Tensor:
    """Rows ``start:stop`` of a dense or encoded weight in ``dtype``."""
    if isinstance(weight, Tensor):
        return weight[start:stop].to(dtype)
    return weight.rows(start, stop, dtype)


def weight_chunks(weight: Tensor | RowSource) -> list[tuple[int, int]]:
    """Row ranges that bound the elements of ``weight`` upcast at once."""
    n, k = weight.shape
    step = max(1, _CHUNK_ELEMENTS // max(1, k))
    return [(i, min(n, i + step)) for i in range(0, n, step)]


class Precision:
    """Arithmetic in one floating dtype, with or without the production rounding points.

    Args:
        name: the policy's name in records and tables.
        dtype: arithmetic dtype (float32 or float64).
        rounds: whether ``round`` rounds; False keeps the arithmetic dtype everywhere.
        reverse: reduce in split, reversed order (another legal order of the same sum).
    """

    def __init__(self, name: str, dtype: torch.dtype, *, rounds: bool, reverse: bool = False):
        self.name = name
        self.dtype = dtype
        self.rounds = rounds
        self.reverse = reverse

    def __repr__(self) -> str:
        return f"Precision({self.name!r})"

    # -- values ------------------------------------------------------------------------------

    def load(self, x: Value) -> Value:
        """A stored tensor in the arithmetic dtype (exact: stored formats are narrower)."""
        return x.to(self.dtype)

    def round(self, x: Value, point: str, dtype: torch.dtype) -> Value:
        """The rounding point ``point``: ``x`` rounded to nearest even into ``dtype``.

        Without rounding (the oracle) ``x`` is returned in the arithmetic dtype.
        """
        return x.to(dtype) if self.rounds else x

    def store(self, x: Value, dtype: torch.dtype) -> Value:
        """A value that already lies on the grid of ``dtype`` (a move, not a rounding point)."""
        return x.to(dtype) if self.rounds else x

    # -- reductions --------------------------------------------------------------------------

    def sum(self, x: Value, dim: int, point: str, keepdim: bool = False) -> Value:
        """Sum over one axis, in any legal order."""
        if not self.reverse:
            return x.sum(dim, keepdim=keepdim)
        parts = x.flip(dim).split(max(1, -(-x.shape[dim] // 7)), dim)
        total = parts[0].sum(dim, keepdim=keepdim)
        for part in parts[1:]:
            total = total + part.sum(dim, keepdim=keepdim)
        return total

    def mean(self, x: Value, dim: int, point: str, keepdim: bool = False) -> Value:
        """Mean over one axis, in any legal order."""
        return self.sum(x, dim, point, keepdim) / x.shape[dim]

    def linear(self, x: Value, weight: Tensor | RowSource, point: str) -> Value:
        """``x @ weight.T`` with accumulation in the arithmetic dtype.

        Args:
            x: stored or loaded activations ``[..., k]``.
            weight: ``[n, k]``, upcast a few rows at a time so that a production projection never
                stands in memory in the wide dtype.
            point: name of the accumulation.

        Returns:
            ``[..., n]`` in the arithmetic dtype.
        """
        x = self.load(x)
        chunks = [
            self._contract(x, weight_rows(weight, i, j, self.dtype))
            for i, j in weight_chunks(weight)
        ]
        return torch.cat(chunks, -1)

    def _contract(self, x: Tensor, w: Tensor) -> Tensor:
        if not self.reverse:
            return x @ w.T
        k = x.shape[-1]
        bounds = [round(k * i / 7) for i in range(8)]
        total = None
        for a, b in reversed(list(itertools.pairwise(bounds))):
            if a < b:
                part = x[..., a:b] @ w[:, a:b].T
                total = part if total is None else total + part
        return x @ w.T if total is None else total

    def einsum(self, equation: str, a: Value, b: Value, point: str) -> Value:
        """Two-operand einsum of loaded values, summed in any legal order."""
        if self.reverse:
            a, b = _flip_contracted(equation, a, b)
        return torch.einsum(equation, a, b)

    def rank_sum(self, parts: Sequence[Value], point: str) -> Value:
        """Sum of the ranks' partials in rank order: the all-reduce's contract."""
        total = self.load(parts[0])
        for part in parts[1:]:
            total = total + self.load(part)
        return total

    # -- shared compositions -----------------------------------------------------------------

    def softmax(self, x: Value, dim: int, point: str) -> Value:
        """Softmax over one axis, shifted by the maximum."""
        e = torch.exp(x - x.amax(dim, keepdim=True))
        return e / self.sum(e, dim, point, keepdim=True)

    def rms_scale(self, x: Value, eps: float, point: str) -> Value:
        """``rsqrt(mean(x²) + eps)`` over the last axis, kept as an axis of one."""
        return torch.rsqrt(self.mean(x * x, -1, point, keepdim=True) + eps)

    def l2_scale(self, x: Value, eps: float, point: str) -> Value:
        """``rsqrt(Σx² + eps)`` over the last axis, kept as an axis of one."""
        return torch.rsqrt(self.sum(x * x, -1, point, keepdim=True) + eps)

    # -- discontinuous points ----------------------------------------------------------------

    def top_k(self, scores: Value, k: int, point: str) -> Value:
        """Ids of the ``k`` largest scores of each row, in descending order.

        Args:
            scores: ``[S, E]``; a NaN ranks last, ties go to the lower id.

        Returns:
            ``[S, k]`` int32.
        """
        ranked = torch.where(scores.isnan(), -torch.inf, scores)
        return ranked.sort(dim=-1, descending=True, stable=True).indices[:, :k].to(torch.int32)

    def quantize_mxfp4(self, x: Value, point: str) -> tuple[Value, Value]:
        """MXFP4 blocks of 32 along the last axis.

        Returns:
            packed elements uint8 ``[..., n/2]`` and scales uint8 ``[..., n/32]``.
        """
        packed = formats.quantize_mxfp4(x)
        return packed.codes, packed.scales

    def quantize_fp8(self, x: Value, scale: float, format: str, point: str) -> Value:
        """fp8 with a static scale: ``x / scale`` rounded to nearest even, saturating.

        Args:
            x: loaded values; scale: the static scale, an fp32 number.
            format: ``fp8_e4m3fn`` or ``fp8_e4m3fnuz``.

        Returns:
            bytes uint8 of the shape of ``x``.
        """
        return formats.encode_fp8(x / scale, format).view(torch.uint8)


def _flip_contracted(equation: str, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Reverse the summed axes of both operands: the same sum, walked from the other end."""
    inputs, output = equation.split("->")
    left, right = inputs.split(",")
    summed = [letter for letter in left if letter in right and letter not in output]
    a = a.flip([left.index(letter) for letter in summed])
    b = b.flip([right.index(letter) for letter in summed])
    return a, b


ORACLE = Precision("oracle", torch.float64, rounds=False)
CONTRACT = Precision("contract", torch.float32, rounds=True)
BASELINE = Precision("baseline", torch.float32, rounds=True, reverse=True)
PRECISIONS = {p.name: p for p in (ORACLE, CONTRACT, BASELINE)}
