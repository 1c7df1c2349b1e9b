"""One process a rank: the group, and a layer over it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from verify.data import Record, Verdict
from verify.ranks import ranks_of_environment
from verify.step import UsageError

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path("/dev/shm")


def torchrun(processes: int, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script or a module on so many processes."""
    start = ["torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    return subprocess.run(
        [sys.executable, "-m", *start, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What three processes found of each other."""
    path = tmp_path_factory.mktemp("ranks") / "found.json"
    before = set(SHARED.glob("psm_*"))
    done = torchrun(3, str(Path(__file__).with_name("verify_ranks_script.py")), str(path))
    assert done.returncode == 0, done.stderr[-2000:]
    left = set(SHARED.glob("psm_*")) - before
    told: dict[str, Any] = json.loads(path.read_text())
    return {**told, "left": sorted(map(str, left))}


def test_processes_map_each_other_and_leave_nothing(found: dict[str, Any]) -> None:
    assert found["reached"] == 7
    assert found["left"] == []


def test_what_one_process_finds_counts_for_all(found: dict[str, Any]) -> None:
    assert found["merged"]["verdict"] == "fail"
    assert found["merged"]["message"] == "rank 2: an input was written"


def test_processes_of_one_machine_cross_no_link(found: dict[str, Any]) -> None:
    assert found["links"]["verdict"] == "not_checked"
    assert "cpu × 3 processes" in found["links"]["message"]


def test_a_stalled_rank_stops_all_at_one_step(found: dict[str, Any]) -> None:
    assert found["stalled"]["verdict"] == "pass"


def test_a_rank_that_does_not_give_up_is_a_failure(found: dict[str, Any]) -> None:
    assert found["deaf"]["verdict"] == "fail"
    assert "must stop after step 16: ranks [0, 1], got 16: ranks [0]" in found["deaf"]["message"]


def test_a_layer_over_two_processes(tmp_path: Path) -> None:
    words = ["layer", "moe", "--preset", "tiny", "--tp", "2", "--rows", "1", "--drafts", "0"]
    words += ["--family", "normal", "--no-sequence", "--candidate", "triton"]
    done = torchrun(2, "-m", "verify", *words, "--out", str(tmp_path), TRITON_INTERPRET="1")
    (path,) = tmp_path.glob("*.json")
    record = Record.model_validate_json(path.read_text())
    checks = {check.name: check.verdict for check in record.layer_checks}
    assert checks.pop("links") is Verdict.NOT_CHECKED
    assert set(checks.values()) == {Verdict.PASS}
    assert {"one_process", "ranks_equal", "waits"} <= set(checks)
    assert {stage.verdict for stage in record.stages} == {Verdict.PASS}
    assert record.command.startswith("torchrun --nproc-per-node 2 -m verify layer moe ")
    assert done.returncode != 0  # not_checked: torchrun knows 0 and 1 alone


def test_a_candidate_of_one_process_is_refused(tmp_path: Path) -> None:
    words = ["layer", "moe", "--preset", "tiny", "--tp", "2", "--candidate", "contract"]
    done = torchrun(2, "-m", "verify", *words, "--family", "normal", "--out", str(tmp_path))
    assert "contract: runs all ranks in one process, start it without torchrun" in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_torchrun_there_is_no_group() -> None:
    assert ranks_of_environment(8, "cpu", {}) is None
    with pytest.raises(UsageError, match="RANK, LOCAL_RANK is not set"):
        ranks_of_environment(8, "cpu", {"WORLD_SIZE": "8"})


def test_a_group_that_does_not_fit_is_refused_with_every_reason() -> None:
    given = {"WORLD_SIZE": "4", "RANK": "0", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2"}
    with pytest.raises(UsageError) as caught:
        ranks_of_environment(8, "tpu", given)
    told = str(caught.value)
    assert "4 processes for --tp 8" in told
    assert "on one host" in told
    assert "--device must be cpu or cuda" in told
