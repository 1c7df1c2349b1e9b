"""``verify replay`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verify.cli.main import main

SHORT = ["--tp", "2", "--launches", "3", "--calls", "4", "--idle", "0"]


def test_a_passing_replay_writes_a_record_and_repeats_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", "k1", *SHORT, "--json", "--out", str(tmp_path)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["verdict"], record["mode"], record["launches"]) == ("pass", "eager replay", 3)
    assert record["preset"] == "tiny"
    (path,) = tmp_path.glob("replay-k1-*.json")
    assert json.loads(path.read_text()) == record
    words = record["command"].split()[3:]
    assert main([*words, "--json", "--out", str(tmp_path)]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [c["verdict"] for c in again["checks"]] == [c["verdict"] for c in record["checks"]]
    assert again["command"] == record["command"]


def test_the_table_names_the_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "moe", *SHORT, "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "eager replay" in " ".join(shown.split())
    assert "verdict: pass" in shown


def test_every_wrong_argument_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--launches", "1", "--calls", "0", "--device", "tpu:x", "--family", "all"]
    assert main(["replay", "k1", *words, "--stage", "in_proj"]) == 2
    message = capsys.readouterr().err
    for part in ("--launches must", "--calls must", "--device must", "--family must", "--stage"):
        assert part in message
