"""Two ranks, each a process: one verdict, one stop, one switch, and the layers' collectives."""

from __future__ import annotations

import os
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from kk3fast_serve_fakes import CONFIG, SOURCE, decoder_layer, kda_metadata
from torch import Tensor, multiprocessing

from kk3fast.runtime.failstop import FailStop, Watch
from kk3fast.serve.agreement import Opinion, agree
from kk3fast.serve.contract import ContractLayer
from kk3fast.serve.settings import Refused
from kk3fast.serve.simulated import SimulatedLayer
from kk3fast.serve.simulated_process import SimulationFailed, simulator_process
from kk3fast.serve.switch import EVERY, OffSwitch
from kk3ref.layers.k1 import K1
from kk3ref.layers.k2 import K2
from kk3ref.precision import CONTRACT
from kk3ref.stages import run_layer
from kk3ref.tp import rank_contexts

RANKS = 2
DEADLINE = 120.0  # seconds for both, on a busy machine
INDEX, ACCEPTED = torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 2])
OPINIONS = {
    "alike": [Opinion("on"), Opinion("on")],
    "one refuses": [Opinion("on"), Opinion("refused", (("expired", "too old"),))],
    "both refuse": [Opinion("refused", (("expired", "too old"),))] * 2,
    "set up differently": [Opinion("auto"), Opinion("on")],
}


def step_inputs() -> dict[str, Tensor]:
    g = torch.Generator().manual_seed(2)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=g).to(torch.bfloat16)

    return {
        "prefix": draw(4, CONFIG.hidden_size),
        "delta": draw(4, CONFIG.hidden_size),
        "blocks": draw(4, CONFIG.num_blocks, CONFIG.hidden_size),
    }


def pools() -> tuple[Tensor, Tensor]:
    s = CONFIG.shard(RANKS)
    d = CONFIG.kda_head_dim
    conv = torch.full((6, s.conv_channels, 4), 0.5, dtype=torch.bfloat16)
    return conv, torch.full((6, s.kda_heads, d, d), 0.25)


def said(opinion: Opinion) -> str:
    try:
        agree(opinion, "kk3", None)
    except Refused as error:
        return str(error)
    return "agreed"


def stopped_at(rank: int) -> tuple[int, str]:
    """Rank 1 gives up in its 20th step."""
    steps = 0
    watch = Watch(lambda: rank == 1 and steps == 20, rank, RANKS, None)
    try:
        for steps in range(1, 4 * EVERY):  # noqa: B007 - the watch looks at it
            watch.after_step()
    except FailStop as error:
        return steps, str(error)
    return 0, ""


def switched(rank: int, folder: Path) -> list[bool]:
    """Whether steps are off before the file is there, one look later, and when it has gone."""
    path = folder / "off"
    switch = OffSwitch(path, None)
    seen = [switch.on]
    dist.barrier()
    if rank == 1:
        path.touch()
    for _ in range(EVERY):
        switch.after_step()
    seen.append(switch.on)
    dist.barrier()
    path.unlink(missing_ok=True)
    dist.barrier()
    for _ in range(EVERY):
        switch.after_step()
    return [*seen, switch.on]


def layer_output(rank: int) -> tuple[Tensor, Tensor, Tensor]:
    layer = decoder_layer(4, rank, RANKS)
    layer.self_attn.kv_cache = list(pools())
    served = ContractLayer(layer, CONFIG, rank, RANKS, None, True)
    v = step_inputs()
    metadata = kda_metadata(INDEX, ACCEPTED)
    return served(metadata, torch.arange(4), v["prefix"], v["blocks"], v["delta"])


def mla_output(rank: int, kind: type[ContractLayer]) -> Tensor:
    """Of K2 alone: its ranks are simulated together."""
    served = kind(decoder_layer(3, rank, RANKS), CONFIG, rank, RANKS, None, True)
    v = {name: tensor[:2] for name, tensor in step_inputs().items()}
    return served(None, torch.arange(2), v["prefix"], v["blocks"], v["delta"])[2]


