"""The configuration: reading, validation, schedule and rank shapes."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest

from kk3ref.config import ConfigError, K3Config, LayerInfo
from kk3ref.presets import PRESETS, preset

PRODUCTION = preset("production")
TINY = preset("tiny")
each_preset = pytest.mark.parametrize("config", PRESETS.values(), ids=PRESETS)


def problems(raw: object) -> list[str]:
    """The problems of a configuration, as one error names them."""
    with pytest.raises(ConfigError) as caught:
        K3Config.from_hf(raw)  # type: ignore[arg-type]
    for problem in caught.value.problems:
        assert problem in str(caught.value)
    return caught.value.problems


# -- reading and writing -----------------------------------------------------------------------


@each_preset
@pytest.mark.parametrize("nested", [True, False], ids=["nested", "flat"])
def test_round_trip(config, nested):
    raw = json.loads(json.dumps(config.to_hf(nested=nested)))
    assert ("text_config" in raw) == nested
    assert K3Config.from_hf(raw) == config


def test_linear_attention_fields_may_be_flat():
    flat = {f.name: getattr(TINY, f.name) for f in dataclasses.fields(TINY)}
    assert K3Config.from_hf(json.loads(json.dumps(flat))) == TINY


def test_reads_a_file_and_a_directory(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(TINY.to_hf()))
    assert K3Config.from_hf(file) == TINY
    assert K3Config.from_hf(str(tmp_path)) == TINY


def test_unknown_fields_are_ignored():
    raw = TINY.to_hf()
    raw["vision_config"] = {"hidden_size": 3}
    raw["text_config"]["rope_theta"] = "anything"
    assert K3Config.from_hf(raw) == TINY


def test_gate_lower_bound_may_be_null_but_not_missing():
    raw = TINY.to_hf()
    raw["text_config"]["linear_attn_config"]["gate_lower_bound"] = None
    assert K3Config.from_hf(raw).gate_lower_bound is None
    del raw["text_config"]["linear_attn_config"]["gate_lower_bound"]
    assert problems(raw) == [
        "linear_attn_config.gate_lower_bound: missing, must be a negative number or null"
    ]


@pytest.mark.parametrize("field", [f.name for f in dataclasses.fields(K3Config)])
def test_every_field_is_needed(field):
    flat = {f.name: getattr(TINY, f.name) for f in dataclasses.fields(TINY)}
    del flat[field]
    (problem,) = problems(flat)
    assert "missing, must be" in problem


WRONG = {
    "hidden_size": (0, "a positive integer"),
    "num_experts": (True, "a positive integer"),
    "vocab_size": (512.5, "a positive integer"),
    "rms_norm_eps": (float("nan"), "a positive number"),
    "activation_situ_beta": ("4", "a positive number"),
    "gate_lower_bound": (5.0, "a negative number or null"),
    "first_k_dense_replace": (-1, "an integer in 0..num_hidden_layers"),
    "kda_layers": ([1, "2"], "a list of 1-based layer numbers"),
    "full_attn_layers": ([0, 4], "a list of 1-based layer numbers"),
    "hidden_act": ("silu", "'situ' (the only value implemented)"),
    "topk_method": ("greedy", "'noaux_tc' (the only value implemented)"),
    "moe_router_activation_func": ("softmax", "'sigmoid' (the only value implemented)"),
    "num_expert_group": (8, "1 (the only value implemented)"),
    "topk_group": (True, "1 (the only value implemented)"),
    "moe_renormalize": (1, "True (the only value implemented)"),
    "mla_use_nope": (False, "True (the only value implemented)"),
    "routed_scaling_factor": (0, "a positive number"),
}


@pytest.mark.parametrize(("field", "value", "expected"), [(f, *v) for f, v in WRONG.items()])
def test_wrong_value_is_named_with_what_was_expected(field, value, expected):
    flat = {f.name: getattr(TINY, f.name) for f in dataclasses.fields(TINY)} | {field: value}
    (problem,) = problems(flat)
    assert problem.startswith(f"{field}: must be {expected}, got ")


def test_one_error_lists_every_problem():
    flat = {f.name: getattr(TINY, f.name) for f in dataclasses.fields(TINY)}
    flat |= {field: value for field, (value, _) in WRONG.items()}
    del flat["v_head_dim"], flat["kda_head_dim"]
    flat["tie_word_embeddings"] = True
    found = problems(flat)
    named = {p.split(":")[0] for p in found}
    assert named == {
        *WRONG, "v_head_dim", "linear_attn_config.head_dim", "tie_word_embeddings"
    }  # fmt: skip
    assert len(found) == len(named)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"num_experts_per_token": 33}, "num_experts_per_token: must be at most num_experts 32"),
        ({"first_k_dense_replace": 12}, "first_k_dense_replace: must be at most"),
        ({"routed_expert_hidden_size": 144}, "routed_expert_hidden_size: must be a multiple of"),
        ({"moe_intermediate_size": 272}, "moe_intermediate_size: must be a multiple of the MXFP4"),
        ({"num_hidden_layers": 12}, "once, got layers in neither [12]"),
        ({"num_hidden_layers": 10}, "once, got layers that do not exist [11]"),
        ({"full_attn_layers": (1, 4, 8, 10, 11)}, "once, got layers listed twice [1]"),
    ],
    ids=lambda v: next(iter(v)) if isinstance(v, dict) else "",
)
def test_fields_must_agree(changes, expected):
    with pytest.raises(ConfigError) as caught:
        dataclasses.replace(TINY, **changes)
    (problem,) = caught.value.problems
    assert expected in problem


def test_unreadable_files_are_one_clear_error(tmp_path):
    file = tmp_path / "config.json"
    with pytest.raises(ConfigError, match=r"config\.json: 1 problem\n.*cannot read"):
        K3Config.from_hf(file)
    file.write_text("{")
    with pytest.raises(ConfigError, match="not JSON"):
        K3Config.from_hf(file)
    file.write_text("[1]")
    with pytest.raises(ConfigError, match="must be a JSON object, got list"):
        K3Config.from_hf(tmp_path)
    with pytest.raises(ConfigError, match="text_config: must be an object, got list"):
        K3Config.from_hf({"text_config": []})


@each_preset
def test_digest_follows_every_field_and_nothing_else(config):
    again = K3Config.from_hf(json.loads(json.dumps(config.to_hf(nested=False))))
    assert again.digest() == config.digest()
    assert dataclasses.replace(config, rms_norm_eps=2e-5).digest() != config.digest()
    assert dataclasses.replace(config, gate_lower_bound=None).digest() != config.digest()


def test_digest_does_not_tell_whole_floats_from_integers():
    assert dataclasses.replace(TINY, activation_situ_beta=4).digest() == TINY.digest()


def test_production_digest_is_stable():
    expected = "b4dee563"
    assert PRODUCTION.digest()[:8] == expected


# -- schedule ----------------------------------------------------------------------------------


def test_production_schedule():
    mla = [layer.index for layer in PRODUCTION.layers if layer.attention == "mla"]
    assert mla == [*range(3, 92, 4), 92]
    kinds = [(layer.attention, layer.mlp) for layer in PRODUCTION.layers]
    assert kinds[0] == ("kda", "dense")
    assert kinds.count(("kda", "moe")) == 68
    assert kinds.count(("mla", "moe")) == 24
    assert PRODUCTION.num_blocks == 8


@pytest.mark.parametrize(
    "expected",
    [
        LayerInfo(0, "kda", "dense", 0, True, 0),
        LayerInfo(1, "kda", "moe", 1, False, None),
        LayerInfo(11, "mla", "moe", 1, False, None),
        LayerInfo(12, "kda", "moe", 1, True, 1),
        LayerInfo(13, "kda", "moe", 2, False, None),
        LayerInfo(84, "kda", "moe", 7, True, 7),
        LayerInfo(92, "mla", "moe", 8, False, None),
    ],
    ids=lambda info: f"layer {info.index}",
)
def test_production_layers(expected):
    assert PRODUCTION.layer(expected.index) == expected


@each_preset
def test_presets_keep_every_structural_feature(config):
    layers = config.layers
    assert len(layers) >= 8
    assert layers[0].attention == "kda"
    assert [layer.mlp for layer in layers] == ["dense"] + ["moe"] * (len(layers) - 1)
    mla = [layer.index for layer in layers if layer.attention == "mla"]
    assert mla[-2:] == [len(layers) - 2, len(layers) - 1]
    assert len({b - a for a, b in itertools.pairwise(mla)}) > 1  # no stride gives the list
    writes = [layer for layer in layers if layer.writes_block]
    assert len(writes) == config.num_blocks >= 3
    assert all(layer.attention == "kda" for layer in writes)
    assert config.num_shared_experts == 2
    assert config.routed_expert_hidden_size < config.hidden_size


@each_preset
def test_blocks_grow_by_one_at_every_write(config):
    written = 0
    for layer in config.layers:
        assert layer.num_blocks == written
        assert layer.block_index == (written if layer.writes_block else None)
        written += layer.writes_block
    assert written == config.num_blocks


@pytest.mark.parametrize("index", [-1, 93])
def test_no_such_layer(index):
    with pytest.raises(IndexError, match=rf"0\.\.92, got {index}"):
        PRODUCTION.layer(index)


# -- rank shapes -------------------------------------------------------------------------------


def test_production_shapes_at_tp8():
    s = PRODUCTION.shard(8)
    assert dataclasses.asdict(s) == {
        "tp": 8,
        "kda_heads": 12,
        "kda_channels": 1536,
        "in_proj_rows": 6284,
        "in_proj_rows_padded": 6288,
        "conv_channels": 4608,
        "mla_heads": 12,
        "mla_a_rows": 1536 + 512 + 64 + 1536,
        "mla_q_rows": 12 * 192,
        "mla_value_cols": 1536,
        "router_rows": 112,
        "latent_rows": 448,
        "expert_intermediate": 384,
        "shared_intermediate": 768,
        "dense_intermediate": 4224,
        "up_rows": 896,
    }


@each_preset
@pytest.mark.parametrize("tp", [1, 2, 4, 8], ids="tp{}".format)
def test_ranks_make_up_the_whole(config, tp):
    s = config.shard(tp)
    assert s.kda_heads * tp == config.kda_num_heads
    assert s.mla_heads * tp == config.num_attention_heads
    assert s.router_rows * tp == config.num_experts
    assert s.latent_rows * tp == config.routed_expert_hidden_size
    assert s.expert_intermediate * tp == config.moe_intermediate_size
    assert s.shared_intermediate * tp == 2 * config.moe_intermediate_size
    assert s.dense_intermediate * tp == config.intermediate_size
    assert s.up_rows * tp == config.hidden_size
    assert s.expert_intermediate % 32 == 0
    assert s.in_proj_rows_padded % 16 == 0
    assert 0 <= s.in_proj_rows_padded - s.in_proj_rows < 16


def test_every_dimension_that_does_not_divide_is_listed():
    with pytest.raises(ConfigError) as caught:
        TINY.shard(3)
    named = {p.split()[0] for p in caught.value.problems}
    assert named == {
        "kda_num_heads",
        "num_attention_heads",
        "num_experts",
        "routed_expert_hidden_size",
        "moe_intermediate_size",
        "num_shared_experts·moe_intermediate_size",
        "hidden_size",
        "intermediate_size",
    }
    assert all("must be divisible by 3" in p for p in caught.value.problems)


def test_expert_width_must_keep_whole_groups():
    config = dataclasses.replace(TINY, moe_intermediate_size=128)
    with pytest.raises(ConfigError, match="must be a multiple of the MXFP4 group 32, got 16"):
        config.shard(8)


@pytest.mark.parametrize("tp", [0, -1, True, 2.0], ids=repr)
def test_tp_must_be_a_positive_integer(tp):
    with pytest.raises(ConfigError, match="tp: must be a positive integer"):
        TINY.shard(tp)


def test_unknown_preset_names_those_there_are():
    with pytest.raises(KeyError, match="production, small, tiny"):
        preset("huge")
