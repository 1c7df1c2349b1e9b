"""``verify doctor --serve``."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kk3fast.serve import deployment, evidence
from kk3fast.serve.evidence import GateVerdict
from kk3ref.presets import preset
from verify.cli import doctor_serve
from verify.cli.main import main

KK3 = {"decode_backend": "kk3", "kk3_kernels": "contract"}
KK3 |= {"kk3_certificate": "c.json", "kk3_policy": "p.toml"}


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where kk3 is installed; nothing is compiled."""
    for name in ("VLLM_PLUGINS", "KK3_DECODE_BACKEND", "KK3_REQUIRE_CERTIFICATE"):
        monkeypatch.delenv(name, raising=False)
    entry = SimpleNamespace(value="kk3fast.serve.plugin:register")
    metadata = doctor_serve.importlib.metadata  # type: ignore[attr-defined]
    monkeypatch.setattr(metadata, "entry_points", lambda **_: [entry])
    monkeypatch.setattr(deployment, "compiled", lambda builds: [])


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "config.json").write_text(json.dumps(preset("tiny").to_hf()))
    return str(tmp_path)


def command(model: str, additional: dict[str, str], *words: str) -> list[str]:
    spec = json.dumps({"method": "ngram", "num_speculative_tokens": 3})
    return [
        *words,
        *("vllm", "serve", model, "--max-num-seqs", "2", "--speculative-config", spec),
        *("--additional-config", json.dumps(additional)),
    ]


def doctor(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> tuple[int, dict[str, dict[str, Any]]]:
    code = main(["doctor", "--json", "--serve", *words])
    report = json.loads(capsys.readouterr().out)
    return code, {f["what"]: f for f in report["findings"]}


def open_gate(monkeypatch: pytest.MonkeyPatch, *reasons: tuple[str, str]) -> None:
    verdict = GateVerdict("simulation", "ab", list(reasons))
    monkeypatch.setattr(evidence, "certificate_verdict", lambda settings, described: verdict)


def test_off_needs_nothing(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = doctor(capsys, command(model, {}))
    assert code == 0
    assert found["asked for"]["detail"].startswith("auto")


def test_an_open_gate(
    model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_gate(monkeypatch)
    code, found = doctor(capsys, command(model, KK3))
    assert code == 0
    assert found["plugin loads"]["ok"]
    assert "opens simulation; widths [4, 8]" in found["certificate"]["detail"]


def test_every_refusal_is_shown(
    model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_gate(monkeypatch, ("expired", "too old"), ("tp", "of TP 8"))
    code, found = doctor(capsys, [*command(model, KK3), "-pp", "2"])
    assert code == 1
    assert {"refused: expired", "refused: tp", "refused: pp"} <= set(found)


def test_wrong_settings_are_refusals(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = doctor(capsys, command(model, {"decode_backend": "fast"}))
    assert code == 1
    assert "'fast'" in found["refused: backend"]["detail"]


def test_a_plugin_that_is_left_out(
    model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_gate(monkeypatch)
    code, found = doctor(capsys, command(model, KK3, "VLLM_PLUGINS=other"))
    assert code == 1
    assert "leaves it out" in found["plugin chosen"]["detail"]
    assert "does not start" in found["without the plugin"]["detail"]
    specialized = {**KK3, "decode_backend": "latency_specialized"}
    _, found = doctor(capsys, command(model, specialized, "VLLM_PLUGINS=other"))
    assert "WITHOUT the gate" in found["without the plugin"]["detail"]


def test_vllms_kernels_without_a_gate(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    additional = {"decode_backend": "latency_specialized"}
    code, found = doctor(capsys, command(model, additional))
    assert code == 0
    assert "deployment control" in found["gate"]["detail"]
    code, found = doctor(capsys, command(model, additional, "KK3_REQUIRE_CERTIFICATE=1"))
    assert code == 1
    assert "refused: certificate.missing" in found


def test_what_cannot_be_read_is_not_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(capsys, ["vllm", "bench"])[0] == 2
    assert doctor(capsys, command("nobody/nothing", KK3))[0] == 2
