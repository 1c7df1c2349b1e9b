"""Triton's interpreter on an AttnRes read, to set beside the simulator's K1.

    TRITON_INTERPRET=1 python benchmarks/triton_interpreter.py [--rows 8] [--blocks 8] [--json]

Needs the package ``triton`` (no GPU). The kernel does what the first stage of K1 does on one rank:
prefix update, RMS and logits of the sources, softmax, mix and output norm, one program a row. The
simulator's K1 (``benchmarks/simulator.py``) does that and everything after it.
"""

from __future__ import annotations

import argparse
import json
import os
import time

os.environ.setdefault("TRITON_INTERPRET", "1")

import torch
import triton
import triton.language as tl

HIDDEN, EPS = 7168, 1e-5


@triton.jit
def attn_res_read(
    prefix,
    delta,
    blocks,
    norm_w,
    query,
    out_w,
    x,
    n_blocks: tl.constexpr,
    hidden: tl.constexpr,
    block: tl.constexpr,
):
    """One row: ``prefix`` and ``x`` are written, ``blocks`` is ``[rows, n_blocks, hidden]``."""
    row = tl.program_id(0)
    at = tl.arange(0, block)
    live = at < hidden
    p = tl.load(prefix + row * hidden + at, mask=live, other=0.0).to(tl.float32)
    d = tl.load(delta + row * hidden + at, mask=live, other=0.0).to(tl.float32)
    p = (p + d).to(tl.bfloat16)
    tl.store(prefix + row * hidden + at, p, mask=live)
    p = p.to(tl.float32)
    w = tl.load(norm_w + at, mask=live, other=0.0).to(tl.float32)
    w = w * tl.load(query + at, mask=live, other=0.0).to(tl.float32)
    top = tl.sum(p * w, 0) * tl.rsqrt(tl.sum(p * p, 0) / hidden + 1e-5)
    total = tl.full((), 1.0, tl.float32)
    mixed = p
    for i in range(n_blocks):
        v = tl.load(blocks + (row * n_blocks + i) * hidden + at, mask=live, other=0.0)
        v = v.to(tl.float32)
        logit = tl.sum(v * w, 0) * tl.rsqrt(tl.sum(v * v, 0) / hidden + 1e-5)
        peak = tl.maximum(top, logit)
        old, new = tl.exp(top - peak), tl.exp(logit - peak)
        mixed = mixed * old + v * new
        total = total * old + new
        top = peak
    mixed = mixed / total
    scale = tl.rsqrt(tl.sum(mixed * mixed, 0) / hidden + 1e-5)
    out = mixed * scale * tl.load(out_w + at, mask=live, other=0.0).to(tl.float32)
    tl.store(x + row * hidden + at, out.to(tl.bfloat16), mask=live)


def reference(inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    """The read in float64."""
    wide = {name: t.double() for name, t in inputs.items()}
    prefix = (inputs["prefix"].float() + inputs["delta"].float()).bfloat16().double()
    v = torch.cat([wide["blocks"], prefix[:, None]], 1)
    scale = torch.rsqrt(v.square().mean(-1) + EPS)
    a = torch.softmax((v * wide["norm_w"] * wide["query"]).sum(-1) * scale, 1)
    mixed = (a[..., None] * v).sum(1)
    norm = torch.rsqrt(mixed.square().mean(-1, keepdim=True) + EPS)
    return mixed * norm * wide["out_w"]


def main() -> None:
    """Print seconds and the largest error."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--rows", type=int, default=8)
    p.add_argument("--blocks", type=int, default=8)
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument("--json", action="store_true")
    arguments = p.parse_args()
    generator = torch.Generator().manual_seed(0)

    def normal(*shape: int, scale: float = 1.0) -> torch.Tensor:
        return (torch.randn(shape, generator=generator) * scale).bfloat16()

    rows, n = arguments.rows, arguments.blocks
    inputs = {
        "prefix": normal(rows, HIDDEN),
        "delta": normal(rows, HIDDEN, scale=0.3),
        "blocks": normal(rows, n, HIDDEN),
        "norm_w": 1 + normal(HIDDEN, scale=0.1),
        "query": normal(HIDDEN, scale=0.02),
        "out_w": 1 + normal(HIDDEN, scale=0.1),
    }
    expected = reference(inputs)
    seconds = []
    for _ in range(arguments.repeat):
        run = {name: t.clone() for name, t in inputs.items()}
        x = torch.empty(rows, HIDDEN, dtype=torch.bfloat16)
        started = time.perf_counter()
        attn_res_read[(rows,)](*run.values(), x, n_blocks=n, hidden=HIDDEN, block=8192)
        seconds.append(time.perf_counter() - started)
    result = {
        "triton": triton.__version__,
        "rows": rows,
        "blocks": n,
        "seconds": round(sorted(seconds)[len(seconds) // 2], 4),
        "largest_error": float((x.double() - expected).abs().max()),
    }
    print(json.dumps(result) if arguments.json else result)


if __name__ == "__main__":
    main()
