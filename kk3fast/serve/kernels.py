"""The layer kernels of a loaded model, whichever way they run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from torch import Tensor

from kk3fast.runtime.layers import layer_kinds
from kk3fast.serve.agreement import Opinion, agree
from kk3fast.serve.check import ServedConfig
from kk3fast.serve.contract import ContractLayer, LayerResult
from kk3fast.serve.settings import FLYDSL, SIMULATED

LayerKernel = Callable[..., LayerResult]
STALL_S = 2.0
"""tests only: how long a planted stall lasts"""


class LayerKernels(Protocol):
    """What the executor runs."""

    def at(self, width: int) -> Mapping[int, LayerKernel]:
        """The layers' kernels at a width, by decoder layer."""
        ...

    def begin_step(self) -> None:
        """Once a planned step, before its first layer."""
        ...

    def failed(self) -> bool:
        """Whether this rank gave a wait up, as far as it is known without waiting."""
        ...

    def cache_problems(self) -> list[str]:
        """What is wrong with the KV caches that vLLM has bound."""
        ...


def layer_kernels(
    backbone: Any, served: ServedConfig, rank: int, ranks: int, group: Any
) -> LayerKernels:
    """The kernels of every served layer.

    Args:
        backbone: the loaded ``KimiLinearModel``.
        group: the ranks' CPU group.

    Raises:
        Refused: on every rank alike; lists every weight that cannot be read.
    """
    kind: Any = HostKernels
    if served.settings.kernels == FLYDSL:
        from kk3fast.serve.device import DeviceKernels

        kind = DeviceKernels
    problems = kind.weight_problems(backbone, served, rank, ranks)
    reasons = tuple(("weights", problem) for problem in problems)
    agree(Opinion("weights", reasons), served.settings.backend, group)
    made: LayerKernels = kind(backbone, served, rank, ranks, group)
    return made


class HostKernels:
    """The contract, or the simulator, on any machine.

    Arguments as :func:`layer_kernels`.
    """

    def __init__(self, backbone: Any, served: ServedConfig, rank: int, ranks: int, group: Any):
        dim_first = conv_dim_first()
        kind = _layer_class(served)
        self._layers = {
            i: kind(backbone.layers[i], served.model, rank, ranks, group, dim_first)
            for i in layer_kinds(served.model)
        }
        self._caches = {
            i: layer.layer.self_attn
            for i, layer in self._layers.items()
            if served.model.layer(i).attention == "kda"
        }
        self._length = served.q + served.model.short_conv_kernel_size - 2
        self._dim_first = dim_first
        scale = 1.5 if served.settings.fault == "moe_output" else 1.0
        self._kernels = {i: _kernel(layer, scale) for i, layer in self._layers.items()}
        self._planned, self._gave_up = 0, False
        self._stall_step = served.settings.stall_step if rank == ranks - 1 else None

    @staticmethod
    def weight_problems(backbone: Any, served: ServedConfig, rank: int, ranks: int) -> list[str]:
        """Every layer's weights that cannot be read."""
        kind = _layer_class(served)
        return [
            problem
            for i in layer_kinds(served.model)
            for problem in kind.problems(backbone.layers[i], served.model, rank, ranks)
        ]

    def at(self, width: int) -> Mapping[int, LayerKernel]:
        """The same at every width."""
        return self._kernels

    def begin_step(self) -> None:
        """Count it; the planted stall keeps the others waiting, then gives up as a kernel would."""
        self._planned += 1
        if self._planned == self._stall_step:
            time.sleep(STALL_S)
            self._gave_up = True

    def failed(self) -> bool:
        """Whether the planted stall has come; a host layer that fails by itself raises."""
        return self._gave_up

    def cache_problems(self) -> list[str]:
        """States that are not two tensors of slots, or whose window is too short."""
        found = []
        for index, attention in self._caches.items():
            conv, recurrent = attention.kv_cache
            length = conv.shape[2 if self._dim_first else 1] if conv.dim() == 3 else 0
            if length < self._length:
                found.append(
                    f"layer {index}: the conv state must hold {self._length} entries a channel, "
                    f"got {tuple(conv.shape)}"
                )
            if recurrent.dim() != 4 or recurrent.shape[0] != conv.shape[0]:
                found.append(
                    f"layer {index}: the recurrent state must be [slots, heads, d, d], "
                    f"got {tuple(recurrent.shape)}"
                )
        return found


def _layer_class(served: ServedConfig) -> type[ContractLayer]:
    if served.settings.kernels == SIMULATED:
        from kk3fast.serve.simulated import SimulatedLayer

        return SimulatedLayer
    return ContractLayer


def _kernel(layer: ContractLayer, scale: float) -> LayerKernel:
    """The layer as the executor calls it; a ``scale`` other than 1 is a planted fault."""
    name = getattr(layer.layer.self_attn, "prefix", "")

    def run(
        step: Any, positions: Tensor, prefix: Tensor, blocks: Tensor, delta: Tensor | None
    ) -> LayerResult:
        metadata = step.attn_metadata.get(name)
        prefix, blocks, out = layer(metadata, positions, prefix, blocks, delta)
        return prefix, blocks, out if scale == 1.0 else out * scale

    return run


def conv_dim_first() -> bool:
    """Whether vLLM keeps conv states as ``[slots, dim, len]``."""
    from vllm.model_executor.layers.mamba.mamba_utils import is_conv_state_dim_first

    return bool(is_conv_state_dim_first())
