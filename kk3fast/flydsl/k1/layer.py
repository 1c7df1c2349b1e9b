"""K1 on the reference's named tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from kk3fast.flydsl.k1.build import K1Build
from kk3fast.flydsl.run.layer import Tensors, UnsupportedStep
from kk3fast.flydsl.run.memory import WordReader
from kk3fast.flydsl.run.values import KernelLaunch, Value
from kk3fast.flydsl.run.words import bf16
from kk3ref.stages import RankContext

MAX_SLOT = 128
"""K1's launch slot in a step is the layer's index; K2's follow from here"""


class K1Layer:
    """The fused KDA layer up to the gated norm."""

    name = "k1"

    def launches(
        self,
        contexts: Sequence[RankContext],
        inputs: Sequence[Tensors],
        buffers: Sequence[Tensors],
        options: Mapping[str, Any],
    ) -> list[KernelLaunch]:
        """One launch; see :class:`kk3fast.flydsl.run.layer.FusedLayer`."""
        build = k1_build(contexts[0], inputs[0], options)
        ranks = zip(contexts, inputs, buffers, strict=True)
        return [KernelLaunch(build, [_values(*rank) for rank in ranks], contexts[0].layer.index)]

    def taps(
        self, launches: Sequence[KernelLaunch], memory: WordReader, rank: int
    ) -> dict[str, Tensor]:
        """``x`` and ``proj``."""
        build = launches[0].build
        assert isinstance(build, K1Build)
        regions = build.scratch()
        return {
            "x": bf16(memory.values(rank, regions["x"])).view(build.rows, build.hidden),
            "proj": bf16(memory.values(rank, regions["proj"])).view(build.rows, build.in_rows),
        }


def k1_build(context: RankContext, inputs: Tensors, options: Mapping[str, Any]) -> K1Build:
    """The build that serves a step.

    Raises:
        UnsupportedStep: lists every reason.
    """
    layer, shapes, config = context.layer, context.shapes, context.config
    reasons = []
    if layer.attention != "kda":
        reasons.append(f"K1 serves KDA layers, layer {layer.index} is {layer.attention}")
    if not config.use_full_rank_gate:
        reasons.append("the output gate must be full rank")
    if config.short_conv_kernel_size != 4:
        reasons.append(f"the convolution must be 4 wide, got {config.short_conv_kernel_size}")
    rows, query_rows = inputs["prefix"].shape[0], inputs["state_index"].shape[1]
    if rows > 8:
        reasons.append(f"a step must have at most 8 rows, got {rows}")
    if reasons:
        raise UnsupportedStep("K1: " + "; ".join(reasons))
    entries = inputs["conv_state"].shape[2 if context.options.conv_dim_first else 1]
    bound = config.gate_lower_bound
    return K1Build(
        rows=rows,
        query_rows=query_rows,
        blocks=layer.num_blocks,
        hidden=config.hidden_size,
        heads=shapes.kda_heads,
        head_dim=config.kda_head_dim,
        in_rows=shapes.in_proj_rows_padded,
        state_entries=entries,
        write_index=-1 if layer.block_index is None else layer.block_index,
        eps=context.eps,
        out_eps=context.eps,
        norm_eps=context.eps,
        safe_gate=bound is not None,
        lower_bound=-5.0 if bound is None else bound,
        **options,
    )


def _values(context: RankContext, inputs: Tensors, buffers: Tensors) -> dict[str, Value]:
    """A rank's arguments by name."""
    prefix = buffers["prefix_after"]
    prefix.copy_(inputs["prefix"])  # updated in place
    writes = context.layer.block_index is not None
    blocks = buffers["blocks_after"] if writes else inputs["blocks"]
    conv, state = buffers["conv_state_after"], buffers["recurrent_state_after"]
    channel, entry = (1, 2) if context.options.conv_dim_first else (2, 1)
    index = inputs["state_index"]
    return {
        "prefix": prefix,
        "delta": inputs["delta"],
        "blocks": blocks,
        "block_row_stride": blocks.stride(0),
        "block_stride": blocks.stride(1),
        "attn_norm": context.weights["attn_res_norm_w"],
        "attn_query": context.weights["attn_res_q"],
        "input_norm": context.weights["input_norm_w"],
        **{n: context.weights[n] for n in ("w_in", "w_fb", "conv_w", "a_log", "dt_bias")},
        "conv_state": conv,
        "conv_slot_stride": conv.stride(0),
        "conv_channel_stride": conv.stride(channel),
        "conv_entry_stride": conv.stride(entry),
        "o_norm": context.weights["o_norm_w"],
        "state": state,
        "state_slot_stride": state.stride(0),
        "state_index": index,
        "state_index_stride": index.stride(0),
        "accepted": inputs["num_accepted"],
        "core": buffers["core"],
    }
