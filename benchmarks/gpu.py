"""Times of the Triton kernels on one GPU, and the checks that stand beside them.

    python benchmarks/gpu.py [--json FILE] [--checks] [--sweep]

Needs a GPU and the extra ``triton`` (``fla-core`` for the unfused chains). Prints the tables of
``benchmarks/gpu.md``. ``--checks`` also runs ``verify layer`` on the GPU and the stalled rank;
``--sweep`` times other tile sizes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from kk3fast.triton.tuning import K1Tiles, LinearTiles
from verify.bench.layer import BenchRow, bench_layer
from verify.bench.steps import bench_step
from verify.bench.timing import copy_bandwidth, replayed
from verify.device import driver_and_clocks

STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("k1", {}),
    ("k2", {}),
    ("kda-decode", {"requests": 8}),
    ("kda-decode", {"rows": 64, "requests": 64}),
    ("m1", {"context": 8192}),
)
LAYER = [sys.executable, "-m", "verify", "layer"]
CHECKS: tuple[tuple[str, list[str]], ...] = (
    *(
        (f"{kind} tiny, every family, triton", [kind, "--preset", "tiny", "--candidate", "triton"])
        for kind in ("k1", "k2", "m1", "kda-decode", "moe")
    ),
    *(
        (f"{kind} production, triton", [kind, "--candidate", "triton"])
        for kind in ("k1", "k2", "m1", "kda-decode")
    ),
    *(
        (
            f"{kind} tiny, {candidate}",
            [kind, "--preset", "tiny", "--family", "normal", "--candidate", candidate],
        )
        for candidate in ("compiled", "contract", "baseline")
        for kind in ("k1", "k2", "m1", "kda-decode")
    ),
)


def main() -> None:
    """Run what was asked for and print it as Markdown."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--json", type=Path, help="write everything here, too")
    p.add_argument("--checks", action="store_true", help="verify on the GPU, stall a rank")
    p.add_argument("--sweep", action="store_true", help="time other tile sizes of K1")
    p.add_argument("--jobs", type=int, default=4, help="verifications at once (default: 4)")
    arguments = p.parse_args()
    device = torch.device("cuda", 0)
    driver, clocks = driver_and_clocks(device)
    bandwidth = copy_bandwidth()
    print(f"{torch.cuda.get_device_name(0)}, driver {driver}, torch {torch.__version__}")
    print(f"clocks before: {clocks}; copy bandwidth {bandwidth / 1e12:.2f} TB/s\n")
    rows: list[BenchRow] = []
    print("| layer | rows | what | median µs | 10–90 % | floor µs | × floor | note |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, options in STEPS:
        for row in bench_layer(kind, bandwidth, **options):
            rows.append(row)
            print(_line(row), flush=True)
        torch.cuda.empty_cache()
    print(f"\nclocks after: {driver_and_clocks(device)[1]}")
    found: dict[str, Any] = {"rows": [row.model_dump() for row in rows], "bandwidth": bandwidth}
    if arguments.sweep:
        found["sweep"] = sweep()
    if arguments.checks:
        found["stalled"] = stalled_rank()
        found["checks"] = checks(arguments.jobs)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2))


def _line(row: BenchRow) -> str:
    if row.median_us is None:
        return f"| {row.kind} | {row.rows} | {row.what} | – | – | {row.floor_us:.1f} | – | {row.note} |"  # noqa: E501
    note = row.note or ("" if row.captured else "queued from the host")
    return (
        f"| {row.kind} | {row.rows} | {row.what} | {row.median_us:.1f} | "
        f"{row.low_us:.1f}–{row.high_us:.1f} | {row.floor_us:.1f} | {row.ratio:.2f} | {note} |"
    )


