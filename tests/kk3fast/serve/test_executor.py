"""The executor behind vLLM's hooks: routing, counting, the watch, the switch."""

from __future__ import annotations

import importlib
import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.distributed as dist
from kk3fast_serve_fakes import CONFIG, decoder_layer, kda_metadata
from torch import Tensor

from kk3fast.runtime.failstop import FailStop
from kk3fast.serve import kernels, state
from kk3fast.serve.check import ServedConfig
from kk3fast.serve.executor import CountedExecutor, Executor
from kk3fast.serve.settings import CONTRACT, KK3, SPECIALIZED, Refused, Settings
from kk3fast.serve.switch import EVERY

Q = 4
LAYERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


@pytest.fixture(autouse=True)
def _one_rank(vllm: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv(state.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(kernels, "STALL_S", 0.01)
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def loaded() -> Any:
    layers = {i: decoder_layer(i) for i in LAYERS}
    return SimpleNamespace(layers=layers)


def served(**changes: Any) -> ServedConfig:
    settings = Settings(KK3, Path("c"), Path("p"), CONTRACT, **changes)
    builds = (("a", "0"),)
    return ServedConfig(settings, CONFIG, 1, Q, (4, 8), "simulation", "ab" * 32, builds, "cd" * 32)


def bind(backbone: Any, slots: int = 12) -> None:
    """Bind a KV cache, as vLLM does."""
    shapes = CONFIG.shard(1)
    heads, d = shapes.kda_heads, CONFIG.kda_head_dim
    for layer in backbone.layers.values():
        if hasattr(layer.self_attn, "kv_cache"):
            conv = torch.zeros(slots, shapes.conv_channels, Q + 2, dtype=torch.bfloat16)
            layer.self_attn.kv_cache = [conv, torch.zeros(slots, heads, d, d)]


def step(backbone: Any, rows: int = Q, mode: str = "NONE", **changes: Any) -> Tensor:
    """Enter the forward context of a speculative step; its positions."""
    index = 1 + torch.arange(rows // Q * Q).view(-1, Q)
    metadata = kda_metadata(index, torch.ones(rows // Q, dtype=torch.int32), **changes)
    names = [layer.self_attn.prefix for layer in backbone.layers.values()]
    context = importlib.import_module("vllm.forward_context")
    context.set_context(dict.fromkeys(names, metadata), mode)  # type: ignore[attr-defined]
    return torch.arange(rows)


def ready(backbone: Any, **changes: Any) -> Executor:
    executor = Executor(backbone, served(**changes))
    bind(backbone)
    executor.prepare_kv()
    return executor


def test_a_planned_step_replaces_every_served_layer(loaded: Any) -> None:
    executor = ready(loaded)
    plan = executor.plan(step(loaded, 8), None)
    assert plan is not None
    assert plan.layer(0) is None
    assert sorted(plan.kernels) == list(LAYERS)
    prefix = torch.randn(8, CONFIG.hidden_size).to(torch.bfloat16)
    blocks = torch.randn(8, CONFIG.num_blocks, CONFIG.hidden_size).to(torch.bfloat16)
    delta = torch.randn(8, CONFIG.hidden_size).to(torch.bfloat16)
    for i in LAYERS:
        kernel = plan.layer(i)
        assert kernel is not None
        prefix, blocks, delta = kernel(torch.arange(8), prefix, blocks, delta)
    assert torch.isfinite(delta.float()).all()
    executor.after_step()
    counters = executor.state
    assert (counters.steps, counters.planned, counters.launches) == (1, 1, len(LAYERS))


@pytest.mark.parametrize(
    ("reason", "rows", "arguments"),
    [
        ("width", 12, {}),
        ("not spec-verify", 4, {"spec_sequence_masks": None}),
        ("not pure decode", 4, {"num_prefills": 1}),
        ("not pure decode", 4, {"num_decodes": 1}),
        ("not pure decode", 4, {"num_spec_decodes": 0}),
        ("not uniform", 8, {"num_spec_decodes": 1}),
        ("not uniform", 4, {"uniform_spec_sequence_length": None}),
        ("PIECEWISE graph", 4, {"mode": "PIECEWISE"}),
    ],
)
def test_other_steps_are_vllms(
    loaded: Any, reason: str, rows: int, arguments: dict[str, Any]
) -> None:
    executor = ready(loaded)
    assert executor.plan(step(loaded, rows, **arguments), None) is None
    assert dict(executor.state.refused) == {reason: 1}


def test_a_pipeline_stages_input_is_vllms(loaded: Any) -> None:
    executor = ready(loaded)
    assert executor.plan(step(loaded), object()) is None
    assert dict(executor.state.refused) == {"pipeline stage": 1}


def test_steps_of_nobody_are_not_counted(loaded: Any) -> None:
    executor = Executor(loaded, served())
    for layer in loaded.layers.values():
        if hasattr(layer.self_attn, "kv_cache"):
            layer.self_attn.kv_cache = [torch.empty(0), torch.empty(0)]
    executor.prepare_kv()
    assert executor.plan(step(loaded), None) is None  # no cache is bound
    bind(loaded)
    executor.prepare_kv()
    context = importlib.import_module("vllm.forward_context")
    context.set_context(None)  # type: ignore[attr-defined]
    assert executor.plan(torch.arange(Q), None) is None  # a dummy run
    assert executor.state.stock == 0


def test_a_cache_that_was_bound_behind_our_back_raises(loaded: Any) -> None:
    executor = ready(loaded)
    bind(loaded, slots=13)
    with pytest.raises(RuntimeError, match="re-bound without prepare_kv"):
        executor.plan(step(loaded), None)


def test_caches_that_cannot_be_used_are_refused_together(loaded: Any) -> None:
    executor = Executor(loaded, served())
    bind(loaded)
    for i in (1, 2):
        conv, recurrent = loaded.layers[i].self_attn.kv_cache
        loaded.layers[i].self_attn.kv_cache = [conv[..., :3], recurrent[:5]]
    with pytest.raises(Refused) as caught:
        executor.prepare_kv()
    assert [code for code, _ in caught.value.reasons] == ["cache"] * 4


def test_weights_that_cannot_be_read_are_refused(loaded: Any) -> None:
    broken = dict(loaded.layers)
    broken[2] = decoder_layer(2)
    broken[2].mlp.gate.weight = torch.zeros(1, 1, dtype=torch.bfloat16)
    with pytest.raises(Refused, match=r"weights: layer 2: w_gate must be \(32, 256\)"):
        Executor(SimpleNamespace(layers=broken), served())


def test_a_planted_fault_changes_the_output(loaded: Any) -> None:
    outputs = []
    for fault in (None, "moe_output"):
        plan = ready(loaded, fault=fault).plan(step(loaded), None)
        assert plan is not None
        kernel = plan.layer(1)
        assert kernel is not None
        zeros = torch.zeros(Q, CONFIG.hidden_size, dtype=torch.bfloat16)
        blocks = torch.ones(Q, CONFIG.num_blocks, CONFIG.hidden_size, dtype=torch.bfloat16)
        outputs.append(kernel(torch.arange(Q), zeros + 1, blocks, zeros)[2])
    assert torch.equal(outputs[1], outputs[0] * 1.5)


def test_a_stalled_rank_stops_the_engine_and_says_so(loaded: Any, tmp_path: Path) -> None:
    executor = ready(loaded, stall_step=3)
    for _ in range(EVERY - 1):
        executor.plan(step(loaded), None)
        executor.after_step()
    with pytest.raises(FailStop, match=r"^kk3: fail-stop: TP ranks \[0\] .*step 16") as caught:
        executor.after_step()
    assert executor.state.steps == EVERY  # the next agreement after the stall
    written = json.loads((tmp_path / "rank-0.json").read_text())
    assert written["fail_stops"] == 1
    assert written["failure"] == str(caught.value)


def test_the_off_switch_works_while_running(loaded: Any, tmp_path: Path) -> None:
    switch = tmp_path / "off"
    executor = ready(loaded, off_switch=switch)
    for _ in range(EVERY):
        assert executor.plan(step(loaded), None) is not None
        executor.after_step()
        switch.touch()  # seen at the next look
    assert executor.plan(step(loaded), None) is None
    assert executor.state.refused["switched off"] == 1
    assert executor.state.switched_off == 1
    switch.unlink()
    for _ in range(EVERY):
        executor.after_step()
    assert executor.plan(step(loaded), None) is not None


def test_what_was_opened_is_logged(loaded: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="vllm.kk3")
    Executor(loaded, served())
    assert (
        "kk3: rank 0 of 1: decode_backend=kk3 kernels=contract opens=simulation "
        "certificate=abababababab" in caplog.text
    )
    assert "kk3: rank 0 of 1: 10 layers, widths [4, 8], 1 builds" in caplog.text


class FakeVllmExecutor:
    def __init__(self) -> None:
        self.prepared = False

    def prepare_kv(self) -> None:
        self.prepared = True

    def plan(self, positions: Tensor, intermediate: Any) -> Any:
        return SimpleNamespace(kernels={1: 0, 2: 0}) if len(positions) == Q else None

    def after_step(self) -> None:
        if self.prepared:
            raise RuntimeError("gave up")


def test_vllms_executor_is_counted(tmp_path: Path) -> None:
    settings = Settings(SPECIALIZED, Path("c"), Path("p"))
    what = ServedConfig(settings, CONFIG, 1, Q, (4, 8), "production", "ab" * 32, (), "cd" * 32)
    counted = CountedExecutor(FakeVllmExecutor(), what)
    assert counted.plan(torch.arange(Q), None) is not None
    assert counted.plan(torch.arange(Q + 1), None) is None
    counted.after_step()
    assert (counted.state.planned, counted.state.launches, counted.state.stock) == (1, 2, 1)
    counted.prepare_kv()
    with pytest.raises(RuntimeError, match="gave up"):
        counted.after_step()
    assert json.loads((tmp_path / "rank-0.json").read_text())["fail_stops"] == 1
