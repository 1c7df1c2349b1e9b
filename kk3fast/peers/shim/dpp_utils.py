"""Data-parallel primitives: a value moved between the lanes of a 16-lane row."""

from __future__ import annotations

from typing import Any

from kk3fast.compile.flydsl_private import mlir_dialects, module

fx = module("expr")
dsl_loc_tracing = module("expr.meta").dsl_loc_tracing
_, _, _llvm, _ = mlir_dialects()


@dsl_loc_tracing
def update_dpp_i32(
    old: Any, src: Any, dpp_ctrl: int, row_mask: int, bank_mask: int, bound_ctrl: bool
) -> Any:
    """``src`` (i32) moved by ``dpp_ctrl``; ``old`` where the masks or the row's end exclude a lane.

    The intrinsic rather than FlyDSL's ``update_dpp`` operation: the same instruction, but the
    digests on record are of the intrinsic.
    """
    operands = [fx.Int32(v).ir_value() for v in (old, src, dpp_ctrl, row_mask, bank_mask)]
    operands.append(fx.Boolean(bound_ctrl).ir_value())
    return _llvm.call_intrinsic(fx.Int32.ir_type, "llvm.amdgcn.update.dpp.i32", operands, [], [])
