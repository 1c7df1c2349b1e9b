"""Input families: what N(0, 1) alone would hide.

Each family shapes the activations (and where needed the weights) of a case; the planted faults that
prove a family is not vacuous are named in ``verify.checks.vacuity``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from kk3ref.checkpoint.source import Lazy
from kk3ref.mla import NULL_PAGE
from kk3ref.stages import LayerOptions, RankContext
from verify.inputs.random import Draw
from verify.step import Step

Values = dict[str, Tensor]
_ACTIVATIONS = ("prefix", "delta", "blocks", "x", "core", "proj")


def _plain(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    return values


def _no_weights(c: RankContext) -> Mapping[str, Any]:
    return {}


def _same_options(options: LayerOptions, tp: int) -> LayerOptions:
    return options


@dataclass(frozen=True)
class Family:
    """A family of inputs.

    Attributes:
        name: as in ``--family``.
        description: what it brings out.
        needs: inputs or weights of which the layer must have one, else the family has no effect
            on it (empty: every layer).
        shape_inputs: changes a rank's inputs.
        weights: replaces weights of a rank.
        drafts: speculative tokens it wants, where the user did not say.
        padded: requests it pads, where the user did not say.
        options: storage the family is about, in place of the user's.
        far_pages: the latent cache a candidate gets lies past 32-bit offsets.
        sequence: launches follow on the same memory by default.
        storage: it is about storage, and cheap: part of the default run at production size too.
    """

    name: str
    description: str
    needs: frozenset[str] = frozenset()
    shape_inputs: Callable[[Values, RankContext, Step, Draw], Values] = _plain
    weights: Callable[[RankContext], Mapping[str, Any]] = _no_weights
    drafts: int | None = None
    padded: int | None = None
    options: Callable[[LayerOptions, int], LayerOptions] = _same_options
    far_pages: bool = False
    storage: bool = False
    sequence: bool = False

    def applies(self, inputs: tuple[str, ...], stages: tuple[str, ...]) -> bool:
        """Whether the family changes anything for a layer with these inputs and stages."""
        return not self.needs or bool(self.needs & {*inputs, *stages})


def _scaled(values: Values, names: tuple[str, ...], scale: float) -> Values:
    return values | {
        n: (values[n].float() * scale).to(values[n].dtype) for n in names if n in values
    }


def heavy_tails(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    """Magnitudes spread over six decades, large ones in pairs that nearly cancel."""
    changed = {}
    for name in _ACTIVATIONS:
        if name not in values:
            continue
        x = values[name].float()
        where = name if name in ("prefix", "delta", "blocks", "x") else f"{name}.rank{c.rank}"
        size = torch.randn(x.shape, generator=draw.generator(f"tail.{where}")) * 2.0
        big = x * torch.exp(size)
        half = x.shape[-1] // 2
        big[..., half : 2 * half] = -big[..., :half] * (1 + 2.0**-6)
        changed[name] = big.to(values[name].dtype)
    return values | changed


def _tiny(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    return _scaled(values, _ACTIVATIONS, 2.0**-9)


def _large(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    return _scaled(values, _ACTIVATIONS, 64.0)


def _saturating_weights(c: RankContext) -> Mapping[str, Any]:
    """Projections into the gates and activations that drive them past their knees."""
    names = [n for n in ("w_sgu", "w_gu", "w_fb", "conv_w") if n in c.weights]
    return {n: (c.weights[n].float() * 16).to(c.weights[n].dtype) for n in names}


BIAS_OFFSET = 7.0
"""Where a trained router's selection biases lie: bf16 cannot tell them apart there."""


def _trained_router(c: RankContext) -> Mapping[str, Any]:
    """Biases far from zero, and every other pair of experts with equal scores."""
    if "w_gate" not in c.weights:
        return {}

    def paired(x: Tensor) -> Tensor:
        x = x.clone()
        x[1::4] = x[0::4]
        return x

    # Made when asked for: most layers do not read a router.
    return Lazy(
        {
            "w_gate": lambda: paired(c.weights["w_gate"]),
            "router_bias": lambda: paired(c.weights["router_bias"]) + BIAS_OFFSET,
        }
    )


def _tied_router(c: RankContext) -> Mapping[str, Any]:
    """Experts in pairs with equal rows and a bias that is equal or one ulp apart."""
    if "w_gate" not in c.weights:
        return {}
    gate, bias = c.weights["w_gate"].clone(), c.weights["router_bias"].clone()
    gate[1::2], bias[1::2] = gate[0::2], bias[0::2]
    bias[3::4] = torch.nextafter(bias[2::4], torch.tensor(torch.inf))
    return {"w_gate": gate, "router_bias": bias}


