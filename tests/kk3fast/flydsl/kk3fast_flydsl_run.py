"""Run a traced function as a kernel of its own on the simulator.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

from pathlib import Path

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from flydsl.expr.typing import Int32, Int64

import kk3fast.flydsl
from kk3fast.compile import compile_launcher
from kk3fast.sim import Simulator, compile_kernel

_STREAM = fx.Stream(None)
SOURCES = Path(kk3fast.flydsl.__file__).parent


def compiled(stage, workgroups=1, threads=512):
    """The kernel of ``stage(a, b, c, d, e, f, number)``: six addresses and an Int32."""

    @flyc.kernel(known_block_size=[threads, 1, 1])
    def kernel(a: Int64, b: Int64, c: Int64, d: Int64, e: Int64, f: Int64, number: Int32):
        stage(a, b, c, d, e, f, number)

    @flyc.jit
    def launch(
        a: Int64,
        b: Int64,
        c: Int64,
        d: Int64,
        e: Int64,
        f: Int64,
        number: Int32,
        stream: fx.Stream = _STREAM,
    ):
        kernel(a, b, c, d, e, f, number).launch(
            grid=(workgroups, 1, 1), block=(threads, 1, 1), stream=stream
        )

    artefact = compile_launcher(launch, [0] * 7, isa=False)
    return compile_kernel(artefact.located_ir, block=(threads, 1, 1), sources={"": SOURCES})


def run(stage, *tensors, workgroups=1, threads=512, number=0, schedule=None, sanitize=True):
    """Launch ``stage`` on up to six tensors (written in place); gives the simulator's result."""
    kernel = compiled(stage, workgroups, threads)
    sim = Simulator(schedule, sanitize=sanitize)
    regions = [sim.region(f"tensor {i}", t) for i, t in enumerate(tensors)]
    regions += [0] * (6 - len(regions))
    sim.launch(kernel, (workgroups, 1, 1), [*regions, number])
    result = sim.run()
    assert not result.findings, [str(f) for f in result.findings]
    return result


def words(*shape):
    """Zeroed int32 memory."""
    return torch.zeros(shape, dtype=torch.int32)
