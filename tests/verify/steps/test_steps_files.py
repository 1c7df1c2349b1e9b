"""Errors as CSV and their growth as a figure."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from verify.cli.main import main
from verify.steps.files import write_csv, write_plot
from verify.steps.record import Growth
from verify.steps.track import Error


def cell(value: float, age: int, what: str = "core") -> Growth:
    return Growth(
        view="state",
        what=what,
        layer=1,
        ages=(age, 2 * age - 1),
        lives=3,
        candidate=value,
        baseline=value / 2,
        ratio=2.0,
        limit=1.5,
        worst_life=2.0,
        life_limit=3.0,
    )


def test_a_csv_line_is_one_error(tmp_path: Path) -> None:
    errors = {"candidate": [Error("state", 2, "core", 1, 5, 3, 1.25e-3)], "baseline": []}
    write_csv(errors, tmp_path / "e.csv")
    frame = pd.read_csv(tmp_path / "e.csv")
    assert frame.iloc[0].to_dict() == {
        "run": "candidate",
        "view": "state",
        "what": "core",
        "layer": 2,
        "life": 1,
        "step": 5,
        "age": 3,
        "error": 1.25e-3,
    }
    assert [path.name for path in tmp_path.iterdir()] == ["e.csv"]


def test_a_figure_shows_exact_values_too(tmp_path: Path) -> None:
    growth = [cell(1e-3, 1), cell(2e-3, 2), cell(0.0, 1, "conv_state")]
    assert write_plot(growth, "title", tmp_path / "e.png")
    assert (tmp_path / "e.png").read_bytes().startswith(b"\x89PNG")
    assert not write_plot([], "title", tmp_path / "none.png")


def test_the_command_writes_record_csv_and_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--steps", "2", "--requests", "4", "--drafts", "1", "--kind", "k1", "--layers", "0-1"]
    assert main(["steps", *words, "--json", "--out", str(tmp_path)]) == 2  # too short to cover
    record = json.loads(capsys.readouterr().out)
    assert (record["layers"], record["kinds"]) == ([0, 1], ["k1"])
    assert {g["layer"] for g in record["growth"]} <= {0, 1}
    for name in ("csv", "plot"):
        assert (tmp_path / record[name]).is_file()
    assert "--layers 0-1" in record["command"]
    assert "--kind k1" in record["command"]


def test_every_wrong_argument_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--steps", "0", "--layers", "99", "--drafts", "-1"]
    assert main(["steps", *words]) == 2
    message = capsys.readouterr().err
    for part in ("--steps must", "--layers must", "--drafts must"):
        assert part in message
    assert main(["steps", "--requests", "4", "--drafts", "3"]) == 2
    assert "at most 8 rows" in capsys.readouterr().err


def test_a_candidate_without_a_layer_is_an_error_that_says_how_to_go_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["steps", "--candidate", "vllm"]) == 2
    assert "vllm" in capsys.readouterr().err
