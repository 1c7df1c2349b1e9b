"""Which values are the same in every lane of a wave (uniform) and which are not (varying)."""

from __future__ import annotations

from kk3fast.sim.ir import Kernel, Op, Region, Value
from kk3fast.sim.syntax import attr_word

UNIFORM = {
    "gpu.block_id",
    "gpu.grid_dim",
    "gpu.block_dim",
    "rocdl.readfirstlane",
    "rocdl.readlane",
    "rocdl.ballot",
    "llvm.amdgcn.s.memrealtime",
    "llvm.amdgcn.s.memtime",
    "llvm.mlir.addressof",
    "llvm.amdgcn.ballot.i64",
    "llvm.amdgcn.readfirstlane.i32",
    "llvm.amdgcn.readlane.i32",
}
"""Operations whose result is uniform whatever their operands are."""

VARYING_PREFIXES = (
    "rocdl.mfma",
    "rocdl.permlane",
    "rocdl.update.dpp",
    "rocdl.ds_bpermute",
    "gpu.shuffle",
    "gpu.lane_id",
    "rocdl.mbcnt",
    "rocdl.ds_swizzle",
    "rocdl.workitem",
    "llvm.atomicrmw",
    "llvm.cmpxchg",
    "llvm.alloca",
    "rocdl.raw.ptr.buffer.atomic",
    "llvm.amdgcn.update.dpp",
    "llvm.amdgcn.mbcnt",
    "llvm.amdgcn.ds.",
    "llvm.amdgcn.mfma",
    "llvm.amdgcn.permlane",
    "llvm.amdgcn.mov.dpp",
)
"""Operations whose result is taken as varying whatever their operands are."""

_CASTS = {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"}
_DIVIDES = {"arith.floordivsi", "arith.divsi", "arith.divui"}


class Divergence:
    """The analysis of one kernel for a block shape; ``varying`` holds the varying values."""

    def __init__(self, kernel: Kernel, block: tuple[int, int, int]) -> None:
        self.block = block
        self.varying: set[Value] = set()
        self.linear: set[Value] = set()
        """Values equal to 64 · (wave of the workgroup) + lane."""
        self.constants: dict[Value, int] = {}
        self.changed = True
        while self.changed:
            self.changed = False
            self._region(kernel.body)

    def is_varying(self, value: Value) -> bool:
        """Whether lanes may hold different values."""
        return value in self.varying

    def wave_constant(self, op: Op) -> int | None:
        """The divisor of a division of the thread's index that leaves a wave constant, or None."""
        if len(op.operands) != 2 or op.operands[0] not in self.linear:
            return None
        c = self.constants.get(op.operands[1])
        if c is None:
            return None
        if op.name in _DIVIDES and c > 0 and c % 64 == 0:
            return c
        if op.name in ("arith.shrsi", "arith.shrui") and c >= 6:
            return 1 << c
        return None

    def _mark(self, value: Value, varying: bool) -> None:
        if varying and value not in self.varying:
            self.varying.add(value)
            self.changed = True

    def _region(self, region: Region) -> None:
        for op in region.ops:
            self._op(op)

    def _op(self, op: Op) -> None:
        name = op.kind
        some = any(v in self.varying for v in op.operands)
        if name in ("arith.constant", "llvm.mlir.constant"):
            head = op.attrs["value"].split(":")[0].strip()
            if head.lstrip("-").isdigit():
                self.constants[op.results[0]] = int(head)
        elif name == "gpu.thread_id":
            dim = "xyz".index(attr_word(op, "dimension"))
            if self.block[dim] > 1:
                self._mark(op.results[0], True)
                if dim == 0 and self.block[1] == self.block[2] == 1:
                    self.linear.add(op.results[0])
        elif name in UNIFORM:
            pass
        elif name == "scf.if":
            self._if(op)
        elif name == "scf.for":
            self._for(op)
        elif name == "scf.while":
            self._while(op)
        elif name.startswith(VARYING_PREFIXES):
            for result in op.results:
                self._mark(result, True)
        elif self.wave_constant(op) is None:
            if name in _CASTS and op.operands[0] in self.linear and op.results[0].type.bits >= 16:
                self.linear.add(op.results[0])
            if (name == "llvm.load" and op.operands[0].type.space == 5) or some:
                for result in op.results:
                    self._mark(result, True)

    def _if(self, op: Op) -> None:
        divergent = op.operands[0] in self.varying
        yields = []
        for region in op.regions:
            self._region(region)
            if region.ops:
                yields.append(region.ops[-1].operands)
        for i, result in enumerate(op.results):
            self._mark(result, divergent or any(y[i] in self.varying for y in yields))

    def _for(self, op: Op) -> None:
        lower, upper, step, *init = op.operands
        body = op.regions[0]
        iv, *carried = body.args
        self._mark(iv, lower in self.varying or step in self.varying)
        divergent = any(v in self.varying for v in (lower, upper, step))
        for arg, first in zip(carried, init, strict=True):
            self._mark(arg, first in self.varying)
        self._region(body)
        for arg, result, last in zip(carried, op.results, body.ops[-1].operands, strict=True):
            self._mark(arg, last in self.varying)
            self._mark(result, divergent or arg in self.varying)

    def _while(self, op: Op) -> None:
        before, after = op.regions
        for arg, first in zip(before.args, op.operands, strict=True):
            self._mark(arg, first in self.varying)
        self._region(before)
        condition, *values = before.ops[-1].operands
        for arg, result, value in zip(after.args, op.results, values, strict=True):
            self._mark(arg, value in self.varying)
            self._mark(result, value in self.varying or condition in self.varying)
        self._region(after)
        for arg, last in zip(before.args, after.ops[-1].operands, strict=True):
            self._mark(arg, last in self.varying)
