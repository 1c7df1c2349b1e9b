"""Every refusal alone, all of them at once, none of them."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from kk3fast.runtime import (
    DecodeConfig,
    Deployment,
    KvTransfer,
    Unsupported,
    check_backend,
    decode_config,
    notices,
    unsupported,
)

SERVED = Deployment()
ALONE = [
    ("tp", {"tp": 4}),
    ("pp", {"pp": 2}),
    ("dp", {"dp": 2}),
    ("pcp", {"pcp": 2}),
    ("dcp", {"dcp": 4}),
    ("ep", {"expert_parallel": True}),
    ("eplb", {"eplb": True}),
    ("dbo", {"dbo": True}),
    ("lora", {"lora": True}),
    ("kv_transfer", {"kv_transfer": KvTransfer("NixlConnector", None, "kv_consumer")}),
    ("kv_transfer", {"kv_transfer": KvTransfer("MoRIIOConnector", None, "kv_producer")}),
    (
        "kv_transfer",
        {"kv_transfer": KvTransfer("MoRIIOConnector", "mine.connector", "kv_consumer")},
    ),
    ("capture", {"routed_expert_capture": True}),
    ("sleep", {"sleep_mode": True}),
    ("offload", {"cpu_offload": True}),
    ("updates", {"weight_updates": True}),
    ("aiter", {"aiter": False}),
    ("aiter_moe", {"aiter_moe": False}),
    ("speculation", {"speculative_tokens": None, "dcp": 8}),
    ("tokens", {"speculative_tokens": 8, "dcp": 8}),
    ("sequences", {"max_num_seqs": 3, "speculative_tokens": 1, "dcp": 8}),
    ("sequences", {"max_num_seqs": 4, "speculative_tokens": 3, "dcp": 8}),
    ("sequences", {"max_num_seqs": 2}),
    ("adaptive", {"adaptive_verification": True}),
    ("dynamic", {"dynamic_speculation": True}),
    ("state_dtypes", {"conv_state_dtype": "float32"}),
    ("state_dtypes", {"recurrent_state_dtype": "bfloat16"}),
    ("replay_ssm", {"replay_ssm": True}),
    ("recover_ssm", {"recover_ssm": True}),
    ("runner", {"v2_model_runner": False}),
    ("compile", {"stock_torch_compile": True}),
    ("shapes", {"shapes": (7168, 384, 96, 128, 4)}),
    ("attn_res", {"attn_res": False}),
    ("platform", {"rocm": False}),
    ("gpu", {"architecture": "gfx942"}),
    ("compute_units", {"compute_units": 32}),
    ("m1.backend", {"attention_backend": "TRITON_MLA"}),
    ("m1.kv_cache", {"kv_cache_dtype": "auto"}),
    ("m1.bmm", {"mxfp4_bmm": False}),
    ("m1.pair", {"speculative_tokens": 1, "max_num_seqs": 4}),
    ("unknown", {"unknown": ("lora_config",)}),
]


def test_the_defaults_are_served() -> None:
    assert unsupported(SERVED) == []
    assert notices(SERVED) == []
    assert decode_config(SERVED) == DecodeConfig(q=8, max_num_seqs=1)


@pytest.mark.parametrize(("code", "change"), ALONE, ids=lambda x: x if isinstance(x, str) else "")
def test_each_alone(code: str, change: dict) -> None:
    assert [reason.code for reason in unsupported(replace(SERVED, **change))] == [code]


def test_all_at_once() -> None:
    wrong = Deployment(
        tp=2,
        pp=2,
        dp=2,
        dcp=1,
        pcp=2,
        expert_parallel=True,
        eplb=True,
        dbo=True,
        lora=True,
        kv_transfer=KvTransfer("x", None, "y"),
        routed_expert_capture=True,
        sleep_mode=True,
        cpu_offload=True,
        weight_updates=True,
        aiter=False,
        aiter_moe=False,
        speculative_tokens=9,
        adaptive_verification=True,
        dynamic_speculation=True,
        conv_state_dtype="float16",
        replay_ssm=True,
        recover_ssm=True,
        v2_model_runner=False,
        stock_torch_compile=True,
        shapes=(1, None, 1, 1, 1),
        attn_res=False,
        architecture="gfx90a",
        compute_units=104,
        attention_backend="x",
        kv_cache_dtype="auto",
        mxfp4_bmm=False,
        unknown=("a", "b"),
    )
    found = [reason.code for reason in unsupported(wrong)]
    impossible = {"speculation", "sequences", "platform", "dcp"}  # beside the others
    assert set(found) == {code for code, _ in ALONE} - impossible
    assert found.count("unknown") == 2
    with pytest.raises(Unsupported) as caught:
        decode_config(wrong)
    assert str(caught.value).count("\n  - ") == len(found)


def test_every_field_can_refuse_or_is_told() -> None:
    changed = {name for _, change in ALONE for name in change}
    told = {"piecewise_graphs_only"}
    assert {f.name for f in fields(Deployment)} == changed | told


def test_a_moriio_consumer_is_served() -> None:
    kv = KvTransfer("MoRIIOConnector", None, "kv_consumer")
    assert unsupported(replace(SERVED, kv_transfer=kv)) == []


def test_what_m1_misses_is_a_notice_with_sharded_contexts() -> None:
    sharded = replace(SERVED, dcp=8, speculative_tokens=1, max_num_seqs=4, kv_cache_dtype="auto")
    assert unsupported(sharded) == []
    (told,) = notices(sharded)
    assert "fp8 E4M3" in told
    assert not decode_config(sharded).m1
    assert any("PIECEWISE" in n for n in notices(replace(SERVED, piecewise_graphs_only=True)))


@pytest.mark.parametrize(
    ("q", "sequences", "widths"),
    [
        (8, 1, (8,)),
        (4, 2, (4, 8)),
        (2, 4, (2, 4, 6, 8)),
        (1, 8, tuple(range(1, 9))),
        (3, 2, (3, 6)),
    ],
)
def test_widths_are_whole_requests(q: int, sequences: int, widths: tuple[int, ...]) -> None:
    assert DecodeConfig(q, sequences).widths == widths


def test_the_switch_has_three_values() -> None:
    assert [check_backend(v) for v in ("auto", "latency_specialized", "kk3")]
    for value in ("fast", None, 1):
        with pytest.raises(ValueError, match="'auto', 'latency_specialized', 'kk3'"):
            check_backend(value)
