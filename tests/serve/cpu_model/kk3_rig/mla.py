"""MLA in its expanded form over vLLM's paged CPU attention; no latent cache."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from vllm.model_executor.layers.attention import Attention

CPU_HEAD_SIZES = (32, 64, 80, 96, 112, 128, 160, 192, 224, 256)
"""what vLLM's CPU attention reads"""


def padded_head(size: int) -> int:
    """The smallest head size of the CPU attention that holds ``size`` columns."""
    return next(s for s in CPU_HEAD_SIZES if s >= size)


class CpuMlaWrapper(nn.Module):
    """Stands for vLLM's MLA wrapper: the same modules, the same ``forward``.

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
        super().__init__()
        self.heads, self.nope, self.pe, self.v = (
            num_heads,
            qk_nope_head_dim,
            qk_rope_head_dim,
            v_head_dim,
        )
        self.ranks = (q_lora_rank, kv_lora_rank)
        self._held = (mla_modules,)  # in a tuple: the modules are KimiMLAAttention's parameters
        self.padded = padded_head(self.nope + self.pe)
        self.attn = Attention(
            num_heads,
            self.padded,
            scale,
            num_kv_heads=num_heads,
            cache_config=cache_config,
            quant_config=quant_config,
            prefix=f"{prefix}.attn",
        )

    def get_input_quant_key(self) -> None:
        """No activations are quantised."""

    def forward(
        self, positions: Tensor, hidden_states: Tensor, skip_o_proj: bool = False
    ) -> Tensor:
        """The layer's output ``[S, H]``, or the gated attention output ``[S, h·v]``."""
        m = self._held[0]
        rows = hidden_states.shape[0]
        projected = m.fused_qkv_a_proj(hidden_states)[0]
        q_c, kv_c, k_pe, gate = projected.split([*self.ranks, self.pe, self.heads * self.v], -1)
        q = m.q_b_proj(m.q_a_layernorm(q_c.contiguous()))[0].view(rows, self.heads, -1)
        kv = m.kv_b_proj(m.kv_a_layernorm(kv_c.contiguous()))[0].view(rows, self.heads, -1)
        k_nope, v = kv.split([self.nope, self.v], -1)
        k = torch.cat([k_nope, k_pe[:, None].expand(-1, self.heads, -1)], -1)
        q, k, v = (F.pad(x, (0, self.padded - x.shape[-1])).flatten(1) for x in (q, k, v))
        out = self.attn(q, k, v).view(rows, self.heads, -1)[..., : self.v].flatten(1)
        core: Tensor = out * torch.sigmoid(gate)
        return core if skip_o_proj else m.o_proj(core)[0]
