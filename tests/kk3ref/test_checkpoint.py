"""Synthetic weights, sharding, and the checkpoint on disk."""

from __future__ import annotations

import dataclasses
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from compressed_tensors.quantization import QuantizationConfig
from safetensors.torch import load_file, save_file
from torch import Tensor

from kk3ref.checkpoint import (
    Checkpoint,
    CheckpointError,
    Source,
    SyntheticWeights,
    layer_weights,
    write_checkpoint,
)
from kk3ref.checkpoint.__main__ import main
from kk3ref.checkpoint.names import all_specs, layer_specs
from kk3ref.checkpoint.write import WriteError, plan_files, quantization_config
from kk3ref.config import ConfigError, K3Config
from kk3ref.formats import MXFP4
from kk3ref.presets import PRESETS, preset

TINY = preset("tiny")
MICRO = dataclasses.replace(
    TINY,
    hidden_size=64,
    vocab_size=32,
    intermediate_size=64,
    num_experts=4,
    num_experts_per_token=2,
    moe_intermediate_size=64,
    routed_expert_hidden_size=32,
    num_hidden_layers=4,
    full_attn_layers=(3, 4),
    kda_layers=(1, 2),
    attn_res_block_size=2,
)
KDA, MLA, DENSE = 1, 3, 0  # layers of both configurations


def same(a: object, b: object) -> bool:
    """Whether two weights are equal to the bit."""
    if isinstance(a, MXFP4) and isinstance(b, MXFP4):
        return torch.equal(a.codes, b.codes) and torch.equal(a.scales, b.scales)
    assert isinstance(a, Tensor)
    assert isinstance(b, Tensor)
    return a.dtype == b.dtype and torch.equal(a, b)


# -- names -------------------------------------------------------------------------------------


def test_production_tensors_and_bytes():
    config = preset("production")
    count = size = 0
    packed = scales = 0
    for name, spec in all_specs(config):
        count += 1
        size += spec.nbytes
        packed += name.endswith("weight_packed")
        scales += name.endswith("weight_scale")
    assert packed == scales == 92 * 896 * 3
    # 92 layers of 896 experts at 4.25 bits an element, and 16-bit weights beside them.
    experts = 92 * 896 * 3 * 3584 * 3072 * 17 // 32
    assert 1.0 < size / experts < 1.1
    assert count == packed + scales + 5 + 69 * 14 + 24 * 8 + 93 * 6 + 92 * 8 + 3


@pytest.mark.parametrize(
    ("layer", "name", "shape", "dtype"),
    [
        (1, "self_attn.q_proj.weight", (12288, 7168), torch.bfloat16),
        (1, "self_attn.k_conv1d.weight", (12288, 1, 4), torch.float32),
        (1, "self_attn.f_b_proj.weight", (12288, 128), torch.bfloat16),
        (1, "self_attn.dt_bias", (12288,), torch.float32),
        (3, "self_attn.kv_a_proj_with_mqa.weight", (576, 7168), torch.bfloat16),
        (3, "self_attn.kv_b_proj.weight", (24576, 512), torch.bfloat16),
        (3, "self_attn.g_proj.weight", (12288, 7168), torch.bfloat16),
        (0, "mlp.down_proj.weight", (7168, 33792), torch.bfloat16),
        (1, "block_sparse_moe.gate.e_score_correction_bias", (896,), torch.float32),
        (1, "block_sparse_moe.shared_experts.up_proj.weight", (6144, 7168), torch.bfloat16),
        (1, "self_attention_res_proj.weight", (1, 7168), torch.bfloat16),
    ],
)
def test_production_specs(layer, name, shape, dtype):
    config = preset("production")
    spec = layer_specs(config, config.layer(layer))[name]
    assert (spec.shape, spec.dtype) == (shape, dtype)


# -- synthetic weights -------------------------------------------------------------------------


def test_values_depend_on_seed_and_name_only():
    one, two, other = (
        SyntheticWeights(TINY, 3),
        SyntheticWeights(TINY, 3),
        SyntheticWeights(TINY, 4),
    )
    names = [name for name, _ in all_specs(TINY)][::97]
    first = {name: one.read(name) for name in names}
    for name in reversed(names):
        assert same(two.read(name), first[name])
        assert not torch.equal(other.read(name), first[name])
    seen = {tuple(t.flatten()[:16].tolist()) for t in first.values()}
    assert len(seen) == len(names)


def test_every_tensor_has_its_spec():
    source = SyntheticWeights(MICRO)
    for name, spec in all_specs(MICRO):
        tensor = source.read(name)
        assert (tuple(tensor.shape), tensor.dtype) == (spec.shape, spec.dtype), name
        assert tensor.is_contiguous()


