"""The fused layers' own kernels on the simulator, on a loaded layer's weights and caches.

Very slow, and on request only: it serves to see the very builds that a certificate names decode
tokens in a server. K1 runs a rank alone. K2's ranks must run together, so every rank gathers the
others' inputs (their weights once), simulates all ranks and keeps its own result.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from kk3fast.flydsl.layers import FUSED
from kk3fast.flydsl.run import simulated
from kk3fast.flydsl.run.health import problems
from kk3fast.flydsl.run.memory import StepMemory
from kk3fast.serve.contract import ContractLayer
from kk3fast.serve.modules import LoadedExperts
from kk3ref.config import K3Config
from kk3ref.stages import RankContext, Taps
from kk3ref.tp import all_gather


class SimulationFailed(RuntimeError):
    """A simulated launch gave a wait up or raised its alarm; lists what its words say."""


class SimulatedLayer(ContractLayer):
    """One served decoder layer; arguments as :class:`ContractLayer`. bf16 models only."""

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
        self._ranks: list[RankContext] = _gathered(self._context, group)
        self._memory: dict[str, StepMemory] = {}

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
        buffers: Taps = {
            "prefix_after": inputs["prefix"].clone(),
            "blocks_after": inputs["blocks"].clone(),
            "conv_state_after": inputs["conv_state"].clone(),
            "recurrent_state_after": inputs["recurrent_state"].clone(),
            "core": inputs["prefix"].new_full(
                (inputs["prefix"].shape[0], c.shapes.kda_channels), torch.nan
            ),
        }
        index = {n: inputs[n].to(torch.int32).contiguous() for n in ("state_index", "num_accepted")}
        self._launch("k1", [c], [{**inputs, **index}], [buffers])
        return buffers

    def _run_k2(self, inputs: Taps) -> Taps:
        cores = [inputs["core"].contiguous()]
        if len(self._ranks) > 1:
            cores = all_gather(inputs["core"], self._group)
        given = [{**inputs, "core": core} for core in cores]
        buffers = [
            {"prefix_after": torch.empty_like(v["prefix"]), "out": torch.empty_like(v["prefix"])}
            for v in given
        ]
        self._launch("k2", self._ranks, given, buffers)
        return buffers[self._context.rank]

    def _launch(
        self, name: str, contexts: list[RankContext], inputs: list[Taps], buffers: list[Taps]
    ) -> None:
        launches = FUSED[name].launches(contexts, inputs, buffers, {})
        builds = [launch.build for launch in launches]
        key = builds[0].symbol
        if key not in self._memory:
            self._memory[key] = StepMemory.for_builds(builds, len(contexts))
        memory = self._memory[key]
        memory.begin_step()
        simulated.run(launches, memory, isa=False)
        wrong = problems(memory, builds)
        if wrong:
            raise SimulationFailed("; ".join(wrong))


def _gathered(context: RankContext, group: dist.ProcessGroup | None) -> list[RankContext]:
    """Every rank's context of a layer: the tensors of the others, as they are."""
    if context.tp == 1:
        return [context]
    weights: list[dict[str, Any]] = [{} for _ in range(context.tp)]
    for name, value in context.weights.items():
        if isinstance(value, LoadedExperts):
            parts = [all_gather(part, group) for part in vars(value).values()]
            for held, theirs in zip(weights, zip(*parts, strict=True), strict=True):
                held[name] = LoadedExperts(*theirs)
        else:
            for held, own in zip(weights, all_gather(value, group), strict=True):
                held[name] = own
    return [
        RankContext(context.config, context.layer, context.shapes, r, w, context.options)
        for r, w in enumerate(weights)
    ]
