"""What a launch is given: named tensors, scalars and paged weights, one mapping a rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kk3fast.abi import Argument
from kk3fast.flydsl.build import KernelBuild


@dataclass(frozen=True)
class Paged:
    """Weights too large to hold at once: pages made when they are first touched.

    Attributes:
        total_bytes: of the whole.
        page_bytes: a power of two.
        page: page index → its bytes, uint8.
    """

    total_bytes: int
    page_bytes: int
    page: Callable[[int], Tensor]

    def materialise(self) -> Tensor:
        """All of it, uint8 ``[total_bytes]``."""
        pages = -(-self.total_bytes // self.page_bytes)
        return torch.cat([self.page(i).flatten() for i in range(pages)])[: self.total_bytes]


Value = Tensor | int | Paged
Values = Mapping[str, Value]
PROVIDED = frozenset({"scratch", "epoch", "slot", "health", "alarm", "peers", "rank"})
"""arguments that the runner fills in"""


class ArgumentError(ValueError):
    """Values do not fit a kernel's arguments; lists every problem."""


@dataclass(frozen=True)
class KernelLaunch:
    """One kernel on every rank.

    Attributes:
        build: what is launched.
        values: its arguments by name, one mapping a rank, without what the runner provides.
        slot: the launch's number in its step, 0 … 255; tags are made of it.

    Raises:
        ArgumentError: lists every problem of every rank.
    """

    build: KernelBuild
    values: Sequence[Values]
    slot: int

    def __post_init__(self) -> None:
        problems = [
            f"rank {rank}: {problem}"
            for rank, values in enumerate(self.values)
            for problem in argument_problems(self.build.arguments(), values)
        ]
        if not 0 <= self.slot < 256:
            problems.append(f"slot must be 0 to 255, got {self.slot}")
        if problems:
            raise ArgumentError(f"{self.build.kernel}: " + "; ".join(problems))


def argument_problems(arguments: Sequence[Argument], values: Values) -> list[str]:
    """What is wrong with named values: missing, unknown, of the wrong kind, dtype or size."""
    wanted = {a.name: a for a in arguments if a.name not in PROVIDED}
    problems = [f"{name} is missing" for name in wanted if name not in values]
    problems += [f"{name} is not an argument" for name in values if name not in wanted]
    for name, argument in wanted.items():
        if name in values:
            problems += _value_problems(argument, values[name])
    return problems


def _value_problems(argument: Argument, value: Value) -> list[str]:
    name = argument.name
    if not argument.is_pointer:
        if not isinstance(value, int):
            return [f"{name} must be an integer, got {type(value).__name__}"]
        if not -(1 << 31) <= value < 1 << 31:
            return [f"{name} must fit 32 bits, got {value}"]
        return []
    if isinstance(value, Paged):
        return []
    if not isinstance(value, Tensor):
        return [f"{name} must be a tensor, got {type(value).__name__}"]
    dtype = getattr(torch, argument.dtype)
    if value.dtype != dtype:
        return [f"{name} must be {dtype}, got {value.dtype}"]
    sizes = [n for n in argument.shape if isinstance(n, int)]
    if len(sizes) == len(argument.shape) and value.numel() != torch.Size(sizes).numel():
        return [f"{name} must be {tuple(argument.shape)}, got {tuple(value.shape)}"]
    return []


def extent(tensor: Tensor) -> Tensor:
    """The memory from a strided tensor's first element to its last, gaps included."""
    count = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.as_strided((count,), (1,))
