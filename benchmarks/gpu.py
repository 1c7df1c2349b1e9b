"""Times of the Triton kernels on one GPU.

    python -m benchmarks.gpu [--only triton,chain] [--json FILE] [--sweep]

Needs a GPU and the extra ``triton`` (``fla-core`` for the unfused chains). Prints the tables of
``benchmarks/gpu.md``; the checks are those of ``benchmarks.gpu_checks``. ``--sweep`` times other
tile sizes.
"""

from __future__ import annotations

import argparse
import json
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


def main() -> None:
    """Run what was asked for and print it as Markdown."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--json", type=Path, help="write everything here, too")
    p.add_argument("--only", help="contestants by the first word of their name (default: all)")
    p.add_argument("--sweep", action="store_true", help="time other tile sizes of K1")
    arguments = p.parse_args()
    only = frozenset(arguments.only.split(",")) if arguments.only else None
    device = torch.device("cuda", 0)
    driver, clocks = driver_and_clocks(device)
    bandwidth = copy_bandwidth()
    print(f"{torch.cuda.get_device_name(0)}, driver {driver}, torch {torch.__version__}")
    print(f"clocks before: {clocks}; copy bandwidth {bandwidth / 1e12:.2f} TB/s\n")
    rows: list[BenchRow] = []
    print("| layer | rows | what | median µs | 10–90 % | floor µs | × floor | note |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, options in STEPS:
        for row in bench_layer(kind, bandwidth, only=only, **options):
            rows.append(row)
            print(_line(row), flush=True)
        torch.cuda.empty_cache()
    print(f"\nclocks after: {driver_and_clocks(device)[1]}")
    found: dict[str, Any] = {"rows": [row.model_dump() for row in rows], "bandwidth": bandwidth}
    if arguments.sweep:
        found["sweep"] = sweep()
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


if __name__ == "__main__":
    main()
