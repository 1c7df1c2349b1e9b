"""Launches on a GPU, as far as they go without one: builds, arguments, order, slots."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from kk3fast_serve_fakes import CONFIG, decoder_layer, kda_metadata
from torch import Tensor

from kk3fast.flydsl.k1.layer import MAX_SLOT
from kk3fast.flydsl.run.values import PROVIDED
from kk3fast.launch import Kernel
from kk3fast.serve import device
from kk3fast.serve.builds import layer_builds, unique_builds
from kk3fast.serve.check import ServedConfig
from kk3fast.serve.device import DeviceKernels
from kk3fast.serve.settings import KK3, Settings
from kk3ref.formats import shuffle_scale, shuffle_weight

Q = 4
SERVED = ServedConfig(Settings(KK3), CONFIG, 1, Q, (4, 8), "production", "ab" * 32, (), "cd" * 32)


class FakeLoader:
    """Instead of the HIP runtime: remembers what would be launched."""

    def __init__(self) -> None:
        self.launched: list[tuple[str, bytes]] = []

    def load(self, code: bytes, symbol: str, device: int) -> Any:
        def launch(grid: Any, block: Any, packed: bytes, stream: int) -> None:
            self.launched.append((symbol, packed))

        return SimpleNamespace(launch=launch)


class FakeState:
    """What launches share."""

    def __init__(self) -> None:
        self.steps, self.slots = 0, []

    def begin_step(self) -> None:
        self.steps += 1

    def provided(self, slot: int) -> dict[str, Tensor | int]:
        self.slots.append(slot)
        words = torch.zeros(8, dtype=torch.int32)
        return {
            "scratch": torch.zeros(8, dtype=torch.uint8),
            "epoch": words,
            "slot": slot,
            "health": words,
            "alarm": 4096,
            "peers": torch.zeros(1, dtype=torch.int64),
            "rank": 0,
        }

    def failed(self) -> bool:
        return self.steps > 1


def backbone() -> Any:
    layers = {}
    for i in range(1, CONFIG.num_hidden_layers):
        layers[i] = decoder_layer(i)
        held = layers[i].mlp.experts.routed_experts
        for name in ("w13_weight", "w2_weight"):
            setattr(held, name, shuffle_weight(getattr(held, name)))
            scale = f"{name}_scale"
            setattr(held, scale, shuffle_scale(getattr(held, scale)))
    return SimpleNamespace(layers=layers, parameters=lambda: iter([torch.zeros(1)]))


@pytest.fixture(scope="module")
def loaded() -> Any:
    return backbone()


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch, vllm: None) -> None:
    def compile_only(self: Kernel, **_: Any) -> Any:
        return SimpleNamespace(hsaco=b"", identity=SimpleNamespace(kernel=self.build.symbol))

    monkeypatch.setattr(Kernel, "compile_only", compile_only)
    monkeypatch.setattr(
        device,
        "_mla_core",
        lambda layer, positions, prefix, blocks, delta: prefix.new_ones(
            prefix.shape[0], CONFIG.shard(1).mla_value_cols
        ),
    )


def run_step(loaded: Any, width: int) -> tuple[FakeLoader, FakeState, DeviceKernels]:
    loader, state = FakeLoader(), FakeState()
    kernels = DeviceKernels(loaded, SERVED, 0, 1, None, state, loader)
    index = torch.arange(1, width + 1, dtype=torch.int32).view(-1, Q)
    metadata = kda_metadata(index, torch.ones(width // Q, dtype=torch.int32))
    shapes, d = CONFIG.shard(1), CONFIG.kda_head_dim
    for layer in loaded.layers.values():
        if hasattr(layer.self_attn, "kv_cache"):
            conv = torch.zeros(12, shapes.conv_channels, Q + 2, dtype=torch.bfloat16)
            layer.self_attn.kv_cache = [conv, torch.zeros(12, shapes.kda_heads, d, d)]
    names = [layer.self_attn.prefix for layer in loaded.layers.values()]
    step = SimpleNamespace(attn_metadata=dict.fromkeys(names, metadata))
    prefix = torch.zeros(width, CONFIG.hidden_size, dtype=torch.bfloat16)
    blocks = torch.zeros(width, CONFIG.num_blocks, CONFIG.hidden_size, dtype=torch.bfloat16)
    delta = torch.zeros_like(prefix)
    kernels.begin_step()
    for kernel in kernels.at(width).values():
        before = prefix
        prefix, same, delta = kernel(step, torch.arange(width), prefix, blocks, delta)
        assert same is blocks
        assert delta.shape == before.shape
    return loader, state, kernels


@pytest.mark.parametrize("width", [4, 8])
def test_a_step_is_k1_and_k2_of_every_layer_in_order(loaded: Any, width: int) -> None:
    loader, state, kernels = run_step(loaded, width)
    expected = []
    for i in range(1, CONFIG.num_hidden_layers):
        kda = CONFIG.layer(i).attention == "kda"
        expected += [("kk3_k1_", i)] * kda + [("kk3_k2_", MAX_SLOT + i)]
    assert [s for _, s in expected] == state.slots
    for (start, _), (symbol, _) in zip(expected, loader.launched, strict=True):
        assert symbol.startswith(start)
        assert f"_{width}_" in symbol
    assert not kernels.failed()
    kernels.begin_step()
    assert kernels.failed()
    assert kernels.cache_problems() == []


def test_a_launch_gets_the_layers_own_memory(loaded: Any) -> None:
    loader, _, _ = run_step(loaded, 4)
    first = loader.launched[0][1]  # K1 of layer 1
    addresses = set(struct.unpack(f"<{len(first) // 8}q", first[: len(first) // 8 * 8]))
    attention = loaded.layers[1].self_attn
    for tensor in (attention.in_proj_qkvgfab.weight, attention.A_log, *attention.kv_cache):
        assert tensor.data_ptr() in addresses
    assert 4096 in addresses  # the alarm word


def test_weights_that_the_kernels_do_not_read_are_named() -> None:
    model = backbone()
    assert DeviceKernels.weight_problems(model, SERVED, 0, 1) == []
    mlp = model.layers[1].mlp
    mlp.gate.weight = mlp.gate.weight.float()
    mlp.experts.routed_experts.w2_weight_scale = torch.zeros(3, dtype=torch.uint8)
    model.layers[2].input_layernorm.weight = torch.zeros(5, dtype=torch.bfloat16)
    found = DeviceKernels.weight_problems(model, SERVED, 0, 1)
    assert len(found) == 3
    assert "layer 2: input_norm_w must be" in found[0]
    assert "layer 1, w_gate: must be contiguous [32, 256] bfloat16, got [32, 256] float32" in found
    assert "layer 1, w2_scales: must be" in found[2]
    del mlp.experts.routed_experts.quant_method
    mlp.routed_scaling_factor = 2.0
    found = DeviceKernels.weight_problems(model, SERVED, 0, 1)
    assert any("must be AITER_MXFP4_BF16 with K3's SiTU, got None" in p for p in found)
    assert any("routed_scaling_factor must be 1, got 2" in p for p in found)


def test_caches_that_the_kernels_do_not_use_are_named(loaded: Any) -> None:
    _, _, kernels = run_step(loaded, 4)
    conv, state = loaded.layers[1].self_attn.kv_cache
    loaded.layers[1].self_attn.kv_cache = [conv.float(), state.to(torch.bfloat16)]
    loaded.layers[2].self_attn.kv_cache = [conv, state.transpose(-1, -2)[..., ::2]]
    found = kernels.cache_problems()
    assert len(found) == 3
    assert found[0] == "conv_state: layer 1: must be bfloat16, got float32"
    assert "dense" in found[2]


def test_the_runtimes_launch_state_gives_what_every_launch_takes() -> None:
    builds = unique_builds(layer_builds(CONFIG, 1, Q, (4,)))
    made = device._launch_state(builds, 0, None, torch.device("cpu"))
    made.begin_step()
    assert set(made.provided(3)) == PROVIDED
    assert not made.failed()
    made.close()  # type: ignore[attr-defined]
