"""Whether an attention entry point returns its output projection's own tensor.

A copy into a caller's buffer is right, and costs a launch a layer: 93 a step of Kimi-K3. Any
callable and any module will do: KDA's and MLA's dispatch, or a concrete forward.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from verify.data import Check

Output = Tensor | tuple[Tensor, ...]


def returns_projection(entry: Callable[[], Output], projection: nn.Module) -> Check:
    """Call an entry point and compare what it returns with what its projection gave.

    Args:
        entry: the attention's forward, arguments bound; a tuple's first tensor is its output.
        projection: the output projection, called once inside. Of a tuple the first tensor counts.

    Returns:
        a check ``ownership``: the same storage, address, shape and strides.
    """
    given: list[Tensor] = []

    def keep(module: nn.Module, arguments: object, output: Output) -> None:
        given.append(_first(output))

    hook = projection.register_forward_hook(keep)
    try:
        returned = _first(entry())
    finally:
        hook.remove()
    if len(given) != 1:
        return Check.none_of(
            "ownership", [f"the projection must run once, it ran {len(given)} times"]
        )
    return Check.none_of("ownership", _differences(returned, given[0]))


def _first(output: Output) -> Tensor:
    return output if isinstance(output, Tensor) else output[0]


def _differences(returned: Tensor, given: Tensor) -> list[str]:
    pairs = (
        ("storage", returned.untyped_storage().data_ptr(), given.untyped_storage().data_ptr()),
        ("address", returned.data_ptr(), given.data_ptr()),
        ("shape", tuple(returned.shape), tuple(given.shape)),
        ("strides", returned.stride(), given.stride()),
    )
    return [
        f"the returned tensor's {what} must be the projection's, {wanted}, got {found}"
        for what, found, wanted in pairs
        if found != wanted
    ]
