"""What a gated server tells an eval of itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from evals_server import serve, solver

from kk3fast.serve.state import StateCollector, StateFile, WorkerState
from verify.cli.main import main
from verify.evals.gate import first_reading, read_gate, served_between
from verify.evals.record import EvalRecord


def metrics(folder: Path, planned: int, stock: int, ranks: int = 2, **changes: str) -> str:
    """``/metrics`` as the plugin shows it."""
    from prometheus_client import CollectorRegistry, generate_latest

    folder.mkdir(exist_ok=True)
    for rank in range(ranks):
        names = {"deployment": "d" * 64, "model": "m" * 64, "device": "gfx950"} | changes
        state = WorkerState(rank, ranks, "kk3", "flydsl", "evaluation", "0123456789ab", **names)
        state.planned = planned
        state.refused["width"] = stock
        StateFile(state, folder).write(force=True)
    registry = CollectorRegistry()
    registry.register(StateCollector(folder))  # type: ignore[arg-type]
    return generate_latest(registry).decode()


def test_what_a_server_did_between_two_readings(tmp_path: Path) -> None:
    before, after = (read_gate(metrics(tmp_path, *n)) for n in ((3, 4), (10, 4)))
    found = served_between(before, after)
    assert found is not None
    assert (found.planned, found.stock, found.tp) == (7, 0, 2)
    assert (found.deployment, found.device, found.opens) == ("d" * 64, "gfx950", "evaluation")


def test_a_server_that_changed_tells_nothing(tmp_path: Path) -> None:
    first = read_gate(metrics(tmp_path / "a", 10, 4))
    assert served_between(first, read_gate(metrics(tmp_path / "b", 2, 4))) is None  # restarted
    other = read_gate(metrics(tmp_path / "c", 11, 4, deployment="c" * 64))
    assert served_between(first, other) is None
    assert served_between(first, read_gate(metrics(tmp_path / "d", 11, 4, ranks=3))) is None
    assert served_between(None, first) is None
    assert first is not None
    elsewhere = replace(first, pids={"0": "1", "1": "2"})
    assert served_between(elsewhere, first) is None  # another server that has done more


def test_a_run_that_goes_on_counts_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "off.gate.json"
    readings = [read_gate(metrics(tmp_path, n, 4)) for n in (3, 10)]
    assert first_reading(path, readings[0], False) == readings[0]
    assert first_reading(path, readings[1], True) == readings[0]  # not what it is now
    assert first_reading(path, readings[1], False) == readings[1]
    path.unlink()
    assert first_reading(path, readings[1], True) is None  # answers bound to nothing


def test_answers_of_the_fast_path_do_not_become_answers_of_off(tmp_path: Path) -> None:
    on = [metrics(tmp_path / "on", n, 1) for n in (1, 80)]
    fast = [metrics(tmp_path / "off", n, 1) for n in (5, 90)]  # its switch was not on
    with serve(solver(), told=fast) as first, serve(solver(), told=on) as second:
        words = ["eval", "--off", first.url, "--on", second.url, "--task", "kk3_arithmetic"]
        words += ["--count", "30", "--margin", "0.5", "--out", str(tmp_path / "e.json")]
        assert main(words) == 2
        assert main(words) == 2  # every answer is in the journal: no step more
    record = EvalRecord.model_validate_json((tmp_path / "e.json").read_text())
    (check,) = [c for c in record.checks if c.name == "fast_path"]
    assert "off ran 85 steps" in check.message


@pytest.mark.parametrize("text", ["", "# nothing", "no metrics { at all", "kk3_gate_info 1 2 3 4"])
def test_what_is_no_gate(text: str) -> None:
    assert read_gate(text) is None


def test_ranks_that_disagree_tell_nothing(tmp_path: Path) -> None:
    text = metrics(tmp_path, 1, 1)
    line = next(x for x in text.splitlines() if x.startswith("kk3_gate_info{"))
    assert read_gate(text.replace(line, line.replace("d" * 64, "c" * 64))) is None


def record_of(tmp_path: Path, off: list[str], on: list[str]) -> EvalRecord:
    """An eval of two servers whose ``/metrics`` say one thing before and another after."""
    with serve(solver(), told=off) as first, serve(solver(), told=on) as second:
        words = ["eval", "--off", first.url, "--on", second.url, "--task", "kk3_arithmetic"]
        main([*words, "--count", "30", "--margin", "0.5", "--out", str(tmp_path / "e.json")])
    return EvalRecord.model_validate_json((tmp_path / "e.json").read_text())


def test_an_eval_keeps_what_its_servers_told(tmp_path: Path) -> None:
    off = [metrics(tmp_path / "off", 5, n) for n in (1, 90)]
    on = [metrics(tmp_path / "on", n, 1) for n in (1, 80)]
    record = record_of(tmp_path, off, on)
    assert [side.served.planned for side in record.sides if side.served] == [0, 79]
    (check,) = [c for c in record.checks if c.name == "fast_path"]
    assert (check.verdict.value, record.verdict.value) == ("pass", "pass")


def test_an_eval_without_the_fast_path_shows_nothing(tmp_path: Path) -> None:
    off = [metrics(tmp_path / "off", n, n) for n in (5, 90)]
    on = [metrics(tmp_path / "on", 1, n, deployment="c" * 64) for n in (1, 80)]
    record = record_of(tmp_path, off, on)
    (check,) = [c for c in record.checks if c.name == "fast_path"]
    assert record.verdict.value == check.verdict.value == "not_checked"
    assert len(check.message.splitlines()) == 3