@pytest.mark.parametrize("axis", [0, 1], ids=["rows", "columns"])
@pytest.mark.parametrize(("start", "stop"), [(0, 256), (0, 1), (37, 205), (32, 64), (255, 256)])
@pytest.mark.parametrize("name", ["q_proj", "o_proj", "f_a_proj"])
def test_a_range_is_part_of_the_whole(name, axis, start, stop):
    source = SyntheticWeights(TINY)
    full = f"model.layers.1.self_attn.{name}.weight"
    whole = source.read(full)
    stop = min(stop, whole.shape[axis])
    if start >= stop:
        with pytest.raises(IndexError, match="must lie inside axis"):
            source.read(full, axis, start, stop)
        return
    part = source.read(full, axis, start, stop)
    assert part.is_contiguous()
    assert same(part, whole.narrow(axis, start, stop - start).contiguous())


def test_threads_do_not_change_the_values():
    name = "model.embed_tokens.weight"
    config = dataclasses.replace(TINY, vocab_size=1 << 14)
    threads = torch.get_num_threads()
    try:
        values = []
        for n in (1, 3):
            torch.set_num_threads(n)
            values.append(SyntheticWeights(config).read(name))
    finally:
        torch.set_num_threads(threads)
    assert same(*values)


@pytest.mark.parametrize(
    "name",
    [
        "model.layers.11.input_layernorm.weight",
        "model.layers.x.input_layernorm.weight",
        "model.layers.1.self_attn.nothing",
        "model.layers.1.block_sparse_moe.experts.32.w1.weight_packed",
        "model.layers.1.block_sparse_moe.experts.0.w4.weight_packed",
        "model.layers.0.block_sparse_moe.experts.0.w1.weight_packed",
        "nothing",
    ],
)
def test_unknown_tensor(name):
    with pytest.raises(KeyError):
        SyntheticWeights(TINY).read(name)


def test_activations_stay_of_order_one():
    source = SyntheticWeights(preset("small"))
    generator = torch.Generator().manual_seed(0)
    rank = source.rank_weights(KDA, 0, 1)
    x = torch.randn(64, 1024, generator=generator)
    for name in ("w_in", "w_ld", "w_gate", "w_sgu"):
        std = (x @ rank[name].float().T).std().item()
        assert 0.9 < std < 1.1, name
    latent = torch.randn(64, 512, generator=generator)
    for e in range(3):
        y = latent @ rank["experts"].w13(e).dequantize().T
        assert 0.6 < y.std().item() < 1.6
        assert 0.6 < (latent @ rank["experts"].w2(e).dequantize().T).std().item() < 1.6


def test_gates_are_neither_dead_nor_saturated():
    rank = SyntheticWeights(preset("small")).rank_weights(KDA, 0, 1)
    g1 = torch.randn(64, 16, 128, generator=torch.Generator().manual_seed(0))
    rate = rank["a_log"].exp()[:, None] * (g1 + rank["dt_bias"].view(16, 128))
    decay = torch.exp(-5 * torch.sigmoid(rate)).flatten()
    slow, middle, fast = decay.quantile(torch.tensor([0.95, 0.5, 0.05])).tolist()
    assert slow > 0.9
    assert 0.3 < middle < 0.8
    assert 0.01 < fast < 0.3


@pytest.mark.parametrize(
    ("name", "mean", "std"),
    [
        ("model.layers.1.self_attn.q_proj.weight", 0, 1024**-0.5),
        ("model.layers.1.self_attn.o_proj.weight", 0, 2048**-0.5),
        ("model.layers.1.input_layernorm.weight", 1, 0.1),
        ("model.embed_tokens.weight", 0, 1),
    ],
)
def test_normal_values(name, mean, std):
    values = SyntheticWeights(preset("small")).read(name).double().flatten()
    error = 5 * std / math.sqrt(len(values))
    assert abs(values.mean().item() - mean) < error + 0.002 * std
    assert abs(values.std().item() / std - 1) < 0.08
    assert 0.66 < ((values - mean).abs() < std).double().mean().item() < 0.71


def test_mxfp4_bytes_are_uniform():
    codes = SyntheticWeights(preset("small")).expert(1, 0).w1.codes
    counts = codes.flatten().bincount(minlength=256).double()
    expected = codes.numel() / 256
    chi2 = ((counts - expected) ** 2 / expected).sum().item()
    assert 255 - 6 * math.sqrt(510) < chi2 < 255 + 6 * math.sqrt(510)


