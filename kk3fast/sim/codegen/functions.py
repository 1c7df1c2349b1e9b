"""Transcendental functions: the hardware's instructions and the math dialect's."""

from __future__ import annotations

from kk3fast.sim.codegen.arith import elementwise, finish
from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.table import emits
from kk3fast.sim.ir import Op
from kk3fast.sim.syntax import ReadError

FUNCTIONS = (
    "rcp",
    "rsq",
    "sqrt",
    "exp2",
    "log2",
    "sin",
    "cos",
    "exp",
    "log",
    "log10",
    "tanh",
    "erf",
    "ieee_sqrt",
    "ieee_rsqrt",
    "pow",
    "log1p",
    "expm1",
    "atan",
    "atan2",
)
"""In the order of the runtime's table."""
_HARDWARE = {
    "rcp": "rcp",
    "rsq": "rsq",
    "sqrt": "sqrt",
    "exp2": "exp2",
    "log": "log2",
    "log2": "log2",
}
NAMES = {
    **{f"llvm.amdgcn.{k}.f32": v for k, v in _HARDWARE.items()},
    **{f"llvm.amdgcn.{k}": v for k, v in _HARDWARE.items()},
    **{f"rocdl.{k}": v for k, v in _HARDWARE.items()},
    "math.sqrt": "ieee_sqrt",
    "math.rsqrt": "ieee_rsqrt",
    "math.exp2": "exp2",
    "math.log2": "log2",
    "llvm.intr.exp2": "exp2",
    "llvm.intr.log2": "log2",
    "llvm.intr.sqrt": "ieee_sqrt",
    "math.exp": "exp",
    "llvm.intr.exp": "exp",
    "llvm.intr.log": "log",
    "math.log": "log",
    "math.sin": "sin",
    "math.cos": "cos",
    "math.log10": "log10",
    "math.tanh": "tanh",
    "math.erf": "erf",
    "math.powf": "pow",
    "math.log1p": "log1p",
    "math.expm1": "expm1",
    "math.atan": "atan",
    "math.atan2": "atan2",
}


@emits(*NAMES)
def transcendental(e: Emitter, op: Op) -> None:
    number = FUNCTIONS.index(NAMES[op.kind])
    elem = op.results[0].type.elem
    if elem == "f64":
        raise ReadError(f"{op.kind} at {op.loc.short}: must be of f16, bf16 or f32, got f64")
    out = []
    for row in elementwise(e, op):
        row = [e.to_f32(x, elem) for x in row]
        wide = any(x.wide for x in row)
        for i, x in enumerate(row):
            x = e.cast("bitcast", x, "i32")
            e.put(i, e.f.wide(x) if wide else x)
        e.call("kk3_math", f"i32 {number}", f"i32 {64 if wide else 1}")
        out.append(e.from_f32(e.take(0, wide, "float"), elem))
    finish(e, op, out)
