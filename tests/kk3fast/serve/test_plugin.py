"""The plugin in front of vLLM's configuration and model: what it replaces, and how it refuses."""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kk3fast_serve_fakes import CONFIG, vllm_config

from kk3fast.serve import builds, deployment, evidence, plugin, state
from kk3fast.serve.builds import BuildsUnknown
from kk3fast.serve.check import ServedConfig
from kk3fast.serve.evidence import GateVerdict
from kk3fast.serve.settings import Refused

ON = {
    "decode_backend": "kk3",
    "kk3_kernels": "contract",
    "kk3_certificate": "c.json",
    "kk3_policy": "p.toml",
}
OPEN = GateVerdict("simulation", "ab" * 32, [])
CLOSED = GateVerdict(None, "ab" * 32, [("expired", "it ended yesterday"), ("tp", "it is of TP 8")])

pytestmark = pytest.mark.usefixtures("vllm", "_nothing_is_compiled")


@pytest.fixture
def _nothing_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KK3_DECODE_BACKEND", "KK3_REQUIRE_CERTIFICATE", state._PREPARED_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(state.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(state, "expose", lambda folder: None)
    monkeypatch.setattr(deployment, "compiled", lambda builds: [])
    monkeypatch.setattr(deployment, "compiled_vllm", lambda installed, q, widths: [])


def verdict(monkeypatch: pytest.MonkeyPatch, found: GateVerdict) -> list[Any]:
    seen: list[Any] = []

    def certificate_verdict(settings: Any, described: Any) -> GateVerdict:
        seen.append(described)
        return found

    monkeypatch.setattr(evidence, "certificate_verdict", certificate_verdict)
    return seen


def hooked(architecture: str = "KimiLinearForCausalLM") -> Any:
    plugin.register()
    return importlib.import_module(plugin.CONFIG_MODULE).MODELS_CONFIG_MAP[architecture]


def model(config: Any) -> Any:
    plugin.register()
    return importlib.import_module(plugin.MODEL_MODULE).KimiLinearForCausalLM(config)


def test_the_entry_point_is_the_one_that_the_project_declares() -> None:
    text = (Path(__file__).resolve().parents[3] / "pyproject.toml").read_text()
    declared = 'kk3 = "kk3fast.serve.plugin:register"'
    assert f'[project.entry-points."vllm.general_plugins"]\n{declared}\n' in text
    name, value = declared.replace('"', "").split(" = ")
    assert EntryPoint(name, value, "vllm.general_plugins").load() is plugin.register


@pytest.mark.parametrize("architecture", plugin.ARCHITECTURES)
def test_off_changes_nothing(architecture: str) -> None:
    config = vllm_config({})
    hooked(architecture).verify_and_update_config(config)
    built = model(config)
    assert built.specialized_decode_config is None


def test_vllms_own_hooks_run_as_before() -> None:
    config, changed = vllm_config({}), SimpleNamespace()
    hook = hooked("KimiK3ForConditionalGeneration")
    hook.verify_and_update_config(config)
    hook.verify_and_update_model_config(changed)
    assert config.seen_by_vllm
    assert changed.seen_by_vllm


def test_without_the_plugin_vllm_refuses_the_value() -> None:
    module = importlib.import_module(plugin.MODEL_MODULE)
    with pytest.raises(ValueError, match="got 'kk3'"):
        module.KimiLinearForCausalLM(vllm_config(ON))


def test_an_open_gate_gives_the_served_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = verdict(monkeypatch, OPEN)
    config = vllm_config(ON)
    hooked().verify_and_update_config(config)
    served = model(config).specialized_decode_config
    assert isinstance(served, ServedConfig)
    assert (served.q, served.widths, served.opens) == (4, (4, 8), "simulation")
    assert [(d.model, d.tp, d.q) for d in seen] == [(CONFIG, 1, 4)] * 2  # in both places


