"""Kernel-level MLIR text -> ``ir.Kernel``.

FlyDSL's MLIR is used once, to turn any text into the generic form (every operation printed alike);
that form is parsed here. Nothing walks MLIR objects from Python.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from typing import Any

from kk3fast.sim.ir import SCALAR_BITS, Kernel, Location, Region
from kk3fast.sim.parser import Parser
from kk3fast.sim.syntax import ReadError, attr_int, attr_ints


def to_generic(text: str) -> str:
    """Kernel-level MLIR text in the generic form, debug locations kept where the text has them."""
    mlir: Any = importlib.import_module("flydsl._mlir.ir")

    context = mlir.Context()
    context.enable_multithreading(False)
    context.load_all_available_dialects()
    with context, mlir.Location.unknown():
        module = mlir.Module.parse(text)
        out: str = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    return out


def read_kernels(text: str) -> list[Kernel]:
    """Every kernel of a module's text (generic or pretty form), in order.

    Raises ``ReadError`` when the text holds no ``gpu.func``.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()
    generic = text if '"builtin.module"' in text else to_generic(text)
    module = Parser(generic).module()
    kernels: list[Kernel] = []
    for gpu_module in (op for op in module.ops if op.name == "gpu.module"):
        kernels += _kernels_of(gpu_module.regions[0], digest)
    if not kernels:
        raise ReadError("no kernel: the text must hold a gpu.module with a gpu.func, got neither")
    return kernels


def read_kernel(text: str, name: str | None = None) -> Kernel:
    """The kernel called ``name``, or the only one. Raises ``ReadError`` when it is not unique."""
    kernels = read_kernels(text)
    found = [k for k in kernels if name in (None, k.name)]
    if len(found) != 1:
        names = ", ".join(k.name for k in kernels)
        raise ReadError(f"must name one of the kernels {names}; got {name!r}")
    return found[0]


def _kernels_of(region: Region, digest: str) -> list[Kernel]:
    lds: dict[str, tuple[int, int]] = {}
    size = 0
    for op in region.ops:
        if op.name != "llvm.mlir.global":
            continue
        match = re.match(r"!llvm\.array<(\d+) x (\w+)>", op.attrs["global_type"])
        if match is None or match[2] not in SCALAR_BITS:
            raise ReadError(f"LDS global of type {op.attrs['global_type']}: must be an array")
        align = attr_int(op, "alignment", 16)
        size = -(-size // align) * align
        nbytes = int(match[1]) * SCALAR_BITS[match[2]] // 8
        lds[op.attrs["sym_name"].strip('"')] = (size, nbytes)
        size += nbytes
    out = []
    for op in (o for o in region.ops if o.name == "gpu.func"):
        body = op.regions[0]
        _place(body, op.loc)
        block = attr_ints(op, "known_block_size")
        out.append(
            Kernel(
                name=op.attrs["sym_name"].strip('"'),
                args=body.args,
                body=body,
                lds=lds,
                lds_bytes=size,
                block=(block[0], block[1], block[2]) if block else None,
                digest=digest,
            )
        )
    return out


def _placed(loc: Location) -> bool:
    """Whether a location says more than where the kernel is defined (then column 0)."""
    return bool(loc.frames) and not (len(loc.frames) == 1 and loc.frames[0].column == 0)


def _place(region: Region, outer: Location) -> None:
    """Give operations without a place of their own that of the operation before, or around, them.

    FlyDSL attaches no call stack to operations without a result (stores, sleeps); the operations
    that compute their operands stand right before them and have one.
    """
    last = outer
    for op in region.ops:
        if _placed(op.loc):
            last = op.loc
        elif _placed(last) and op.name not in ("arith.constant", "llvm.mlir.addressof"):
            op.loc = last
        for inner in op.regions:
            _place(inner, op.loc)
