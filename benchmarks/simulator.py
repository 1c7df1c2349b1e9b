"""Speed of the simulator on vLLM's production K1 and K2, and against two interpreters.

``python benchmarks/simulator.py [--k2-rows 1 8] [--schedules] [--sanitize] [--prototype FOLDER]``.
An operation is one executed by one workgroup of 512 threads; the simulator counts one a wave, eight
a workgroup. ``FOLDER`` holds a NumPy interpreter to compare with (``interp.py``: ``Kernel``,
``Mem``, ``Sched``); it runs the same K1 on the same data in this process, and the results must
agree. With ``triton`` installed its interpreter runs too, on an AttnRes read alone.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import production
import torch

from kk3fast.compile import ArtefactCache
from kk3fast.peers import vllm
from kk3fast.sim import Result, Schedule, Simulator

WAVES = 8


def operations_a_second(result: Result) -> float:
    """Workgroup operations a second of processor time."""
    return result.wave_ops / WAVES / result.cpu_seconds


def report(name: str, result: Result) -> None:
    """One line a run."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{name:24} {result.seconds:7.2f} s wall {result.cpu_seconds:7.2f} s cpu"
        f"  {operations_a_second(result) / 1e6:6.2f} M ops/s"
        f"  chain {result.longest_chain:3}  peak {memory:5.2f} GiB"
    )


ARITHMETIC = """module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @arithmetic(%out: i64) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
      %tx = gpu.thread_id x
      %tid = arith.index_cast %tx : index to i32
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %many = arith.constant 2000 : i32
      %mask = arith.constant 65535 : i32
      %x = arith.sitofp %tid : i32 to f32
      %half = arith.constant 0.5 : f32
      %i, %f = scf.for %n = %none to %many step %one
          iter_args(%a = %tid, %b = %x) -> (i32, f32) : i32 {
        %c = arith.muli %a, %n : i32
        %d = arith.addi %c, %tid : i32
        %e = arith.andi %d, %mask : i32
        %g = arith.sitofp %e : i32 to f32
        %h = arith.mulf %g, %half : f32
        %j = arith.addf %h, %b : f32
        %k = arith.cmpi slt, %e, %n : i32
        %l = arith.select %k, %e, %a : i32
        %m = arith.mulf %j, %half : f32
        %p = arith.xori %l, %n : i32
        scf.yield %p, %m : i32, f32
      }
      %q = arith.fptosi %f : f32 to i32
      %r = arith.xori %q, %i : i32
      %base = llvm.inttoptr %out : i64 to !llvm.ptr<1>
      %at = llvm.getelementptr %base[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %r, %at : i32, !llvm.ptr<1>
      gpu.return
    }
  }
}"""
"""Arithmetic on values that differ between lanes, 20 000 operations a workgroup."""


def arithmetic() -> Result:
    """Run the arithmetic kernel in 1024 workgroups."""
    sim = Simulator()
    sim.launch(ARITHMETIC, (1024,), [sim.region("out", torch.zeros(512, dtype=torch.int32))])
    return sim.run()


def prototype_arithmetic(interp: Any) -> None:
    """The same kernel in the NumPy interpreter, one workgroup."""
    text = ARITHMETIC.replace("arith.fptosi %f", "arith.bitcast %f")
    memory, schedule = interp.Mem(), interp.Sched()
    out = memory.add(np.zeros(512, np.int32), "out")
    schedule.launch(interp.Kernel(text), memory, (1, 1, 1), (512, 1, 1), [np.int64(out)])
    start = time.process_time()
    counts = schedule.run()
    seconds = time.process_time() - start
    print(f"NumPy interpreter, arithmetic  {counts['ops'] / seconds / 1e6:6.3f} M ops/s")


