"""Weights and caches that the kernels cannot read, one by one and together."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from kk3fast.runtime import MoeFacts, cache_reasons, layer_kinds, wanted_weights, weight_reasons
from kk3fast.runtime.weights import EXPERT_TENSORS
from kk3ref.presets import preset

CONFIG, TP = preset("tiny"), 2
KINDS = dict(list(layer_kinds(CONFIG).items())[:3])
MOE = dict.fromkeys(KINDS, MoeFacts())


def loaded() -> dict[int, dict[str, Any]]:
    found = {}
    for index, kind in KINDS.items():
        wanted = wanted_weights(CONFIG, TP, kind, MoeFacts())
        found[index] = {n: torch.empty(shape, dtype=dtype) for n, (shape, dtype) in wanted.items()}
        found[index] |= {name: torch.empty(1, dtype=torch.uint8) for name in EXPERT_TENSORS}
    return found


def test_what_fits_has_no_reason() -> None:
    assert weight_reasons(CONFIG, TP, KINDS, loaded(), MOE) == []
    assert set(KINDS.values()) == {"whole", "ffn"}


@pytest.mark.parametrize("problem", ["missing", "shape", "dtype", "strided"])
def test_each_weight_of_each_layer(problem: str) -> None:
    for index, kind in KINDS.items():
        for name in wanted_weights(CONFIG, TP, kind, MoeFacts()):
            given = loaded()
            tensor = given[index][name]
            given[index][name] = {
                "missing": None,
                "shape": torch.empty(*tensor.shape[:-1], tensor.shape[-1] + 1, dtype=tensor.dtype),
                "dtype": tensor.to(torch.float64),
                "strided": torch.empty(*tensor.shape, 2, dtype=tensor.dtype)[..., 0],
            }[problem]
            (reason,) = weight_reasons(CONFIG, TP, KINDS, given, MOE)
            assert reason.code == "weight"
            assert reason.sentence.startswith(f"layer {index}, {name}:")


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (MoeFacts(latent=False), "moe"),
        (MoeFacts(shared_experts=False), "moe"),
        (MoeFacts(routed_scaling_factor=2.5), "routed_scaling_factor"),
        (MoeFacts(backend="TRITON"), "moe_backend"),
        (MoeFacts(situ=False), "moe_backend"),
    ],
)
def test_each_thing_an_moe_may_be(facts: MoeFacts, code: str) -> None:
    index = next(iter(KINDS))
    reasons = weight_reasons(CONFIG, TP, KINDS, loaded(), MOE | {index: facts})
    assert [reason.code for reason in reasons] == [code]


def test_a_whole_up_projection_is_another_shape() -> None:
    facts = dict.fromkeys(KINDS, MoeFacts(up_sharded=False))
    reasons = weight_reasons(CONFIG, TP, KINDS, loaded(), facts)
    assert [r.sentence.split(":")[0] for r in reasons] == [f"layer {i}, w_up" for i in KINDS]


def test_everything_at_once_and_no_layer_at_all() -> None:
    reasons = weight_reasons(CONFIG, TP, KINDS, {}, MOE)
    wanted = [wanted_weights(CONFIG, TP, kind, MoeFacts()) for kind in KINDS.values()]
    assert len(reasons) == sum(map(len, wanted)) + len(EXPERT_TENSORS) * len(KINDS)
    assert [r.code for r in weight_reasons(CONFIG, TP, {}, {}, {})] == ["layers"]


def test_caches() -> None:
    conv = torch.empty(4, 6, 3, dtype=torch.bfloat16)
    state = torch.empty(4, 2, 8, 8)
    assert cache_reasons({"a": (conv, state)}, 2, 8) == []
    bad = {
        "b": (conv.float(), state),
        "c": (conv, state.double()),
        "d": (conv, torch.empty(4, 2, 8, 9)[..., :8]),
        "e": (conv, torch.empty(4, 3, 8, 8)),
    }
    reasons = cache_reasons(bad, 2, 8)
    assert [r.sentence[0] for r in reasons] == ["b", "c", "d", "e"]
