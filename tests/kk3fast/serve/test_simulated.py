"""The kernels' own builds on the simulator, on a loaded layer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
from kk3fast_serve_fakes import CONFIG, decoder_layer, kda_metadata
from torch import Tensor

from kk3fast.serve.contract import ContractLayer
from kk3fast.serve.simulated import SimulatedLayer

INDEX = torch.tensor([[2, 3]], dtype=torch.int32)
ACCEPTED = torch.ones(1, dtype=torch.int32)


@pytest.fixture(scope="module", autouse=True)
def _one_rank() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def run(kind: type[ContractLayer], index: int) -> dict[str, Tensor]:
    layer = decoder_layer(index)
    g = torch.Generator().manual_seed(4)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=g).to(torch.bfloat16)

    shapes, d = CONFIG.shard(1), CONFIG.kda_head_dim
    conv = draw(5, shapes.conv_channels, 4)
    state = draw(5, shapes.kda_heads, d, d).float()
    layer.self_attn.kv_cache = [conv, state]
    blocks = draw(2, CONFIG.num_blocks, CONFIG.hidden_size)
    served = kind(layer, CONFIG, 0, 1, None, True)
    prefix, blocks, out = served(
        kda_metadata(INDEX, ACCEPTED),
        torch.arange(2),
        draw(2, CONFIG.hidden_size),
        blocks,
        draw(2, CONFIG.hidden_size),
    )
    return {"prefix": prefix, "blocks": blocks, "out": out, "conv": conv, "state": state}


@pytest.mark.parametrize("index", [4, 3], ids=["kda-block-write", "mla"])
def test_the_simulated_kernels_do_what_the_contract_does(index: int) -> None:
    want, got = run(ContractLayer, index), run(SimulatedLayer, index)
    assert torch.equal(got["blocks"], want["blocks"])
    for name, expected in want.items():
        difference = (got[name].float() - expected.float()).norm()
        assert difference <= 2e-2 * expected.float().norm(), name
    if index == 4:
        assert torch.isfinite(got["state"]).all()
        assert not torch.equal(got["state"][2], got["state"][4])  # written, and only its slots
        assert torch.equal(got["state"][[0, 1, 4]], want["state"][[0, 1, 4]])


def steps(kind: type[ContractLayer], count: int) -> list[dict[str, Tensor]]:
    """A KDA layer's steps in a row: two requests, of which one and then more rows are accepted."""
    layer, shapes, d = decoder_layer(1), CONFIG.shard(1), CONFIG.kda_head_dim
    conv = torch.zeros(8, shapes.conv_channels, 4, dtype=torch.bfloat16)
    state = torch.zeros(8, shapes.kda_heads, d, d)
    layer.self_attn.kv_cache = [conv, state]
    served = kind(layer, CONFIG, 0, 1, None, True)
    g = torch.Generator().manual_seed(6)
    found = []
    for step in range(count):
        index = torch.tensor([[2, 3], [5, 7]], dtype=torch.int32)
        accepted = torch.tensor([1 + step % 2, 2 - step % 2], dtype=torch.int32)
        prefix, delta, *blocks = (
            torch.randn(4, CONFIG.hidden_size, generator=g).bfloat16()
            for _ in range(2 + CONFIG.num_blocks)
        )
        metadata = kda_metadata(index, accepted)
        at = torch.arange(4)
        prefix, _, out = served(metadata, at, prefix, torch.stack(blocks, 1), delta)
        found.append({"prefix": prefix, "out": out, "conv": conv.clone(), "state": state.clone()})
    return found


def test_states_follow_the_contracts_from_step_to_step() -> None:
    pairs = zip(steps(ContractLayer, 6), steps(SimulatedLayer, 6), strict=True)
    for step, (want, got) in enumerate(pairs):
        for name, expected in want.items():
            difference = (got[name].float() - expected.float()).norm()
            assert difference <= 2e-2 * expected.float().norm(), (step, name)


def test_only_bf16_layers() -> None:
    layer = decoder_layer(1, dtype=torch.float32)
    found = SimulatedLayer.problems(layer, CONFIG, 0, 1)
    assert found == ["layer 1: the kernels take bf16 weights, got torch.float32"]
