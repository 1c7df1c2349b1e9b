# ruff: noqa: E501  (MLIR text)
"""Small kernels as MLIR text, and running them on arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kk3fast.sim import Models, Result, Schedule, Simulator

LANES = 64
STORED = {"i1": "i8"}
NUMPY = {
    "i1": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
    "f16": np.uint16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


def module(arguments: str, body: str, *, block: int = LANES, lds: int = 0) -> str:
    """A module with one kernel ``k``; ``@lds`` is its LDS array of ``lds`` bytes."""
    array = ""
    if lds:
        array = f"llvm.mlir.global external @lds() {{addr_space = 3 : i32, alignment = 16 : i64}} : !llvm.array<{lds} x i8>"
    return f"""module attributes {{gpu.container_module}} {{
  gpu.module @m {{
    {array}
    gpu.func @k({arguments}) kernel attributes {{known_block_size = array<i32: {block}, 1, 1>}} {{
      %tx = gpu.thread_id x
      %tid = arith.index_cast %tx : index to i32
      %bx = gpu.block_id x
      %bid = arith.index_cast %bx : index to i32
      {body}
      gpu.return
    }}
  }}
}}"""


def element(t: str) -> tuple[str, int]:
    """(scalar type, elements) of a scalar or vector type's text."""
    if t.startswith("vector<"):
        n, e = t[7:-1].split("x")
        return e, int(n)
    return t, 1


def load(name: str, pointer: str, t: str, index: str) -> str:
    """Load element ``index`` (i32) of an array of ``t`` at an i64 address."""
    kept = STORED.get(t, t)
    lines = f"""%{name}_p = llvm.inttoptr {pointer} : i64 to !llvm.ptr<1>
      %{name}_q = llvm.getelementptr %{name}_p[{index}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {kept}
      """
    if t == "i1":
        return (
            lines
            + f"""%{name}_b = llvm.load %{name}_q : !llvm.ptr<1> -> i8
      %{name} = arith.trunci %{name}_b : i8 to i1
      """
        )
    return lines + f"%{name} = llvm.load %{name}_q : !llvm.ptr<1> -> {t}\n      "


def store(value: str, pointer: str, t: str, index: str, tag: str = "out") -> str:
    """Store ``value`` as element ``index`` of an array of ``t`` at an i64 address."""
    lines, kept = "", STORED.get(t, t)
    if t == "i1":
        lines, value = f"%{tag}_b = arith.extui {value} : i1 to i8\n      ", f"%{tag}_b"
    return (
        lines
        + f"""%{tag}_p = llvm.inttoptr {pointer} : i64 to !llvm.ptr<1>
      %{tag}_q = llvm.getelementptr %{tag}_p[{index}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {kept}
      llvm.store {value}, %{tag}_q : {kept}, !llvm.ptr<1>
      """
    )


def run(
    text: str, args: Sequence[object], *, grid: int = 1, schedule: Schedule | None = None,
    models: Models | None = None, sanitize: bool = False, raise_on_fault: bool = True,
) -> Result:  # fmt: skip
    """Run a module's kernel; arrays among ``args`` become regions ``a0``, ``a1``, …"""
    sim = Simulator(schedule, models, sanitize=sanitize)
    packed = [
        sim.region(f"a{i}", a) if isinstance(a, np.ndarray) else a for i, a in enumerate(args)
    ]
    sim.launch(text, (grid,), packed)
    return sim.run(raise_on_fault=raise_on_fault, timeout_s=60)


def lanes(
    body: str, types: Sequence[str], result: str, inputs: Sequence[np.ndarray], *, uniform: bool = False,
    models: Models | None = None,
) -> np.ndarray:  # fmt: skip
    """Run ``body`` (from ``%x0``, ``%x1``, … to ``%r``) in 64 lanes.

    ``inputs``: an array [64, elements] a type. ``uniform``: every lane gets lane 0's inputs, through
    the simulator's scalar code. Returns [64, elements of the result].
    """
    index = "%zero" if uniform else "%tid"
    text = "%zero = arith.constant 0 : i32\n      "
    for i, t in enumerate(types):
        text += load(f"x{i}", f"%a{i}", t, index)
    text += body + "\n      " + store("%r", "%out", result, "%tid")
    arguments = ", ".join([*(f"%a{i}: i64" for i in range(len(types))), "%out: i64"])
    scalar, count = element(result)
    out = np.zeros((LANES, count), NUMPY[scalar])
    arrays = []
    for t, x in zip(types, inputs, strict=True):
        e, n = element(t)
        arrays.append(
            np.ascontiguousarray(np.asarray(x).reshape(LANES, n).astype(NUMPY[e], copy=False))
        )
    run(module(arguments, text), [*arrays, out], models=models)
    return out


def bf16(x: np.ndarray) -> np.ndarray:
    """float32 -> bf16 bits, nearest even (no NaNs)."""
    u = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((u + 0x7FFF + (u >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(x: np.ndarray) -> np.ndarray:
    """bf16 bits -> float32."""
    return (np.asarray(x).astype(np.uint32) << 16).view(np.float32)