# -- sharding ----------------------------------------------------------------------------------


def gathered(source: Source, layer: int, tp: int) -> dict[str, Tensor]:
    """Every rank's weights put together again, by their published names."""
    c, s = source.config, source.config.shard(tp)
    ranks = [source.rank_weights(layer, r, tp) for r in range(tp)]
    info = c.layer(layer)
    out: dict[str, Tensor] = {}

    def rows(ours: str, **parts: int) -> None:
        """Row blocks of every rank: a split one is joined, a replicated one must agree."""
        for r, rank in enumerate(ranks):
            at = 0
            for name, size in parts.items():
                block = rank[ours][at : at + size]
                at += size
                if name.startswith("zero"):
                    assert not block.any()
                elif name.startswith("same_"):
                    name = name.removeprefix("same_")
                    assert r == 0 or torch.equal(out[name], block)
                    out[name] = block
                else:
                    out[name] = torch.cat((out[name], block)) if r else block
            assert at == len(rank[ours])

    def columns(ours: str, name: str) -> None:
        out[name] = torch.cat([rank[ours] for rank in ranks], 1)

    def same_everywhere(ours: str, name: str) -> None:
        for rank in ranks:
            assert torch.equal(rank[ours], ranks[0][ours])
        out[name] = ranks[0][ours]

    if info.attention == "kda":
        n = s.kda_channels
        pad = s.in_proj_rows_padded - s.in_proj_rows
        rows("w_in", q=n, k=n, v=n, g=n, same_f_a=c.kda_head_dim, b=s.kda_heads, zero=pad)
        rows("w_fb", f_b=n)
        rows("conv_w", q_conv=n, k_conv=n, v_conv=n)
        rows("a_log", A_log=s.kda_heads)
        rows("dt_bias", dt_bias=n)
        same_everywhere("o_norm_w", "o_norm")
    else:
        same = {"same_q_a": c.q_lora_rank, "same_kv_a": c.kv_lora_rank + c.qk_rope_head_dim}
        rows("w_a", **same, g=s.mla_value_cols)
        same_everywhere("q_norm_w", "q_a_layernorm")
        same_everywhere("kv_norm_w", "kv_a_layernorm")
        rows("w_qb", q_b=s.mla_q_rows)
        rows("w_uk", uk=s.mla_heads)
        rows("w_uv", uv=s.mla_heads)
        out["kv_b"] = torch.cat((out.pop("uk"), out.pop("uv")), 1).flatten(0, 1)
    columns("w_o", "o")
    if info.mlp == "dense":
        rows("w_gu", gate=s.dense_intermediate, up=s.dense_intermediate)
        columns("w_down", "down")
        return out
    for ours, name in (("w_gate", "router"), ("router_bias", "bias"), ("w_ld", "routed_down")):
        same_everywhere(ours, name)
    same_everywhere("ln_w", "routed_norm")
    rows("w_sgu", shared_gate=s.shared_intermediate, shared_up=s.shared_intermediate)
    columns("w_sd", "shared_down")
    rows("w_up", routed_up=s.up_rows)
    return out


PUBLISHED = {
    **{n: f"self_attn.{n}_proj.weight" for n in ("q", "k", "v", "g", "b", "f_a", "f_b", "o")},
    **{f"{n}_conv": f"self_attn.{n}_conv1d.weight" for n in "qkv"},
    **{n: f"self_attn.{n}_proj.weight" for n in ("q_a", "q_b", "kv_b")},
    **{n: f"self_attn.{n}.weight" for n in ("o_norm", "q_a_layernorm", "kv_a_layernorm")},
    "kv_a": "self_attn.kv_a_proj_with_mqa.weight",
    "A_log": "self_attn.A_log",
    "dt_bias": "self_attn.dt_bias",
    **{n: f"mlp.{n}_proj.weight" for n in ("gate", "up", "down")},
    "router": "block_sparse_moe.gate.weight",
    "bias": "block_sparse_moe.gate.e_score_correction_bias",
    **{f"routed_{n}": f"block_sparse_moe.routed_expert_{n}_proj.weight" for n in ("down", "up")},
    "routed_norm": "block_sparse_moe.routed_expert_norm.weight",
    **{
        f"shared_{n}": f"block_sparse_moe.shared_experts.{n}_proj.weight"
        for n in ("gate", "up", "down")
    },
}
RES = {
    "attn_res_norm_w": "self_attention_res_norm",
    "attn_res_q": "self_attention_res_proj",
    "input_norm_w": "input_layernorm",
    "mlp_res_norm_w": "mlp_res_norm",
    "mlp_res_q": "mlp_res_proj",
    "post_norm_w": "post_attention_layernorm",
}


