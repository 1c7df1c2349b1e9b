"""Records as frames."""

from __future__ import annotations

from pathlib import Path

import pytest

import reports
from reports import frames
from verify.cli.main import main
from verify.data import SCHEMA_VERSION


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    main(["layer", "k1", "--preset", "tiny", "--family", "normal", "--out", str(out)])
    return next(out.glob("*.json"))


def test_frames_hold_every_output_check_and_point(record: Path) -> None:
    loaded = reports.load(record)
    assert set(loaded.outputs["verdict"]) == {"pass"}
    assert {"bound", "exact", "ranks_equal"} <= set(loaded.checks["check"])
    proj = loaded.points[loaded.points["output"] == "proj"]
    assert set(proj["point"]) == {"kda.proj", "kda.in_proj_sum"}
    assert set(loaded.end_to_end["output"]) >= {"core", "recurrent_state_after"}
    worst = loaded.outputs.set_index("output")["max_over_bound"]
    assert 0 < worst["core"] <= 1


def test_the_readers_version_is_the_writers() -> None:
    assert frames.SCHEMA_VERSION == SCHEMA_VERSION


@pytest.mark.parametrize("text", ["nothing", "[]", '{"schema_version": 99}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"must be"):
        reports.load(path)
