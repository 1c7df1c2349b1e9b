"""Records on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from verify.candidates.reference import contract
from verify.data import CandidateInfo, Verdict, worst_verdict
from verify.data.store import RecordError, read, save, write_atomic
from verify.faults.candidate import FaultyCandidate
from verify.faults.kda import INHERITED
from verify.run import Outcome, verify_case


@pytest.fixture
def outcome(make_case: Any) -> Outcome:
    return verify_case(make_case("attn_res"), contract(), CandidateInfo(name="contract"), "")


def test_a_record_reads_back_as_it_was(tmp_path: Path, outcome: Outcome) -> None:
    assert read(save(outcome, tmp_path)) == outcome.record


def test_tensors_of_failing_outputs_are_kept(tmp_path: Path, outcome: Outcome) -> None:
    import torch

    outcome.tensors["attn_read.x"] = {"rank0.candidate": torch.ones(3)}
    record = read(save(outcome, tmp_path))
    (saved,) = [o.saved for r in record.stages for o in r.outputs if o.saved]
    assert load_file(tmp_path / saved)["rank0.candidate"].tolist() == [1, 1, 1]
    assert not list(tmp_path.rglob("*.partial"))


def test_tensors_of_a_later_launch_are_saved_by_its_name(tmp_path: Path, make_case: Any) -> None:
    info, case = CandidateInfo(name="planted"), make_case("kda-decode")
    outcome = verify_case(case, FaultyCandidate(INHERITED), info, "", sequence=True)
    record = read(save(outcome, tmp_path))
    (padded,) = [report for report in record.launches if report.launch == "padded"]
    saved = [o.saved for stage in padded.stages for o in stage.outputs if o.saved]
    stem = "kda-decode-6-normal-planted-0"
    assert f"{stem}/padded.recurrence.recurrent_state_after.safetensors" in saved
    assert all((tmp_path / path).is_file() for path in saved)


@pytest.mark.parametrize("text", ["", "{}", "not json", '{"schema_version": 1}'])
def test_what_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text)
    with pytest.raises(RecordError, match="must be a kk3 record"):
        read(path)


def test_the_worst_verdict_wins_and_nothing_is_not_a_pass() -> None:
    p, f, n = Verdict.PASS, Verdict.FAIL, Verdict.NOT_CHECKED
    assert worst_verdict([p, n, f]) is f
    assert worst_verdict([p, n]) is n
    assert worst_verdict([p]) is p
    assert worst_verdict([]) is n
    assert [v.exit_code for v in (p, f, n)] == [0, 1, 2]


def test_a_record_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    write_atomic(tmp_path / "record.json", "{}\n")
    assert (tmp_path / "record.json").stat().st_mode == plain.stat().st_mode
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plain", "record.json"]