@pytest.mark.parametrize("tp", [1, 2, 8], ids="tp{}".format)
@pytest.mark.parametrize("layer", [KDA, MLA, DENSE], ids=["kda", "mla", "dense"])
def test_ranks_make_up_the_published_layer(layer, tp):
    source = SyntheticWeights(TINY, seed=5)
    tensors = source.layer(layer)
    parts = gathered(source, layer, tp)
    used = set()
    for name, tensor in parts.items():
        published = tensors[PUBLISHED[name]]
        assert torch.equal(tensor, published.squeeze(1) if "conv" in name else published), name
        used.add(PUBLISHED[name])
    rank = source.rank_weights(layer, tp - 1, tp)
    for ours, published in RES.items():
        assert torch.equal(rank[ours], tensors[f"{published}.weight"].flatten())
        used.add(f"{published}.weight")
    assert used == set(tensors)


@pytest.mark.parametrize("tp", [1, 2, 4, 8], ids="tp{}".format)
def test_experts_make_up_the_published_expert(tp):
    source = SyntheticWeights(TINY)
    expert = source.expert(KDA, 7)
    local = TINY.moe_intermediate_size // tp
    for r in range(tp):
        experts = source.rank_weights(KDA, r, tp)["experts"]
        assert len(experts) == 32
        mine = slice(r * local, (r + 1) * local)
        w13, w2 = experts.w13(7), experts.w2(7)
        assert w13.shape == (2 * local, 128)
        assert w2.shape == (128, local)
        assert same(w13[:local], expert.w1[mine])
        assert same(w13[local:], expert.w3[mine])
        assert torch.equal(w2.dequantize(), expert.w2.dequantize()[:, mine])


def test_several_experts_are_stacked_in_order():
    experts = SyntheticWeights(TINY).rank_weights(KDA, 1, 2)["experts"]
    ids = [9, 2, 9]
    for pick in (experts.w13, experts.w2):
        stacked = pick(ids)
        for i, e in enumerate(ids):
            assert same(stacked[i], pick(e))


def test_ranks_share_what_is_replicated_and_keep_what_they_made():
    source = SyntheticWeights(TINY)
    one, two = source.rank_weights(KDA, 0, 2), source.rank_weights(KDA, 1, 2)
    assert one["w_ld"] is two["w_ld"]
    assert one["w_o"] is one["w_o"]
    assert same(layer_weights(source, KDA, 2).rank(1)["w_o"], two["w_o"])


@pytest.mark.parametrize("name", PRESETS)
def test_every_layer_has_the_weights_of_its_kind(name):
    config = preset(name)
    source = SyntheticWeights(config)
    for layer in config.layers:
        names = set(source.rank_weights(layer.index, 0, 8))
        assert set(RES) <= names
        assert ("w_in" in names) == (layer.attention == "kda") == ("w_a" not in names)
        assert ("experts" in names) == (layer.mlp == "moe") == ("w_gu" not in names)


def test_what_is_not_there_is_refused():
    source = SyntheticWeights(TINY)
    with pytest.raises(IndexError, match=r"rank must be in 0\.\.7, got 8"):
        source.rank_weights(KDA, 8, 8)
    with pytest.raises(ConfigError, match="must be divisible by 3"):
        source.rank_weights(KDA, 0, 3)
    with pytest.raises(IndexError, match=r"expert must be in 0\.\.31, got 32"):
        source.rank_weights(KDA, 0, 1)["experts"].w2(32)
    with pytest.raises(IndexError, match="layer 0 has 0 experts"):
        source.expert(DENSE, 0)
    with pytest.raises(KeyError):
        source.layer(KDA)["self_attn.kv_b_proj.weight"]


def test_model_weights():
    weights = SyntheticWeights(MICRO).model_weights()
    assert {name: tuple(tensor.shape) for name, tensor in weights.items()} == {
        "embed": (32, 64),
        "out_res_norm_w": (64,),
        "out_res_q": (64,),
        "final_norm_w": (64,),
        "lm_head": (32, 64),
    }


# -- the checkpoint on disk --------------------------------------------------------------------

LAYOUTS = {"one file": (1, False), "three files": (3, False), "multimodal names": (2, True)}
MICRO_SOURCE = SyntheticWeights(MICRO, seed=11)


