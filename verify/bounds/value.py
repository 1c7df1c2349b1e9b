"""A float64 value that carries, per rounding point, a bound of its error.

``Bounded`` stands in for a tensor in the reference's stage code. Its ``value`` is what the oracle
computes; ``errors[point]`` bounds how far a legal fp32/bf16 evaluation can be off because of that
rounding point. Every operation passes the errors on with the absolute values of its derivative
(products keep their second-order term, functions use the largest slope on the interval), so the sum
over points is the bound ``Σ_j u_j·S_j`` and each term says which point it came from (running error
analysis: Higham, *Accuracy and Stability of Numerical Algorithms*, ch. 3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from verify.bounds.functions import FUNCTIONS, U32, UNDERFLOW

ARITHMETIC = "fp32 arithmetic"
"""The point that collects the rounding of plain fp32 operations."""

# Moves of elements: applied to the value and to every error alike.
# fmt: off
_STRUCTURAL = frozenset({
    "__getitem__", "broadcast_to", "cat", "chunk", "clone", "contiguous", "expand", "expand_as",
    "flatten", "flip", "gather", "index_copy", "index_select", "movedim", "narrow", "permute",
    "repeat_interleave", "reshape", "split", "squeeze", "stack", "t", "transpose", "unbind",
    "unsqueeze", "view", "where",
})
# fmt: on
# Questions about the value alone. ``amax`` is one as the shift of a softmax, which cancels exactly;
# comparisons and sorts are not: a candidate within the bound may answer them otherwise.
_OF_VALUE = frozenset({"isnan", "isfinite", "isinf", "amax", "dim", "size", "numel"})


def _parts(x: Any) -> Iterable[Bounded]:
    """Every error-carrying value in a nest of arguments."""
    if isinstance(x, Bounded):
        yield x
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from _parts(item)


def _pick(x: Any, choose: Callable[[Any], Any]) -> Any:
    """Replace the leaves of a nest of arguments."""
    if isinstance(x, (list, tuple)):
        return type(x)(_pick(item, choose) for item in x)
    return choose(x)


class Bounded:
    """A float64 tensor with error bounds by rounding point."""

    __slots__ = ("errors", "value")
    __hash__ = object.__hash__

    def __init__(self, value: Tensor, errors: dict[str, Tensor] | None = None):
        self.value = value
        self.errors = errors or {}

    # -- tensor look-alike -------------------------------------------------------------------

    @property
    def shape(self) -> torch.Size:
        return self.value.shape

    @property
    def dtype(self) -> torch.dtype:
        return self.value.dtype

    @property
    def ndim(self) -> int:
        return self.value.ndim

    def __repr__(self) -> str:
        return f"Bounded(shape={tuple(self.shape)}, points={sorted(self.errors)})"

    def total(self) -> Tensor:
        """The whole bound ``Σ_j errors[j]``, of the value's shape; infinite where there is none.

        An error of NaN (0·∞ on the way) is such a place.
        """
        total = torch.zeros_like(self.value)
        for error in self.errors.values():
            total = total + error
        return total.nan_to_num(nan=math.inf, posinf=math.inf)

    def with_error(self, point: str, error: Tensor) -> Bounded:
        """This value with ``error`` added to a point."""
        errors = dict(self.errors)
        errors[point] = errors[point] + error if point in errors else error
        return Bounded(self.value, errors)

    def _rounded(self, units: int = 1) -> Bounded:
        """The result of one fp32 operation that loses up to ``units`` unit roundoffs.

        A division has three: a kernel may multiply by a reciprocal good to 1 ulp.
        """
        loss = units * U32 * (self.value.abs() + self.total()) + UNDERFLOW
        return self.with_error(ARITHMETIC, loss)

    # -- arithmetic --------------------------------------------------------------------------

    def __add__(self, other: Any) -> Bounded:
        return _add(self, other)._rounded()

    __radd__ = __add__

    def __sub__(self, other: Any) -> Bounded:
        return _add(self, -other)._rounded()

    def __rsub__(self, other: Any) -> Bounded:
        return _add(-self, other)._rounded()

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.errors)

    def __mul__(self, other: Any) -> Bounded:
        return product(torch.mul, self, other)._rounded()

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Bounded:
        return _divide(self, other)._rounded(3)

    def __rtruediv__(self, other: Any) -> Bounded:
        return _divide(lift(other, self.value), self)._rounded(3)

    def __pow__(self, exponent: int) -> Bounded:
        if exponent != 2:
            raise TypeError(f"only a square is carried through, got a power of {exponent}")
        return self * self

    def abs(self) -> Bounded:
        return Bounded(self.value.abs(), self.errors)

    # -- everything else through torch's own protocol ----------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        method = getattr(Tensor, name)
        return lambda *args, **kwargs: apply(method, (self, *args), kwargs)

    def __getitem__(self, index: Any) -> Bounded:
        result: Bounded = apply(Tensor.__getitem__, (self, index), {})
        return result

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return apply(func, args, kwargs or {})


def apply(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Carry a torch function or tensor method through error-carrying arguments.

    Raises:
        TypeError: the function has no rule.
    """
    name = func.__name__
    if name == "softplus" and kwargs.keys() == {"threshold"} and kwargs["threshold"] >= 20:
        kwargs = {}  # beyond it x is returned: e⁻²⁰ off, far within the rule's loss
    if name in FUNCTIONS and len(args) == 1 and not kwargs:
        return _function(name, args[0])
    if name in _STRUCTURAL:
        return _structural(func, args, kwargs)
    if name in _OF_VALUE:
        plain = _pick(args, lambda x: x.value if isinstance(x, Bounded) else x)
        return func(*plain, **kwargs)
    operator = _OPERATORS.get(name)
    if operator is not None and not kwargs:
        return operator(*args)
    options = f" with options {sorted(kwargs)}" if kwargs else ""
    raise TypeError(f"no error rule for torch function {name!r}{options}")


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: lift(a, b) + b,
    "sub": lambda a, b: lift(a, b) - b,
    "mul": lambda a, b: lift(a, b) * b,
    "div": lambda a, b: lift(a, b) / b,
    "true_divide": lambda a, b: lift(a, b) / b,
    "neg": lambda a: -a,
    "abs": lambda a: a.abs(),
    "square": lambda a: a * a,
}
# Tensor (operator) Bounded reaches us under the dunder's name, with the tensor first.
_OPERATORS |= {f"__{name}__": _OPERATORS[name] for name in ("add", "sub", "mul")}
_OPERATORS |= {
    "__radd__": _OPERATORS["add"],
    "__rmul__": _OPERATORS["mul"],
    "__rsub__": lambda a, b: lift(b, a) - a,
    "__truediv__": _OPERATORS["div"],
    "__rtruediv__": lambda a, b: lift(b, a) / a,
    "__rdiv__": lambda a, b: lift(b, a) / a,
}


