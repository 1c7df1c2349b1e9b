"""What control flow needs to merge values and masks."""

from __future__ import annotations

from collections.abc import Iterable

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.values import Comps, V, component_types
from kk3fast.sim.ir import Value


def shape(e: Emitter, value: Value) -> list[tuple[str, bool]]:
    """(LLVM type, wide) of each component of a value that control flow merges."""
    wide = e.code.divergence.is_varying(value)
    return [(ty, wide) for ty in component_types(value.type)]


def fitted(e: Emitter, comps: Iterable[V], target: Value) -> Comps:
    """Components as wide as the merged value needs them."""
    wide = e.code.divergence.is_varying(target)
    return tuple(e.f.wide(v) if wide else e.f.use(v) for v in comps)


def phi(e: Emitter, ty: str, wide: bool, incoming: list[tuple[V, str]]) -> V:
    full = f"<64 x {ty}>" if wide else ty
    pairs = ", ".join(f"[ {v.ref}, %{block} ]" for v, block in incoming)
    return e.f.value(f"phi {full} {pairs}", ty, wide)


def as_mask(e: Emitter, c: V) -> V:
    """A condition's lanes as 64 bits."""
    c = e.f.wide(c)
    return e.f.value(f"bitcast <64 x i1> {c.ref} to i64", "i64")


def active_mask(e: Emitter) -> V:
    return e.f.use(e.mask) if e.mask else V("-1", "i64")


def nonzero(e: Emitter, mask: V) -> V:
    return e.compare("ne", mask, V("0", "i64"))


def zeros(ty: str, wide: bool) -> V:
    return V(
        "zeroinitializer"
        if wide
        else {"float": "0.0", "double": "0.0", "i1": "false"}.get(ty, "0"),
        ty,
        wide,
    )
