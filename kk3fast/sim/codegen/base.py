"""Helpers every operation's code uses: components, casts, exchange with the runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kk3fast.sim.codegen.values import LLVM_TYPES, Comps, Function, V, component_types, packed
from kk3fast.sim.ir import Op, Type, Value

if TYPE_CHECKING:
    from kk3fast.sim.codegen.kernel import KernelCode

IO_A32, IO_A64, IO_DATA = 0, 256, 768
"""Byte offsets in the exchange area (checked against the runtime at load)."""
INTEGER_OF = {"float": "i32", "double": "i64"}


class Emitter:
    """Emission into one function: the environment, the lane mask and common code."""

    def __init__(self, code: KernelCode, f: Function, mask: V | None) -> None:
        self.code = code
        self.f = f
        self.mask = mask
        """Active lanes (i64), or None when every lane is known to be active."""
        self.env: dict[Value, Comps] = {}

    # ---- values
    def get(self, value: Value) -> Comps:
        return tuple(self.f.use(v) for v in self.env[value])

    def one(self, value: Value) -> V:
        return self.get(value)[0]

    def set(self, op: Op, *comps: V) -> None:
        self.env[op.results[0]] = comps

    def mask_text(self) -> str:
        return f"i64 {self.f.use(self.mask).ref}" if self.mask else "i64 -1"

    # ---- element-wise code
    def apply(self, template: str, ty: str, *args: V) -> V:
        """``template`` with ``{t}`` the operand type and ``{0}``… the operands; wide if any is."""
        wide = any(a.wide for a in args)
        args = tuple(self.f.wide(a) if wide else self.f.use(a) for a in args)
        first = args[0].llvm
        to = f"<64 x {ty}>" if wide else ty
        return self.f.value(template.format(*(a.ref for a in args), t=first, to=to), ty, wide)

    def const(self, value: int | float | str, ty: str) -> V:
        return V(str(value), ty)

    def binary(self, instr: str, a: V, b: V) -> V:
        return self.apply(f"{instr} {{t}} {{0}}, {{1}}", a.ty, a, b)

    def cast(self, instr: str, a: V, ty: str) -> V:
        return a if a.ty == ty else self.apply(f"{instr} {{t}} {{0}} to {{to}}", ty, a)

    def compare(self, predicate: str, a: V, b: V) -> V:
        instr = "fcmp" if a.ty in ("float", "double") else "icmp"
        return self.apply(f"{instr} {predicate} {{t}} {{0}}, {{1}}", "i1", a, b)

    def select(self, c: V, a: V, b: V) -> V:
        if not c.wide and not a.wide and not b.wide:
            c, a, b = self.f.use(c), self.f.use(a), self.f.use(b)
            return self.f.value(f"select i1 {c.ref}, {a.llvm} {a.ref}, {b.llvm} {b.ref}", a.ty)
        a, b = self.f.wide(a), self.f.wide(b)
        c = self.f.use(c)
        return self.f.value(
            f"select {c.llvm} {c.ref}, {a.llvm} {a.ref}, {b.llvm} {b.ref}", a.ty, True
        )

    def intrinsic(self, name: str, ty: str, *args: V) -> V:
        """``llvm.<name>`` over equal-typed operands."""
        wide = any(a.wide for a in args)
        args = tuple(self.f.wide(a) if wide else self.f.use(a) for a in args)
        suffix = {"float": "f32", "double": "f64"}.get(ty, ty)
        full = f"v64{suffix}" if wide else suffix
        to = f"<64 x {ty}>" if wide else ty
        self.code.declare(f"declare {to} @llvm.{name}.{full}({', '.join([to] * len(args))})")
        text = ", ".join(f"{a.llvm} {a.ref}" for a in args)
        return self.f.value(f"call {to} @llvm.{name}.{full}({text})", ty, wide)

    # ---- words and elements
    def words(self, comps: Sequence[V], t: Type) -> list[V]:
        """A value as 32-bit words, low word first (a narrower scalar: one zero-extended word)."""
        if packed(t):
            return list(comps)
        out: list[V] = []
        for v in comps:
            if v.ty == "float":
                out.append(self.cast("bitcast", v, "i32"))
            elif v.ty in ("i64", "double"):
                q = self.cast("bitcast", v, "i64")
                out.append(self.cast("trunc", q, "i32"))
                out.append(self.cast("trunc", self.binary("lshr", q, self.const(32, "i64")), "i32"))
            else:
                out.append(self.cast("zext", v, "i32"))
        return out

    def from_words(self, words: Sequence[V], t: Type) -> Comps:
        """The inverse of ``words``."""
        if packed(t):
            return tuple(words)
        out: list[V] = []
        todo = list(words)
        for ty in component_types(t):
            low = todo.pop(0)
            if ty in ("i64", "double"):
                lo, hi = self.cast("zext", low, "i64"), self.cast("zext", todo.pop(0), "i64")
                q = self.binary("or", lo, self.binary("shl", hi, self.const(32, "i64")))
                out.append(self.cast("bitcast", q, ty))
            elif ty == "float":
                out.append(self.cast("bitcast", low, "float"))
            else:
                out.append(self.cast("trunc", low, ty))
        return tuple(out)

    def elements(self, comps: Sequence[V], t: Type) -> list[V]:
        """A vector's elements as scalars' components (a scalar: itself)."""
        if not packed(t):
            return list(comps)
        out = []
        for i in range(t.count):
            bit = i * t.bits
            word = comps[bit // 32]
            if bit % 32:
                word = self.binary("lshr", word, self.const(bit % 32, "i32"))
            out.append(self.cast("trunc", word, LLVM_TYPES[t.elem]))
        return out

    def vector(self, elements: Sequence[V], t: Type) -> Comps:
        """The inverse of ``elements``."""
        if not packed(t):
            return tuple(elements)
        out: list[V] = []
        per = 32 // t.bits
        for start in range(0, t.count, per):
            word: V | None = None
            for j, e in enumerate(elements[start : start + per]):
                x = self.cast("zext", e, "i32")
                if t.bits == 4:
                    x = self.binary("and", x, self.const(15, "i32"))
                if j:
                    x = self.binary("shl", x, self.const(j * t.bits, "i32"))
                word = x if word is None else self.binary("or", word, x)
            assert word is not None
            out.append(word)
        return tuple(out)

    # ---- floating-point formats
    def to_f32(self, v: V, elem: str) -> V:
        if elem == "bf16":
            wide = self.binary("shl", self.cast("zext", v, "i32"), self.const(16, "i32"))
            return self.cast("bitcast", wide, "float")
        if elem == "f16":
            return self.cast(
                "bitcast",
                self.helper("kk3_half", ["i32 0"], [self.cast("zext", v, "i32")])[0],
                "float",
            )
        return v

    def from_f32(self, v: V, elem: str) -> V:
        if elem == "bf16":
            return self.cast("trunc", self.bf16_word(v), "i16")
        if elem == "f16":
            x = self.helper("kk3_half", ["i32 1"], [self.cast("bitcast", v, "i32")])[0]
            return self.cast("trunc", x, "i16")
        return v

    def bf16_word(self, v: V) -> V:
        """Round to nearest even; a NaN keeps its sign and upper payload and becomes quiet."""
        x = self.cast("bitcast", v, "i32")
        c = self.const
        odd = self.binary("and", self.binary("lshr", x, c(16, "i32")), c(1, "i32"))
        up = self.binary("add", self.binary("add", x, c(0x7FFF, "i32")), odd)
        rounded = self.binary("lshr", up, c(16, "i32"))
        quiet = self.binary("or", self.binary("lshr", x, c(16, "i32")), c(64, "i32"))
        return self.select(self.compare("uno", v, v), quiet, rounded)

    # ---- exchange with the runtime
    def pointer(self, offset: int) -> str:
        p = self.f.fresh("p")
        self.emit(f"{p} = getelementptr i8, ptr {self.io()}, i64 {offset}")
        return p

    def io(self) -> str:
        key = V("@io", "ptr")
        known = self.f.loaded.get(key)
        if known is None:
            known = self.field("io", "ptr")
            self.f.loaded[key] = known
        return known.ref

    def field(self, name: str, ty: str, extra: int = 0) -> V:
        """A field of the wave."""
        p = self.f.fresh("p")
        self.emit(f"{p} = getelementptr i8, ptr %w, i64 {self.code.layout[name] + extra}")
        return self.f.value(f"load {ty}, ptr {p}", ty)

    def emit(self, text: str) -> None:
        self.f.emit(text)

    def put(self, index: int, v: V) -> None:
        """Store a 32-bit component as data[index] (all lanes when wide, else lane 0)."""
        v = self.f.use(v)
        self.emit(f"store {v.llvm} {v.ref}, ptr {self.pointer(IO_DATA + 256 * index)}, align 4")

    def take(self, index: int, wide: bool, ty: str = "i32") -> V:
        p = self.pointer(IO_DATA + 256 * index)
        full = f"<64 x {ty}>" if wide else ty
        return self.f.value(f"load {full}, ptr {p}, align 4", ty, wide)

    def put_addresses(self, v: V) -> None:
        v = self.f.wide(v)
        offset = IO_A32 if v.ty == "i32" else IO_A64
        self.emit(f"store {v.llvm} {v.ref}, ptr {self.pointer(offset)}, align 8")

    def call(self, name: str, *args: str, result: str = "void") -> V | None:
        """Call a runtime function; ``args`` after the wave, as ``type value`` texts."""
        types = ", ".join(["ptr", *(a.split(" ")[0] for a in args)])
        self.code.declare(f"declare {result} @{name}({types})")
        text = f"call {result} @{name}({', '.join(['ptr %w', *args])})"
        if result == "void":
            self.emit(text)
            return None
        return self.f.value(text, result)

    def helper(self, name: str, args: list[str], inputs: Sequence[V], outputs: int = 1) -> list[V]:
        """Run a runtime function over words of all lanes: data in, data out."""
        for i, v in enumerate(inputs):
            self.put(i, self.f.wide(v))
        self.call(name, *args)
        return [self.take(i, True) for i in range(outputs)]