def test_a_closed_gate_lists_every_reason_in_both_places(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict(monkeypatch, CLOSED)
    config = vllm_config(ON)
    config.parallel_config.pipeline_parallel_size = 2
    for refuse in (hooked().verify_and_update_config, model):
        with pytest.raises(Refused, match="kk3: decode_backend=kk3 is refused") as caught:
            refuse(config)
        codes = [code for code, _ in caught.value.reasons]
        assert {"expired", "tp"} < set(codes)
        assert len(codes) == 3


def test_builds_that_are_unknown_are_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict(monkeypatch, OPEN)

    def fail(builds: Any) -> Any:
        raise BuildsUnknown(["FlyDSL is not installed", "k1 does not compile"])

    monkeypatch.setattr(deployment, "compiled", fail)
    with pytest.raises(Refused, match="FlyDSL is not installed") as caught:
        hooked().verify_and_update_config(vllm_config(ON))
    assert "k1 does not compile" in str(caught.value)


def test_another_model_is_a_reason() -> None:
    config = vllm_config(ON)
    text = {**CONFIG.to_hf(nested=False), "hidden_act": "silu", "q_lora_rank": None}
    config.model_config.hf_text_config = SimpleNamespace(to_dict=lambda: text)
    with pytest.raises(Refused, match="hidden_act") as caught:
        hooked().verify_and_update_config(config)
    assert "q_lora_rank" in str(caught.value)


def test_another_vllm_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict(monkeypatch, OPEN)
    monkeypatch.setattr(importlib.import_module("vllm"), "__version__", "0.34.1")
    with pytest.raises(Refused, match=r"vLLM must be 0\.33\.x, got 0\.34\.1"):
        hooked().verify_and_update_config(vllm_config(ON))


def test_another_vllms_modules_are_left_alone() -> None:
    for name in (plugin.CONFIG_MODULE, plugin.MODEL_MODULE):
        module = importlib.import_module(name)
        for gone in ("MODELS_CONFIG_MAP", "specialized_decode_config"):
            vars(module).pop(gone, None)
    before = importlib.import_module(plugin.MODEL_MODULE).KimiLinearForCausalLM.__dict__.copy()
    plugin.register()
    assert importlib.import_module(plugin.MODEL_MODULE).KimiLinearForCausalLM.__dict__ == before


def test_auto_in_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KK3_DECODE_BACKEND", "auto")
    config = vllm_config(ON)
    hooked().verify_and_update_config(config)
    assert model(config).specialized_decode_config is None


def test_an_error_of_the_check_refuses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(settings: Any, described: Any) -> Any:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(evidence, "certificate_verdict", crash)
    with pytest.raises(ZeroDivisionError):
        hooked().verify_and_update_config(vllm_config(ON))
    with pytest.raises(Refused, match="check: ZeroDivisionError: oops"):
        model(vllm_config(ON))


@pytest.mark.parametrize(
    ("additional", "required", "gated"),
    [({}, "0", False), ({}, "1", True), ({"kk3_certificate": "c", "kk3_policy": "p"}, "0", True)],
    ids=["free", "required", "given"],
)
def test_vllms_kernels_are_gated_alike(
    monkeypatch: pytest.MonkeyPatch, additional: dict[str, str], required: str, gated: bool
) -> None:
    verdict(monkeypatch, CLOSED)
    monkeypatch.setenv("KK3_REQUIRE_CERTIFICATE", required)
    config = vllm_config({"decode_backend": "latency_specialized", **additional})
    if not gated:
        hooked().verify_and_update_config(config)
        assert model(config).specialized_decode_config == "vLLM's configuration"
        return
    with pytest.raises(Refused, match="latency_specialized is refused"):
        hooked().verify_and_update_config(config)
    with pytest.raises(Refused, match="latency_specialized is refused"):
        model(config)


def test_vllms_own_executor_is_built_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict(monkeypatch, GateVerdict("production", "ab" * 32, []))
    additional = {**ON, "decode_backend": "latency_specialized"}
    del additional["kk3_kernels"]
    built = model(vllm_config(additional))
    built.build_specialized_decode()
    assert built.specialized_decode._inner == "vLLM's executor"
    free = model(vllm_config({"decode_backend": "latency_specialized"}))
    free.build_specialized_decode()
    assert free.specialized_decode == "vLLM's executor"


def test_the_builds_of_a_deployment_are_those_of_its_layers_and_widths() -> None:
    by_width = builds.layer_builds(CONFIG, 2, 4, (4, 8))
    assert list(by_width) == [4, 8]
    assert list(by_width[8]) == list(range(1, 11))
    kda = {i: pair.k1 for i, pair in by_width[8].items() if pair.k1 is not None}
    assert list(kda) == [1, 2, 4, 5, 6, 8]
    assert {b.write_index for b in kda.values()} == {-1, 1, 2}  # type: ignore[attr-defined]
    k1 = [b for b in builds.unique_builds(by_width) if b.kernel == "k1"]
    assert len(k1) == 8
    assert {b.heads for b in k1} == {CONFIG.kda_num_heads // 2}  # type: ignore[attr-defined]
