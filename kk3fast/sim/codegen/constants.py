"""Constants, poison and undefined values."""

from __future__ import annotations

import re
import struct

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.table import emits
from kk3fast.sim.codegen.values import LLVM_TYPES, Comps, V, component_types, packed
from kk3fast.sim.ir import SCALAR_BITS, Op, Type
from kk3fast.sim.syntax import ReadError


def literal(text: str, elem: str) -> str:
    """A scalar constant's text -> an LLVM literal of its component type."""
    text = text.strip()
    if elem == "i1":
        return {"true": "true", "false": "false"}.get(
            text, "true" if text not in ("0",) else "false"
        )
    if elem[0] not in "fb":
        value = int(text, 0)
        bits = SCALAR_BITS[elem]
        return str((value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1))
    if text.startswith("0x"):  # the bits of the type itself
        bits_value = int(text, 16)
        if elem == "f32":
            return _double(struct.unpack("<f", struct.pack("<I", bits_value))[0], bits_value)
        return (
            f"0x{bits_value:016X}" if elem == "f64" else str(_signed(bits_value, SCALAR_BITS[elem]))
        )
    number = float(text)
    if elem == "f64":
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    if elem == "f32":
        return _double(struct.unpack("<f", struct.pack("<f", number))[0], None)
    if elem == "bf16":
        bits_value = struct.unpack("<I", struct.pack("<f", number))[0]
        bits_value = (bits_value + 0x7FFF + (bits_value >> 16 & 1)) >> 16
        return str(_signed(bits_value, 16))
    if elem == "f16":
        return str(_signed(struct.unpack("<H", struct.pack("<e", number))[0], 16))
    raise ReadError(
        f"constant {text!r}: must be of an integer, f16, bf16, f32 or f64 type, got {elem}"
    )


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _double(value: float, bits: int | None) -> str:
    if value != value and bits is not None:  # LLVM writes a float NaN as the double it widens to
        sign, payload = bits >> 31, bits & 0x7FFFFF
        return f"0x{(sign << 63) | (0x7FF << 52) | (payload << 29):016X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _splat(c: list[str], t: Type) -> list[str]:
    return c * t.count if len(c) == 1 else c


@emits("arith.constant", "llvm.mlir.constant")
def constant(e: Emitter, op: Op) -> None:
    t = op.results[0].type
    text = op.attrs["value"]
    if t.kind == "vector":
        match = re.match(r"dense<(.*)>\s*:", text)
        if match is None:
            raise ReadError(f"constant {text!r} at {op.loc.short}: must be dense<…>")
        inner = match[1].strip()
        if inner.startswith('"0x'):
            items = _from_hex(inner.strip('"')[2:], t)
        else:
            items = [x.strip() for x in inner.strip("[]").split(",")]
        values = [V(literal(x, t.elem), LLVM_TYPES[t.elem]) for x in _splat(items, t)]
        e.env[op.results[0]] = _constant_vector(values, t)
        return
    head = text.rsplit(":", 1)[0] if ":" in text else text
    e.set(op, V(literal(head, t.elem), LLVM_TYPES[t.elem]))


def _from_hex(digits: str, t: Type) -> list[str]:
    raw = bytes.fromhex(digits)
    size = max(t.bits // 8, 1)
    return [hex(int.from_bytes(raw[i : i + size], "little")) for i in range(0, len(raw), size)]


def _constant_vector(values: list[V], t: Type) -> Comps:
    if not packed(t):
        return tuple(values)
    per = 32 // t.bits
    words = []
    for i in range(0, t.count, per):
        word = 0
        for j, v in enumerate(values[i : i + per]):
            word |= (int(v.ref) & ((1 << t.bits) - 1)) << (j * t.bits)
        words.append(V(str(_signed(word, 32)), "i32"))
    return tuple(words)


@emits("llvm.mlir.poison", "llvm.mlir.undef", "ub.poison", "llvm.mlir.zero")
def undefined(e: Emitter, op: Op) -> None:
    out = []
    for ty in component_types(op.results[0].type):
        zero = {"float": "0.0", "double": "0.0", "i1": "false"}.get(ty, "0")
        out.append(V(zero, ty))
    e.env[op.results[0]] = tuple(out)
