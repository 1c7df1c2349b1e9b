"""Sweeps on local processes: nothing lost, nothing counted twice, going on where one was ended."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sweeping import Sweep, begun

from verify.cli.main import main


def once(fragile: Path) -> tuple[str, ...]:
    return ("k1", "--rows", "1-4", "--drafts", "0", "--candidate", f"{fragile}:once")


def keys(record: dict[str, Any]) -> list[str]:
    return [row["key"] for row in record["rows"]]


def test_every_item_of_the_matrix_runs_once(sweep: Sweep, tmp_path: Path) -> None:
    record = sweep("attn_res", "k1", "--rows", "2,4", "--seeds", "0-1", "--drafts", "0,1")
    assert record["counts"] == {"pass": record["items"]}
    assert len(set(keys(record))) == record["items"] == len(record["rows"])
    seen = Counter(
        (r["layer"], r["layer_index"], r["rows"], r["drafts"], r["seed"]) for r in record["rows"]
    )
    assert set(seen.values()) == {1}
    assert {(r["rows"], r["drafts"]) for r in record["rows"]} == {(2, 0), (2, 1), (4, 0), (4, 1)}
    assert (record["reused"], record["retried"], record["verdict"]) == (0, 0, "pass")
    assert len(list((tmp_path / "sweep" / "items").iterdir())) == record["items"]
    assert json.loads((tmp_path / "sweep" / "sweep.json").read_text()) == record


def test_a_killed_worker_loses_nothing(sweep: Sweep, fragile: Path) -> None:
    record = sweep(*once(fragile))
    assert (fragile.parent / "killed").exists()
    assert record["counts"] == {"pass": record["items"]}
    assert len(set(keys(record))) == record["items"]
    assert record["retried"] >= 1
    (killed,) = [r for r in record["rows"] if r["rows"] == 1 and r["attempts"] > 1][:1]
    assert killed["worker"].split(":")[1] != begun(fragile)[1][0]
    assert {r["rows"] for r in record["rows"]} == {1, 2, 3, 4}


def test_what_kills_every_worker_is_given_up_and_named(sweep: Sweep, fragile: Path) -> None:
    words = ("k1", "--rows", "1,2", "--drafts", "0", "--candidate", f"{fragile}:always")
    record = sweep(*words, code=2)
    bad = [r for r in record["rows"] if r["verdict"] != "pass"]
    good = [r for r in record["rows"] if r["verdict"] == "pass"]
    assert {r["rows"] for r in good} == {2}
    assert len(good) + len(bad) == record["items"]
    for row in bad:
        assert "--rows 1 " in row["command"]
        assert row["failed"] == ["its worker died 3 times"]
        assert row["attempts"] == 3


def test_it_goes_on_where_it_was_ended(sweep: Sweep, fragile: Path, tmp_path: Path) -> None:
    (fragile.parent / "killed").touch()
    first = sweep(*once(fragile))
    before = {rows: len(pids) for rows, pids in begun(fragile).items()}
    items = sorted((tmp_path / "sweep" / "items").iterdir())
    lost, half = items[0], items[1]
    lost.unlink()
    half.write_text(half.read_text()[:100])
    again = sweep(*once(fragile))
    assert again["reused"] == first["items"] - 2
    assert keys(again) == keys(first)
    after = {rows: len(pids) for rows, pids in begun(fragile).items()}
    assert sum(after.values()) - sum(before.values()) == 2
    assert sweep(*once(fragile))["reused"] == first["items"]


def test_another_candidate_source_is_another_result(sweep: Sweep, fragile: Path) -> None:
    (fragile.parent / "killed").touch()
    words = ("k1", "--rows", "2", "--drafts", "0", "--candidate", f"{fragile}:once")
    first = sweep(*words)
    fragile.write_text(fragile.read_text() + "\n# changed\n")
    again = sweep(*words)
    assert again["reused"] == 0
    assert not set(keys(first)) & set(keys(again))


def test_a_candidate_that_cannot_be_made_is_not_passed(sweep: Sweep, fragile: Path) -> None:
    words = ("k1", "--rows", "2", "--drafts", "0", "--candidate", f"{fragile}:broken")
    record = sweep(*words, code=2)
    assert set(record["counts"]) == {"not_checked"}
    assert "cannot be made" in record["rows"][0]["failed"][0]


def test_every_layer_of_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from kk3ref.checkpoint.__main__ import main as checkpoint

    folder = tmp_path / "checkpoint"
    assert checkpoint(["write", "--preset", "tiny", str(folder)]) == 0
    capsys.readouterr()
    words = ["attn_res", "mla", "--checkpoint", str(folder), "--layers", "all", "--drafts", "3"]
    out = str(tmp_path / "out")
    given = ["sweep", *words, "--tp", "2", "--workers", "2", "--json", "--out", out]
    assert main(given) == 0
    record = json.loads(capsys.readouterr().out)
    layers = {
        kind: [r["layer_index"] for r in record["rows"] if r["layer"] == kind]
        for kind in ("attn_res", "mla")
    }
    assert layers == {"attn_res": [0, 1, 2, 4, 5, 6, 8], "mla": [3, 7, 9, 10]}


def test_every_wrong_argument_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["k9", "--rows", "0-9", "--seeds", "x", "--workers", "0", "--threads", "0"]
    assert main(["sweep", *words]) == 2
    message = capsys.readouterr().err
    for part in ("KIND must", "--rows must", "--seeds must", "--workers must", "--threads must"):
        assert part in message


def test_an_empty_matrix_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["k1", "--preset", "tiny", "--rows", "5", "--drafts", "1"]
    assert main(["sweep", *words]) == 2
    assert "must name at least one run" in capsys.readouterr().err
