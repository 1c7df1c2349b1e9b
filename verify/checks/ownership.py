"""Whether an attention entry point returns its output projection's own tensor.

A copy into a caller's buffer is right, and costs a launch a layer: 93 a step of Kimi-K3. Any
callable and any module will do: KDA's and MLA's dispatch, or a concrete forward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from torch import Tensor, nn

from verify.data import Check

Output = Tensor | tuple[Tensor, ...]
Returned = TypeVar("Returned", bound=Output)


@dataclass(frozen=True)
class Ownership(Generic[Returned]):
    """What one call of an entry point showed."""

    check: Check
    """``ownership``: the same storage, address, shape and strides"""
    returned: Returned
    """what the entry point returned, for its caller"""
    copied_bytes: int
    """of the returned tensor, if it lies in another storage; a view of the projection's has none"""


def returns_projection(entry: Callable[[], Output], projection: nn.Module) -> Check:
    """Call an entry point and compare what it returns with what its projection gave.

    Args:
        entry: the attention's forward, arguments bound; a tuple's first tensor is its output.
        projection: the output projection, called once inside. Of a tuple the first tensor counts.

    Returns:
        a check ``ownership``: the same storage, address, shape and strides.
    """
    return observe(entry, projection).check


def observe(entry: Callable[[], Returned], projection: nn.Module) -> Ownership[Returned]:
    """As :func:`returns_projection`, with what was returned: for a call whose caller goes on."""
    given: list[Tensor] = []

    def keep(module: nn.Module, arguments: object, output: Output) -> None:
        given.append(_first(output))

    hook = projection.register_forward_hook(keep)
    try:
        returned = entry()
    finally:
        hook.remove()
    return compare(returned, given)


def compare(returned: Returned, given: Sequence[Tensor]) -> Ownership[Returned]:
    """What was returned beside what the projection gave.

    Args:
        returned: of a tuple the first tensor is the output.
        given: what the projection gave in the call; it must have run once.
    """
    out = _first(returned)
    if len(given) != 1:
        ran = [f"the projection must run once, it ran {len(given)} times"]
        return Ownership(Check.none_of("ownership", ran), returned, 0)
    elsewhere = _storage(out) != _storage(given[0])
    copied = out.numel() * out.element_size() if elsewhere else 0
    return Ownership(Check.none_of("ownership", _differences(out, given[0])), returned, copied)


def _first(output: Output) -> Tensor:
    return output if isinstance(output, Tensor) else output[0]


def _storage(x: Tensor) -> int:
    return x.untyped_storage().data_ptr()


def _differences(returned: Tensor, given: Tensor) -> list[str]:
    pairs = (
        ("storage", _storage(returned), _storage(given)),
        ("address", returned.data_ptr(), given.data_ptr()),
        ("shape", tuple(returned.shape), tuple(given.shape)),
        ("strides", returned.stride(), given.stride()),
    )
    return [
        f"the returned tensor's {what} must be the projection's, {wanted}, got {found}"
        for what, found, wanted in pairs
        if found != wanted
    ]
