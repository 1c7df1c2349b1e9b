"""Tensor parallelism over torch.distributed against one process, on real gloo groups."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, multiprocessing

from kk3ref import tp
from kk3ref.checkpoint.synthetic import SyntheticWeights
from kk3ref.layers import k2
from kk3ref.layers.m1 import m1_layer
from kk3ref.model.blocks import DENSE_POST
from kk3ref.precision import PRECISIONS
from kk3ref.presets import preset
from kk3ref.stages import Layer, LayerOptions, Taps, run_layer

CONFIG = preset("tiny")
SOURCE = SyntheticWeights(CONFIG, seed=3)
ROWS = 6
DEADLINE = 240.0  # seconds for a whole group, on a busy machine
SUM = Layer("sum", (k2.attn_all_reduce,))
GATHERED = {
    "bf16 with NaN payloads": torch.tensor([0x7FC1, 0x3F80, 0xFF81 - 65536, 1], dtype=torch.int16),
    "strided": torch.arange(12, dtype=torch.float64).reshape(3, 4).T,
    "bool": torch.tensor([[True], [False]]),
    "a number": torch.tensor(2.5),
}


def cases(tp_size: int) -> dict[str, tuple[Layer, int, LayerOptions]]:
    """Layer, decoder layer and options by name; M1 gathers queries and merges cache shards."""
    shards = LayerOptions(dcp=tp_size, page_size=2)
    return {
        "k2": (k2.K2, 5, LayerOptions()),
        "k2-block-write": (k2.K2, 4, LayerOptions()),
        "moe": (k2.MOE, 5, LayerOptions()),
        "dense-post": (DENSE_POST, 0, LayerOptions()),
        "m1-dcp": (m1_layer(shards), 7, shards),
        "cancelling-sum": (SUM, 5, LayerOptions()),
    }


@cache
def inputs(tp_size: int) -> list[Taps]:
    g = torch.Generator().manual_seed(11)

    def values(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=g).to(torch.bfloat16)

    core = values(ROWS, CONFIG.kda_channels)
    caches = torch.randint(0, 120, (tp_size, 5, 2, CONFIG.kv_cache_dim), generator=g)
    shared = {
        "prefix": values(ROWS, CONFIG.hidden_size),
        "delta": values(ROWS, CONFIG.hidden_size),
        "blocks": values(ROWS, CONFIG.num_blocks, CONFIG.hidden_size),
        "x": values(ROWS, CONFIG.hidden_size),
        "block_table": torch.tensor([[2, 4], [1, 3]], dtype=torch.int32),
        "context_len": torch.tensor([5, 0], dtype=torch.int32),  # most shards are empty at TP 8
    }
    # What is added before the large terms cancel is lost, what comes after is kept.
    terms = values(tp_size, ROWS, 16)
    terms[0], terms[tp_size // 2] = 1e30, -1e30
    return [
        {"core": part, "kv_cache": cache_.to(torch.uint8), "o_partial": term, **shared}
        for part, cache_, term in zip(core.chunk(tp_size, 1), caches, terms, strict=True)
    ]


def gathered(name: str, rank: int) -> Tensor:
    """What a rank gives to the plain gather."""
    x = GATHERED[name]
    if x.dtype == torch.int16:
        return (x + rank).view(torch.bfloat16)
    return x if x.dtype == torch.bool else x + rank


def worker(rank: int, tp_size: int, folder: Path) -> None:
    """One rank: every case on every policy, and the plain gathers; results go to a file."""
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        store=dist.FileStore(str(folder / "store"), tp_size),
        rank=rank,
        world_size=tp_size,
        timeout=timedelta(seconds=DEADLINE / 2),
    )
    results: dict[tuple[str, str], Any] = {}
    for name, (layer, index, options) in cases(tp_size).items():
        context = tp.rank_context(SOURCE, index, rank, tp_size, options)
        given = inputs(tp_size)[rank]
        for p in PRECISIONS.values():
            results[name, p.name] = tp.run_layer_distributed(layer, p, context, given)
    for name in GATHERED:
        results["gather", name] = tp.all_gather(gathered(name, rank))
    torch.save(results, folder / f"rank{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


def run_group(tp_size: int, folder: Path) -> list[dict[tuple[str, str], Any]]:
    """Every rank's results; no process outlives the deadline."""
    spawn = multiprocessing.get_context("spawn")
    processes = [
        spawn.Process(target=worker, args=(rank, tp_size, folder)) for rank in range(tp_size)
    ]
    end = time.monotonic() + DEADLINE
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.join(max(0.0, end - time.monotonic()))
        assert [process.exitcode for process in processes] == [0] * tp_size
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
                process.join()
    return [torch.load(folder / f"rank{rank}.pt") for rank in range(tp_size)]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """As in the ranks: threads may split a matrix product differently."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=[2, 8], ids=lambda n: f"tp{n}")
def group(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[tuple[str, str], Any]]:
    return run_group(request.param, tmp_path_factory.mktemp("group"))


def bits(x: Tensor) -> Tensor:
    return x.contiguous().view(-1).view(torch.uint8)


@pytest.mark.parametrize("p", PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize("name", cases(1))
def test_processes_give_the_bits_of_one_process(
    group: list[dict[tuple[str, str], Any]], name: str, p: Any
) -> None:
    tp_size = len(group)
    layer, index, options = cases(tp_size)[name]
    contexts = tp.rank_contexts(SOURCE, index, tp_size, options)
    expected = run_layer(layer, p, contexts, inputs(tp_size))
    for rank, (want, results) in enumerate(zip(expected, group, strict=True)):
        got = results[name, p.name]
        assert got.keys() == want.keys()
        for tap in layer.taps:
            assert got[tap.name].dtype == want[tap.name].dtype, (rank, tap.name)
            assert torch.equal(bits(got[tap.name]), bits(want[tap.name])), (rank, tap.name)


@pytest.mark.parametrize("name", GATHERED)
def test_a_gather_keeps_every_byte_and_the_rank_order(
    group: list[dict[tuple[str, str], Any]], name: str
) -> None:
    for results in group:
        parts = results["gather", name]
        assert len(parts) == len(group)
        for rank, part in enumerate(parts):
            want = gathered(name, rank)
            assert (part.shape, part.dtype) == (want.shape, want.dtype)
            assert torch.equal(bits(part), bits(want))


def test_the_rank_order_is_seen_in_the_bits() -> None:
    """Were every order alike, equal bits would show nothing about it."""
    p, contexts = PRECISIONS["contract"], tp.rank_contexts(SOURCE, 5, 8)
    terms = [{"o_partial": v["o_partial"]} for v in inputs(8)]
    forward = run_layer(SUM, p, contexts, terms)[0]["attn_out"]
    backward = run_layer(SUM, p, contexts, terms[::-1])[0]["attn_out"]
    assert bool((forward != backward).all())


# -- one rank alone ------------------------------------------------------------------------------


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[None]:
    dist.init_process_group(
        "gloo",
        store=dist.FileStore(str(tmp_path / "store"), 1),
        rank=0,
        world_size=1,
        timeout=timedelta(seconds=60),
    )
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("alone")
def test_a_group_of_one_runs_and_every_stage_can_be_intercepted() -> None:
    seen = []

    def doubled(s: Any, c: Any, taps: Taps) -> Taps:
        seen.append(s.name)
        return {"out": 2 * taps["out"]} if "out" in taps else taps

    p = PRECISIONS["contract"]
    context = tp.rank_context(SOURCE, 5, 0, 1)
    taps = tp.run_layer_distributed(k2.MOE, p, context, inputs(1)[0], intercept=doubled)
    plain = run_layer(k2.MOE, p, [context], inputs(1))[0]
    assert seen == [s.name for s in k2.MOE.stages]
    assert torch.equal(taps["out"], 2 * plain["out"])


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        pytest.param(
            lambda p: tp.run_layer_distributed(
                k2.MOE, p, tp.rank_context(SOURCE, 5, 1, 2), inputs(2)[1]
            ),
            ValueError,
            "must be rank 0 of 1, as the group is, got rank 1 of 2",
            id="other-group",
        ),
        pytest.param(
            lambda p: tp.run_layer_distributed(k2.K2, p, tp.rank_context(SOURCE, 5, 0, 1), {}),
            KeyError,
            "missing inputs \\['blocks', 'core', 'prefix'\\]",
            id="missing-inputs",
        ),
    ],
)
def test_what_cannot_run_is_refused_before_any_communication(
    call: Callable[[Any], Taps], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(PRECISIONS["contract"])
