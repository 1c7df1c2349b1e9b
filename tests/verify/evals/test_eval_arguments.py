"""What ``verify eval`` refuses before it asks anybody, and lm-eval's own logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verify.cli.main import main
from verify.evals.record import EvalRecord


def test_every_reason_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--off", "u", "--count", "0", "--margin", "2", "--alpha", "0"]) == 2
    error = capsys.readouterr().err
    for reason in (
        "sides must be --off and --on, --same, or",
        "got --off",
        "--task must name at least one task, got none",
        "--count must be at least 1, got 0",
        "--margin must be between 0 and 1, got 2",
        "--alpha must be between 0 and 1, got 0",
    ):
        assert reason in error


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["eval", "--help"])
    assert stop.value.code == 0
    assert "python -m verify eval --same" in capsys.readouterr().out


def log(folder: Path, rights: list[bool], **more: Any) -> Path:
    """A folder as ``lm_eval --log_samples`` writes it."""
    folder.mkdir()
    entries = []
    for i, right in enumerate(rights):
        for name in ("strict-match", "flexible-extract"):
            entry: dict[str, Any] = {
                "doc_id": i,
                "doc": {"q": i},
                "target": "#### 1",
                "arguments": {"gen_args_0": {"arg_0": f"question {i}", "arg_1": {}}},
                "resps": [["1" if right else "2"]],
                "filtered_resps": ["1" if right else "2"],
                "filter": name,
                "metrics": ["exact_match"],
                "doc_hash": f"d{i}",
                "prompt_hash": f"p{i}",
                "exact_match": float(right) if name == "flexible-extract" else 0.0,
            }
            entries.append(entry | more)
    path = folder / "samples_gsm8k_2026-11-01T10-00-00.123456.jsonl"
    path.write_text("".join(json.dumps(e) + "\n" for e in entries))
    return folder


def test_logs_of_lm_eval_give_the_published_figures(tmp_path: Path) -> None:
    rights = [True] * 1319
    off, on = list(rights), list(rights)
    for i in range(27):
        on[i] = False
    for i in range(27, 45):
        off[i] = False
    words = ["eval", "--off-samples", str(log(tmp_path / "off", off))]
    words += ["--on-samples", str(log(tmp_path / "on", on)), "--out", str(tmp_path / "e.json")]
    assert main(words) == 2
    (t,) = EvalRecord.model_validate_json((tmp_path / "e.json").read_text()).tasks
    assert (t.task, t.b, t.c, t.questions) == ("gsm8k", 27, 18, 1319)
    assert round(t.p, 2) == 0.23
    assert t.interval.lower == pytest.approx(-0.0174, abs=5e-5)
    assert t.detectable_difference == pytest.approx(0.01465, abs=5e-6)
    assert len(t.disagreements) == 45
    assert main([*words, "--margin", "0.02"]) == 0


def test_a_filter_is_chosen_by_name(tmp_path: Path) -> None:
    words = ["eval", "--off-samples", str(log(tmp_path / "off", [True] * 9))]
    words += ["--on-samples", str(log(tmp_path / "on", [True] * 9)), "--filter", "strict-match"]
    assert main([*words, "--out", str(tmp_path / "e.json")]) == 2
    assert EvalRecord.model_validate_json((tmp_path / "e.json").read_text()).tasks[0].off.score == 0


def test_logs_that_cannot_be_paired_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    off = log(tmp_path / "off", [True] * 5)
    for name, other, reason in (
        ("fewer", log(tmp_path / "fewer", [True] * 4), "1 answers are only off"),
        ("prompts", log(tmp_path / "prompts", [True] * 5, prompt_hash="x"), "different prompts"),
        ("keys", log(tmp_path / "keys", [True], metrics=["other"]), "no metric between 0 and 1"),
    ):
        words = ["eval", "--off-samples", str(off), "--on-samples", str(other)]
        assert main([*words, "--out", str(tmp_path / f"{name}.json")]) == 2
        assert reason in capsys.readouterr().err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["eval", "--off-samples", str(empty), "--on-samples", str(off)]) == 2
    assert "must hold samples_*.jsonl" in capsys.readouterr().err


def test_a_control_must_be_an_a_a_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    off = log(tmp_path / "off", [True] * 5)
    words = ["eval", "--off-samples", str(off), "--on-samples", str(off)]
    out = tmp_path / "e.json"
    assert main([*words, "--out", str(out)]) == 2
    assert main([*words, "--out", str(out), "--control", str(out)]) == 2
    assert "must be of an A/A run (--same), got off/on" in capsys.readouterr().err
