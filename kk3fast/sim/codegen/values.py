"""Values of generated code: components, their LLVM types, and a function's text builder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kk3fast.sim.ir import Type

LLVM_TYPES = {
    "i1": "i1", "i4": "i8", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "index": "i64",
    "f16": "i16", "bf16": "i16", "f32": "float", "f64": "double",
    "f8E4M3FN": "i8", "f8E5M2": "i8", "f8E4M3FNUZ": "i8", "f8E5M2FNUZ": "i8", "f4E2M1FN": "i8",
}  # fmt: skip
BYTES = {"i1": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8}
"""Bytes a lane takes in a frame (i1 is kept as a 64-bit mask a wave)."""


@dataclass(frozen=True)
class V:
    """One component: a scalar every lane shares, or a vector of 64 lanes (``wide``).

    ``ref`` is an SSA name or a literal; ``slot`` ≥ 0 is the byte offset of a live-in that is loaded
    from the frame where it is used, ``up`` frames further out than the function's own.
    """

    ref: str
    ty: str
    wide: bool = False
    slot: int = -1
    up: int = 0

    @property
    def llvm(self) -> str:
        """The component's LLVM type."""
        return f"<64 x {self.ty}>" if self.wide else self.ty

    @property
    def literal(self) -> bool:
        """Whether it is a constant written in place."""
        return self.slot < 0 and not self.ref.startswith("%")


Comps = tuple[V, ...]


def packed(t: Type) -> bool:
    """Whether a vector's elements are packed into 32-bit words."""
    return t.kind == "vector" and t.elem != "i1" and t.bits < 32


def component_types(t: Type) -> list[str]:
    """LLVM scalar types of a value's components."""
    if t.kind == "ptr":
        return {3: ["i32"], 5: ["i32"], 8: ["i64", "i64"], 7: ["i64", "i64"]}.get(t.space, ["i64"])
    if t.kind == "struct":
        return [c for m in t.members for c in component_types(m)]
    if t.kind == "vector":
        if packed(t):
            return ["i32"] * (-(-t.count * t.bits // 32))
        return [LLVM_TYPES[t.elem]] * t.count
    if t.kind == "other":
        return []
    return [LLVM_TYPES[t.elem]]


class Function:
    """The text of one LLVM function under construction, straight line by straight line."""

    def __init__(self, name: str, outlined: bool) -> None:
        self.name = name
        self.outlined = outlined
        self.lines: list[str | Callable[[], str]] = []
        self.count = 0
        self.block = "entry"
        self.loaded: dict[V, V] = {}
        self.frame_bytes = 0

    def fresh(self, hint: str = "v") -> str:
        self.count += 1
        return f"%{hint}{self.count}"

    def label(self, name: str) -> None:
        """Start a block."""
        self.lines.append(f"{name}:")
        self.block = name
        self.loaded = {}

    def new_label(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append("  " + text)

    def later(self, text: Callable[[], str]) -> None:
        """A line whose text is known only when the function is complete."""
        self.lines.append(text)

    def value(self, text: str, ty: str, wide: bool = False) -> V:
        """Emit ``name = text``."""
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return V(name, ty, wide)

    def use(self, v: V) -> V:
        """The component as an SSA name or literal (loads a live-in, once a block)."""
        if v.slot < 0:
            return v
        known = self.loaded.get(v)
        if known is None:
            known = self.load_slot(self.frame(v.up), v.slot, v.ty, v.wide)
            self.loaded[v] = known
        return known

    def frame(self, up: int) -> str:
        """The frame ``up`` functions out: each frame begins with the address of the next."""
        if not up:
            return "%frame"
        key = V(f"@frame{up}", "ptr")
        known = self.loaded.get(key)
        if known is None:
            known = self.value(f"load ptr, ptr {self.frame(up - 1)}", "ptr")
            self.loaded[key] = known
        return known.ref

    def load_slot(self, base: str, offset: int, ty: str, wide: bool) -> V:
        p = self.fresh("p")
        self.emit(f"{p} = getelementptr i8, ptr {base}, i64 {offset}")
        if ty == "i1":
            mask = self.value(f"load i64, ptr {p}, align 8", "i64")
            if wide:
                return self.value(f"bitcast i64 {mask.ref} to <64 x i1>", "i1", True)
            return self.value(f"trunc i64 {mask.ref} to i1", "i1")
        full = f"<64 x {ty}>" if wide else ty
        align = 64 if wide else 8
        return self.value(f"load {full}, ptr {p}, align {align}", ty, wide)

    def store_slot(self, base: str, offset: int, v: V) -> None:
        v = self.use(v)
        p = self.fresh("p")
        self.emit(f"{p} = getelementptr i8, ptr {base}, i64 {offset}")
        if v.ty == "i1":
            op = "bitcast <64 x i1>" if v.wide else "zext i1"
            v = self.value(f"{op} {v.ref} to i64", "i64")
        self.emit(f"store {v.llvm} {v.ref}, ptr {p}, align {64 if v.wide else 8}")

    def wide(self, v: V) -> V:
        """The component in every lane."""
        v = self.use(v)
        if v.wide:
            return v
        if v.literal:
            if v.ref in ("poison", "undef"):
                return V("poison", v.ty, True)
            return V(f"splat ({v.ty} {v.ref})", v.ty, True)
        one = self.value(f"insertelement <64 x {v.ty}> poison, {v.ty} {v.ref}, i64 0", v.ty, True)
        zero = "<64 x i32> zeroinitializer"
        return self.value(
            f"shufflevector <64 x {v.ty}> {one.ref}, <64 x {v.ty}> poison, {zero}", v.ty, True
        )

    def text(self) -> str:
        """The finished function."""
        body = "\n".join(x if isinstance(x, str) else "  " + x() for x in self.lines)
        params = "ptr %w, ptr %frame, i64 %mask" if self.outlined else "ptr %w"
        area = ""
        if self.frame_bytes:
            area = f"  %area = alloca [{self.frame_bytes} x i8], align 64\n"
        linkage = "internal " if self.outlined else ""
        return (
            f"define {linkage}void @{self.name}({params}) nounwind {{\nentry:\n{area}{body}\n}}\n"
        )


def frame_size(comps: list[V]) -> int:
    """Bytes of a frame that holds the components."""
    return sum(slot_bytes(v.ty, v.wide) for v in comps)


def slot_bytes(ty: str, wide: bool) -> int:
    """Bytes of one component in a frame, a multiple of 64 when wide."""
    if not wide or ty == "i1":
        return 64 if wide else 8
    return BYTES[ty] * 64
