"""``verify faults`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from verify.cli.main import main
from verify.data.faults import FaultMatrix
from verify.data.store import schema
from verify.faults.catalogue import FAULTS
from verify.faults.plant import Plant, on_outputs


def run(*words: str, out: Path) -> int:
    return main(["faults", *words, "--out", str(out)])


def test_a_quick_run_sees_every_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run("--quick", "--json", out=tmp_path)
    printed = capsys.readouterr()
    matrix = FaultMatrix.model_validate_json(printed.out)
    unseen = [f"{f.fault} {p.plant} in {p.kind}" for f in matrix.faults for p in f.plants]
    unseen = [n for n, p in zip(unseen, _plants(matrix), strict=True) if p.detected < p.runs]
    assert not unseen
    assert code == 0
    assert [fault.fault for fault in matrix.faults] == list(FAULTS)
    assert all(fault.rate == 1.0 and fault.plants for fault in matrix.faults)
    assert json.loads((tmp_path / "faults.json").read_text()) == json.loads(printed.out)
    jsonschema.validate(json.loads(printed.out), json.loads(schema("faults")))


def _plants(matrix: FaultMatrix):  # type: ignore[no-untyped-def]
    return [plant for fault in matrix.faults for plant in fault.plants]


def test_one_fault_in_one_kind_prints_a_matrix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--fault", "F18", "--kind", "moe", "--seeds", "2")
    assert run(*words, out=tmp_path) == 0
    printed = capsys.readouterr()
    assert "codes (normal)" in printed.out
    assert "2/2" in printed.out
    assert "moe, seed 1 (2/2)" in printed.err


def test_a_fault_that_is_not_seen_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    harmless = Plant("nothing at all", ("conv",), on_outputs(lambda c, v, out, m: {}))
    monkeypatch.setitem(FAULTS, "F1", type(FAULTS["F1"])("F1", "nothing", "nothing", (harmless,)))
    assert run("--fault", "F1", "--kind", "k1", "--seeds", "1", out=tmp_path) == 1
    assert "F1 in k1 was not seen with seeds 0" in capsys.readouterr().out


def test_a_fault_the_kind_cannot_show_could_not_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--fault", "F13", "--kind", "k2", out=tmp_path) == 2
    assert "no chosen layer kind can show it" in capsys.readouterr().out


def test_control_counts_and_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--control", "--kind", "attn_res", "--seeds", "2", out=tmp_path) == 0
    assert "false alarms" in capsys.readouterr().out
    matrix = FaultMatrix.model_validate_json((tmp_path / "control.json").read_text())
    assert matrix.control is not None
    assert matrix.control.candidates == ["contract", "baseline"]
    assert matrix.command == (
        "python -m verify faults --kind attn_res --preset tiny --tp 8 --seeds 2 --control"
    )


def test_wrong_arguments_end_with_2_and_every_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--fault", "F32", "--seeds", "0", "--workers", "0", "--tp", "3")
    assert run(*words, "--control", "--candidate", "contract", out=tmp_path) == 2
    message = capsys.readouterr().err
    for part in ("--fault must be among F1", "got F32", "--seeds must be", "--workers must be"):
        assert part in message
    assert "--control plants nothing" in message
    assert not list(tmp_path.iterdir())
