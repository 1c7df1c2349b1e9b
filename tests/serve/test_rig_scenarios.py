"""A run's bookkeeping: a failure or a passed deadline is a line of the table and an exit code."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.serve import __main__ as command
from tests.serve.plugins import ROOT, Plugin, declared_entry_points, write_site
from tests.serve.rig import Result, Rig, expect, table


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(Path("python"), tmp_path, tp=2)


def test_a_scenario_records_what_was_seen(rig: Rig) -> None:
    with rig.scenario("calm", 5.0) as told:
        told.append("all well")
    assert [(r.scenario, r.tp, r.passed, r.told) for r in rig.results] == [
        ("calm", 2, True, "all well")
    ]


def test_a_failure_is_recorded_and_the_next_runs(rig: Rig) -> None:
    with rig.scenario("wrong", 5.0):
        expect(False, "other tokens")
    with rig.scenario("right", 5.0):
        expect(True, "never")
    assert [(r.passed, "other tokens" in r.told) for r in rig.results] == [
        (False, True),
        (True, False),
    ]


def test_a_deadline_breaks_off_whatever_waits(rig: Rig) -> None:
    began = time.monotonic()
    with rig.scenario("hanging", 0.3):
        time.sleep(60)
    assert time.monotonic() - began < 10
    assert "took more than" in rig.results[0].told
    assert not rig.results[0].passed


def test_the_table_has_a_line_a_result() -> None:
    lines = table([Result("a", 1, True, 3.2, "x\ny|z"), Result("b", 2, False, 9.0, "")])
    assert lines.splitlines()[2:] == [
        "| a | 1 | pass | 3 | x y\\|z |",
        "| b | 2 | **fail** | 9 |  |",
    ]


def test_no_rig_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--rig", str(tmp_path)]) == command.COULD_NOT
    assert "make_rig" in capsys.readouterr().err


@pytest.mark.parametrize("plugin", Plugin)
def test_the_site_has_the_plugins_that_are_asked_for(plugin: Plugin, tmp_path: Path) -> None:
    path = write_site(tmp_path, plugin)
    assert path[0] == tmp_path
    assert ROOT in path
    assert (path[1] / "kk3_rig" / "__init__.py").exists()
    ours = tmp_path / "kk3-0.dist-info" / "entry_points.txt"
    assert ours.exists() == (plugin is not Plugin.MISSING)
    if plugin is Plugin.INSTALLED:
        assert declared_entry_points() in ours.read_text()
        assert "kk3 = kk3fast.serve.plugin:register" in ours.read_text()
    if plugin is Plugin.BROKEN:
        assert "kk3_broken" in ours.read_text()
        with pytest.raises(ImportError, match="planted"):
            exec((tmp_path / "kk3_broken.py").read_text())
