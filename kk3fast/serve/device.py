"""Our FlyDSL kernels on a gfx950 GPU, one rank a process, inside vLLM's layer loop.

A KDA layer is K1, then K2; an MLA layer is vLLM's AttnRes read and attention up to ``o_proj``, then
K2. Launches go to the current stream, so a CUDA graph captures them. Nothing of this file has run
on hardware yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

import torch
from torch import Tensor

from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.k1.layer import MAX_SLOT
from kk3fast.launch import Kernel, Loader
from kk3fast.runtime.launch_state import LaunchState
from kk3fast.runtime.layers import layer_kinds
from kk3fast.runtime.weights import MoeFacts, cache_reasons, weight_reasons
from kk3fast.serve.arguments import Values, k1_values, k2_values
from kk3fast.serve.builds import LayerBuilds, layer_builds, unique_builds
from kk3fast.serve.check import ServedConfig
from kk3fast.serve.contract import LayerResult
from kk3fast.serve.kernels import LayerKernel, conv_dim_first
from kk3fast.serve.modules import LoadedExperts, layer_problems, layer_weights


class RankState(Protocol):
    """What a rank's launches share from step to step."""

    def begin_step(self) -> None:
        """Bump the device's step counter; a graph captures it."""
        ...

    def provided(self, slot: int) -> Values:
        """``scratch``, ``epoch``, ``slot``, ``health``, ``alarm``, ``peers`` and ``rank``."""
        ...

    def failed(self) -> bool:
        """Whether a launch of this rank gave a wait up, as far as a copy has landed."""
        ...


class DeviceKernels:
    """The kernels of every served layer on this rank's GPU.

    Args:
        backbone: the loaded ``KimiLinearModel``.
        served: what the gate opened.
        rank, ranks, group: the tensor-parallel group and its CPU group.
        state: what launches share; made over the group by default (collective).
        loader: for tests; the HIP runtime by default.
    """

    def __init__(
        self,
        backbone: Any,
        served: ServedConfig,
        rank: int,
        ranks: int,
        group: Any,
        state: RankState | None = None,
        loader: Loader | None = None,
    ):
        self._device = next(iter(backbone.parameters())).device
        by_width = layer_builds(served.model, ranks, served.q, served.widths)
        builds = unique_builds(by_width)
        self._kernels = {build: Kernel(build, loader) for build in builds}
        for kernel in self._kernels.values():  # before memory profiling and graph capture
            kernel.load(self._index)
        self._state = state or _launch_state(
            builds, rank, group if ranks > 1 else None, self._device
        )
        shapes = served.model.shard(ranks)
        self._layers = {i: backbone.layers[i] for i in next(iter(by_width.values()))}
        self._weights = {i: layer_weights(m, rank, shapes) for i, m in self._layers.items()}
        self._served, self._ranks = served, ranks
        self._by_width = {
            width: {i: self._layer(i, pair) for i, pair in layers.items()}
            for width, layers in by_width.items()
        }
        self._dim_first = conv_dim_first()

    @property
    def _index(self) -> int:
        return self._device.index or 0

    @staticmethod
    def weight_problems(backbone: Any, served: ServedConfig, rank: int, ranks: int) -> list[str]:
        """Shapes, dtypes and layouts that the kernels do not read."""
        model, shapes = served.model, served.model.shard(ranks)
        kinds = layer_kinds(model)
        found: list[str] = []
        weights: dict[int, dict[str, Any]] = {}
        for i in kinds:
            wrong = layer_problems(backbone.layers[i], model, model.layer(i), shapes, rank)
            found += wrong
            if not wrong:
                weights[i] = layer_weights(backbone.layers[i], rank, shapes)
        named = {i: {**w, **_expert_tensors(w["experts"])} for i, w in weights.items()}
        facts = {i: _moe_facts(backbone.layers[i].mlp) for i in weights}
        sound = {i: kind for i, kind in kinds.items() if i in weights}
        if sound:
            reasons = weight_reasons(model, ranks, sound, named, facts)
            found += [reason.sentence for reason in reasons]
        builds = layer_builds(model, ranks, served.q, served.widths[:1])
        pairs = next(iter(builds.values()))
        return found + [p for i in sound for p in _experts(i, named[i], pairs[i].k2)]

    def at(self, width: int) -> Mapping[int, LayerKernel]:
        """The layers' kernels at a width."""
        return self._by_width[width]

    def begin_step(self) -> None:
        """Bump the step counter before the step's first launch."""
        self._state.begin_step()

    def failed(self) -> bool:
        """Whether this rank's launches gave a wait up."""
        return self._state.failed()

    def cache_problems(self) -> list[str]:
        """States that K1 cannot use in place."""
        model = self._served.model
        caches = {
            f"layer {i}": tuple(layer.self_attn.kv_cache)
            for i, layer in self._layers.items()
            if model.layer(i).attention == "kda"
        }
        heads = model.shard(self._ranks).kda_heads
        reasons = cache_reasons(caches, heads, model.kda_head_dim)
        return [str(reason) for reason in reasons]

    def _layer(self, index: int, pair: LayerBuilds) -> LayerKernel:
        return partial(self._run, index, pair)

    def _run(
        self,
        index: int,
        pair: LayerBuilds,
        step: Any,
        positions: Tensor,
        prefix: Tensor,
        blocks: Tensor,
        delta: Tensor,
    ) -> LayerResult:
        layer, weights = self._layers[index], self._weights[index]
        if pair.k1 is None:
            core = _mla_core(layer, positions, prefix, blocks, delta)
        else:
            core = prefix.new_empty(prefix.shape[0], weights["w_o"].shape[1])
            metadata = step.attn_metadata[layer.self_attn.prefix]
            caches = self._caches(layer)
            values = k1_values(weights, metadata, caches, prefix, delta, blocks, core)
            self._launch(pair.k1, index, values)
            if layer.is_block_write_layer:
                prefix = torch.empty_like(prefix)  # it restarts at the attention's output
        out = torch.empty_like(prefix)
        self._launch(pair.k2, MAX_SLOT + index, k2_values(weights, core, prefix, blocks, out))
        return prefix, blocks, out

    def _caches(self, layer: Any) -> tuple[Tensor, Tensor]:
        conv, state = layer.self_attn.kv_cache
        return conv if self._dim_first else conv.transpose(-1, -2), state

    def _launch(self, build: KernelBuild, slot: int, values: Values) -> None:
        provided = self._state.provided(slot)
        wanted = {a.name for a in build.arguments()}
        given = {**values, **{n: v for n, v in provided.items() if n in wanted}}
        stream = _stream(self._device)
        self._kernels[build].launch(stream, self._index, **given)