def failed_simulation(rank: int) -> str:
    """Rank 1's simulator process is killed between two launches."""
    served = SimulatedLayer(decoder_layer(3, rank, RANKS), CONFIG, rank, RANKS, None, True)
    if rank == 1:
        os.kill(simulator_process().pid, signal.SIGKILL)
    v = {name: tensor[:2] for name, tensor in step_inputs().items()}
    try:
        served(None, torch.arange(2), v["prefix"], v["blocks"], v["delta"])
    except SimulationFailed as error:
        return str(error)
    return ""


def worker(rank: int, folder: Path) -> None:
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        store=dist.FileStore(str(folder / "store"), RANKS),
        rank=rank,
        world_size=RANKS,
        timeout=timedelta(seconds=DEADLINE / 2),
    )
    results: dict[str, Any] = {name: said(both[rank]) for name, both in OPINIONS.items()}
    results["stopped"] = stopped_at(rank)
    results["switched"] = switched(rank, folder)
    results["layer"] = layer_output(rank)
    results["contract"] = mla_output(rank, ContractLayer)
    results["simulated"] = mla_output(rank, SimulatedLayer)
    results["failed"] = failed_simulation(rank)
    torch.save(results, folder / f"rank{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("ranks")
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=worker, args=(r, folder)) for r in range(RANKS)]
    end = time.monotonic() + DEADLINE
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.join(max(0.0, end - time.monotonic()))
        assert [process.exitcode for process in processes] == [0] * RANKS
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
                process.join()
    return [torch.load(folder / f"rank{r}.pt") for r in range(RANKS)]


def test_the_same_verdict_on_every_rank(ranks: list[dict[str, Any]]) -> None:
    for name in OPINIONS:
        assert ranks[0][name] == ranks[1][name]
    assert ranks[0]["alike"] == "agreed"
    assert "expired: ranks [1]: too old" in ranks[0]["one refuses"]
    assert "expired: too old" in ranks[0]["both refuse"]
    assert "ranks [0]: auto; ranks [1]: on" in ranks[0]["set up differently"]


def test_both_stop_at_the_same_step_and_name_the_rank(ranks: list[dict[str, Any]]) -> None:
    assert ranks[0]["stopped"] == ranks[1]["stopped"]
    step, sentence = ranks[0]["stopped"]
    assert step == 2 * EVERY
    assert "TP ranks [1]" in sentence


def test_a_switch_that_one_rank_sees_holds_for_both(ranks: list[dict[str, Any]]) -> None:
    assert [r["switched"] for r in ranks] == [[False, True, False]] * 2


def test_a_layer_over_two_ranks_is_the_reference(ranks: list[dict[str, Any]]) -> None:
    contexts = rank_contexts(SOURCE, 4, RANKS)
    conv, state = pools()
    step = {"state_index": INDEX, "num_accepted": ACCEPTED}
    given = {**step_inputs(), "conv_state": conv, "recurrent_state": state, **step}
    k1 = run_layer(K1, CONTRACT, contexts, [given] * RANKS)
    post = [
        {"core": t["core"], "prefix": t["prefix_after"], "blocks": t["blocks_after"]} for t in k1
    ]
    k2 = run_layer(K2, CONTRACT, contexts, post)
    for r, taps in zip(ranks, k2, strict=True):
        prefix, blocks, out = r["layer"]
        assert torch.equal(prefix, taps["prefix_after"])
        assert torch.equal(blocks, k1[0]["blocks_after"])
        assert torch.equal(out, taps["out"])


def test_simulated_kernels_run_over_two_ranks(ranks: list[dict[str, Any]]) -> None:
    assert torch.equal(ranks[0]["simulated"], ranks[1]["simulated"])
    want = ranks[0]["contract"].float()
    assert (ranks[0]["simulated"].float() - want).norm() <= 2e-2 * want.norm()


def test_a_simulator_that_ends_on_one_rank_is_an_error_of_both(ranks: list[dict[str, Any]]) -> None:
    assert ranks[0]["failed"] == ranks[1]["failed"]
    assert ranks[0]["failed"].startswith("k2 of layer 3: rank 1: the simulator process ")
    assert "it was ended by SIGKILL" in ranks[0]["failed"]