@pytest.fixture(scope="session")
def written(tmp_path_factory) -> Callable[[str], Path]:
    """Checkpoints of the micro configuration by layout; read only."""
    made: dict[str, Path] = {}

    def get(layout: str) -> Path:
        if layout not in made:
            files, prefix = LAYOUTS[layout]
            path = tmp_path_factory.mktemp("checkpoints") / "k3"
            made[layout] = write_checkpoint(MICRO_SOURCE, path, files=files, prefix=prefix)
        return made[layout]

    return get


@pytest.fixture
def broken(written, tmp_path) -> Callable[[str], Path]:
    """A copy that may be damaged."""

    def get(layout: str) -> Path:
        return Path(shutil.copytree(written(layout), tmp_path / "damaged"))

    return get


def problems(path: Path) -> list[str]:
    """The problems of a checkpoint; the error's text holds their number and the first ones."""
    with pytest.raises(CheckpointError) as caught:
        Checkpoint.open(path)
    found = caught.value.problems
    assert f"{len(found)} problem" in str(caught.value)
    assert found[0] in str(caught.value)
    return found


def edit(file: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_tensor_comes_back(written, layout):
    checkpoint = Checkpoint.open(written(layout))
    assert checkpoint.config == MICRO
    assert checkpoint.prefix == ("language_model." if LAYOUTS[layout][1] else "")
    assert len(checkpoint.files) == LAYOUTS[layout][0]
    names = [name for name, _ in all_specs(MICRO)]
    assert sorted(checkpoint.stored) == sorted(names)
    for name in names:
        assert same(checkpoint.read(name), MICRO_SOURCE.read(name)), name


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("layer", [KDA, MLA, DENSE], ids=["kda", "mla", "dense"])
def test_a_ranks_weights_come_back(written, layout, layer):
    checkpoint = Checkpoint.open(written(layout))
    for r in range(2):
        read, made = checkpoint.rank_weights(layer, r, 2), MICRO_SOURCE.rank_weights(layer, r, 2)
        assert set(read) == set(made)
        for name in set(read) - {"experts"}:
            assert same(read[name], made[name]), name
        if "experts" in read:
            assert same(read["experts"].w13([3, 0]), made["experts"].w13([3, 0]))
            assert same(read["experts"].w2(2), made["experts"].w2(2))
    for name, tensor in checkpoint.model_weights().items():
        assert same(tensor, MICRO_SOURCE.model_weights()[name])


def test_a_read_range_must_lie_inside(written):
    checkpoint = Checkpoint.open(written("one file"))
    with pytest.raises(IndexError, match="0:65 must lie inside axis 0"):
        checkpoint.read("model.norm.weight", 0, 0, 65)
    with pytest.raises(KeyError):
        checkpoint.read("nothing")


def test_identity_follows_the_layout_and_not_the_place(written, broken):
    one = Checkpoint.open(written("one file")).identity
    assert one.startswith("checkpoint:")
    assert Checkpoint.open(broken("one file")).identity == one
    assert Checkpoint.open(written("three files")).identity != one


def test_padded_a_log_and_fp32_output_norm_are_read(broken):
    """As the published checkpoint stores them."""
    path = broken("one file")

    def change(tensors: dict[str, Tensor]) -> None:
        name = "model.layers.1.self_attn.A_log"
        tensors[name] = torch.cat((tensors[name], torch.zeros(5)))
        name = "model.layers.1.self_attn.o_norm.weight"
        tensors[name] = tensors[name].float()

    edit(path / "model.safetensors", change)
    checkpoint = Checkpoint.open(path)
    a_log = MICRO_SOURCE.read("model.layers.1.self_attn.A_log")
    assert same(checkpoint.read("model.layers.1.self_attn.A_log"), a_log)
    assert same(checkpoint.rank_weights(KDA, 1, 2)["a_log"], a_log[4:])
    assert checkpoint.rank_weights(KDA, 0, 2)["o_norm_w"].dtype == torch.float32


def test_other_parts_of_a_multimodal_model_are_ignored(broken):
    path = broken("multimodal names")
    extra = {"vision_tower.patch_embed.weight": torch.zeros(3)}
    save_file(extra, path / "vision.safetensors")
    index = path / "model.safetensors.index.json"
    raw = json.loads(index.read_text())
    raw["weight_map"] |= dict.fromkeys(extra, "vision.safetensors")
    raw["metadata"]["total_size"] += 12
    index.write_text(json.dumps(raw))
    checkpoint = Checkpoint.open(path)
    assert checkpoint.ignored == tuple(extra)
    assert set(checkpoint.stored) == {name for name, _ in all_specs(MICRO)}


def test_missing_extra_misshaped_and_mistyped_tensors_are_each_named(broken):
    path = broken("one file")

    def change(tensors: dict[str, Tensor]) -> None:
        del tensors["model.norm.weight"]
        tensors["model.layers.1.self_attn.nothing"] = torch.zeros(2)
        tensors["lm_head.weight"] = torch.zeros(33, 64, dtype=torch.bfloat16)
        name = "model.layers.1.self_attn.dt_bias"
        tensors[name] = tensors[name].bfloat16()
        name = "model.layers.2.block_sparse_moe.experts.3.w2.weight_scale"
        tensors[name] = tensors[name].T.contiguous()

    edit(path / "model.safetensors", change)
    assert sorted(problems(path)) == [
        "lm_head.weight: must be bfloat16 [32, 64], got bfloat16 [33, 64]",
        "model.layers.1.self_attn.dt_bias: must be float32 [256], got bfloat16 [256]",
        "model.layers.1.self_attn.nothing: the configuration has no such tensor",
        "model.layers.2.block_sparse_moe.experts.3.w2.weight_scale: must be uint8 [32, 2], "
        "got uint8 [2, 32]",
        "model.norm.weight: missing, must be bfloat16 [64]",
    ]


def test_short_a_log_is_refused(broken):
    path = broken("one file")
    name = "model.layers.1.self_attn.A_log"
    edit(path / "model.safetensors", lambda t: t.update({name: t[name][:7].clone()}))
    assert problems(path) == [f"{name}: must be float32 [8], got float32 [7]"]


def test_truncation_names_the_file_and_every_cut_tensor(broken):
    path = broken("three files")
    file = path / "model-00002-of-00003.safetensors"
    size = file.stat().st_size
    names = list(load_file(file))
    with file.open("r+b") as f:
        f.truncate(size - 1)
    first, *rest = problems(path)
    assert first == f"{file.name}: truncated: must have {size} bytes, got {size - 1}"
    assert len(rest) == 1
    assert "truncated, 1 of" in rest[0]
    with file.open("r+b") as f:
        f.truncate(size // 2)
    cut = problems(path)[1:]
    assert len(cut) > 3
    assert all(any(f" {name}: truncated" in p for name in names) for p in cut)


@pytest.mark.parametrize("layout", ["three files", "multimodal names"])
@pytest.mark.parametrize("damage", ["gone", "empty", "header cut", "not JSON"])
def test_unreadable_file_names_every_tensor_it_holds(broken, layout, damage):
    path = broken(layout)
    file = sorted(path.glob("*.safetensors"))[0]
    names = list(load_file(file))
    if damage == "gone":
        file.unlink()
    elif damage == "not JSON":
        data = bytearray(file.read_bytes())
        data[8] = ord("x")
        file.write_bytes(data)
    else:
        with file.open("r+b") as f:
            f.truncate(0 if damage == "empty" else 100)
    first, *rest = problems(path)
    assert first.startswith(f"{file.name}: ")
    assert sorted(p.split(":")[0] for p in rest) == sorted(names)
    assert all(f"missing (it is in {file.name})" in p for p in rest)


def test_header_that_contradicts_itself(broken):
    path = broken("one file")
    file = path / "model.safetensors"
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    name = "model.norm.weight"
    header[name]["shape"] = [63]
    encoded = json.dumps(header, separators=(",", ":")).encode().ljust(length)
    file.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data[8 + length :] + b"tail")
    found = problems(path)
    assert found[0] == f"model.safetensors: {name}: BF16 [63] must have 126 bytes, got 128"
    assert found[1] == "model.safetensors: 4 bytes after the last tensor"
    assert found[2] == f"{name}: must be bfloat16 [64], got bfloat16 [63]"


def test_index_that_disagrees_with_the_files(broken):
    path = broken("three files")
    index = path / "model.safetensors.index.json"
    raw = json.loads(index.read_text())
    weights = raw["weight_map"]
    weights["model.embed_tokens.weight"] = "model-00003-of-00003.safetensors"
    weights["model.nothing.weight"] = "model-00003-of-00003.safetensors"
    del weights["lm_head.weight"]
    raw["metadata"]["total_size"] += 1
    index.write_text(json.dumps(raw))
    save_file({"stray": torch.zeros(1)}, path / "stray.safetensors")
    text = "\n".join(problems(path))
    third = "model-00003-of-00003.safetensors"
    name = index.name
    assert f"model.embed_tokens.weight: {name} says {third}, it is in model-00001" in text
    assert f"model.nothing.weight: {name} says {third}, no file has it" in text
    assert f"lm_head.weight: in model-00001-of-00003.safetensors, missing in {name}" in text
    assert f"{name}: metadata.total_size must be" in text
    assert f"stray.safetensors: not in {name}" in text


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"weight_map": {"a": "../outside.safetensors"}}'], ids=str
)
def test_unusable_index(broken, content):
    path = broken("three files")
    (path / "model.safetensors.index.json").write_text(content)
    assert any(p.startswith("model.safetensors.index.json: ") for p in problems(path))


