"""Workers' state files and the metrics made of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kk3fast.serve import state
from kk3fast.serve.state import StateCollector, StateFile, WorkerState, read_states


def worker(rank: int) -> WorkerState:
    new = WorkerState(rank, 2, "kk3", "contract", "simulation", "0123456789ab", "d", "m", "cpu")
    new.steps, new.planned, new.launches = 10, 7, 70
    new.refused.update({"not pure decode": 2, "width": 1})
    return new


def exposed(folder: Path) -> str:
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry()
    registry.register(StateCollector(folder))  # type: ignore[arg-type]
    return generate_latest(registry).decode()


def test_metrics_of_every_rank(tmp_path: Path) -> None:
    for rank in (1, 0):
        StateFile(worker(rank), tmp_path).write(force=True)
    text = exposed(tmp_path)
    for line in (
        'kk3_gate_info{backend="kk3",certificate="0123456789ab",deployment="d",device="cpu",'
        'kernels="contract",model="m",opens="simulation",'
        f'pid="{os.getpid()}",rank="0",tp="2"}} 1.0',
        'kk3_steps_total{rank="1"} 10.0',
        'kk3_steps_planned_total{rank="0"} 7.0',
        'kk3_steps_stock_total{rank="0"} 3.0',
        'kk3_steps_refused_total{rank="0",reason="not pure decode"} 2.0',
        'kk3_layer_launches_total{rank="0"} 70.0',
        'kk3_fail_stops_total{rank="1"} 0.0',
        'kk3_switched_off{rank="0"} 0.0',
    ):
        assert line in text


def test_without_workers_there_are_no_samples(tmp_path: Path) -> None:
    assert "rank=" not in exposed(tmp_path)


def test_files_that_are_no_states_are_left_out(tmp_path: Path) -> None:
    StateFile(worker(0), tmp_path).write(force=True)
    (tmp_path / "rank-1.json").write_text("{")
    (tmp_path / "rank-2.json").write_text("[]")
    (tmp_path / "rank-3.json").write_text('{"rank": 3, "pad": "' + "x" * (1 << 17) + '"}')
    assert [s["rank"] for s in read_states(tmp_path)] == [0]


def test_running_workers_write_now_and_then(tmp_path: Path) -> None:
    file = StateFile(worker(0), tmp_path)
    file.write(force=True)
    file.state.steps = 11
    file.write()
    assert read_states(tmp_path)[0]["steps"] == 10  # too soon
    file.write(force=True)
    assert read_states(tmp_path)[0]["steps"] == 11
    assert [p.name for p in tmp_path.iterdir()] == ["rank-0.json"]


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    file = StateFile(worker(0), tmp_path / "missing")
    file.write(force=True)
    assert "cannot be written" in file.problem
    file.write(force=True)  # and the worker goes on


def test_the_server_empties_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(state.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv(state._PREPARED_VARIABLE, "")
    (tmp_path / "rank-7.json").write_text(json.dumps({"rank": 7}))
    (tmp_path / "other").write_text("kept")
    assert state.prepare_folder() == tmp_path
    assert [p.name for p in tmp_path.iterdir()] == ["other"]
    StateFile(worker(0), tmp_path).write(force=True)
    state.prepare_folder()  # as a second API server does
    assert [s["rank"] for s in read_states(tmp_path)] == [0]


def test_a_new_folder_is_named_for_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(state.FOLDER_VARIABLE, "")
    monkeypatch.setenv(state._PREPARED_VARIABLE, "")
    folder = state.prepare_folder()
    assert os.environ[state.FOLDER_VARIABLE] == str(folder)
    assert folder.is_dir()
    state._remove(folder, os.getpid() + 1)
    assert folder.is_dir()  # not the owner
    state._remove(folder, os.getpid())
    assert not folder.exists()
