"""Our FlyDSL kernels over widths, drafts and schedules: verdicts, races, bits, counts.

    python -m benchmarks.own_kernels                      # K1 at production shapes, all widths
    python -m benchmarks.own_kernels k1 k2 --rows 8 --query-rows 4

Each step runs once through the whole verification with the sanitizer on, then under four more
schedules whose outputs, states and inner values must have the same bits. Exit code 1 if anything
fails. Times are of the simulator; predicted times are predicted, never measured.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from dataclasses import replace
from typing import Any

import torch

from kk3fast.calibration import MODEL
from kk3fast.cost import Work
from kk3fast.sim import COUNTS
from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.candidates import execute
from verify.candidates.base import LayerCall, RunOptions
from verify.candidates.flydsl import FlydslCandidate
from verify.data import CandidateInfo
from verify.inputs import build_case
from verify.layers import LAYERS
from verify.run import output_storage, verify_case
from verify.step import Step

SCHEDULES = [("forward", 0), ("reverse", 0), ("random", 1), ("random", 2), ("random", 3)]


def taps_of(case: Any, options: RunOptions) -> tuple[list[dict[str, torch.Tensor]], Any]:
    """Everything a run exposes, and the simulator's result."""
    storage = [output_storage(case, rank) for rank in case.ranks]
    buffers = [{name: g.tensor for name, g in named.items()} for named in storage]
    candidate = FlydslCandidate(case.layer, options)
    call = LayerCall(case.layer, case.contexts, case.inputs, buffers)
    run = execute(candidate, call, lambda text: None)
    return run.taps, candidate.result


def check(kind: str, rows: int, query_rows: int, arguments: argparse.Namespace) -> bool:
    """One step; prints a line, gives whether all is well."""
    choice = LAYERS[kind]
    config = preset(arguments.preset)
    layer = choice.make(LayerOptions())
    index = choice.default_indices(config)[0]
    drafts = query_rows - 1
    step = Step.resolve(rows=rows, drafts=drafts, seed=arguments.seed)
    case = build_case(layer, SyntheticWeights(config), index, arguments.tp, step, arguments.seed)
    build = (("workgroups", arguments.workgroups),) if arguments.workgroups else ()
    options = RunOptions(sanitize=True, build=build)
    info = CandidateInfo(name="flydsl", description=FlydslCandidate.description)
    candidate = FlydslCandidate(layer, options)
    record = verify_case(case, candidate, info, "").record
    runs = [
        taps_of(case, replace(options, sanitize=False, order=order, schedule_seed=seed))
        for order, seed in SCHEDULES
    ]
    first = runs[0][0]
    differing = sorted(
        {
            name
            for taps, _ in runs[1:]
            for mine, other in zip(first, taps, strict=True)
            for name in mine
            if not torch.equal(_bits(mine[name]), _bits(other[name]))
        }
    )
    ranks = next(c for c in record.layer_checks if c.name == "ranks_equal").verdict.value
    assert record.simulation is not None
    findings = len(record.simulation.findings)
    launches = runs[0][1].launches[:: arguments.tp] if kind != "m1" else runs[0][1].launches
    totals = {n: sum(launch.total(n) for launch in launches) for n in COUNTS}
    if kind == "m1":
        totals = {n: v // arguments.tp for n, v in totals.items()}
    work = Work.of(totals, int(runs[0][1].longest_chain))
    print(
        f"| {kind} | {rows} | {query_rows} | {record.verdict.value} | {findings} | "
        f"{'equal' if not differing else 'DIFFER: ' + ', '.join(differing)} | {ranks} | "
        f"{work.bytes / 1e6:.1f} | {work.handoffs} | {MODEL.predict_us(work):.1f} |",
        flush=True,
    )
    return record.verdict.value == "pass" and not findings and not differing


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(torch.uint8)


def main() -> int:
    """Run the matrix."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=["k1"], help="k1, k2, m1, kda-decode")
    parser.add_argument("--rows", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--query-rows", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--preset", default="production")
    parser.add_argument("--tp", type=int, default=8)
    parser.add_argument("--workgroups", type=int, default=0, help="default: the build's")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    columns = ["layer", "rows", "q", "verdict", "findings", "schedules", "ranks", "MB"]
    columns += ["hand-offs", "predicted µs"]
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    good = True
    for kind, rows, query in itertools.product(
        arguments.kinds, arguments.rows, arguments.query_rows
    ):
        requests_matter = kind != "k2" and LAYERS[kind].drafts != 0
        if query <= rows and (query == 1 or requests_matter):
            good &= check(kind, rows, query, arguments)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