def sweep() -> dict[str, float]:
    """K1 with other tiles of its projection, in µs."""
    from kk3fast.triton.k1 import K1
    from kk3fast.triton.target import target_of

    benches = [bench_step("k1") for _ in range(4)]
    target = target_of(torch.device("cuda", 0))
    found = {}
    print("\n| in_proj tile | K1 µs |\n|---|---|")
    for bn, bk, warps, stages in ((64, 256, 4, 4), (32, 256, 2, 4), (16, 512, 2, 3)):
        for prefetch in (0, 2048, 4096, 8192):
            tiles = K1Tiles(in_proj=LinearTiles(bn, bk, warps, stages, prefetch))
            ranks = [K1(b.context, target, replace(tiles)) for b in benches]
            kept = [rank.taps(8) for rank in ranks]
            works = [
                lambda r=r, b=b, t=t: r(b.inputs, b.buffers, t)  # type: ignore[misc]
                for r, b, t in zip(ranks, benches, kept, strict=True)
            ]
            name = f"{bn}×{bk}, {warps} warps, {stages} stages, prefetch {prefetch}"
            found[name] = replayed(works).median
            print(f"| {name} | {found[name]:.2f} |", flush=True)
    return found


def stalled_rank() -> dict[str, Any]:
    """K2 on eight ranks of one GPU, one of which launches nothing: how the others end."""
    from kk3fast.triton.group import Group
    from kk3fast.triton.k2 import K2, slot_layout
    from kk3fast.triton.peers import one_process
    from kk3fast.triton.target import target_of
    from kk3ref.checkpoint import SyntheticWeights
    from kk3ref.presets import preset
    from verify.candidates import LayerCall
    from verify.device import moved_call
    from verify.inputs import build_case
    from verify.layers import LAYERS
    from verify.run import output_storage
    from verify.step import Step

    device = torch.device("cuda", 0)
    config, tp, limit_s = preset("tiny"), 8, 0.5
    layer = LAYERS["k2"]
    case = build_case(
        layer.make(_options()),
        SyntheticWeights(config, 0),
        layer.default_indices(config)[0],
        tp,
        Step.resolve(),
        0,
        preset="tiny",
    )
    storage = [output_storage(case, rank, device) for rank in range(tp)]
    buffers = [{n: g.tensor for n, g in named.items()} for named in storage]
    call = moved_call(LayerCall(case.layer, case.contexts, case.inputs, buffers), device)
    peers = one_process(slot_layout(config, tp, 8), device, limit=int(limit_s * 1e9))
    target = target_of(device, pdl=False)
    group = Group([K2(c, target, p, 8) for c, p in zip(call.contexts, peers, strict=True)])
    group.run(call.inputs, call.buffers)
    torch.cuda.synchronize()
    healthy = group.problems()
    started = time.perf_counter()
    group.run(call.inputs, call.buffers, stalled=frozenset({3}))
    torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    problems = group.problems()
    print(
        f"\nstalled rank 3 of {tp}: give-up {limit_s} s, all launches ended after {seconds:.2f} s"
    )
    print(f"before: {healthy or 'no rank gave up'}; then:")
    print("\n".join(f"- {line}" for line in problems), flush=True)
    return {"healthy": healthy, "seconds": seconds, "problems": problems}


def _options() -> Any:
    from kk3ref.stages import LayerOptions

    return LayerOptions()


def checks(jobs: int) -> dict[str, int]:
    """Exit codes of the verifications, ``jobs`` at a time."""
    print("\n| check on the GPU | exit code |\n|---|---|")
    found: dict[str, int] = {}
    waiting = list(CHECKS)
    running: list[tuple[str, subprocess.Popen[bytes]]] = []
    while waiting or running:
        while waiting and len(running) < jobs:
            name, words = waiting.pop(0)
            command = [*LAYER, *words, "--device", "cuda"]
            running.append((name, subprocess.Popen(command, stdout=subprocess.DEVNULL)))
        for name, process in list(running):
            if process.poll() is not None:
                running.remove((name, process))
                found[name] = process.returncode
                print(f"| {name} | {process.returncode} |", flush=True)
        time.sleep(0.2)
    return found


if __name__ == "__main__":
    main()
