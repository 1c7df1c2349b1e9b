"""Records on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from verify.candidates.reference import contract
from verify.data import CandidateInfo, Verdict, worst_verdict
from verify.data.store import RecordError, read, save
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