def prototype(folder: Path, key: vllm.VllmBuild, cache: ArtefactCache, want: torch.Tensor) -> None:
    """Run K1 with the NumPy interpreter in ``folder`` and print its speed."""
    sys.path.insert(0, str(folder))
    interp: Any = importlib.import_module("interp")

    launch = production.Launch(key)
    generator = torch.Generator().manual_seed(0)
    arguments = vllm.arguments(key)
    memory, addresses = interp.Mem(), {}
    for a in (a for a in arguments if a.is_pointer):
        t = launch.tensors[a.name] = production.tensor(a, key, generator)
        raw = t.view(torch.uint8).flatten()
        padded = torch.cat([raw, torch.zeros(-raw.numel() % 8, dtype=torch.uint8)])
        launch.tensors[a.name] = padded
        addresses[a.name] = memory.add(padded.numpy(), a.name)
        if a.name in ("blocks", "conv_st", "rstate", "st_idx"):
            launch.tensors[f"{a.name} shape"] = t
    shaped = {n.removesuffix(" shape"): t for n, t in launch.tensors.items() if " shape" in n}
    scalars = production.strides(production.Launch(key, {**launch.tensors, **shaped}))
    kernel = interp.Kernel(vllm.build(key, isa=False, cache=cache).kernel_ir)
    schedule = interp.Sched()
    values: list[Any] = [
        np.int64(addresses[a.name]) if a.is_pointer else np.int32(scalars[a.name])
        for a in arguments
    ]
    geometry = vllm.geometry()
    schedule.launch(kernel, memory, geometry.grid, geometry.block, values)
    start = time.process_time()
    counts = schedule.run()
    seconds = time.process_time() - start
    got = launch.tensors["prefix"].view(torch.bfloat16)[: want.numel()].view(want.shape)
    agree = "the same" if torch.equal(got, want) else "A DIFFERENT"
    rate = counts["ops"] / seconds / 1e6
    print(f"NumPy interpreter, K1    {seconds:7.2f} s cpu  {rate:6.3f} M ops/s")
    print(f"  with {agree} prefix")
    prototype_arithmetic(interp)


SCHEDULES = (
    Schedule(),
    Schedule("reverse"),
    *(Schedule("random", seed=seed) for seed in (1, 2, 3)),
)


def same_bits(name: str, queue: Callable[[Simulator], list[production.Launch]]) -> None:
    """Run under five schedules; end with exit code 1 where results differ."""
    digests = set()
    for schedule in SCHEDULES:
        sim = Simulator(schedule)
        launches = queue(sim)
        sim.run()
        digests.add(tuple(launch.digest() for launch in launches))
    if len(digests) > 1:
        sys.exit(f"{name}: {len(digests)} different results under {len(SCHEDULES)} schedules")
    print(f"{name:24} the same bits forward, in reverse, and in three random orders")


def triton_interpreter() -> None:
    """Triton's interpreter on an AttnRes read, where triton is installed."""
    if importlib.util.find_spec("triton") is None:
        print("Triton's interpreter: not run, triton is not installed")
        return
    script = Path(__file__).with_name("triton_interpreter.py")
    done = subprocess.run(
        [sys.executable, str(script), "--json"], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    print(
        f"Triton {found['triton']} interpreter {found['seconds']:7.2f} s wall"
        f"  AttnRes read alone, {found['rows']} rows, {found['blocks']} blocks, one rank"
    )


def main() -> None:
    """Compile, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k2-rows", type=int, nargs="*", default=[1])
    parser.add_argument("--repeat", type=int, default=3, help="runs of K1; the fastest is printed")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--prototype", type=Path)
    parser.add_argument(
        "--schedules", action="store_true", help="also compare the bits of five schedules"
    )
    options = parser.parse_args()
    cache = ArtefactCache()
    key = vllm.VllmBuild("k1", 8, 8, 8)
    start = time.perf_counter()
    kernel = production.compiled(key, cache)
    seconds = time.perf_counter() - start
    print(f"K1 ready in {seconds:.1f} s (object from cache: {kernel.from_cache})")
    results = []
    for _ in range(options.repeat):
        sim = Simulator(sanitize=options.sanitize)
        launch = production.k1(sim, kernel, key)
        results.append(sim.run())
    report("arithmetic, 1024 groups", arithmetic())
    report("K1, 8 rows", min(results, key=lambda r: r.cpu_seconds))
    if options.schedules:
        same_bits("K1, 8 rows", lambda sim: [production.k1(sim, kernel, key)])
    triton_interpreter()
    if options.prototype:
        prototype(options.prototype, key, cache, launch.tensors["prefix"])
    for rows in options.k2_rows:
        key = vllm.VllmBuild("k2", rows, 8)
        start = time.perf_counter()
        kernel = production.compiled(key, cache)
        seconds = time.perf_counter() - start
        print(f"K2 ready in {seconds:.1f} s (object from cache: {kernel.from_cache})")
        sim = Simulator(sanitize=options.sanitize)
        production.k2(sim, kernel, key)
        report(f"K2, 8 ranks, {rows} rows", sim.run())
        if options.schedules:
            queue = functools.partial(production.k2, kernel=kernel, key=key)
            same_bits(f"K2, 8 ranks, {rows} rows", queue)


if __name__ == "__main__":
    main()
