"""A sweep on an existing Ray cluster of two workers, one of which is killed in mid-run."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sweeping import begun

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@pytest.fixture
def access() -> dict[str, str]:
    """Ray lets in who knows a cluster's token: this one's is made up here."""
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


@pytest.fixture
def address(access: dict[str, str]) -> Iterator[str]:
    """A cluster in a process of its own: Ray's warnings are none of ours."""
    with subprocess.Popen(
        [sys.executable, str(HERE / "cluster.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **access},
    ) as cluster:
        assert cluster.stdout is not None
        yield cluster.stdout.readline().strip()


def test_a_killed_worker_of_a_cluster_loses_nothing(
    address: str, access: dict[str, str], fragile: Path, tmp_path: Path
) -> None:
    words = ["k1", "--preset", "tiny", "--tp", "1", "--rows", "1-4", "--drafts", "0"]
    words += ["--candidate", f"{fragile}:once", "--workers", "2", "--ray", address]
    command = [sys.executable, "-m", "verify", "sweep", *words, "--json"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "sweep")],
        cwd=ROOT,
        env={**os.environ, **access},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["items"] == len(record["rows"]) == 8
    assert record["counts"] == {"pass": 8}
    assert len({row["key"] for row in record["rows"]}) == 8
    assert (fragile.parent / "killed").exists()
    assert record["retried"] == 1
    # Begun: one a run, and the killed one once more. Nothing else ran twice.
    counts = Counter({rows: len(pids) for rows, pids in begun(fragile).items()})
    assert counts == {1: 3, 2: 2, 3: 2, 4: 2}
    workers = {row["worker"] for row in record["rows"]}
    assert len(workers) >= 2
