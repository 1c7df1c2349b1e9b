"""The fused layers' own kernels on the simulator, on a loaded layer's weights and caches.

Slow, and on request only: it serves to see the very builds that a certificate names decode tokens
in a server. The simulator is a process of its own (:mod:`kk3fast.serve.simulated_process`). K1 runs
a rank alone. K2's ranks must run together, so every rank gathers the others' inputs (their weights
once), simulates all ranks and keeps its own result.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from kk3fast.serve.contract import ContractLayer
from kk3fast.serve.simulated_memory import flat_weights
from kk3fast.serve.simulated_process import simulator_process
from kk3ref.config import K3Config
from kk3ref.stages import RankContext, Taps
from kk3ref.tp import all_gather


class SimulatedLayer(ContractLayer):
    """One served decoder layer; arguments as :class:`ContractLayer`. bf16 models only.

    Raises:
        SimulatorUnavailable: no simulator process starts; lists every reason.
        SimulationFailed: the process ended.
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
        super().__init__(layer, config, rank, tp, group, conv_dim_first)
        self._process = simulator_process()
        weights = _gathered(self._context, group)
        hf = config.to_hf(nested=False)
        self._process.add_layer(hf, layer.layer_idx, conv_dim_first, weights)

    @staticmethod
    def problems(layer: Any, config: K3Config, rank: int, tp: int) -> list[str]:
        """As the contract's, and the layer must be bf16."""
        found = ContractLayer.problems(layer, config, rank, tp)
        dtype = layer.self_attn.o_proj.weight.dtype
        if dtype != torch.bfloat16:
            found.append(f"layer {layer.layer_idx}: the kernels take bf16 weights, got {dtype}")
        return found

    def _run_k1(self, inputs: Taps) -> Taps:
        c = self._context
        rows = inputs["prefix"].shape[0]
        buffers: Taps = {
            "prefix_after": inputs["prefix"],
            "blocks_after": inputs["blocks"],
            "conv_state_after": inputs["conv_state"],
            "recurrent_state_after": inputs["recurrent_state"],
            "core": inputs["prefix"].new_full((rows, c.shapes.kda_channels), torch.nan),
        }
        index = {n: inputs[n].to(torch.int32) for n in ("state_index", "num_accepted")}
        given = [{**inputs, **index}]
        return self._process.run("k1", c.layer.index, [c.rank], given, [buffers], 0)

    def _run_k2(self, inputs: Taps) -> Taps:
        c = self._context
        cores = [inputs["core"]] if c.tp == 1 else all_gather(inputs["core"], self._group)
        given = [{**inputs, "core": core} for core in cores]
        buffers: list[Taps] = [
            {n: torch.full_like(inputs["prefix"], torch.nan) for n in ("prefix_after", "out")}
            for _ in cores
        ]
        ranks = range(c.tp)
        return self._process.run("k2", c.layer.index, ranks, given, buffers, c.rank)


def _gathered(context: RankContext, group: dist.ProcessGroup | None) -> list[Taps]:
    """Every rank's weights of a layer by name, in rank order."""
    own = flat_weights(context.weights)
    if context.tp == 1:
        return [own]
    weights: list[Taps] = [{} for _ in range(context.tp)]
    for name, value in own.items():
        for held, theirs in zip(weights, all_gather(value, group), strict=True):
            held[name] = theirs
    return weights
