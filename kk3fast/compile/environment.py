"""The process environment FlyDSL needs to compile for a GPU that is not there.

FlyDSL reads its settings from ``os.environ`` whenever it needs them, so they are set for the
length of one ``with`` block and restored exactly: a process that also drives a real GPU keeps its
own settings, and importing this package changes nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEFAULT_TARGET = "gfx950"

# Only one compilation at a time: os.environ belongs to the whole process.
_LOCK = threading.RLock()

# HSA_OVERRIDE_GFX_VERSION would be taken for the target where FLYDSL_GPU_ARCH is not read.
_REMOVED = ("HSA_OVERRIDE_GFX_VERSION",)


def offline_variables(target: str, rocm_path: Path | None) -> dict[str, str]:
    """The variables of an offline compilation for ``target`` (e.g. ``gfx950``).

    ``rocm_path`` is the folder whose ``llvm/bin/ld.lld`` links HSACO; None leaves ``ROCM_PATH``.
    """
    values = {
        "ARCH": target,
        "FLYDSL_GPU_ARCH": target,
        "COMPILE_ONLY": "1",
        "FLYDSL_RUNTIME_ENABLE_CACHE": "0",
    }
    if rocm_path is not None:
        values["ROCM_PATH"] = str(rocm_path)
    return values


@contextmanager
def offline(target: str = DEFAULT_TARGET, rocm_path: Path | None = None) -> Iterator[None]:
    """Hold the offline environment for the block, then restore what was there before.

    Every ``FLYDSL_*`` variable of the caller is hidden meanwhile: several change the generated
    code (optimisation level, debug information, an external LLVM), and the same sources must give
    the same identity on every machine. Blocks of other threads wait; they may nest in one thread.
    """
    values = offline_variables(target, rocm_path)
    with _LOCK:
        hidden = {n for n in os.environ if n.startswith("FLYDSL_")} | set(_REMOVED) | set(values)
        saved = {n: os.environ[n] for n in hidden if n in os.environ}
        try:
            for name in hidden:
                os.environ.pop(name, None)
            os.environ.update(values)
            yield
        finally:
            for name in hidden:
                os.environ.pop(name, None)
            os.environ.update(saved)
