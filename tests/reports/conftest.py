"""Records of one passing and one failing candidate."""

from __future__ import annotations

from pathlib import Path

import pytest

from verify.cli.main import main

FAULTY = '''
"""A K2 with rows 2 and 5 of rank 3's routed output swapped."""
from kk3ref.layers.k2 import K2
from kk3ref.precision import CONTRACT


class Faulty:
    name = "faulty"
    description = "rows 2 and 5 swapped on rank 3"

    def available(self):
        return True, ""

    def stage(self, name):
        return self.down if name == "experts_down" else None

    def down(self, context, inputs):
        out = K2.stage("experts_down")(CONTRACT, context, inputs)["moe_partial"].clone()
        if context.rank == 3:
            out[[2, 5]] = out[[5, 2]]
        return {"moe_partial": out}


def make():
    return Faulty()
'''


@pytest.fixture(scope="session")
def passing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A passing record of K2, preset tiny."""
    out = tmp_path_factory.mktemp("passing")
    words = ["layer", "k2", "--preset", "tiny", "--family", "normal", "--out", str(out)]
    assert main([*words, "--candidate", "contract"]) == 0
    return next(out.glob("*.json"))


@pytest.fixture(scope="session")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A failing record of K2, preset tiny, with its tensors beside it."""
    out = tmp_path_factory.mktemp("failing")
    (out / "faulty.py").write_text(FAULTY)
    words = ["layer", "k2", "--preset", "tiny", "--family", "normal", "--out", str(out)]
    assert main([*words, "--candidate", f"{out}/faulty.py:make", "--no-sequence"]) == 1
    return next(out.glob("*.json"))
