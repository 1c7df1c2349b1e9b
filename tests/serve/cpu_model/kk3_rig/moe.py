"""The latent MoE in PyTorch: vLLM's modules and names, MXFP4 experts as the checkpoint has them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from vllm.distributed import (
    get_tensor_model_parallel_rank,
    get_tensor_model_parallel_world_size,
    tensor_model_parallel_all_reduce,
)
from vllm.model_executor.layers.layernorm import RMSNorm
from vllm.model_executor.layers.linear import ColumnParallelLinear, ReplicatedLinear
from vllm.models.kimi_k3.amd import linear as stock

from kk3ref.formats import MXFP4, quantize_mxfp4

GROUP = 32


class RoutedExperts(nn.Module):
    """A rank's experts, packed: ``w13_*`` hold gate rows, then up rows."""

    def __init__(self, experts: int, inner: int, latent: int):
        super().__init__()
        self.inner = inner
        for name, rows, columns in (("w13", 2 * inner, latent), ("w2", latent, inner)):
            for kind, width in (("weight", columns // 2), ("weight_scale", columns // GROUP)):
                parameter = nn.Parameter(
                    torch.zeros(experts, rows, width, dtype=torch.uint8), requires_grad=False
                )
                parameter.weight_loader = self._load  # type: ignore[attr-defined]
                self.register_parameter(f"{name}_{kind}", parameter)
        self._dense: tuple[Tensor, Tensor] | None = None

    def _load(
        self, parameter: Tensor, loaded: Tensor, name: str, expert_id: int, shard_id: str
    ) -> None:
        rank, held = get_tensor_model_parallel_rank(), parameter.data[expert_id]
        if shard_id == "w2":
            held.copy_(loaded.narrow(1, rank * held.shape[1], held.shape[1]))
        else:
            place = 0 if shard_id == "w1" else self.inner
            held[place : place + self.inner] = loaded.narrow(0, rank * self.inner, self.inner)

    def dense(self) -> tuple[Tensor, Tensor]:
        """``w13 [E, 2·i, l]`` and ``w2 [E, l, i]`` in fp32, decoded once."""
        if self._dense is None:
            self._dense = (
                MXFP4(self.w13_weight.data, self.w13_weight_scale.data).dequantize(),
                MXFP4(self.w2_weight.data, self.w2_weight_scale.data).dequantize(),
            )
        return self._dense


class CpuMoE(nn.Module):
    """Stands for vLLM's ``KimiMoE`` with a latent."""

    def __init__(self, config: Any, quant_config: Any = None, prefix: str = "", layer_idx: int = 0):
        super().__init__()
        hidden, latent = config.hidden_size, config.routed_expert_hidden_size
        tp = get_tensor_model_parallel_world_size()
        self.top_k, self.tp = config.num_experts_per_token, tp
        self.betas = (config.activation_situ_beta, config.activation_situ_linear_beta)
        self.routed_scaling_factor, self.use_latent_moe = config.routed_scaling_factor, True

        def linear(kind: Any, rows: int, columns: int, name: str, **more: Any) -> Any:
            return kind(columns, rows, bias=False, prefix=f"{prefix}.{name}", **more)

        self.gate = linear(ReplicatedLinear, config.num_experts, hidden, "gate")
        self.gate.e_score_correction_bias = nn.Parameter(
            torch.zeros(config.num_experts, dtype=torch.float32), requires_grad=False
        )
        self.routed_expert_down_proj = linear(
            ReplicatedLinear, latent, hidden, "routed_expert_down_proj"
        )
        self.routed_expert_norm = RMSNorm(latent, eps=config.rms_norm_eps)
        kind, more = (
            (ColumnParallelLinear, {"gather_output": True})
            if tp > 1
            else (
                ReplicatedLinear,
                {},
            )
        )
        self.routed_expert_up_proj = linear(kind, hidden, latent, "routed_expert_up_proj", **more)
        self.routed_output_transform = stock.KimiRoutedOutputTransform(
            self.routed_expert_norm, self.routed_expert_up_proj, row_sharded=tp > 1
        )
        self.shared_experts = stock.KimiMLP(
            hidden,
            config.moe_intermediate_size * config.num_shared_experts,
            config.hidden_act,
            quant_config,
            reduce_results=False,
            prefix=f"{prefix}.shared_experts",
            activation_situ_beta=self.betas[0],
            activation_situ_linear_beta=self.betas[1],
        )
        self.experts = nn.Module()
        self.experts.routed_experts = RoutedExperts(
            config.num_experts, config.moe_intermediate_size // tp, latent
        )

    def forward(self, x: Tensor) -> Tensor:
        """``[S, H]`` → ``[S, H]``, the same on every rank."""
        scores = torch.sigmoid(x.float() @ self.gate.weight.float().T)
        biased = scores + self.gate.e_score_correction_bias
        picks = biased.sort(dim=-1, descending=True, stable=True).indices[:, : self.top_k]
        weights = scores.gather(1, picks)
        weights = weights / weights.sum(-1, keepdim=True)
        latent = _quantised(self.routed_expert_down_proj(x)[0].float())
        routed = self._experts(latent, picks, weights).to(x.dtype)
        shared = self.shared_experts(x)
        if self.tp > 1:
            routed = tensor_model_parallel_all_reduce(routed)
            shared = tensor_model_parallel_all_reduce(shared)
        out: Tensor = self.routed_output_transform(routed) + shared
        return out

    def _experts(self, latent: Tensor, picks: Tensor, weights: Tensor) -> Tensor:
        """Weighted sum of the picked experts in fp32 ``[S, l]``: this rank's partial."""
        w13, w2 = self.experts.routed_experts.dense()
        beta, linear_beta = self.betas
        total = torch.zeros_like(latent)
        for expert in picks.unique().tolist():
            rows, place = (picks == expert).nonzero(as_tuple=True)
            gate, up = (latent[rows] @ w13[expert].T).chunk(2, -1)
            hidden = beta * torch.tanh(gate / beta) * torch.sigmoid(gate)
            hidden = hidden * linear_beta * torch.tanh(up / linear_beta)
            total[rows] += weights[rows, place, None] * (_quantised(hidden) @ w2[expert].T)
        return total


def _quantised(x: Tensor) -> Tensor:
    """MXFP4's values of ``x``: the layer's definition, not an option."""
    return quantize_mxfp4(x).dequantize()