def test_several_files_without_index(broken):
    path = broken("three files")
    (path / "model.safetensors.index.json").unlink()
    assert "got 3 files without index" in problems(path)[0]


def test_a_tensor_in_two_files(broken):
    path = broken("three files")
    copied = {"model.norm.weight": torch.zeros(64, dtype=torch.bfloat16)}
    edit(path / "model-00003-of-00003.safetensors", lambda t: t.update(copied))
    assert "model.norm.weight: must be in one file, got model-00001-of-" in problems(path)[0]


def test_unprefixed_text_tensor_beside_prefixed_ones(broken):
    path = broken("multimodal names")
    file = path / "model-00002-of-00002.safetensors"
    edit(file, lambda t: t.update({"model.other": torch.zeros(1)}))
    assert any("model.other: the configuration has no such tensor" in p for p in problems(path))


def test_config_problems_are_listed_with_the_files(broken):
    path = broken("three files")
    raw = json.loads((path / "config.json").read_text())
    raw["hidden_act"] = "silu"
    (path / "config.json").write_text(json.dumps(raw))
    (path / "model-00001-of-00003.safetensors").unlink()
    found = problems(path)
    assert "config.json: hidden_act: must be 'situ'" in found[0]
    assert "model-00001-of-00003.safetensors: missing" in found


