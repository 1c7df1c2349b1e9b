"""The checks of the Triton kernels on one GPU: verdicts, replays, steps, a stalled rank.

    python -m benchmarks.gpu_checks [NAME…] [--jobs N] [--folder DIR]

Needs a GPU and the extra ``triton``. Runs the commands whose names contain one of the words given
(all of them without any), keeps their records in DIR, and stalls a rank of eight. Exit code 1 if
one does not pass.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from kk3ref.presets import preset

TRITON = ["--candidate", "triton"]
TINY = ["--preset", "tiny"]
EXPERTS = 48
"""Of the K2 whose graph is replayed: a graph needs all of them there, and a synthetic weight
takes the CPU its time."""
FUSED = ["--kind", "k1", "--kind", "m1", "--kind", "k2"]
KINDS = ("k1", "k2", "m1", "kda-decode")
LAYERS = {
    **{f"layer {k} production": [k, *TRITON] for k in KINDS},
    **{f"layer {k} tiny": [k, *TINY, *TRITON] for k in (*KINDS, "moe")},
    **{
        f"layer {k} tiny {candidate}": [k, *TINY, "--family", "normal", "--candidate", candidate]
        for candidate in ("compiled", "contract", "baseline")
        for k in KINDS
    },
}
CHECKS: dict[str, list[str]] = {
    **{name: ["layer", *words] for name, words in LAYERS.items()},
    **{f"replay {k} tiny": ["replay", k, *TINY, *TRITON] for k in ("k1", "k2")},
    "replay k1 production": ["replay", "k1", "--preset", "production", *TRITON],
    f"replay k2 production, {EXPERTS} experts": ["replay", "k2", "--config", "{config}", *TRITON],
    "steps tiny": ["steps", *TINY, *TRITON, *FUSED, "--steps", "256"],
    "steps tiny tp8": ["steps", *TINY, *TRITON, *FUSED, "--tp", "8", "--steps", "64"],
}


def main() -> int:
    """Run what was asked for and print it as Markdown."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("names", nargs="*", help="parts of names; 'stalled' for the stalled rank")
    p.add_argument("--jobs", type=int, default=4, help="commands at once (default: 4)")
    p.add_argument("--folder", type=Path, default=Path("out/gpu"), help="records and logs")
    arguments = p.parse_args()
    words = arguments.names
    chosen = {n: c for n, c in CHECKS.items() if not words or any(w in n for w in words)}
    arguments.folder.mkdir(parents=True, exist_ok=True)
    config = arguments.folder / "config.json"
    few = replace(preset("production"), num_experts=EXPERTS)
    config.write_text(json.dumps(few.to_hf(), indent=2))
    chosen = {n: [w.format(config=config) for w in c] for n, c in chosen.items()}
    good = stalled_rank() if not words or "stalled" in words else True
    print(f"\n{torch.cuda.get_device_name(0)}\n")
    return 0 if run(chosen, arguments.jobs, arguments.folder) and good else 1


def run(chosen: dict[str, list[str]], jobs: int, folder: Path) -> bool:
    """Run commands, ``jobs`` at a time; whether all passed."""
    print("| check on the GPU | exit code | s |\n|---|---|---|", flush=True)
    waiting, good = list(chosen.items()), True
    running: list[tuple[str, float, subprocess.Popen[bytes]]] = []
    while waiting or running:
        while waiting and len(running) < jobs:
            name, words = waiting.pop(0)
            stem = folder / name.replace(" ", "-")
            command = [sys.executable, "-m", "verify", *words, "--device", "cuda"]
            command += ["--out", str(stem)]
            with stem.with_suffix(".log").open("wb") as log:
                process = subprocess.Popen(command, stdout=log, stderr=log)
            running.append((name, time.perf_counter(), process))
        for item in list(running):
            name, started, process = item
            if process.poll() is not None:
                running.remove(item)
                good &= process.returncode == 0
                seconds = time.perf_counter() - started
                print(f"| {name} | {process.returncode} | {seconds:.0f} |", flush=True)
        time.sleep(0.2)
    return good


def stalled_rank(limit_s: float = 0.5) -> bool:
    """K2 on eight ranks of one GPU, one of which launches nothing: how the others end."""
    from kk3fast.triton.group import Group
    from kk3fast.triton.k2 import K2, slot_layout
    from kk3fast.triton.peers import one_process
    from kk3fast.triton.target import target_of
    from kk3ref.checkpoint import SyntheticWeights
    from kk3ref.stages import LayerOptions
    from verify.candidates import LayerCall
    from verify.device import moved_call
    from verify.inputs import build_case
    from verify.launch import Storage
    from verify.layers import LAYERS
    from verify.placement import Placement
    from verify.step import Step

    device = torch.device("cuda", 0)
    config, tp = preset("tiny"), 8
    layer = LAYERS["k2"]
    case = build_case(
        layer.make(LayerOptions()),
        SyntheticWeights(config, 0),
        layer.default_indices(config)[0],
        tp,
        Step.resolve(),
        0,
        preset="tiny",
    )
    held = Storage(Placement(device))
    storage = [held.prepare(case, rank) for rank in range(tp)]
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
    print(f"\nstalled rank 3 of {tp}: give-up {limit_s} s, all ended after {seconds:.2f} s")
    print(f"before: {healthy or 'no rank gave up'}; then:")
    print("\n".join(f"- {line}" for line in problems), flush=True)
    return not healthy and len(problems) == tp - 1 and seconds < 10 * limit_s


if __name__ == "__main__":
    sys.exit(main())