def lift(x: Any, like: Any = None) -> Bounded:
    """An exact tensor or number as an error-carrying value."""
    if isinstance(x, Bounded):
        return x
    if isinstance(x, Tensor):
        return Bounded(x.to(torch.float64))
    number = torch.tensor(float(x), dtype=torch.float64)
    stored = number.to(torch.float32).to(torch.float64)  # how an fp32 kernel holds the constant
    return Bounded(number, {} if stored == number else {ARITHMETIC: (stored - number).abs()})


def _structural(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if func.__name__ == "where":  # its numbers and integer tensors are values, not indices
        condition, *branches = args
        args = (condition, *map(lift, branches))
    elif func.__name__ in ("cat", "stack"):
        args = ([lift(part) for part in args[0]], *args[1:])
    points: dict[str, None] = {}
    for part in _parts((args, tuple(kwargs.values()))):
        points.update(dict.fromkeys(part.errors))

    def component(point: str | None) -> Callable[[Any], Any]:
        def choose(x: Any) -> Any:
            if isinstance(x, Bounded):
                if point is None:
                    return x.value
                error = x.errors.get(point)
                return torch.zeros_like(x.value) if error is None else error.expand(x.shape)
            if isinstance(x, Tensor) and x.is_floating_point():
                x = x.to(torch.float64)
                return x if point is None else torch.zeros_like(x)
            return x

        return choose

    def evaluate(point: str | None) -> Any:
        choose = component(point)
        given = {k: _pick(v, choose) for k, v in kwargs.items()}
        return func(*_pick(args, choose), **given)

    value = evaluate(None)
    errors = {point: evaluate(point) for point in points}
    if isinstance(value, Tensor):
        return Bounded(value, errors)
    return type(value)(
        Bounded(v, {point: e[i] for point, e in errors.items()}) for i, v in enumerate(value)
    )


def _function(name: str, x: Bounded) -> Bounded:
    f = FUNCTIONS[name]
    y, e = f.call(x.value), x.total()
    slope = f.slope(x.value, e) if x.errors else None
    errors = {} if slope is None else {p: _scaled(slope, part) for p, part in x.errors.items()}
    return Bounded(y, errors).with_error(ARITHMETIC, f.loss(x.value, e) + UNDERFLOW)


def rsqrt_above(x: Bounded, floor: Tensor) -> Bounded:
    """``1/√x``, by the ends of its interval, which does not reach below ``floor``."""
    y, e = x.value**-0.5, x.total()
    most = torch.maximum(x.value - e, floor) ** -0.5
    change = torch.maximum(most - y, y - (x.value + e) ** -0.5)
    errors = {p: _scaled(change / e, part) for p, part in x.errors.items()}
    return Bounded(y, errors).with_error(ARITHMETIC, 4 * U32 * most + UNDERFLOW)


def _scaled(slope: Tensor, error: Tensor) -> Tensor:
    """slope · error, where no error passes nothing on even through an unbounded slope."""
    return torch.where(error == 0, torch.zeros_like(error), slope * error)


def _merge(target: dict[str, Tensor], extra: dict[str, Tensor]) -> None:
    for point, error in extra.items():
        target[point] = target[point] + error if point in target else error


def _add(a: Bounded, other: Any) -> Bounded:
    b = lift(other)
    value = a.value + b.value
    errors: dict[str, Tensor] = {}
    for side in (a, b):
        _merge(errors, {p: e.expand(value.shape) for p, e in _broadcast(side).items()})
    return Bounded(value, errors)


def _broadcast(x: Bounded) -> dict[str, Tensor]:
    return {p: e.expand(x.shape) for p, e in x.errors.items()}


def product(bilinear: Callable[[Tensor, Tensor], Tensor], a: Any, b: Any) -> Bounded:
    """A bilinear form of non-negative coefficients (an elementwise or contracted product).

    ``|âb̂ - ab| ≤ |b|·e_a + (|a| + E_a)·e_b`` for each point, second-order term included.
    """
    a, b = lift(a), lift(b)
    value = bilinear(a.value, b.value)
    errors: dict[str, Tensor] = {}
    if a.errors:
        size = b.value.abs()
        _merge(errors, {p: bilinear(e.expand(a.shape), size) for p, e in a.errors.items()})
    if b.errors:
        size = a.value.abs() + a.total()
        _merge(errors, {p: bilinear(size, e.expand(b.shape)) for p, e in b.errors.items()})
    return Bounded(value, errors)


def _divide(a: Bounded, other: Any) -> Bounded:
    b = lift(other)
    value = a.value / b.value
    floor = b.value.abs() - b.total()
    floor = torch.where(floor > 0, floor, torch.zeros_like(floor))
    errors = {p: _scaled(1 / floor, e.expand(value.shape)) for p, e in _broadcast(a).items()}
    _merge(
        errors,
        {p: _scaled(value.abs() / floor, e.expand(value.shape)) for p, e in b.errors.items()},
    )
    return Bounded(value, errors)


@dataclass(frozen=True)
class PickScores:
    """What a top-k point selects from: scores with their bound, instead of ids."""

    scores: Bounded
    k: int

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the ids."""
        return self.scores.shape[0], self.k


@dataclass(frozen=True)
class CodeRange:
    """What a quantisation point encodes: values with their bound, instead of codes."""

    values: Bounded
    part: str
    """``codes`` or ``scales`` of MXFP4, or an fp8 format's name"""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the stored bytes."""
        *lead, n = self.values.shape
        return (*lead, n // {"codes": 2, "scales": 32}.get(self.part, 1))

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> CodePool:
        if func.__name__ != "index_copy" or args[1] != 0:
            raise TypeError(f"codes can be written into a pool only, got {func.__name__!r}")
        pool, _, index, codes = args
        return CodePool(pool, index, codes, pool.shape)


@dataclass(frozen=True)
class CodePool:
    """A pool of codes into which a step's quantised rows were written."""

    before: Tensor
    """``[rows, width]`` bytes before the step"""
    index: Tensor
    """rows that were written"""
    codes: CodeRange
    """what was written there"""
    shape: tuple[int, ...]
    """shape of the whole pool"""

    def reshape(self, *shape: Any) -> CodePool:
        """The same pool in another shape."""
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return replace(self, shape=tuple(given))
