"""K2 on the reference's named tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from kk3fast.expert_pages import ExpertPages, Part
from kk3fast.flydsl.k1.layer import MAX_SLOT
from kk3fast.flydsl.k2.build import BLOCK, HIDDEN_PAIRS, MAX_ROWS, K2Build
from kk3fast.flydsl.run.layer import Tensors, UnsupportedStep
from kk3fast.flydsl.run.memory import WordReader
from kk3fast.flydsl.run.values import KernelLaunch, Paged, Value
from kk3fast.flydsl.run.words import bf16, fp32, low_byte, uint8
from kk3ref.stages import RankContext

_DENSE_BYTES = 16 << 20
_SUFFIX = {"w13": "w13", "w13s": "w13_scales", "w2": "w2", "w2s": "w2_scales"}


class K2Layer:
    """The fused layer behind the attention core."""

    name = "k2"

    def launches(
        self,
        contexts: Sequence[RankContext],
        inputs: Sequence[Tensors],
        buffers: Sequence[Tensors],
        options: Mapping[str, Any],
    ) -> list[KernelLaunch]:
        """One launch; see :class:`kk3fast.flydsl.run.layer.FusedLayer`."""
        build = k2_build(contexts, inputs[0], options)
        ranks = zip(contexts, inputs, buffers, strict=True)
        slot = MAX_SLOT + contexts[0].layer.index
        return [KernelLaunch(build, [_values(*rank) for rank in ranks], slot)]

    def taps(
        self, launches: Sequence[KernelLaunch], memory: WordReader, rank: int
    ) -> dict[str, Tensor]:
        """Every inner value that is handed over, and the shared experts' gate and up rows."""
        build = launches[0].build
        assert isinstance(build, K2Build)
        scratch, peer, rows = build.scratch(), build.peer(), build.rows

        def handed(name: str) -> Tensor:
            return memory.values(rank, scratch[name])

        def pushed(name: str) -> Tensor:
            return memory.values(rank, peer[name], peer=True)

        def own(name: str) -> Tensor:
            """The rank's own part of what every rank pushes."""
            return bf16(pushed(name)).view(build.ranks, MAX_ROWS, -1)[rank, :rows].clone()

        picks = handed("picks").view(rows, build.picks, 2)
        latent = handed("latent_mx").view(rows, -1)
        codes, scales = build.latent // 8, build.latent // 128
        hidden = handed("hidden_mx").view(rows, build.picks, build.routed // BLOCK, HIDDEN_PAIRS)
        return {
            "o_partial": own("attention"),
            "x": bf16(handed("x")).view(rows, -1),
            "logits": fp32(pushed("logits")).view(MAX_ROWS, -1)[:rows].clone(),
            "ids": picks[..., 0].contiguous(),
            "pick_weights": fp32(picks[..., 1].contiguous()).view(rows, -1),
            "lat": bf16(pushed("latent")).view(MAX_ROWS, -1)[:rows].clone(),
            "lat_codes": uint8(latent[:, :codes].contiguous().flatten()).view(rows, -1),
            "lat_scales": uint8(latent[:, codes : codes + scales].contiguous().flatten()).view(
                rows, -1
            ),
            "h_codes": uint8(hidden[..., :4].contiguous().flatten()).view(rows, build.picks, -1),
            "h_scales": low_byte(hidden[..., 4].contiguous()),
            "moe_partial": own("routed"),
            "ln": bf16(handed("norm")).view(rows, -1),
            "gu": bf16(handed("gate_up")).view(rows, -1),
            "sh": bf16(handed("shared")).view(rows, -1),
            "final": own("output"),
        }


def k2_build(
    contexts: Sequence[RankContext], inputs: Tensors, options: Mapping[str, Any]
) -> K2Build:
    """The build that serves a step.

    Raises:
        UnsupportedStep: lists every reason.
    """
    context = contexts[0]
    layer, shapes, config = context.layer, context.shapes, context.config
    rows = inputs["prefix"].shape[0]
    picks = config.num_experts_per_token
    divided = {
        "num_experts": (config.num_experts, 4 * shapes.tp),
        "routed_expert_hidden_size": (config.routed_expert_hidden_size, 128),
        "hidden_size": (config.hidden_size, 8 * shapes.tp),
        "num_experts_per_token": (picks, 4),
        "a rank's part of an expert": (shapes.expert_intermediate, BLOCK),
    }
    reasons = [
        f"{name} must be a multiple of {step}, got {value}"
        for name, (value, step) in divided.items()
        if value % step
    ]
    if layer.mlp != "moe":
        reasons.append(f"K2 serves MoE layers, layer {layer.index} is {layer.mlp}")
    if config.routed_scaling_factor != 1.0:
        reasons.append(f"routed_scaling_factor must be 1, got {config.routed_scaling_factor}")
    if rows > MAX_ROWS:
        reasons.append(f"a step must have at most {MAX_ROWS} rows, got {rows}")
    if picks > 16:
        reasons.append(f"a row must have at most 16 picks, got {picks}")
    if len(contexts) != shapes.tp or shapes.tp > 8:
        reasons.append(f"all of at most 8 ranks must run, got {len(contexts)} of {shapes.tp}")
    if reasons:
        raise UnsupportedStep("K2: " + "; ".join(reasons))
    return K2Build(
        rows=rows,
        blocks=layer.num_blocks + layer.writes_block,
        ranks=shapes.tp,
        hidden=config.hidden_size,
        core=inputs["core"].shape[1],
        experts=config.num_experts,
        picks=picks,
        latent=config.routed_expert_hidden_size,
        routed=shapes.expert_intermediate,
        shared=shapes.shared_intermediate,
        reset=layer.writes_block,
        eps=context.eps,
        beta=config.activation_situ_beta,
        linear_beta=config.activation_situ_linear_beta,
        **options,
    )


def _values(context: RankContext, inputs: Tensors, buffers: Tensors) -> dict[str, Value]:
    """A rank's arguments by name."""
    prefix, blocks = buffers["prefix_after"], inputs["blocks"]
    prefix.copy_(inputs["prefix"])  # updated in place
    pages = ExpertPages(context.experts, context.config.num_experts).parts()
    names = ("w_o", "w_gate", "router_bias", "w_ld", "w_sgu", "w_sd", "w_up")
    return {
        "prefix": prefix,
        "core": inputs["core"],
        "blocks": blocks,
        "block_row_stride": blocks.stride(0),
        "block_stride": blocks.stride(1),
        "mlp_norm": context.weights["mlp_res_norm_w"],
        "mlp_query": context.weights["mlp_res_q"],
        "post_norm": context.weights["post_norm_w"],
        **{name: context.weights[name].contiguous() for name in names},
        **{_SUFFIX[name]: _held(part) for name, part in pages.items()},
        "latent_norm": context.weights["ln_w"],
        "out": buffers["out"],
    }


def _held(part: Part) -> Tensor | Paged:
    """Small experts as a tensor, large ones in pages that are made when they are touched."""
    paged = Paged(part.total_bytes, part.page_bytes, part.page)
    return paged.materialise() if part.total_bytes <= _DENSE_BYTES else paged
