"""The device's 100 MHz clock."""

import flydsl.expr as fx
from flydsl._mlir.dialects import llvm
from flydsl.expr.typing import T

TICKS_PER_SECOND = 100_000_000


def now():
    """Ticks, Int64."""
    return fx.Int64(llvm.call_intrinsic(T.i64, "llvm.amdgcn.s.memrealtime", [], [], []))
