"""Speed of the simulator: operations a second against a NumPy interpreter, and production K1 and
K2.

``python benchmarks/simulator.py [--k2-rows 1 8] [--sanitize]``. An operation is one executed by one
workgroup (512 threads); the simulator counts one a wave, eight a workgroup. The NumPy baseline
executes the same kind of operations on 512-lane arrays, without any interpretation cost beyond one
Python call an operation: no NumPy interpreter can be faster.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
import production

from kk3fast.compile import ArtefactCache
from kk3fast.peers import vllm
from kk3fast.sim import Result, Schedule, Simulator

WAVES = 8


def numpy_operations_a_second(mix: dict[str, int], seconds: float = 1.0) -> float:
    """Executions a second of a mix of operations (name -> how many) on 512-lane NumPy arrays."""
    rng = np.random.default_rng(0)
    i, j = (rng.integers(1, 1000, 512, np.int32) for _ in range(2))
    f, g = (rng.standard_normal(512).astype(np.float32) for _ in range(2))
    memory = rng.integers(0, 1000, 1 << 20, np.int32)
    at = (np.arange(512) * 4 % (1 << 18)).astype(np.int64)
    a, b = (rng.standard_normal((WAVES, 16, 32)).astype(np.float32) for _ in range(2))
    four = np.arange(4)
    run = {
        "integer": lambda: np.add(i, j),
        "float": lambda: np.multiply(f, g),
        "compare": lambda: np.where(np.less(i, j), i, j),
        "load": lambda: memory[at[:, None] + four],
        "store": lambda: memory.__setitem__(at[:, None] + four, 1),
        "mfma": lambda: a @ b.transpose(0, 2, 1),
    }
    calls = [run[name] for name, count in mix.items() for _ in range(count)]
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        for call in calls:
            call()
        done += len(calls)
    return done / (time.process_time() - start)


def mix_of(kernel: production.CompiledKernel) -> dict[str, int]:
    """The kernel's operations by kind, as the baseline knows them."""
    from kk3fast.sim.ir import walk

    mix = dict.fromkeys(("integer", "float", "compare", "load", "store", "mfma"), 0)
    for op in walk(kernel.kernel.body):
        name = op.kind
        if "mfma" in name:
            mix["mfma"] += 1
        elif "load" in name:
            mix["load"] += 1
        elif "store" in name:
            mix["store"] += 1
        elif name in ("arith.cmpi", "arith.cmpf", "arith.select"):
            mix["compare"] += 1
        elif name.endswith("f") or "llvm.amdgcn" in name:
            mix["float"] += 1
        else:
            mix["integer"] += 1
    return mix


def report(name: str, result: Result, baseline: float) -> None:
    """One line a run."""
    rate = result.wave_ops / WAVES / result.cpu_seconds
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{name:24} {result.seconds:7.2f} s wall {result.cpu_seconds:7.2f} s cpu"
        f"  {rate / 1e6:6.2f} M ops/s  {rate / baseline:5.1f} x numpy"
        f"  chain {result.longest_chain:3}  peak {memory:5.2f} GiB"
    )


def main() -> None:
    """Compile, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k2-rows", type=int, nargs="*", default=[1])
    parser.add_argument("--repeat", type=int, default=3, help="runs of K1; the fastest is printed")
    parser.add_argument("--sanitize", action="store_true")
    options = parser.parse_args()
    cache = ArtefactCache()
    key = vllm.VllmBuild("k1", 8, 8, 8)
    start = time.perf_counter()
    kernel = production.compiled(key, cache)
    print(
        f"K1 ready in {time.perf_counter() - start:.1f} s (object from cache: {kernel.from_cache})"
    )
    baseline = numpy_operations_a_second(mix_of(kernel))
    print(f"NumPy, the mix of K1: {baseline / 1e3:.0f} k ops/s")
    results = []
    for _ in range(options.repeat):
        sim = Simulator(sanitize=options.sanitize)
        production.k1(sim, kernel, key)
        results.append(sim.run())
    report("K1, 8 rows", min(results, key=lambda r: r.cpu_seconds), baseline)
    for rows in options.k2_rows:
        key = vllm.VllmBuild("k2", rows, 8)
        start = time.perf_counter()
        kernel = production.compiled(key, cache)
        seconds = time.perf_counter() - start
        print(f"K2 ready in {seconds:.1f} s (object from cache: {kernel.from_cache})")
        sim = Simulator(Schedule(), sanitize=options.sanitize)
        production.k2(sim, kernel, key)
        report(f"K2, 8 ranks, {rows} rows", sim.run(), numpy_operations_a_second(mix_of(kernel)))


if __name__ == "__main__":
    main()