def _stream(device: torch.device) -> int:
    return int(torch.cuda.current_stream(device).cuda_stream) if device.type == "cuda" else 0


def _mla_core(
    layer: Any, positions: Tensor, prefix: Tensor, blocks: Tensor, delta: Tensor
) -> Tensor:
    """vLLM's AttnRes read and MLA up to ``o_proj``'s input; ``prefix`` is updated in place."""
    from vllm.models.kimi_k3.amd.linear import _apply_attn_res

    hidden = _apply_attn_res(
        prefix,
        blocks,
        layer.self_attention_res_proj,
        layer.self_attention_res_norm,
        layer.prev_valid_blocks,
        delta=delta,
        output_norm=layer.input_layernorm,
        quant_key=layer.self_attn.get_input_quant_key(),
    )
    core: Tensor = layer.self_attn.mla_attn.forward(positions, hidden, skip_o_proj=True)
    return core


def _moe_facts(mlp: Any) -> MoeFacts:
    """What a loaded MoE layer says of itself."""
    held = getattr(mlp.experts, "routed_experts", mlp.experts)
    method = getattr(held, "quant_method", None)
    backend = getattr(method, "mxfp4_backend", None)
    return MoeFacts(
        latent=bool(getattr(mlp, "use_latent_moe", False)),
        shared_experts=mlp.shared_experts is not None,
        routed_scaling_factor=float(mlp.routed_scaling_factor),
        backend=str(getattr(backend, "name", backend)),
        situ=bool(getattr(method, "is_k3_situ_aiter", False)),
    )


def _expert_tensors(experts: LoadedExperts) -> dict[str, Tensor]:
    return {
        "w13": experts.w13_codes,
        "w13_scales": experts.w13_scales,
        "w2": experts.w2_codes,
        "w2_scales": experts.w2_scales,
    }


def _experts(index: int, weights: dict[str, Any], build: Any) -> list[str]:
    """Experts that do not fill what K2 reads."""
    found = []
    for name, size in build.expert_bytes.items():
        held: Tensor = weights[name]
        have, wanted = held.numel() * held.itemsize, size * build.experts
        if have != wanted or not held.is_contiguous():
            found.append(f"layer {index}, {name}: must be {wanted} dense bytes, got {have}")
    return found


def _launch_state(
    builds: list[KernelBuild], rank: int, group: Any, device: torch.device
) -> RankState:
    """Scratch, epoch, health and peer memory that fit every build; every rank makes it at once."""
    return LaunchState(builds, rank, group, device)
