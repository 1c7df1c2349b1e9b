"""The KDA layer in PyTorch over vLLM's own projections, state pools and step metadata."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from vllm.forward_context import get_forward_context
from vllm.model_executor.layers.mamba.mamba_utils import is_conv_state_dim_first
from vllm.models.kimi_k3.amd.kda import KimiK3DeltaAttention
from vllm.models.kimi_k3.amd.kda_metadata import (
    KimiK3ROCmKDABackend,
    KimiK3ROCmKDAMetadataBuilder,
)


class Sequence(NamedTuple):
    """One request's rows in a step."""

    rows: Tensor
    """``[n]`` int64, their places in the step"""
    start: int
    """state slot that the recurrence starts from; -1: zero state"""
    slots: list[int]
    """state slot after each row; a single one: after the last"""
    conv_slot: int
    taps: int
    """first entry of the conv window that counts"""


class _MetadataBuilder(KimiK3ROCmKDAMetadataBuilder):
    def _build_chunk_metadata(self, *_: Any, **__: Any) -> tuple[None, None]:
        return None, None  # for Triton's chunked prefill only


class CpuKdaBackend(KimiK3ROCmKDABackend):
    """vLLM's metadata, without what only its GPU kernels read."""

    @staticmethod
    def get_name() -> str:
        return "KIMI_K3_KDA_CPU"

    @staticmethod
    def get_builder_cls() -> type[_MetadataBuilder]:
        return _MetadataBuilder


class CpuDeltaAttention(KimiK3DeltaAttention):
    """vLLM's KDA layer with convolution, recurrence and gated norm in PyTorch."""

    def get_attn_backend(self) -> type[CpuKdaBackend]:
        return CpuKdaBackend

    def _forward(
        self, mixed_qkv: Tensor, g1: Tensor, g2: Tensor, beta: Tensor, core_attn_out: Tensor
    ) -> None:
        core_attn_out.zero_()
        metadata = get_forward_context().attn_metadata
        step = metadata.get(self.prefix) if isinstance(metadata, dict) else None
        if step is None:
            return  # profiling: no caches yet
        conv, states = self.kv_cache
        if not is_conv_state_dim_first():
            conv = conv.transpose(1, 2)
        for s in sequences(step):
            out = self._run(s, mixed_qkv[s.rows], g1[0, s.rows], beta[0, s.rows], conv, states)
            core_attn_out[0, s.rows] = out.to(core_attn_out.dtype)
        o = core_attn_out[0].float()
        o = o * torch.rsqrt(o.square().mean(-1, keepdim=True) + self.o_norm.eps)
        o = o * self.o_norm.weight.float() * torch.sigmoid(g2.float())
        core_attn_out[0] = o.to(core_attn_out.dtype)

    def _run(
        self, s: Sequence, qkv: Tensor, g1: Tensor, beta: Tensor, conv: Tensor, states: Tensor
    ) -> Tensor:
        """One request: qkv ``[n, 3·h·d]``, g1 ``[n, h, d]``, beta ``[n, h]``: ``[n, h, d]``."""
        weight = self.conv1d.weight.flatten(1).float()
        width = weight.shape[1] - 1
        window = conv[s.conv_slot]  # a view: written below
        history = window[:, s.taps : s.taps + width].float()
        if s.start < 0:
            history = torch.zeros_like(history)
        inputs = torch.cat([history, qkv.float().T], 1)
        mixed = F.silu((inputs.unfold(1, width + 1, 1) * weight[:, None]).sum(-1)).T
        kept = inputs[:, 1:] if len(s.slots) > 1 else inputs[:, -width:]
        window[:, : kept.shape[1]] = kept.to(window.dtype)

        h, d = self.local_num_heads, self.head_dim
        mixed = mixed.to(qkv.dtype).float().reshape(-1, 3, h, d)
        q, k, v = (part[:, :, :, None] for part in mixed.unbind(1))
        q = q * torch.rsqrt(q.square().sum(2, keepdim=True) + 1e-6) * d**-0.5
        k = k * torch.rsqrt(k.square().sum(2, keepdim=True) + 1e-6)
        decay = self._decay(g1).exp()
        b = torch.sigmoid(beta.float())[..., None, None]
        state = states[max(s.start, 0)].float()
        if s.start < 0:
            state = torch.zeros_like(state)
        out = []
        for row in range(len(qkv)):
            state = state * decay[row, :, None]
            state = state + (v[row] - state @ k[row]) * b[row] @ k[row].mT
            out.append((state @ q[row])[..., 0])
            if len(s.slots) > 1:
                states[s.slots[row]] = state.to(states.dtype)
        if len(s.slots) == 1:
            states[s.slots[0]] = state.to(states.dtype)
        return torch.stack(out)

    def _decay(self, g1: Tensor) -> Tensor:
        x = g1.float() + self.dt_bias.float().view(self.local_num_heads, self.head_dim)
        rate = self.A_log.float().exp().flatten()[:, None]
        if self.gate_lower_bound is None:
            return -rate * F.softplus(x)
        return self.gate_lower_bound * torch.sigmoid(rate * x)


def sequences(m: Any) -> list[Sequence]:
    """The requests of a step, from vLLM's metadata; a request of padding (null slot) is left out.

    A verified request starts from the slot of the last accepted row and keeps a state a row.
    """
    found = []
    mixed = m.num_prefills or m.num_decodes
    if m.spec_sequence_masks is not None:
        starts = m.spec_query_start_loc.tolist()
        for i in range(m.num_spec_decodes):
            rows = torch.arange(starts[i], starts[i + 1])
            slots = m.spec_state_indices_tensor[i].tolist()
            if not len(rows) or not slots[0]:
                continue
            if mixed:
                rows = m.spec_token_indx[rows].long()
            last = int(m.num_accepted_tokens[i]) - 1
            found.append(Sequence(rows, slots[last], slots[: max(len(rows), 2)], slots[0], last))
    if mixed:
        starts = m.non_spec_query_start_loc.tolist()
        slots = m.non_spec_state_indices_tensor.tolist()
        for i in range(len(starts) - 1):
            rows = torch.arange(starts[i], starts[i + 1])
            if not len(rows):
                continue
            if m.spec_sequence_masks is not None:
                rows = m.non_spec_token_indx[rows].long()
            fresh = m.num_prefills and not bool(m.has_initial_state[i])
            found.append(Sequence(rows, -1 if fresh else slots[i], [slots[i]], slots[i], 0))
    return found
