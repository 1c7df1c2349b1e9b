"""The fused layers as the reference computes them, on a loaded layer's own weights and caches.

It runs on any machine and stands in for the kernels where there is no gfx950. With bf16 weights it
rounds where production does; with fp32 weights nowhere (:data:`UNROUNDED`), so that tokens can be
compared with an fp32 stock path.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from kk3fast.serve.modules import layer_problems, layer_weights, packed_expert_problems
from kk3fast.serve.slots import TouchedSlots
from kk3ref import attn_res
from kk3ref.config import K3Config
from kk3ref.layers.k1 import K1
from kk3ref.layers.k2 import K2
from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import LayerOptions, RankContext, Taps
from kk3ref.tp import run_layer_distributed

UNROUNDED = Precision("unrounded", torch.float32, rounds=False)
"""fp32 without rounding points; quantisation to MXFP4 stays, being the layer's definition"""

LayerResult = tuple[Tensor, Tensor, Tensor]


def policy_for(dtype: torch.dtype) -> Precision:
    """The policy for a model of ``dtype``.

    Raises:
        ValueError: ``dtype`` is neither bf16 nor fp32.
    """
    if dtype == torch.bfloat16:
        return CONTRACT
    if dtype == torch.float32:
        return UNROUNDED
    raise ValueError(f"the contract runs bfloat16 and float32 models, got {dtype}")


class ContractLayer:
    """One served decoder layer.

    Args:
        layer: the loaded ``KimiDecoderLayer``.
        config: the model.
        rank, tp: place in the tensor-parallel group.
        group: the group that partials are gathered over; one process without it.
        conv_dim_first: the conv cache is ``[slots, dim, len]``.
    """

    def __init__(
        self,
        layer: Any,
        config: K3Config,
        rank: int,
        tp: int,
        group: dist.ProcessGroup | None,
        conv_dim_first: bool,
    ):
        self.layer = layer
        info = config.layer(layer.layer_idx)
        shapes = config.shard(tp)
        weights = layer_weights(layer, rank, shapes)
        options = LayerOptions(conv_dim_first=conv_dim_first)
        self._context = RankContext(config, info, shapes, rank, weights, options)
        self._policy = policy_for(weights["w_o"].dtype)
        self._group = group

    @staticmethod
    def problems(layer: Any, config: K3Config, rank: int, tp: int) -> list[str]:
        """Why a loaded layer cannot be served; empty if it can."""
        info, shapes = config.layer(layer.layer_idx), config.shard(tp)
        try:
            found = layer_problems(layer, config, info, shapes, rank)
            found += packed_expert_problems(layer, config, info, shapes)
            dtype = layer.self_attn.o_proj.weight.dtype
        except AttributeError as error:
            return [f"layer {info.index}: {error}"]
        if dtype not in (torch.bfloat16, torch.float32):
            found.append(f"layer {info.index}: weights must be bf16 or fp32, got {dtype}")
        return found

    def __call__(
        self,
        metadata: Any,
        positions: Tensor,
        prefix_sum: Tensor,
        block_residual: Tensor,
        prefix_delta: Tensor | None,
    ) -> LayerResult:
        """As ``KimiDecoderLayer.forward`` with AttnRes.

        Args:
            metadata: the step's metadata of this KDA layer; not read on an MLA layer.
            prefix_sum: ``[S, H]``; block_residual: ``[S, blocks, H]``, written in place on a
                block-write layer; prefix_delta: ``[S, H]``.

        Returns:
            the prefix ``[S, H]``, ``block_residual`` and the MoE output ``[S, H]``.
        """
        if self._context.layer.attention == "kda":
            prefix, core = self._kda(metadata, prefix_sum, block_residual, prefix_delta)
        else:
            prefix, core = self._mla(positions, prefix_sum, block_residual, prefix_delta)
        inputs = {"core": core, "prefix": prefix, "blocks": block_residual}
        taps = self._run_k2(inputs)
        return taps["prefix_after"], block_residual, taps["out"]

    def _run_k1(self, inputs: Taps) -> Taps:
        return run_layer_distributed(K1, self._policy, self._context, inputs, self._group)

    def _run_k2(self, inputs: Taps) -> Taps:
        return run_layer_distributed(K2, self._policy, self._context, inputs, self._group)

    def _kda(
        self, metadata: Any, prefix: Tensor, blocks: Tensor, delta: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        conv, recurrent = self.layer.self_attn.kv_cache
        index = metadata.spec_state_indices_tensor
        requests = prefix.shape[0] // index.shape[1]  # the step's rows; the tensor may be longer
        touched = TouchedSlots.of(index[:requests])
        inputs = {
            "prefix": prefix,
            "delta": delta,
            "blocks": blocks,
            "conv_state": touched.take(conv),
            "recurrent_state": touched.take(recurrent),
            "state_index": touched.state_index,
            "num_accepted": metadata.num_accepted_tokens[:requests],
        }
        taps = self._run_k1(inputs)
        touched.put(conv, taps["conv_state_after"])
        touched.put(recurrent, taps["recurrent_state_after"])
        if self._context.layer.writes_block:
            blocks.copy_(taps["blocks_after"])
        return taps["prefix_after"], taps["core"]

    def _mla(
        self, positions: Tensor, prefix: Tensor, blocks: Tensor, delta: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        p, c = self._policy, self._context
        after = attn_res.update_prefix(p, prefix, delta).to(prefix.dtype)
        valid = blocks[:, : c.layer.num_blocks]
        x = attn_res.read(
            p, after, valid, c.attn_res_norm_w, c.attn_res_q, c.input_norm_w, c.eps, c.eps
        )
        attention = self.layer.self_attn.mla_attn
        core = attention.forward(positions, x.to(prefix.dtype), skip_o_proj=True)
        return after, core
