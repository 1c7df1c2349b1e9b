"""A small FlyDSL kernel to read, compile and simulate: workgroups that hand a row of sums on.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

from pathlib import Path
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx
import numpy as np
import torch
from flydsl._mlir import ir
from flydsl._mlir.dialects import llvm
from flydsl.expr import rocdl
from flydsl.expr.typing import Int64, T, as_ir_value

from kk3fast.compile import Artefact, compile_launcher
from kk3fast.sim import TICKS_PER_SECOND, Result, Schedule, Simulator, compile_kernel

LANES = 64
STAMPS = ("start", "received", "sent")
"""When a workgroup began, had its neighbour's row, and had handed its own on."""
_TAG = 77
_DEVICE = 16  # cache policy: device scope
_STREAM = fx.Stream(None)


def relay(groups: int = 8) -> Artefact:
    """Compile the relay of ``groups`` workgroups of one wave each.

    Workgroup g waits for a row of 64 numbers with tags beside them, adds g + 1 to each, stores the
    row and hands it on to g + 1. It notes the 100 MHz clock three times.

    Raises:
        ToolchainError: FlyDSL is missing.
    """

    @flyc.kernel(known_block_size=[LANES, 1, 1])
    def relay_kernel(mail: Int64, out: Int64, times: Int64):  # type: ignore[no-untyped-def]
        lane, group = fx.thread_idx.x, fx.block_idx.x
        stamp(times, group, 0)
        pair = receive(mail, group, lane)
        while pair[1] != _TAG:
            rocdl.s_sleep(1)
            pair = receive(mail, group, lane)
        stamp(times, group, 1)
        row = add(pair[0], group)
        put(out, group * LANES + lane, row, 0)
        send(mail, group + 1, lane, row)
        stamp(times, group, 2)

    @flyc.jit
    def launch(mail: Int64, out: Int64, times: Int64, stream: fx.Stream = _STREAM):  # type: ignore[no-untyped-def]
        relay_kernel(mail, out, times).launch(
            grid=(groups, 1, 1), block=(LANES, 1, 1), stream=stream
        )

    return compile_launcher(launch, (0, 0, 0), parameters=(("groups", groups),))


def receive(mail: Any, group: Any, lane: Any) -> Any:
    """Value and tag beside it, in one load at device scope."""
    at, none = as_ir_value(fx.Int32(group * LANES + lane) * 8), as_ir_value(fx.Int32(0))
    words = T.vec(2, T.i32)
    return fx.Vector(
        rocdl.raw_ptr_buffer_load(words, _resource(mail), at, none, aux=_policy(_DEVICE))
    )


def add(row: Any, group: Any) -> Any:
    """The workgroup's own share."""
    return row + (fx.Int32(group) + 1)


def send(mail: Any, group: Any, lane: Any, row: Any) -> None:
    """Value and tag in one 64-bit store, so that no fence is needed."""
    pair = fx.Vector.from_elements([row, fx.Int32(_TAG)], fx.Int32)
    put(mail, (group * LANES + lane) * 2, pair, _DEVICE)


def stamp(times: Any, group: Any, which: int) -> None:
    """Note the clock."""
    ticks = fx.Int64(llvm.call_intrinsic(T.i64, "llvm.amdgcn.s.memrealtime", [], [], []))
    put(times, fx.Int32(group) * len(STAMPS) + which, fx.Int32(ticks), 0)


def put(address: Any, index: Any, value: Any, policy: int) -> None:
    """Store a word or a pair at word ``index``."""
    at, none = as_ir_value(fx.Int32(index) * 4), as_ir_value(fx.Int32(0))
    rocdl.raw_ptr_buffer_store(
        as_ir_value(value), _resource(address), at, none, aux=_policy(policy)
    )


def _resource(address: Any) -> Any:
    pointer = llvm.inttoptr(ir.Type.parse("!llvm.ptr<1>"), as_ir_value(fx.Int64(address)))
    sizes = [as_ir_value(fx.Int16(0)), as_ir_value(fx.Int64(0xFFFFFFFF))]
    flags = as_ir_value(fx.Int32(159744))
    return rocdl.make_buffer_rsrc(ir.Type.parse("!llvm.ptr<8>"), pointer, *sizes, flags)


def _policy(number: int) -> Any:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), number) if number else None


def simulate_relay(
    artefact: Artefact, groups: int = 8, schedule: Schedule | None = None
) -> tuple[Result, torch.Tensor, np.ndarray]:
    """Run the relay on the simulator.

    Returns:
        the simulator's result, the rows ``[groups, 64]`` int32, and the clock's stamps
        ``[groups, 3]`` in µs of virtual time since the first one.
    """
    mail = torch.zeros(groups + 1, LANES, 2, dtype=torch.int32)
    mail[0, :, 1] = _TAG
    out = torch.zeros(groups, LANES, dtype=torch.int32)
    times = torch.zeros(groups, len(STAMPS), dtype=torch.int32)
    sim = Simulator(schedule)
    named = (("mail", mail), ("out", out), ("times", times))
    arguments = [sim.region(name, tensor) for name, tensor in named]
    kernel = compile_kernel(artefact.located_ir, sources={"": Path(__file__).parent})
    sim.launch(kernel, (groups,), arguments)
    result = sim.run()
    ticks = times.numpy().astype(np.int64)
    return result, out, (ticks - ticks.min()) * 1e6 / TICKS_PER_SECOND
