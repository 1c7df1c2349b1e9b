"""The Triton kernels under Triton's interpreter, through the whole verification.

A process each: the interpreter is chosen when ``triton`` is first imported.
"""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("triton", reason="extra triton")
KINDS = {
    "k1": ["--rows", "2", "--drafts", "1"],
    "k2": ["--rows", "2", "--drafts", "1"],
    "m1": ["--rows", "2", "--drafts", "1"],
    "kda-decode": ["--rows", "2"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_stage_passes_under_the_interpreter(kind, tmp_path):
    words = ["--preset", "tiny", "--tp", "2", "--family", "normal", "--no-sequence"]
    words += ["--candidate", "triton", "--json", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "verify", "layer", kind, *KINDS[kind], *words],
        env={**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    record = json.loads(next(tmp_path.glob("*.json")).read_text())
    assert record["verdict"] == "pass"
    assert record["hardware"] == "not_checked"
    assert record["candidate"]["name"] == "triton"


def test_experts_that_are_brought_after_the_routing_are_the_picked_ones(tmp_path):
    # Places are looked up by the routing's launch: once they stayed "not there" when the experts
    # came after it, as they do at production size, and the experts' launches read anywhere.
    words = ["layer", "k2", *KINDS["k2"], "--preset", "tiny", "--tp", "2", "--family", "normal"]
    words += ["--no-sequence", "--candidate", "triton", "--out", str(tmp_path)]
    program = (
        "from kk3fast.triton import expert_table; expert_table._RESIDENT_BYTES = 0\n"
        "from verify.cli.main import main\n"
        f"raise SystemExit(main({words!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
