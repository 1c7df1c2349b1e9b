"""Which interpreter the simulator process runs, and how long a launch may take: the environment.

``KK3_SIMULATOR_PYTHON``
    An interpreter with ``kk3[sim]``'s packages; the worker's own if it is not set.
``KK3_SIMULATOR_PATH``
    Folders, separated as in ``PATH``, that go to the front of its ``sys.path``: of packages that it
    shall have and the worker not (``pip install --target FOLDER 'llvmlite>=0.50,<0.52'``).
``KK3_SIMULATOR_DEADLINE_S``
    Seconds that a launch may take, compilation included; 240 if it is not set.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PYTHON, PATH = "KK3_SIMULATOR_PYTHON", "KK3_SIMULATOR_PATH"
DEADLINE, DEADLINE_S = "KK3_SIMULATOR_DEADLINE_S", 240.0
_OF_AN_INTERPRETER = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


class SimulatorUnavailable(RuntimeError):
    """No simulator process starts here.

    Attributes:
        reasons: every reason, a sentence each.
    """

    def __init__(self, reasons: Sequence[str]):
        self.reasons = tuple(reasons)
        super().__init__("the simulator process does not start: " + "; ".join(reasons))


@dataclass(frozen=True)
class ProcessSettings:
    """How the simulator process is started."""

    python: Path
    path: tuple[Path, ...] = ()
    deadline_s: float = DEADLINE_S

    def environment(self) -> dict[str, str]:
        """Of the process: one thread, and of another interpreter nothing that is the worker's."""
        hidden = () if self.python == Path(sys.executable) else _OF_AN_INTERPRETER
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        return {**kept, "OMP_NUM_THREADS": "1"}


def process_settings(environment: Mapping[str, str] = os.environ) -> ProcessSettings:
    """The settings of an environment.

    Raises:
        SimulatorUnavailable: lists every wrong value with what was expected.
    """
    python = Path(environment.get(PYTHON) or sys.executable)
    folders = [Path(p) for p in environment.get(PATH, "").split(os.pathsep) if p]
    text, seconds = environment.get(DEADLINE, str(DEADLINE_S)), 0.0
    reasons = []
    if not os.access(python, os.X_OK) or python.is_dir():
        reasons.append(f"{PYTHON} must be an interpreter, got {python}")
    reasons += [f"{PATH} must name folders, got {f}" for f in folders if not f.is_dir()]
    with contextlib.suppress(ValueError):
        seconds = float(text)
    if not (math.isfinite(seconds) and seconds > 0):
        reasons.append(f"{DEADLINE} must be a number of seconds above 0, got {text!r}")
    if reasons:
        raise SimulatorUnavailable(reasons)
    return ProcessSettings(python, tuple(folder.resolve() for folder in folders), seconds)
