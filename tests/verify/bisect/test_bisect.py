"""Failing candidates taken apart: first divergence, origin, smallest run, a repeating command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verify.bisect.divergence import Divergence, first_divergence
from verify.cli.main import main
from verify.data import Check, Verdict
from verify.plan import plan

HERE = Path(__file__).parent
PLANTED, KERNEL = HERE / "planted.py", HERE / "kernel_add.py"


def failing(tmp_path: Path, kind: str, candidate: str, *more: str, code: int = 1) -> Path:
    words = ["layer", kind, "--preset", "tiny", "--family", "normal", "--candidate", candidate]
    words += [*more, "--out", str(tmp_path)]
    assert main(words) == code
    (path,) = tmp_path.glob("*.json")
    return path


def bisected(
    path: Path, capsys: pytest.CaptureFixture[str], *more: str, code: int = 1
) -> dict[str, object]:
    capsys.readouterr()
    out = str(path.parent / "bisect")
    assert main(["bisect", str(path), "--json", "--out", out, *more]) == code
    report: dict[str, object] = json.loads(capsys.readouterr().out)
    return report


def repeats(command: object, tmp_path: Path) -> bool:
    assert isinstance(command, str)
    return main([*command.split()[3:], "--out", str(tmp_path / "again")]) == 1


def test_an_expert_fault_is_placed_and_made_small(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = failing(tmp_path, "k2", f"{PLANTED}:experts")
    report = bisected(path, capsys)
    for name in ("recorded", "found", "smallest"):
        place = report[name]
        assert isinstance(place, dict)
        assert (place["stage"], place["output"], place["rank"]) == (
            "experts_down",
            "moe_partial",
            1,
        )
    assert report["smallest"]["point"] in ("moe.fold", "moe.weighted")  # type: ignore[index]
    assert report["smallest"]["index"] == [0, 5]  # type: ignore[index]
    (run,) = plan(str(report["command"]).split()[4:])
    config = run.source.config
    assert (run.arguments.tp, run.job.step.rows) == (2, 1)  # rank 1 needs two ranks
    assert (config.num_experts, config.num_experts_per_token) == (2, 1)
    assert config.layer(run.job.index).num_blocks == 1
    assert run.arguments.stage == ["experts_down"]
    assert repeats(report["command"], tmp_path)


def test_what_a_fault_needs_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """F1 shows with three or more accepted rows only: the counts and drafts stay."""
    path = failing(tmp_path, "k1", f"{PLANTED}:clamped", "--accepted", "3,1", "--tp", "2")
    report = bisected(path, capsys)
    assert report["smallest"]["stage"] == "recurrence"  # type: ignore[index]
    (run,) = plan(str(report["command"]).split()[4:])
    assert run.job.step.accepted == (3,)
    assert (run.arguments.tp, run.job.step.drafts) == (1, 2)
    assert repeats(report["command"], tmp_path)


def test_a_fault_of_the_whole_layer_has_no_stage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = failing(tmp_path, "k1", f"{PLANTED}:spoils", "--tp", "2")
    report = bisected(path, capsys, "--keep-size")
    found = report["found"]
    assert isinstance(found, dict)
    assert (found["stage"], found["check"], found["rank"]) == ("layer", "inputs_unchanged", 0)
    assert report["origin"] is None
    assert report["smaller"] == []


def test_a_simulated_kernel_names_workgroup_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = failing(tmp_path, "k1", f"{KERNEL}:make_wrong", "--tp", "2", "--stage", "prefix_update")
    report = bisected(path, capsys)
    origin = report["origin"]
    assert isinstance(origin, dict)
    assert origin["workgroup"] == [2, 0, 0]
    assert origin["kernel"].startswith("add_rows")
    file, line = origin["source"].split(" ")[0].rsplit(":", 1)
    assert file == "kernel_add.py"
    # FlyDSL gives a store no call stack: it is placed with the operation before it.
    nearby = KERNEL.read_text().splitlines()[int(line) - 2 : int(line) + 1]
    assert any("_put(out" in text for text in nearby)
    assert report["smallest"]["stage"] == "prefix_update"  # type: ignore[index]
    assert repeats(report["command"], tmp_path)


def test_the_right_kernel_has_nothing_to_take_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--tp", "2", "--stage", "prefix_update")
    path = failing(tmp_path, "k1", f"{KERNEL}:make", *more, code=0)
    report = bisected(path, capsys, code=0)
    assert (report["found"], report["verdict"]) == (None, "pass")


def test_a_failure_that_does_not_come_back_is_not_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    candidate = tmp_path / "mine.py"
    candidate.write_text(PLANTED.read_text())
    path = failing(tmp_path / "out", "k1", f"{candidate}:clamped", "--accepted", "3,1")
    candidate.write_text(PLANTED.read_text().replace("clamp(max=2)", "clamp(max=99)"))
    report = bisected(path, capsys, code=2)
    assert report["verdict"] == "not_checked"
    notes = report["notes"]
    assert isinstance(notes, list)
    assert any("source is not the recorded one" in note for note in notes)
    assert any("did not come back" in note for note in notes)


def test_the_table_says_what_to_paste(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = failing(tmp_path, "k1", f"{PLANTED}:clamped", "--accepted", "3,1", "--tp", "1")
    capsys.readouterr()
    assert main(["bisect", str(path), "--out", str(tmp_path / "b")]) == 1
    shown = capsys.readouterr().out
    for text in ("first divergence  recurrence.", "rounding point", "rank 0, index [", "repeat"):
        assert text in shown
    assert "python -m verify layer k1" in shown


def test_an_item_of_a_sweep_is_taken_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["k1", "--preset", "tiny", "--tp", "1", "--drafts", "3", "--seeds", "0-3"]
    out = tmp_path / "sweep"
    words += ["--workers", "1", "--candidate", f"{PLANTED}:clamped", "--out", str(out)]
    assert main(["sweep", *words, "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)["rows"]
    key = next(row["key"] for row in rows if row["verdict"] == "fail")
    report = bisected(out / "items" / f"{key}.json", capsys)
    assert report["found"]["stage"] == "recurrence"  # type: ignore[index]


@pytest.mark.parametrize("text", ["", "{}", "no json"], ids=["empty", "no-record", "no-json"])
def test_what_is_no_record_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "record.json"
    path.write_text(text)
    assert main(["bisect", str(path)]) == 2
    assert "must be a kk3 record" in capsys.readouterr().err


def test_places_are_read_from_messages_of_discrete_checks() -> None:
    message = (
        "stage route, output ids, rank 3, index [2, 1]: expert 4 must be 7; rounding point x.y"
    )
    check = Check(name="slots", verdict=Verdict.FAIL, message=message)
    found = first_divergence([], [check])
    assert found is not None
    assert (found.rank, found.index, found.stage) == (3, [2, 1], "layer")
    assert found.same_place(Divergence.model_validate(found.model_dump() | {"rank": 5}))
