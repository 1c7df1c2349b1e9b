"""A kernel -> the text of one LLVM module, and the table of its memory and wait sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kk3fast.sim.codegen import (  # noqa: F401  (they register operations)
    access,
    arith,
    constants,
    functions,
    lanes,
    matrix,
    vectors,
)
from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.control import emit_region
from kk3fast.sim.codegen.table import unknown
from kk3fast.sim.codegen.values import Function, V, component_types
from kk3fast.sim.divergence import Divergence
from kk3fast.sim.ir import Kernel, Location, Op, Value, walk
from kk3fast.sim.polls import poll_loads
from kk3fast.sim.stages import Sources, Stages

VERSION = 2
"""Raise with any change of the generated code: it is part of every cache key."""
SYNC, ATOMIC = 1, 2


@dataclass(frozen=True)
class Site:
    """One operation the runtime is told about: where it is and what it accesses."""

    loc: Location
    stage: int
    space: int
    nbytes: int
    elem: int
    aux: int
    flags: int
    op: int
    name: str


class UnknownOperation(ValueError):
    """The kernel holds operations without semantics here; the message lists them all."""


def check_operations(kernel: Kernel) -> None:
    """Raise ``UnknownOperation`` naming every unsupported operation and its first source lines."""
    bad: dict[str, list[Op]] = {}
    for op in walk(kernel.body):
        if unknown(op.kind):
            bad.setdefault(op.kind, []).append(op)
    if bad:
        lines = [f"kernel {kernel.name}: {len(bad)} operations are not modelled"]
        for name, ops in sorted(bad.items()):
            places = list(dict.fromkeys(op.loc.short for op in ops))
            more = f" and {len(places) - 3} more places" if len(places) > 3 else ""
            lines.append(f"  {name} at {', '.join(places[:3])}{more}")
        raise UnknownOperation("\n".join(lines))


class KernelCode:
    """Generates a kernel's code for a block shape.

    After construction ``text`` is the module, ``sites`` the site table, ``stages`` the stage names
    and ``private_bytes`` the private memory a lane needs.
    """

    def __init__(
        self,
        kernel: Kernel,
        block: tuple[int, int, int],
        layout: dict[str, int],
        sources: Sources | None = None,
    ) -> None:
        check_operations(kernel)
        self.kernel = kernel
        self.block = block
        self.layout = layout
        self.divergence = Divergence(kernel, block)
        self.polls = poll_loads(kernel)
        self.sites: list[Site] = []
        self.stages: list[str] = []
        self._stages = Stages(sources)
        self.private_bytes = 0
        self.declarations: dict[str, None] = {}
        self.functions: list[Function] = []
        self.sizes: dict[Op, int] = {}
        self.symbol = f"kk3_kernel_{kernel.digest[:16]}_{'x'.join(map(str, block))}"
        self._measure(kernel)
        self._emit()

    # ---- used by operations
    def declare(self, text: str) -> None:
        self.declarations[text] = None

    def stage(self, loc: Location) -> int:
        name = self._stages.of(loc)
        if name not in self.stages:
            self.stages.append(name)
        return self.stages.index(name)

    def site(self, op: Op, space: int, nbytes: int, elem: int, aux: int, kind: int = 0) -> int:
        flags = (
            SYNC
            if op in self.polls
            else ATOMIC
            if "atomic" in op.kind or "cmpxchg" in op.kind
            else 0
        )
        self.sites.append(
            Site(op.loc, self.stage(op.loc), space, nbytes, elem, aux, flags, kind, op.kind)
        )
        return len(self.sites) - 1

    def private(self, nbytes: int) -> int:
        start = self.private_bytes
        self.private_bytes += nbytes
        return start

    def function(self, outlined: bool) -> Function:
        name = self.symbol if not outlined else f"{self.symbol}_r{len(self.functions)}"
        f = Function(name, outlined)
        self.functions.append(f)
        return f

    # ---- construction
    def _measure(self, kernel: Kernel) -> None:
        def size(op: Op) -> int:
            total = 1 + sum(size(inner) for region in op.regions for inner in region.ops)
            self.sizes[op] = total
            return total

        for op in kernel.body.ops:
            size(op)

    def _emit(self) -> None:
        f = self.function(False)
        threads = self.block[0] * self.block[1] * self.block[2]
        mask: V | None = None
        body = Emitter(self, f, None)
        if threads % 64:
            mask = body.field("mask0", "i64")
            body.mask = mask
        self._arguments(body, self.kernel.args)
        emit_region(body, self.kernel.body)
        f.emit("ret void")

    def _arguments(self, e: Emitter, args: list[Value]) -> None:
        base = e.field("args", "ptr").ref
        index = 0
        for arg in args:
            comps = []
            for ty in component_types(arg.type):
                p = e.f.fresh("p")
                e.emit(f"{p} = getelementptr i8, ptr {base}, i64 {8 * index}")
                comps.append(e.f.value(f"load {'i8' if ty == 'i1' else ty}, ptr {p}, align 8", ty))
                if ty == "i1":
                    raw = comps.pop()
                    comps.append(e.f.value(f"trunc i8 {raw.ref} to i1", "i1"))
                index += 1
            e.env[arg] = tuple(comps)

    @property
    def text(self) -> str:
        """The module's LLVM IR."""
        parts = [f.text() for f in self.functions]
        return "\n".join([*self.declarations, "", *parts])

    def census(self) -> Counter[str]:
        """Operations by name."""
        return Counter(op.kind for op in walk(self.kernel.body))
