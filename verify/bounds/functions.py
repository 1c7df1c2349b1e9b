"""What a legal fp32 implementation of a function may lose, and how it passes errors on.

A stage's fp32 arithmetic is not prescribed to the last bit: a kernel may build ``sigmoid`` from the
hardware's ``exp2`` and ``rcp``. Each entry gives, for any argument within ``e`` of ``x``,

* the error of an evaluation that rounds its argument reduction and uses primitives good to 1 ulp,
* the largest slope on ``[x - e, x + e]`` (mean value theorem: the error passed on is slope · e).

Unit roundoff ``U32 = 2⁻²⁴``; 1 ulp is at most ``2·U32`` relative. ``exp`` through
``exp2(x·log2 e)`` rounds the product and the constant, an absolute error ``2·U32·|x|`` of the
exponent. ``tanh`` and ``softplus`` through ``exp`` lose *absolute* accuracy near zero, which is
allowed for here. Results below the smallest normal number may be flushed to zero, by an operation
or inside a function (``1 / (1 + exp(89))`` is 0 in fp32): every fp32 operation has the absolute
error ``UNDERFLOW``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

U32 = 2.0**-24
UNDERFLOW = 2.0**-126


@dataclass(frozen=True)
class Function:
    """Accuracy and slope of an elementwise function."""

    call: Callable[[Tensor], Tensor]
    loss: Callable[[Tensor, Tensor], Tensor]
    slope: Callable[[Tensor, Tensor], Tensor]


def _nearest_zero(x: Tensor, e: Tensor) -> Tensor:
    """The point of ``[x - e, x + e]`` nearest to zero."""
    return (x.abs() - e).clamp(min=0.0)


def _exp_loss(x: Tensor, e: Tensor) -> Tensor:
    return (2 * (x.abs() + e) + 4) * U32 * torch.exp(x + e)


def _sigmoid_loss(x: Tensor, e: Tensor) -> Tensor:
    rest = torch.sigmoid(e - x)  # the largest 1 - y: how much the inner exp weighs
    return (rest * (2 * (x.abs() + e) + 4) + 4) * U32 * torch.sigmoid(x + e)


def _sigmoid_slope(x: Tensor, e: Tensor) -> Tensor:
    near = _nearest_zero(x, e)
    return torch.sigmoid(near) * torch.sigmoid(-near)


def _tanh_slope(x: Tensor, e: Tensor) -> Tensor:
    return 4 * _sigmoid_slope(2 * x, 2 * e)


def _positive_floor(x: Tensor, e: Tensor) -> Tensor:
    """The least argument, kept positive: an interval that reaches zero gets an unbounded slope."""
    return (x - e).clamp(min=0.0)


def _softplus(x: Tensor) -> Tensor:
    """Without torch's shortcut above 20, which costs float64 its accuracy there."""
    return torch.logaddexp(x, torch.zeros_like(x))


def _log_size(x: Tensor, e: Tensor) -> Tensor:
    """The largest ``|log|`` on the interval."""
    return torch.maximum(torch.log(x + e).abs(), torch.log(_positive_floor(x, e)).abs())


FUNCTIONS: dict[str, Function] = {
    "exp": Function(torch.exp, _exp_loss, lambda x, e: torch.exp(x + e)),
    "sigmoid": Function(torch.sigmoid, _sigmoid_loss, _sigmoid_slope),
    "tanh": Function(
        torch.tanh,
        lambda x, e: 6 * U32 * (1 + torch.tanh(x.abs() + e)),
        _tanh_slope,
    ),
    "rsqrt": Function(
        torch.rsqrt,
        lambda x, e: 4 * U32 * _positive_floor(x, e) ** -0.5,
        lambda x, e: 0.5 * _positive_floor(x, e) ** -1.5,
    ),
    "sqrt": Function(
        torch.sqrt,
        lambda x, e: 4 * U32 * (x + e) ** 0.5,
        lambda x, e: 0.5 * _positive_floor(x, e) ** -0.5,
    ),
    "log": Function(
        torch.log,
        lambda x, e: 4 * U32 * _log_size(x, e) + 2 * U32,
        lambda x, e: 1 / _positive_floor(x, e),
    ),
    "softplus": Function(
        _softplus,
        lambda x, e: 8 * U32 * _softplus(x + e) + 4 * U32,
        lambda x, e: torch.sigmoid(x + e),
    ),
}
