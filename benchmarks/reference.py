"""Times and peak memory of ``verify layer k1`` and ``k2`` at production shapes, 8 rows, TP8.

    python benchmarks/reference.py [--preset production] [--layers k1 k2] [--json]

Each layer is verified in a process of its own (the A/A control, input generation included), so that
its peak memory is its own. For the routed experts, the batched reference is compared with a loop
over tokens and picks of the same maths, in the same run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from kk3ref import mlp, moe
from kk3ref.checkpoint import SyntheticWeights
from kk3ref.config import K3Config
from kk3ref.formats import MXFP4, quantize_mxfp4
from kk3ref.precision import CONTRACT
from kk3ref.presets import PRESETS, preset

ROWS = 8


def verify(layer: str, preset_name: str) -> dict[str, Any]:
    """Wall seconds and peak MiB of one verification, as a user would run it."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "verify", "layer", layer, "--preset", preset_name]
        command += ["--family", "normal", "--rows", str(ROWS), "--tp", "8", "--json", "--out", out]
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - started
        if done.returncode:
            sys.exit(f"{layer} did not pass (exit {done.returncode}):\n{done.stderr}")
        record = json.loads((next(Path(out).glob("*.json"))).read_text())
    return {
        "what": f"verify layer {layer}",
        "seconds": round(seconds, 1),
        "peak_mib": round(record["peak_memory_mb"]),
    }


def experts(config: K3Config) -> dict[str, Any]:
    """The routed experts of one rank: batched reference against a plain loop."""
    layer = next(i.index for i in config.layers if i.mlp == "moe")
    weights = SyntheticWeights(config).rank_weights(layer, 0, 8)["experts"]
    generator = torch.Generator().manual_seed(0)
    k = config.num_experts_per_token
    ids = torch.rand(ROWS, config.num_experts, generator=generator).topk(k).indices.int()
    lat = quantize_mxfp4(torch.randn(ROWS, config.routed_expert_hidden_size, generator=generator))
    pick_weights = torch.full((ROWS, k), 1 / k)
    for e in ids.unique().tolist():  # reading the weights is not timed
        weights.w13([e]), weights.w2([e])
    betas = config.activation_situ_beta, config.activation_situ_linear_beta

    started = time.perf_counter()
    codes, scales = moe.experts_up(CONTRACT, lat.codes, lat.scales, ids, weights, *betas)
    batched = moe.experts_down(CONTRACT, codes, scales, ids, pick_weights, weights)
    batched_s = time.perf_counter() - started
    started = time.perf_counter()
    looped = _loop(lat, ids, pick_weights, weights, betas)
    looped_s = time.perf_counter() - started
    difference = float((batched.float() - looped.float()).abs().max())
    return {
        "what": f"routed experts, one rank, {len(ids.unique())} distinct",
        "batched_seconds": round(batched_s, 2),
        "loop_seconds": round(looped_s, 2),
        "loop_over_batched": round(looped_s / batched_s, 2),
        "largest_difference": difference,
    }


def _loop(
    lat: MXFP4,
    ids: torch.Tensor,
    pick_weights: torch.Tensor,
    weights: Any,
    betas: tuple[float, float],
) -> torch.Tensor:
    """Token by token, expert by expert."""
    rows = lat.dequantize()
    out = []
    for s in range(ids.shape[0]):
        acc = torch.zeros(rows.shape[1])
        for j in range(ids.shape[1]):
            e = int(ids[s, j])
            gu = weights.w13([e]).dequantize()[0] @ rows[s]
            g, u = gu.chunk(2)
            h = quantize_mxfp4(mlp.situ(g, u, *betas)).dequantize()
            y = weights.w2([e]).dequantize()[0] @ h
            term = (pick_weights[s, j] * y).to(torch.bfloat16).float()
            acc = (acc + term).to(torch.bfloat16).float()
        out.append(acc.to(torch.bfloat16))
    return torch.stack(out)


def main() -> None:
    """Print the figures."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--preset", choices=sorted(PRESETS), default="production")
    p.add_argument("--layers", nargs="+", default=["k1", "k2"])
    p.add_argument("--json", action="store_true", help="print as JSON")
    arguments = p.parse_args()
    results = [experts(preset(arguments.preset))]
    results += [verify(layer, arguments.preset) for layer in arguments.layers]
    if arguments.json:
        print(json.dumps(results, indent=2))
        return
    for result in results:
        print(result.pop("what") + ": " + ", ".join(f"{k} {v}" for k, v in result.items()))


if __name__ == "__main__":
    main()
