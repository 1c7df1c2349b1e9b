"""The contract on loaded layers against the reference on its own pools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
from kk3fast_serve_fakes import CONFIG, SOURCE, decoder_layer, kda_metadata
from torch import Tensor

from kk3fast.serve.contract import UNROUNDED, ContractLayer, policy_for
from kk3fast.serve.slots import TouchedSlots
from kk3ref import attn_res
from kk3ref.layers.k1 import K1
from kk3ref.layers.k2 import K2
from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import LayerOptions, RankContext, Taps, run_layer
from kk3ref.tp import rank_context

ROWS, LENGTH, SLOTS = 6, 3, 9
INDEX = torch.tensor([[5, 2, 7], [0, 0, 0]])  # the second request is padding
ACCEPTED = torch.tensor([2, 1])


@pytest.fixture(scope="module", autouse=True)
def one_rank() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def draw(*shape: int, dtype: torch.dtype = torch.bfloat16) -> Tensor:
    g = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=g).to(dtype)


def caches(c: RankContext, dim_first: bool, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    conv = draw(SLOTS, c.shapes.conv_channels, LENGTH + 2, dtype=dtype)
    if not dim_first:
        conv = conv.transpose(1, 2).contiguous()
    heads, d = c.shapes.kda_heads, CONFIG.kda_head_dim
    return conv, draw(SLOTS, heads, d, d, dtype=torch.float32)


def expected(c: RankContext, policy: Precision, inputs: Taps) -> tuple[Taps, Taps]:
    k1 = run_layer(K1, policy, [c], [inputs])[0]
    after = {"core": k1["core"], "prefix": k1["prefix_after"], "blocks": k1["blocks_after"]}
    return k1, run_layer(K2, policy, [c], [after])[0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=["bf16", "fp32"])
@pytest.mark.parametrize("dim_first", [True, False], ids=["dim-first", "dim-last"])
@pytest.mark.parametrize("index", [1, 4], ids=["plain", "block-write"])
def test_a_kda_layer_is_k1_and_k2(index: int, dim_first: bool, dtype: torch.dtype) -> None:
    layer = decoder_layer(index, dtype=dtype)
    plain = rank_context(SOURCE, index, 0, 1, LayerOptions(conv_dim_first=dim_first))
    weights = {n: plain.weights[n] for n in plain.weights}
    c = RankContext(CONFIG, plain.layer, plain.shapes, 0, weights, plain.options)
    conv, state = caches(c, dim_first, dtype)
    layer.self_attn.kv_cache = [conv.clone(), state.clone()]
    prefix, delta = draw(ROWS, CONFIG.hidden_size, dtype=dtype), draw(ROWS, CONFIG.hidden_size)
    blocks = draw(ROWS, CONFIG.num_blocks, CONFIG.hidden_size, dtype=dtype)
    given = {"prefix": prefix, "delta": delta.to(dtype), "blocks": blocks.clone()}
    pools = {"conv_state": conv, "recurrent_state": state}
    step = {"state_index": INDEX, "num_accepted": ACCEPTED}
    policy = policy_for(dtype)
    k1, k2 = expected(c, policy, {**given, **pools, **step})
    served = ContractLayer(layer, CONFIG, 0, 1, None, dim_first)
    got_prefix, got_blocks, out = served(
        kda_metadata(INDEX, ACCEPTED),
        torch.arange(ROWS),
        prefix.clone(),
        blocks,
        given["delta"].clone(),
    )
    assert got_blocks is blocks
    assert out.dtype == got_prefix.dtype == dtype
    torch.testing.assert_close(got_prefix, k2["prefix_after"], rtol=0, atol=0)
    torch.testing.assert_close(out, k2["out"], rtol=0, atol=0)
    torch.testing.assert_close(blocks, k1["blocks_after"], rtol=0, atol=0)
    torch.testing.assert_close(layer.self_attn.kv_cache[0], k1["conv_state_after"], rtol=0, atol=0)
    after = k1["recurrent_state_after"]
    torch.testing.assert_close(layer.self_attn.kv_cache[1], after, rtol=0, atol=0)
    assert not torch.equal(layer.self_attn.kv_cache[1], state)  # it was written at all


def test_an_mla_layer_keeps_its_attention() -> None:
    layer = decoder_layer(3)
    c = rank_context(SOURCE, 3, 0, 1)
    prefix, delta = draw(ROWS, CONFIG.hidden_size), draw(ROWS + 1, CONFIG.hidden_size)[:ROWS]
    blocks = draw(ROWS, CONFIG.num_blocks, CONFIG.hidden_size)
    served = ContractLayer(layer, CONFIG, 0, 1, None, True)
    got_prefix, _, out = served(None, torch.arange(ROWS), prefix.clone(), blocks, delta)
    after = attn_res.update_prefix(CONTRACT, prefix, delta)
    x = attn_res.read(
        CONTRACT,
        after,
        blocks[:, :1],
        c.attn_res_norm_w,
        c.attn_res_q,
        c.input_norm_w,
        c.eps,
        c.eps,
    )
    assert torch.equal(layer.self_attn.mla_attn.given[0], x)
    core = x[:, : c.shapes.mla_value_cols]
    k2 = run_layer(K2, CONTRACT, [c], [{"core": core, "prefix": after, "blocks": blocks}])[0]
    assert torch.equal(got_prefix, k2["prefix_after"])
    assert torch.equal(out, k2["out"])


def test_only_touched_slots_are_taken_and_the_null_slot_is_never_written() -> None:
    touched = TouchedSlots.of(INDEX)
    assert touched.slots.tolist() == [0, 2, 5, 7]
    assert torch.equal(touched.slots[touched.state_index], INDEX)
    pool = torch.zeros(SLOTS, 2)
    touched.put(pool, torch.ones(4, 2))
    assert pool[:, 0].nonzero().flatten().tolist() == [2, 5, 7]


def test_the_policy_follows_the_models_dtype() -> None:
    assert policy_for(torch.bfloat16) is CONTRACT
    assert policy_for(torch.float32) is UNROUNDED
    with pytest.raises(ValueError, match="float16"):
        policy_for(torch.float16)


def test_every_wrong_weight_is_named() -> None:
    layer = decoder_layer(1)
    assert ContractLayer.problems(layer, CONFIG, 0, 1) == []
    layer.self_attn.f_b_proj.weight = torch.zeros(3, 3)
    layer.mlp.experts.routed_experts.w2_weight = torch.zeros(1)
    del layer.mlp.routed_output_transform
    found = ContractLayer.problems(layer, CONFIG, 0, 1)
    assert len(found) == 2
    assert "w_fb must be (256, 32), got (3, 3)" in found[0]
    assert "w2_codes must be uint8" in found[1]
    del layer.mlp.gate
    assert "gate" in ContractLayer.problems(layer, CONFIG, 0, 1)[0]
