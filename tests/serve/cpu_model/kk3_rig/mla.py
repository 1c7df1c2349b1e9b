"""MLA: vLLM's own forward, over its paged CPU attention in the expanded form; no latent cache."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from vllm.model_executor.layers.attention import Attention
from vllm.model_executor.layers.linear import KimiK3MergedQKVGateLinear
from vllm.models.kimi_k3.amd.mla import KimiK3MultiHeadLatentAttentionWrapper

CPU_HEAD_SIZES = (32, 64, 80, 96, 112, 128, 160, 192, 224, 256)
"""what vLLM's CPU attention reads"""


def padded_head(size: int) -> int:
    """The smallest head size of the CPU attention that holds ``size`` columns."""
    return next(s for s in CPU_HEAD_SIZES if s >= size)


class ExpandedAttention(nn.Module):
    """Stands for vLLM's ``MLAAttention``, called as it is.

    Args:
        wrapper: the layer's sizes and its ``kv_b_proj``.
        more: of vLLM's ``Attention``.
    """

    def __init__(self, wrapper: CpuMlaWrapper, scale: float, kv_b_proj: nn.Module, **more: Any):
        super().__init__()
        self.heads, self.nope = wrapper.num_heads, wrapper.qk_nope_head_dim
        self.v, self.kv_b_proj = wrapper.v_head_dim, kv_b_proj
        self.padded = padded_head(wrapper.qk_head_dim)
        self.attn = Attention(self.heads, self.padded, scale, num_kv_heads=self.heads, **more)

    def forward(
        self, q: Tensor, kv_c: Tensor, k_pe: Tensor, output_shape: tuple[int, int], **_: Any
    ) -> Tensor:
        """q ``[S, h, nope+pe]``, kv_c ``[S, kv_lora]``, k_pe ``[S, 1, pe]``: ``[S, h·v]``."""
        rows = q.shape[0]
        kv = self.kv_b_proj(kv_c)[0].view(rows, self.heads, -1)
        k_nope, v = kv.split([self.nope, self.v], -1)
        k = torch.cat([k_nope, k_pe.expand(-1, self.heads, -1)], -1)
        q, k, v = (F.pad(x, (0, self.padded - x.shape[-1])).flatten(1) for x in (q, k, v))
        out: Tensor = self.attn(q, k, v).view(rows, self.heads, -1)[..., : self.v]
        return out.reshape(output_shape)


class CpuMlaWrapper(KimiK3MultiHeadLatentAttentionWrapper):
    """vLLM's MLA wrapper with its own ``forward``; only the attention below it is exchanged.

    Arguments as ``MultiHeadLatentAttentionWrapper``; ``num_heads`` are the rank's.
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        scale: float,
        qk_nope_head_dim: int,
        qk_rope_head_dim: int,
        v_head_dim: int,
        q_lora_rank: int,
        kv_lora_rank: int,
        mla_modules: Any,
        cache_config: Any = None,
        quant_config: Any = None,
        prefix: str = "",
    ):
        nn.Module.__init__(self)  # vLLM's own builds its GPU attention
        self.num_heads, self.v_head_dim = num_heads, v_head_dim
        self.qk_nope_head_dim, self.qk_rope_head_dim = qk_nope_head_dim, qk_rope_head_dim
        self.qk_head_dim = qk_nope_head_dim + qk_rope_head_dim
        self.q_lora_rank, self.kv_lora_rank = q_lora_rank, kv_lora_rank
        for name in ("fused_qkv_a_proj", "q_a_layernorm", "q_b_proj", "kv_a_layernorm"):
            setattr(self, name, getattr(mla_modules, name))
        self.o_proj, self.g_proj = mla_modules.o_proj, mla_modules.g_proj
        self.rotary_emb = self.indexer = None
        self.dcp_q_replicate = self._fused_qk_prep = self._use_eager_qk_rmsnorm_fusion = False
        self._qkv_gate_fused = isinstance(self.fused_qkv_a_proj, KimiK3MergedQKVGateLinear)
        self.mla_attn = ExpandedAttention(
            self,
            scale,
            mla_modules.kv_b_proj,
            cache_config=cache_config,
            quant_config=quant_config,
            prefix=f"{prefix}.attn",
        )

    def get_input_quant_key(self) -> None:
        """No activations are quantised."""

    def _normalize_q_kv(self, q_c: Tensor, kv_c: Tensor) -> tuple[Tensor, Tensor]:
        """As vLLM's; its CPU norm reads whole rows."""
        q, kv = self.q_a_layernorm(q_c.contiguous()), self.kv_a_layernorm(kv_c.contiguous())
        return q, kv
