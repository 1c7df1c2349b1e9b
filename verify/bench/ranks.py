"""K2 with every rank in a process of its own, beside unfused ops with NCCL between them."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn.functional import linear

from verify.bench import chain as chains
from verify.bench.layer import BenchRow
from verify.bench.steps import Bench, RandomExperts, bench_step
from verify.bench.timing import Timing, Work, replayed
from verify.ranks import Ranks

SETS = 3
"""Sets of weights that a replay goes through, so that operands come from device memory."""


def bench_ranks(
    ranks: Ranks,
    rows: int = 8,
    requests: int = 2,
    progress: Callable[[str], None] = lambda _: None,
) -> list[BenchRow]:
    """K2 at production shapes over ``ranks.size`` ranks; every process calls it.

    Returns:
        one row a contestant; medians are the slowest rank's. No floor: the links are not in one.
    """
    first = bench_step("k2", rows, requests, tp=ranks.size)
    experts = RandomExperts(first.context.config, first.context.shapes.expert_intermediate)
    benches = [
        _of_rank(bench_step("k2", rows, requests, tp=ranks.size, experts=experts), ranks.rank)
        for _ in range(SETS)
    ]
    contestants: dict[str, Callable[[], list[Work]]] = {
        "triton, all-reduce in the kernels": lambda: _triton(benches, ranks, rows),
        "unfused ops, NCCL between them": lambda: _nccl(benches, ranks),
    }
    found = []
    for what, make in contestants.items():
        progress(f"k2: {what}")
        timing, note = _together(make, ranks, needs_links=what.startswith("unfused"))
        common: dict[str, Any] = {"kind": "k2", "rows": rows, "requests": requests, "what": what}
        if timing is None:
            found.append(BenchRow(**common, median_us=None, floor_us=0.0, note=note))
        else:
            row = BenchRow(**common, median_us=timing.median, floor_us=0.0, note=note)
            found.append(row.model_copy(update={"low_us": timing.low, "high_us": timing.high}))
        torch.cuda.empty_cache()
    return found


def _of_rank(bench: Bench, rank: int) -> Bench:
    return replace(bench, context=replace(bench.context, rank=rank))


def _together(
    make: Callable[[], list[Work]], ranks: Ranks, needs_links: bool
) -> tuple[Timing | None, str]:
    """Time it on all ranks at once; None, with the reason, if one cannot."""
    problem = "NCCL needs a GPU a rank" if needs_links and ranks.shared else ""
    works: list[Work] = []
    if not problem:
        try:
            works = make()
        except (RuntimeError, ValueError) as error:
            problem = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
    problems = [p for p in ranks.exchange(problem) if p]
    if problems:
        return None, problems[0]
    with torch.no_grad():
        own = replayed(works)
    every = ranks.exchange(own)
    slowest = max(every, key=lambda t: t.median)
    return slowest, f"ranks' medians {statistics.fmean(t.median for t in every):.1f} µs on average"


def _triton(benches: list[Bench], ranks: Ranks, rows: int) -> list[Work]:
    from kk3fast.triton.expert_table import ExpertTable
    from kk3fast.triton.k2 import K2, slot_layout
    from kk3fast.triton.peers import connect_processes
    from kk3fast.triton.target import target_of

    context = benches[0].context
    target = target_of(ranks.device, pdl=not ranks.shared)
    table = ExpertTable(context, ranks.device)
    table.ensure(range(context.config.num_experts))
    layout = slot_layout(context.config, context.tp, rows)
    works: list[Work] = []
    for bench in benches:
        peers, memory = connect_processes(layout, ranks.rank, ranks.group, ranks.device)
        ranks.keep(memory)
        k2 = K2(bench.context, target, peers, rows, experts=table)
        taps = dict(k2.taps())
        works.append(lambda k=k2, b=bench, t=taps: k(b.inputs, b.buffers, t))  # type: ignore[misc]
    return works


def _nccl(benches: list[Bench], ranks: Ranks) -> list[Work]:
    experts = chains.dense_experts(benches[0])
    return [_unfused(bench, experts, ranks.size) for bench in benches]


def _unfused(bench: Bench, experts: tuple[Tensor, Tensor], tp: int) -> Work:
    """The chain of ``verify.bench.chain`` with its five collectives."""
    c, i = bench.context, bench.inputs
    s, config = c.shapes, c.config
    rows, latent = i["core"].shape[0], config.routed_expert_hidden_size
    betas = config.activation_situ_beta, config.activation_situ_linear_beta
    low, high = c.rank * s.router_rows, (c.rank + 1) * s.router_rows
    first, last = c.rank * s.latent_rows, (c.rank + 1) * s.latent_rows
    w_x = torch.cat([c.w_gate[low:high], c.w_ld[first:last], c.w_sgu])
    logits = torch.empty(tp, rows, s.router_rows, dtype=torch.bfloat16, device="cuda")
    lat = torch.empty(tp, rows, s.latent_rows, dtype=torch.bfloat16, device="cuda")

    def run() -> object:
        attn = linear(i["core"], c.w_o)
        dist.all_reduce(attn)
        _, x = chains.read(
            i["prefix"], attn, i["blocks"], c.mlp_res_norm_w, c.mlp_res_q, c.post_norm_w
        )
        y = linear(x, w_x)
        dist.all_gather_into_tensor(logits, y[:, : s.router_rows].contiguous())
        own = y[:, s.router_rows : s.router_rows + s.latent_rows].contiguous()
        dist.all_gather_into_tensor(lat, own)
        every = logits.transpose(0, 1).reshape(rows, -1).float()
        _, weights, order, ends, source = chains.route(
            every, c.router_bias, config.num_experts_per_token
        )
        row = lat.transpose(0, 1).reshape(rows, latent)
        gu = torch._grouped_mm(row[source], experts[0], offs=ends)
        down = torch._grouped_mm(chains.situ(gu, *betas), experts[1], offs=ends)
        partial = chains.weighted(down, order, weights)
        dist.all_reduce(partial)
        ln = chains.normed(partial, c.ln_w)
        sh = chains.situ(y[:, s.router_rows + s.latent_rows :], *betas)
        sd = linear(sh, c.w_sd)
        sd[:, c.rank * s.up_rows : (c.rank + 1) * s.up_rows] += linear(ln, c.w_up)
        dist.all_reduce(sd)
        return sd

    return run
