"""The Triton kernels compile for an NVIDIA GPU, on a machine without one.

The interpreter runs what the compiler refuses: once a name of two types passed every test here and
no launch of K2 compiled on a GPU. A process each, since the interpreter may have been chosen in
this one.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="extra triton")
SCRIPT = Path(__file__).with_name("compile_for_cuda.py")
ROOT = SCRIPT.parents[3]
LAUNCHES = {"k1": 3, "k2": 11, "m1": 8, "kda-decode": 1}


def run(program, *words, **environment):
    variables = {n: v for n, v in os.environ.items() if n != "TRITON_INTERPRET"}
    return subprocess.run(
        [sys.executable, *program, *words],
        env={**variables, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("kind", LAUNCHES)
def test_every_launch_compiles(kind, tmp_path):
    done = run([str(SCRIPT)], kind, TRITON_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.split()) == LAUNCHES[kind]


def test_fewer_rows_than_a_tile_of_the_experts_are_refused():
    # The arrivals of a row's picks are counted a tile of 32: smaller parts once counted past them.
    program = (
        "import torch; from types import SimpleNamespace as N\n"
        "from kk3fast.triton.k2 import K2; from kk3fast.triton.tuning import K2Tiles\n"
        "from kk3fast.triton.target import Target\n"
        "gate = N(w_gate=torch.zeros(1))\n"
        "K2(gate, Target(), None, 8, K2Tiles(down_rows=16), experts=object())"
    )
    done = run(["-c", program])
    assert "ValueError: down_rows must be at least 32, got 16" in done.stderr