def _zero_keys(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    """Keys of zero: the state only decays, S' = S·decay, one rounding an element."""
    inner = c.shapes.kda_channels
    keys = slice(inner, 2 * inner)
    changed = {}
    if "conv_state" in values:
        state = values["conv_state"].clone()
        channels = state if c.options.conv_dim_first else state.transpose(1, 2)
        channels[1:, keys] = 0
        changed["conv_state"] = state
    if "proj" in values:
        proj = values["proj"].clone()
        proj[:, keys] = 0
        changed["proj"] = proj
    return values | changed


def _zero_key_weights(c: RankContext) -> Mapping[str, Any]:
    if "w_in" not in c.weights:
        return {}
    w = c.weights["w_in"].clone()
    inner = c.shapes.kda_channels
    w[inner : 2 * inner] = 0
    return {"w_in": w}


def _slow_decay(c: RankContext) -> Mapping[str, Any]:
    """Gates near zero: the state of many rows ago still counts in full."""
    if "dt_bias" not in c.weights:
        return {}
    return {"dt_bias": torch.full_like(c.weights["dt_bias"], -7.0)}


def _alike_on_ranks(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    """The attention's output alike on all ranks."""
    if "core" not in values:
        return values
    return values | {"core": draw.normal("core.shared", *values["core"].shape)}


def _cancelling_ranks(c: RankContext) -> Mapping[str, Any]:
    """Projections with which the first two ranks' partial sums are large and cancel.

    Added first they leave the others' sum as it is; added last they take its low bits with them.
    """
    changed = {}
    for name, sign in (("w_o", -1), ("w_sgu", 1), ("w_sd", -1), ("w_down", -1), ("w_gu", 1)):
        if name not in c.weights:
            continue
        shape = c.weights[name].shape
        signed = sign == -1
        if c.rank < 2:
            size = 2.0**14 if signed else 1.0
            shared = Draw(0).normal(name, *shape, scale=size * shape[1] ** -0.5)
            changed[name] = shared * (sign**c.rank)
        elif not signed:
            changed[name] = Draw(0).normal(name, *shape, scale=shape[1] ** -0.5)
    return changed


def loud_padding(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    """Padding rows far larger than the live ones: nothing of them may reach a live row."""
    changed = {}
    for name in _ACTIVATIONS:
        if name in values:
            x = values[name].clone()
            x[step.live_rows :] = x[step.live_rows :] * 4096
            changed[name] = x
    return values | changed


def _short_context(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    """A first request without a context: its first row is on one rank, the other shards empty."""
    lengths = values["context_len"].clone()
    lengths[0] = 0
    return values | {"context_len": lengths}


def _far_pages_first(values: Values, c: RankContext, step: Step, draw: Draw) -> Values:
    """The highest pages where every context begins: short ones read them too."""
    table = values["block_table"].clone()
    live = table[:, 0] != NULL_PAGE
    pages = table[live].flatten().sort(descending=True).values
    table[live] = pages.reshape(table.shape[1], -1).T
    return values | {"block_table": table}


def _scaled_cache(options: LayerOptions, tp: int) -> LayerOptions:
    return replace(options, kv_scale=0.25) if options.kv_dtype != "bf16" else options


def _sharded(options: LayerOptions, tp: int) -> LayerOptions:
    return replace(options, dcp=tp)


_KDA = frozenset({"recurrence"})
_MLA = frozenset({"kv_cache"})
FAMILIES = {
    family.name: family
    for family in (
        Family(
            "normal",
            "N(0, 1) activations, random live states; a router with ties and biases around 7",
            weights=_trained_router,
            sequence=True,
        ),
        Family(
            "heavy-tails",
            "order-sensitive sums: magnitudes over six decades, large ones nearly cancelling",
            shape_inputs=heavy_tails,
        ),
        Family("tiny", "norms in which epsilon weighs", shape_inputs=_tiny),
        Family(
            "saturating",
            "activations past the knees of SiTU, SiLU and the gates",
            shape_inputs=_large,
            weights=_saturating_weights,
        ),
        Family(
            "ties",
            "router scores in pairs, equal (the lower id must win) or one ulp apart",
            needs=frozenset({"route"}),
            weights=_tied_router,
        ),
        Family(
            "cancelling-ranks",
            "the ranks' partial sums nearly cancel: their order shows",
            needs=frozenset({"attn_all_reduce", "final_all_reduce"}),
            shape_inputs=_alike_on_ranks,
            weights=_cancelling_ranks,
        ),
        Family(
            "zero-keys",
            "k = 0, so S' = S·decay with no other rounding",
            needs=_KDA,
            shape_inputs=_zero_keys,
            weights=_zero_key_weights,
        ),
        Family(
            "slow-decay",
            "decay near 1 over eight rows of one request",
            needs=_KDA,
            weights=_slow_decay,
            drafts=7,
        ),
        Family(
            "padded",
            "the last request is padding and loud",
            shape_inputs=loud_padding,
            padded=1,
            drafts=1,
        ),
        Family(
            "scaled-cache",
            "a latent cache with a scale other than 1",
            needs=_MLA,
            options=_scaled_cache,
            storage=True,
        ),
        Family(
            "far-pages",
            "a latent cache whose last page lies past 2³¹ elements",
            needs=_MLA,
            shape_inputs=_far_pages_first,
            far_pages=True,
            storage=True,
        ),
        Family(
            "context-shards",
            "contexts shared by all ranks, one of them shorter than the ranks are many",
            needs=_MLA,
            shape_inputs=_short_context,
            options=_sharded,
            storage=True,
            sequence=True,
        ),
    )
}
