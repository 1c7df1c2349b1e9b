"""Records as frames."""

from __future__ import annotations

from pathlib import Path

import pytest

import reports
from reports import frames
from verify.cli.main import main
from verify.data import SCHEMA_VERSION
from verify.evals.example import write_logs


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    main(
        [
            "layer",
            "k1",
            "--preset",
            "tiny",
            "--family",
            "normal",
            "--candidate",
            "contract",
            "--out",
            str(out),
        ]
    )
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


def test_pictures_are_frames_too(failing: Path) -> None:
    loaded = reports.load(failing)
    place = loaded.maps["output"] == "moe_partial"
    bad = loaded.maps[place & (loaded.maps["over_bound"] > 1)]
    assert set(bad["row"]) == {2, 5}
    worst = loaded.rows[loaded.rows["output"] == "moe_partial"].iloc[0]
    assert (worst["rank"], worst["row"] in (2, 5)) == (3, True)
    assert worst["max_over_bound"] > 1
    ulps = loaded.ulps[loaded.ulps["output"] == "moe_partial"]
    assert ulps["count"].sum() == 8 * 8 * 128
    assert (loaded.sample["bound"] > 0).all()
    assert loaded.vacuity["seen"].all()


def test_an_eval_gives_frames(tmp_path: Path) -> None:
    off, on = write_logs(tmp_path, b=4, c=2, n=60, wrong=5)
    out = tmp_path / "eval.json"
    words = ["eval", "--off-samples", str(off), "--on-samples", str(on), "--margin", "0.2"]
    assert main([*words, "--out", str(out)]) == 0
    loaded = reports.load_eval(out)
    task = loaded.tasks.iloc[0]
    assert (task["b"], task["c"], task["questions"]) == (4, 2, 60)
    assert task["off"] == pytest.approx(53 / 60)
    assert len(loaded.answers) == 60
    assert loaded.disagreements["right"].value_counts().to_dict() == {"off": 4, "on": 2}
    with pytest.raises(ValueError, match="must be a record of verify layer"):
        reports.load(out)


def test_only_an_eval_is_an_eval(passing: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be a record of verify eval"):
        reports.load_eval(passing)
    (tmp_path / "x").write_text("{")
    with pytest.raises(ValueError, match="must be a kk3 record in JSON"):
        reports.load_eval(tmp_path / "x")
