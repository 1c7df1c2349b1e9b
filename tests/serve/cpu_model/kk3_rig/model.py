"""``KimiLinearForCausalLM`` of vLLM's ROCm tree, made to run on a CPU.

The GPU operations' names in vLLM's modules are replaced when this module is imported; the layer
loop, the loading, the states' shapes and the specialized-decode hooks are vLLM's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from vllm import _custom_ops
from vllm.distributed import get_tensor_model_parallel_rank
from vllm.forward_context import get_forward_context
from vllm.model_executor.layers import utils
from vllm.models.kimi_k3.amd import kda as stock_kda
from vllm.models.kimi_k3.amd import linear as stock

from kk3_rig.attn_res import attn_res
from kk3_rig.kda import CpuDeltaAttention
from kk3_rig.mla import CpuMlaWrapper
from kk3_rig.moe import CpuMoE
from kk3_rig.ownership import Watch, attach, kind_of_step
from kk3_rig.padding import padded_step

stock.attn_res = attn_res
stock.KimiK3DeltaAttention = CpuDeltaAttention
stock.KimiK3MultiHeadLatentAttentionWrapper = CpuMlaWrapper
stock.KimiMoE = CpuMoE
stock_kda.is_fused_kda_decode_supported = lambda *_, **__: False  # they ask for a GPU
stock_kda.is_fused_kda_chunk_supported = lambda *_, **__: False
torch._C.set_num_threads(1)  # tiny operations; vLLM forbids torch.set_num_threads in its worker
# vLLM's CPU matrix products prepack weights and empty ``.weight``, which the fused layers read.
_custom_ops._supports_onednn = False
utils.check_cpu_sgl_kernel = lambda *_: False


class CpuKimiForCausalLM(stock.KimiLinearForCausalLM):
    """Builds the executor at its first step: the V1 runner, the CPU's only one, has no ModelState.

    ``additional_config["kk3_rig_padding"]``: pad verification steps, as a CUDA graph's replay does.
    ``additional_config["kk3_rig_ownership"]``: a folder; watch what the attention layers return.
    """

    def __init__(self, *, vllm_config: Any, prefix: str = ""):
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        spec = vllm_config.speculative_config
        rows = 1 + (spec.num_speculative_tokens if spec else 0)
        padded = vllm_config.additional_config.get("kk3_rig_padding", False)
        self._graph_rows = rows * vllm_config.scheduler_config.max_num_seqs if padded else 0
        folder = vllm_config.additional_config.get("kk3_rig_ownership")
        self._ownership_folder = folder and Path(folder)
        self._ownership: Watch | None = None

    def forward(
        self,
        input_ids: Tensor,
        positions: Tensor,
        intermediate_tensors: Any = None,
        inputs_embeds: Tensor | None = None,
        **more: Any,
    ) -> Any:
        """As vLLM's."""
        self._build_executor()
        watch = self._watch_ownership(positions.shape[-1])
        with padded_step(input_ids, positions, self._graph_rows) as (ids, places):
            out = super().forward(ids, places, intermediate_tensors, inputs_embeds, **more)
        if watch is not None:
            watch.end_step()
        return out[: positions.shape[-1]]

    def _build_executor(self) -> None:
        if self.specialized_decode_config is None or self.specialized_decode is not None:
            return
        if get_forward_context().attn_metadata is not None:
            self.build_specialized_decode()
            self.specialized_decode.prepare_kv()

    def _watch_ownership(self, rows: int) -> Watch | None:
        metadata = get_forward_context().attn_metadata
        if self._ownership_folder is None or metadata is None:
            return None
        if self._ownership is None:
            self._ownership = Watch(self._ownership_folder, get_tensor_model_parallel_rank())
            attach(self._ownership, self)
        self._ownership.begin_step(kind_of_step(metadata), rows)
        return self._ownership
