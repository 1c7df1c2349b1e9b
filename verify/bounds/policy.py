"""The fourth precision policy: the oracle's values with the contract's error bound beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from kk3ref.precision import Precision, RowSource, Value, weight_chunks, weight_rows
from verify.bounds.functions import U32, UNDERFLOW
from verify.bounds.value import Bounded, CodeRange, PickScores, lift, product, rsqrt_above

FAILURE_PROBABILITY = 1e-9
"""Chance that rounding alone breaks the probabilistic bound anywhere in one tensor."""

UNIT_ROUNDOFF = {torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11, torch.float32: U32}
_HALF_SUBNORMAL = {torch.bfloat16: 2.0**-134, torch.float16: 2.0**-25, torch.float32: 2.0**-150}


def magnitude(x: Value) -> Tensor:
    """The largest absolute value the candidate's ``x`` can have."""
    return x.value.abs() + x.total() if isinstance(x, Bounded) else x.abs()


def gamma(n: int, outputs: int) -> float:
    """Relative error of an fp32 sum of ``n`` terms in any order, against the sum of magnitudes.

    The smaller of the worst case ``n·u/(1 - n·u)`` and the probabilistic form
    ``exp(λ√n·u + n·u²/(1-u)) - 1`` (Higham and Mary 2019, Theorem 2.4: it fails with probability at
    most ``2n·exp(-λ²(1-u)²/2)``), with λ chosen so that a tensor of ``outputs`` sums fails with
    probability :data:`FAILURE_PROBABILITY`.
    """
    n = max(1, n)
    worst = n * U32 / (1 - n * U32) if n * U32 < 1 else math.inf
    lam = math.sqrt(2 * math.log(2 * n * max(1, outputs) / FAILURE_PROBABILITY)) / (1 - U32)
    likely = math.expm1(lam * math.sqrt(n) * U32 + n * U32**2 / (1 - U32))
    return min(worst, likely)


class BoundPolicy(Precision):
    """Runs stage code on :class:`Bounded` values."""

    def __init__(self) -> None:
        super().__init__("bound", torch.float64, rounds=False)

    def load(self, x: Value) -> Bounded:
        return lift(x)

    def round(self, x: Value, point: str, dtype: torch.dtype) -> Bounded:
        x = lift(x)
        return x.with_error(point, UNIT_ROUNDOFF[dtype] * magnitude(x) + _HALF_SUBNORMAL[dtype])

    def store(self, x: Value, dtype: torch.dtype) -> Bounded:
        return lift(x)

    def sum(self, x: Value, dim: int, point: str, keepdim: bool = False) -> Bounded:
        x = lift(x)
        value = x.value.sum(dim, keepdim=keepdim)
        errors = {p: e.expand(x.shape).sum(dim, keepdim=keepdim) for p, e in x.errors.items()}
        size = magnitude(x).sum(dim, keepdim=keepdim)
        n = x.shape[dim]
        loss = gamma(n, value.numel()) * size + n * UNDERFLOW
        return Bounded(value, errors).with_error(point, loss)

    def linear(self, x: Value, weight: Tensor | RowSource, point: str) -> Bounded:
        x = lift(x)
        k = x.shape[-1]
        parts = []
        for i, j in weight_chunks(weight):
            w = weight_rows(weight, i, j, self.dtype)
            value, size = x.value @ w.T, w.abs()
            errors = {p: e.expand(x.shape) @ size.T for p, e in x.errors.items()}
            parts.append((value, errors, magnitude(x) @ size.T))
        value = torch.cat([part[0] for part in parts], -1)
        errors = {p: torch.cat([part[1][p] for part in parts], -1) for p in x.errors}
        size = torch.cat([part[2] for part in parts], -1)
        return Bounded(value, errors).with_error(
            point, gamma(k + 1, value.numel()) * size + 2 * k * UNDERFLOW
        )

    def einsum(self, equation: str, a: Value, b: Value, point: str) -> Bounded:
        a, b = lift(a), lift(b)
        result = product(lambda s, t: torch.einsum(equation, s, t), a, b)
        size = torch.einsum(equation, magnitude(a), magnitude(b))
        n = _contracted(equation, a, b)
        return result.with_error(point, gamma(n + 1, size.numel()) * size + 2 * n * UNDERFLOW)

    def rank_sum(self, parts: Sequence[Value], point: str) -> Bounded:
        stacked = torch.stack([lift(part) for part in parts])  # type: ignore[misc]
        return self.sum(stacked, 0, point)

    def rms_scale(self, x: Value, eps: float, point: str) -> Bounded:
        """As the stage code has it, but a candidate's squares are never negative.

        Without that, the interval of a small row's mean square reaches zero and its inverse root
        has no bound.
        """
        x = lift(x)
        square = self.mean(x * x, -1, point, keepdim=True) + eps
        return _inverse_root(square, x, _least_square(x).mean(-1, keepdim=True) + eps)

    def l2_scale(self, x: Value, eps: float, point: str) -> Bounded:
        """See :meth:`rms_scale`."""
        x = lift(x)
        square = self.sum(x * x, -1, point, keepdim=True) + eps
        return _inverse_root(square, x, _least_square(x).sum(-1, keepdim=True) + eps)

    def top_k(self, scores: Value, k: int, point: str) -> PickScores:
        return PickScores(lift(scores), k)

    def quantize_mxfp4(self, x: Value, point: str) -> tuple[CodeRange, CodeRange]:
        x = lift(x)
        return CodeRange(x, "codes"), CodeRange(x, "scales")

    def quantize_fp8(self, x: Value, scale: float, format: str, point: str) -> CodeRange:
        # Division by a scale of one is exact; any other rounds once in fp32.
        return CodeRange(lift(x) if scale == 1.0 else lift(x) / scale, format)


def _least_square(x: Bounded) -> Tensor:
    """The least a candidate's x² can be."""
    return (x.value.abs() - x.total()).clamp(min=0.0) ** 2


def _inverse_root(square: Bounded, x: Bounded, least: Tensor) -> Bounded:
    """``1/√square``, where ``square`` is summed from squares of ``x`` of at least ``least``."""
    n = x.shape[-1]
    kept = 1 - 2 * gamma(n, square.value.numel()) - 8 * U32
    floor = kept * least - (n + 4) * UNDERFLOW
    return rsqrt_above(square, floor.clamp(min=0.0))


def _contracted(equation: str, a: Bounded, b: Bounded) -> int:
    inputs, output = equation.split("->")
    left, right = inputs.split(",")
    sizes = dict(zip(left, a.shape, strict=True)) | dict(zip(right, b.shape, strict=True))
    return math.prod(size for letter, size in sizes.items() if letter not in output)
