"""Faults of the latent MoE: MXFP4 scales, expert weights, routing, scaling factors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kk3ref.formats import GROUP, MXFP4, decode_e8m0, e8m0_at_least, encode_e2m1, pack_e2m1
from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import RankContext, Stage
from verify.faults.plant import (
    Memory,
    Outputs,
    Plant,
    Values,
    in_policy,
    on_inputs,
    on_outputs,
    with_weights,
)

_SIXTH = torch.tensor(1 / 6, dtype=torch.float32)

# -- scales ----------------------------------------------------------------------------------------

NEXT_BLOCK = Plant(
    "E8M0 scale of the next block",
    ("experts_up",),
    on_inputs(lambda c, values, m: {"lat_scales": values["lat_scales"].roll(-1, -1)}),
)


def _last_up(c: RankContext, values: Values, m: Memory) -> Mapping[str, Any]:
    scales = values["h_scales"].clone()
    scales[..., -1] += 1
    return {"h_scales": scales}


LAST_BLOCK = Plant(
    "E8M0 scale of the last block one too high", ("experts_down",), on_inputs(_last_up)
)


def _amax(lat: Tensor) -> Tensor:
    return lat.float().unflatten(-1, (-1, GROUP)).abs().amax(-1)


def _quantized(lat: Tensor, scales: Tensor) -> Outputs:
    """Elements of the latent row at given scales."""
    blocks = lat.float().unflatten(-1, (-1, GROUP)) / decode_e8m0(scales)[..., None]
    return {"lat_codes": pack_e2m1(encode_e2m1(blocks).flatten(-2)), "lat_scales": scales}


def _floor_scale(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    target = _amax(values["lat"]) * _SIXTH
    ceiling = e8m0_at_least(target)
    above = decode_e8m0(ceiling) > target
    return _quantized(values["lat"], torch.where(above & (ceiling > 0), ceiling - 1, ceiling))


FLOOR_SCALE = Plant(
    "activation scale by the exponent of max/6, not its ceiling", ("latent_quant",), _floor_scale
)


def _leaking(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    amax = _amax(values["lat"])
    scales = e8m0_at_least(torch.maximum(amax, amax[-1:]) * _SIXTH)
    return _quantized(values["lat"], scales)


LEAKING_AMAX = Plant(
    "the last (padding) row's amax leaks into the other rows' scales", ("latent_quant",), _leaking
)

# -- expert weights --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Interleaved:
    """Experts whose gate and up rows are taken for interleaved ones."""

    experts: Any

    def w13(self, ids: list[int]) -> MXFP4:
        w = self.experts.w13(ids)
        half = w.shape[1] // 2
        order = torch.arange(2 * half).reshape(half, 2).T.flatten()
        return MXFP4(w.codes[:, order], w.scales[:, order])

    def w2(self, ids: list[int]) -> MXFP4:
        w: MXFP4 = self.experts.w2(ids)
        return w


def _interleaved_when(few: bool) -> Any:
    faulty = with_weights(lambda c: {"experts": _Interleaved(c.weights["experts"])})

    def run(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
        small = values["ids"].shape[0] == 1
        return faulty(s, c, values, m) if small == few else s(CONTRACT, c, values)

    return run


SMALL_LAYOUT = Plant(
    "gate and up rows de-interleaved for one row only", ("experts_up",), _interleaved_when(True)
)
LARGE_LAYOUT = Plant(
    "gate and up rows de-interleaved for several rows only",
    ("experts_up",),
    _interleaved_when(False),
)

# -- routing ---------------------------------------------------------------------------------------


def _biased(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    scores = torch.sigmoid(values["logits"]) + c.weights["router_bias"]
    picked = scores.gather(1, values["ids"].long())
    return {"pick_weights": picked / picked.sum(1, keepdim=True)}


BIASED_WEIGHTS = Plant(
    "pick weights from the biased scores", ("route_weights",), on_outputs(_biased)
)
BF16_BIAS = Plant(
    "selection bias in bf16",
    ("route",),
    with_weights(lambda c: {"router_bias": c.weights["router_bias"].to(torch.bfloat16).float()}),
)


class _HigherIdWins(Precision):
    def __init__(self) -> None:
        super().__init__("higher-id", torch.float32, rounds=True)

    def top_k(self, scores: Tensor, k: int, point: str) -> Tensor:
        flipped = super().top_k(scores.flip(-1), k, point)
        return scores.shape[-1] - 1 - flipped


HIGHER_ID = Plant("ties to the higher id", ("route",), in_policy(_HigherIdWins()))


def _repeated(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    ids = outputs["ids"].clone()
    scores = (torch.sigmoid(values["logits"]) + c.weights["router_bias"]).gather(1, ids.long())
    tied = scores[:, 1:] == scores[:, :-1]
    ids[:, 1:] = torch.where(tied, ids[:, :-1], ids[:, 1:])
    return {"ids": ids}


REPEATED_ID = Plant("one of two tied experts picked twice", ("route",), on_outputs(_repeated))

# -- scaling factors -------------------------------------------------------------------------------

OTHER_FACTOR = 2.5
"""Scaling factor of other models, taken where this one's is 1 and would show nothing."""


def _factor(c: RankContext) -> float:
    factor = c.config.routed_scaling_factor
    return OTHER_FACTOR if factor == 1.0 else factor


SHARED_SCALED = Plant(
    "shared experts divided by the routed scaling factor",
    ("shared_down",),
    on_outputs(
        lambda c, values, out, m: {"sd": (out["sd"].float() / _factor(c)).to(torch.bfloat16)}
    ),
)
SCALED_TWICE = Plant(
    "routed scaling factor applied once more",
    ("route_weights",),
    on_outputs(lambda c, values, out, m: {"pick_weights": out["pick_weights"] * _factor(c)}),
)


def _unclamped(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    (name,) = s.inputs
    g, u = values[name].float().chunk(2, -1)
    return {s.outputs[0].name: (g * torch.sigmoid(g) * u).to(torch.bfloat16)}


UNCLAMPED = Plant("SwiGLU in the place of SiTU", ("shared_act", "dense_act"), _unclamped)
