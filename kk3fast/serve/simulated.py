"""The fused layers' own kernels on the simulator, on a loaded layer's weights and caches.

Slow, and on request only: it serves to see the very builds that a certificate names decode tokens
in a server. The simulator is a process of its own (:mod:`kk3fast.serve.simulated_process`). K1 runs
a rank alone. K2's ranks must run together, so every rank gathers the others' inputs (their weights
once), simulates all ranks and keeps its own result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from kk3fast.runtime.agreement import agree
from kk3fast.serve.contract import ContractLayer
from kk3fast.serve.simulated_memory import flat_weights
from kk3fast.serve.simulated_process import (
    SimulationFailed,
    SimulatorProcess,
    simulator_process,
)
from kk3ref.config import K3Config
from kk3ref.stages import RankContext, Taps
from kk3ref.tp import all_gather

T = TypeVar("T")


class SimulatedLayer(ContractLayer):
    """One served decoder layer; arguments as :class:`ContractLayer`. bf16 models only.

    Raises:
        SimulatorUnavailable: no simulator process starts; lists every reason.
        SimulationFailed: it ended. At TP over 1 every rank raises this, whichever rank it was.
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
        weights = _gathered(self._context, group)
        hf, index = config.to_hf(nested=False), layer.layer_idx
        self._agreed(
            lambda process: process.add_layer(hf, index, conv_dim_first, weights),
            f"layer {index}'s weights",
        )

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
        return self._run("k1", [c.rank], [{**inputs, **index}], [buffers], 0)

    def _run_k2(self, inputs: Taps) -> Taps:
        c = self._context
        cores = [inputs["core"]] if c.tp == 1 else all_gather(inputs["core"], self._group)
        given = [{**inputs, "core": core} for core in cores]
        buffers: list[Taps] = [
            {n: torch.full_like(inputs["prefix"], torch.nan) for n in ("prefix_after", "out")}
            for _ in cores
        ]
        return self._run("k2", range(c.tp), given, buffers, c.rank)

    def _run(
        self, name: str, ranks: Sequence[int], given: list[Taps], buffers: list[Taps], own: int
    ) -> Taps:
        index = self._context.layer.index
        return self._agreed(
            lambda process: process.run(name, index, ranks, given, buffers, own),
            f"{name} of layer {index}",
        )

    def _agreed(self, call: Callable[[SimulatorProcess], T], what: str) -> T:
        """What ``call`` gives, once it has failed on no rank.

        A rank that raised alone would leave the others in a collective.
        """
        c = self._context
        if c.tp == 1:
            return call(simulator_process())
        found: list[T] = []
        problem = ""
        try:
            found.append(call(simulator_process()))
        except Exception as error:
            problem = str(error) or type(error).__name__
        problems = agree(problem, self._group)
        if problems:
            raise SimulationFailed(f"{what}: " + "; ".join(problems))
        return found[0]


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