@pytest.mark.parametrize(
    "change",
    [
        lambda q: q.clear(),
        lambda q: q.update(quant_method="fp8"),
        lambda q: q.update(format="nvfp4-pack-quantized"),
        lambda q: q["config_groups"]["group_0"]["weights"].update(group_size=16),
        lambda q: q.update(config_groups=[]),
    ],
    ids=["empty", "method", "format", "group size", "no groups"],
)
def test_other_quantization_is_refused(broken, change):
    path = broken("one file")
    raw = json.loads((path / "config.json").read_text())
    change(raw["quantization_config"])
    (path / "config.json").write_text(json.dumps(raw))
    (problem,) = problems(path)
    assert "quantization_config: must be compressed-tensors' mxfp4-pack-quantized" in problem


def test_missing_quantization_is_refused(broken):
    path = broken("one file")
    (path / "config.json").write_text(json.dumps(MICRO.to_hf(nested=False)))
    assert problems(path)[0].endswith("got nothing")


def test_compressed_tensors_reads_the_quantization_config():
    config = QuantizationConfig.model_validate(quantization_config())
    weights = config.config_groups["group_0"].weights
    assert config.format == "mxfp4-pack-quantized"
    assert (weights.num_bits, weights.group_size) == (4, 32)
    assert weights.scale_dtype == torch.uint8


def test_no_directory(tmp_path):
    assert problems(tmp_path / "nowhere") == ["there is no such directory"]


# -- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("files", [1, 2, 3, 7, 50])
def test_files_are_about_equal_and_hold_everything_in_order(files):
    plan = plan_files(MICRO, files)
    sizes = {name: spec.nbytes for name, spec in all_specs(MICRO)}
    assert [name for part in plan for name in part] == list(sizes)
    assert len(plan) == files
    share = sum(sizes.values()) / files
    assert all(sum(sizes[n] for n in part) < share + max(sizes.values()) for part in plan)


def test_as_many_files_as_tensors_and_no_more():
    tensors = len(list(all_specs(MICRO)))
    assert [len(part) for part in plan_files(MICRO, tensors)] == [1] * tensors
    for files in (0, tensors + 1):
        with pytest.raises(ValueError, match=rf"must be in 1\.\.{tensors}, got {files}"):
            plan_files(MICRO, files)


def test_production_is_planned_in_files_of_about_4_gib():
    config = preset("production")
    plan = plan_files(config, None)
    assert 350 < len(plan) < 400


class Failing(SyntheticWeights):
    """Fails near the end."""

    def read(
        self, name: str, axis: int | None = None, start: int = 0, stop: int | None = None
    ) -> Tensor:
        if name.startswith("model.layers.3.input"):
            raise RuntimeError("planted")
        return super().read(name, axis, start, stop)


