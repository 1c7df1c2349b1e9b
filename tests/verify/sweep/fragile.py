"""The contract as a candidate whose worker dies: once, or every time, at steps of one row.

What it begins it notes beside itself: tests run a copy.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from torch import Tensor

from verify.candidates import LayerCall
from verify.candidates.reference import ReferenceCandidate, contract

HERE = Path(__file__).parent


class Fragile:
    """Kills its own process at steps of one row: each time, or the first time only."""

    name = description = "fragile"

    def __init__(self, always: bool):
        self.always = always
        self.inner: ReferenceCandidate = contract()

    def available(self) -> tuple[bool, str]:
        return True, ""

    def run(self, call: LayerCall) -> Sequence[dict[str, Tensor]]:
        rows = call.inputs[0]["prefix"].shape[0]
        with (HERE / f"begun-{rows}").open("a") as file:
            file.write(f"{os.getpid()}\n")
        if rows == 1 and (self.always or not (HERE / "killed").exists()):
            (HERE / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.inner.run(call)


def once() -> Fragile:
    return Fragile(always=False)


def always() -> Fragile:
    return Fragile(always=True)


def broken() -> Fragile:
    raise RuntimeError("this candidate cannot be made")
