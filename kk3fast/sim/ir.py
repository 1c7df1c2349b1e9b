"""The simulator's own form of a kernel: typed values, operations, regions and source locations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

SCALAR_BITS = {
    "i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64,
    "f16": 16, "bf16": 16, "f32": 32, "f64": 64,
    "f8E4M3FN": 8, "f8E5M2": 8, "f8E4M3FNUZ": 8, "f8E5M2FNUZ": 8, "f4E2M1FN": 4,
}  # fmt: skip
"""Bits of every scalar type a kernel may hold."""


@dataclass(frozen=True)
class Type:
    """A value's type: a scalar, a vector of scalars, a pointer, a struct, or a token.

    ``kind`` is ``scalar``, ``vector``, ``ptr``, ``struct`` or ``other``; ``elem`` the scalar's name
    (``i32``, ``bf16``, …); ``count`` the elements of a vector; ``space`` a pointer's address space
    (0 flat, 1 global, 3 LDS, 5 private, 8 buffer resource); ``members`` a struct's types.
    """

    kind: str
    elem: str = ""
    count: int = 1
    space: int = 0
    members: tuple[Type, ...] = ()

    @property
    def bits(self) -> int:
        """Bits of one scalar element (64 for pointers)."""
        return 64 if self.kind == "ptr" else SCALAR_BITS[self.elem]

    @property
    def is_float(self) -> bool:
        """Whether the element is a floating-point type."""
        return self.elem[:1] in ("f", "b")

    def __str__(self) -> str:
        if self.kind == "vector":
            return f"vector<{self.count}x{self.elem}>"
        if self.kind == "ptr":
            return f"ptr<{self.space}>"
        if self.kind == "struct":
            return "struct<(" + ", ".join(map(str, self.members)) + ")>"
        return self.elem


@dataclass(frozen=True)
class Frame:
    """One place in a source file."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Location:
    """Where an operation comes from: its call stack, innermost frame first (empty: unknown)."""

    frames: tuple[Frame, ...] = ()

    def __str__(self) -> str:
        if not self.frames:
            return "<no source location>"
        return " called from ".join(str(f) for f in self.frames)

    @property
    def short(self) -> str:
        """The innermost frame only."""
        return str(self.frames[0]) if self.frames else "<no source location>"


@dataclass(eq=False)
class Value:
    """One SSA value; identity is the key."""

    type: Type
    op: Op | None = None
    name: str = ""


@dataclass(eq=False)
class Region:
    """A single-block region: its arguments and operations, terminator included."""

    args: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


@dataclass(eq=False)
class Op:
    """One operation. ``attrs`` holds the attributes' text by name (see ``reader.attr_*``)."""

    name: str
    operands: list[Value]
    results: list[Value]
    attrs: dict[str, str]
    regions: list[Region]
    loc: Location

    @property
    def intrinsic(self) -> str:
        """The LLVM intrinsic an ``llvm.call_intrinsic`` calls, else the empty string."""
        return self.attrs["intrin"].strip('"') if self.name == "llvm.call_intrinsic" else ""

    @property
    def kind(self) -> str:
        """The operation's name, or the intrinsic's where it calls one."""
        return self.intrinsic or self.name


@dataclass
class Kernel:
    """One kernel: its arguments, body, LDS arrays and, where declared, its block size."""

    name: str
    args: list[Value]
    body: Region
    lds: dict[str, tuple[int, int]]
    """LDS array name -> (byte offset, bytes)."""
    lds_bytes: int
    block: tuple[int, int, int] | None
    digest: str
    """sha256 of the text the kernel was read from."""


def walk(region: Region) -> Iterator[Op]:
    """Every operation of a region, nested regions included, in program order."""
    for op in region.ops:
        yield op
        for inner in op.regions:
            yield from walk(inner)
