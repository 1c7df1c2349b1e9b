"""Time one layer kind: the Triton kernels, the unfused chain, the compiled reference, the floor."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict
from torch import Tensor

from verify.bench import chain as chains
from verify.bench.floor import floor_bytes
from verify.bench.steps import Bench, RandomExperts, bench_step
from verify.bench.timing import Timing, Work, queued, replayed

KINDS = ("k1", "k2", "m1", "kda-decode")
_L2_TIMES = 4  # the sets a replay goes through hold at least so many times the L2 cache


class BenchRow(BaseModel):
    """One contestant on one layer kind."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    kind: str
    """layer kind"""
    rows: int
    """rows of the step"""
    requests: int
    """requests of the step"""
    what: str
    """contestant"""
    median_us: float | None
    """median microseconds of a step; None where it could not be timed"""
    low_us: float | None = None
    """10th percentile"""
    high_us: float | None = None
    """90th percentile"""
    captured: bool = True
    """replayed as a graph; else queued from the host, which is in the time"""
    floor_us: float
    """bytes that must move over the copy bandwidth"""
    note: str = ""
    """e.g. why it could not be timed"""

    @property
    def ratio(self) -> float | None:
        """Median over the floor."""
        return None if self.median_us is None else self.median_us / self.floor_us


def bench_layer(
    kind: str,
    bandwidth: float,
    rows: int = 8,
    requests: int = 2,
    context: int = 8192,
    only: frozenset[str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> list[BenchRow]:
    """All contestants on one layer kind: one rank of TP8 at production shapes.

    Args:
        bandwidth: bytes a second of a device-to-device copy, measured in this run.
        context: rows of each request's MLA context.
        only: contestants by the first word of their name; all if None.
    """
    experts = None
    if kind == "k2":
        first = bench_step(kind, rows, requests)
        shapes = first.context.shapes
        experts = RandomExperts(first.context.config, shapes.expert_intermediate)
        del first
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    benches = [bench_step(kind, rows, requests, context, experts=experts)]
    touched = floor_bytes(kind, benches[0], {"ids": torch.arange(rows * 16)})
    # Experts are shared by the sets, which pick different ones.
    sets = max(3, -(-_L2_TIMES * cache // touched))
    benches += [
        bench_step(kind, rows, requests, context, experts=experts) for _ in range(int(sets) - 1)
    ]
    taps: list[Mapping[str, Tensor]] = []
    makers: dict[str, Callable[[], list[Work]]] = {
        "triton": lambda: _triton(kind, benches, True, taps),
        "triton, launches not overlapped": lambda: _triton(kind, benches, False, taps),
        "chain of unfused ops": lambda: _chain(kind, benches),
        "compiled contract reference": lambda: [chains.compiled(kind, b) for b in benches[:1]],
    }
    found: list[BenchRow] = []
    floor = 0.0
    for what, make in makers.items():
        if only is not None and what.split()[0].strip(",") not in only:
            continue
        progress(f"{kind}: {what}")
        timing, note = _time(make, what.startswith("compiled"))
        if not floor:
            floor = _floor(kind, benches, taps, bandwidth)
        common: dict[str, Any] = {"kind": kind, "rows": rows, "requests": requests, "what": what}
        if timing is None:
            found.append(BenchRow(**common, median_us=None, floor_us=floor, note=note))
            continue
        found.append(
            BenchRow(
                **common,
                median_us=timing.median,
                low_us=timing.low,
                high_us=timing.high,
                captured=timing.captured,
                floor_us=floor,
                note=note,
            )
        )
        torch.cuda.empty_cache()
    return found


def _time(make: Callable[[], list[Work]], host: bool) -> tuple[Timing | None, str]:
    """A timing, or why there is none; ``host``: not captured."""
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            works = make()
            return (queued(works, 5) if host else replayed(works)), ""
    except Exception as error:  # a contestant that fails must not take the others with it
        torch.cuda.synchronize()
        return None, f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"


def _floor(
    kind: str, benches: list[Bench], taps: list[Mapping[str, Tensor]], bandwidth: float
) -> float:
    picks = taps[: len(benches)] or [{"ids": torch.arange(128)}] * len(benches)
    moved = [floor_bytes(kind, b, t) for b, t in zip(benches, picks, strict=True)]
    return sum(moved) / len(moved) / bandwidth * 1e6


def _triton(
    kind: str, benches: list[Bench], overlap: bool, taps: list[Mapping[str, Tensor]]
) -> list[Work]:
    from kk3fast.triton.k1 import K1, KdaDecode
    from kk3fast.triton.m1 import M1
    from kk3fast.triton.target import target_of

    device = torch.device("cuda", torch.cuda.current_device())
    target = target_of(device, pdl=overlap)
    if kind == "k2":
        ranks = _k2_ranks(benches, target, device)
        kept = [dict(rank.taps()) for rank in ranks]
    else:
        makers: dict[str, Any] = {"k1": K1, "m1": M1, "kda-decode": KdaDecode}
        ranks = [makers[kind](b.context, target) for b in benches]
        rows = benches[0].buffers["core"].shape[0]
        kept = [dict(rank.taps(rows)) for rank in ranks]
    taps.extend(kept)
    return [
        lambda r=r, b=b, t=t: r(b.inputs, b.buffers, t)  # type: ignore[misc]
        for r, b, t in zip(ranks, benches, kept, strict=True)
    ]


_tables: dict[int, Any] = {}


def _k2_ranks(benches: list[Bench], target: Any, device: torch.device) -> list[Any]:
    from kk3fast.triton.expert_table import ExpertTable
    from kk3fast.triton.k2 import K2, slot_layout
    from kk3fast.triton.peers import loopback

    context = benches[0].context
    rows = benches[0].inputs["core"].shape[0]
    key = id(context.experts)
    if key not in _tables:
        _tables[key] = ExpertTable(context, device)
        _tables[key].ensure(range(context.config.num_experts))
    layout = slot_layout(context.config, context.tp, rows)
    return [
        K2(b.context, target, loopback(layout, device), rows, experts=_tables[key]) for b in benches
    ]


def _chain(kind: str, benches: list[Bench]) -> list[Work]:
    dense = chains.dense_experts(benches[0]) if kind == "k2" else None
    return [chains.chain(kind, b, dense) for b in benches]
