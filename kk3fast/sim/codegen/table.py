"""The table of supported operations: name -> emission function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.ir import Op

Handler = Callable[[Emitter, Op], None]
HANDLERS: dict[str, Handler] = {}
"""Operation (or intrinsic) name -> what emits its code."""

_F = TypeVar("_F", bound=Handler)


def emits(*names: str) -> Callable[[_F], _F]:
    """Register a function as the code of the named operations."""

    def register(function: _F) -> _F:
        for name in names:
            HANDLERS[name] = function
        return function

    return register


IGNORED = {
    "gpu.return", "scf.yield", "scf.condition", "rocdl.sched.barrier", "rocdl.sched.group.barrier",
    "rocdl.s.setprio", "rocdl.iglp.opt", "llvm.intr.assume", "llvm.intr.lifetime.start",
    "llvm.intr.lifetime.end", "llvm.amdgcn.sched.barrier", "llvm.amdgcn.sched.group.barrier",
    "llvm.amdgcn.s.setprio", "rocdl.s.nop", "llvm.amdgcn.s.nop",
}  # fmt: skip
"""Operations without an effect on what a kernel computes."""
STRUCTURED = {"scf.if", "scf.for", "scf.while"}


def unknown(name: str) -> bool:
    """Whether the simulator has no semantics for an operation."""
    return name not in HANDLERS and name not in IGNORED and name not in STRUCTURED