@pytest.mark.parametrize("force", [False, True], ids=["new", "replacing"])
def test_a_failed_write_leaves_things_as_they_were(tmp_path, force):
    path = tmp_path / "k3"
    if force:
        write_checkpoint(MICRO_SOURCE, path)
    before = sorted(p.name for p in tmp_path.rglob("*"))
    with pytest.raises(RuntimeError, match="planted"):
        write_checkpoint(Failing(MICRO), path, files=3, force=force)
    assert sorted(p.name for p in tmp_path.rglob("*")) == before


def test_an_existing_checkpoint_is_replaced_only_by_force(tmp_path):
    path = write_checkpoint(MICRO_SOURCE, tmp_path / "k3", files=2)
    with pytest.raises(WriteError, match="exists and is not empty"):
        write_checkpoint(MICRO_SOURCE, path)
    write_checkpoint(SyntheticWeights(MICRO, 12), path, force=True)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["config.json", "k3", "model.safetensors"]
    norm = Checkpoint.open(path).read("model.norm.weight")
    assert same(norm, SyntheticWeights(MICRO, 12).read("model.norm.weight"))


def test_a_directory_with_other_files_is_never_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(WriteError, match=r"it holds notes\.txt"):
        write_checkpoint(MICRO_SOURCE, tmp_path, force=True)
    with pytest.raises(WriteError, match="must be a directory"):
        write_checkpoint(MICRO_SOURCE, tmp_path / "notes.txt", force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_too_little_space_is_said_before_anything_is_written(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(WriteError, match="1,000 are free"):
        write_checkpoint(MICRO_SOURCE, tmp_path / "k3")
    assert not list(tmp_path.iterdir())


# -- the command -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def micro_config(tmp_path_factory) -> str:
    file = tmp_path_factory.mktemp("config") / "config.json"
    file.write_text(json.dumps(MICRO.to_hf()))
    return str(file)


def test_command_writes_and_inspects(tmp_path, micro_config, capsys):
    path = str(tmp_path / "k3")
    write = ["write", "--config", micro_config, path, "--seed", "11", "--shards", "2", "--prefix"]
    assert main(write) == 0
    *_, almost, last = capsys.readouterr().err.splitlines()
    written, total = (last.split()[i] for i in (0, 2))
    assert written == total
    assert almost.split()[0] != total
    assert same(Checkpoint.open(path).read("lm_head.weight"), MICRO_SOURCE.read("lm_head.weight"))
    assert main(["inspect", path]) == 0
    assert "kda+moe 1, mla+moe 2" in capsys.readouterr().out
    assert main(["inspect", path, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"]
    assert report["config_sha256"] == MICRO.digest()
    assert report["prefix"] == "language_model."


def test_command_writes_a_preset(tmp_path, capsys):
    path = tmp_path / "k3"
    assert main(["write", "--preset", "tiny", "--quiet", str(path)]) == 0
    assert capsys.readouterr() == ("", "")
    assert Checkpoint.open(path).config == TINY


def test_command_fails_on_a_wrong_checkpoint(broken, capsys):
    path = broken("one file")
    edit(path / "model.safetensors", lambda t: t.pop("model.norm.weight"))
    assert main(["inspect", str(path)]) == 1
    assert "model.norm.weight: missing" in capsys.readouterr().err
    assert main(["inspect", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report == {
        "ok": False, "problems": ["model.norm.weight: missing, must be bfloat16 [64]"]
    }  # fmt: skip


@pytest.mark.parametrize("command", ["existing", "no config", "too many files", "nowhere"])
def test_command_that_cannot_do_it_exits_2(tmp_path, micro_config, capsys, command):
    held = tmp_path / "held"
    held.mkdir()
    (held / "model.safetensors").write_text("")
    arguments = {
        "existing": ["write", "--config", micro_config, str(held)],
        "no config": ["write", "--config", str(tmp_path / "none.json"), str(tmp_path / "new")],
        "too many files": [
            "write",
            "--config",
            micro_config,
            str(tmp_path / "new"),
            "--shards=9999",
        ],
        "nowhere": ["inspect", str(tmp_path / "new")],
    }[command]
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not (tmp_path / "new").exists()


def test_wrong_arguments_exit_2(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["write", "--preset", "huge", "x"])
    assert caught.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["write"], ["inspect"]], ids=["main", "write", "inspect"])
def test_help_shows_examples(command, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*command, "--help"])
    assert caught.value.code == 0
    assert "write --preset tiny" in capsys.readouterr().out


def test_micro_is_what_the_tests_say():
    assert isinstance(MICRO, K3Config)
    assert [(layer.attention, layer.mlp) for layer in MICRO.layers] == [
        ("kda", "dense"),
        ("kda", "moe"),
        ("mla", "moe"),
        ("mla", "moe"),
    ]
