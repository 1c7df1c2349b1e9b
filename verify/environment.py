"""Where a run takes place."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import torch

from verify.data import Environment


def kk3_version() -> str:
    """Installed version, or ``source`` when run from a checkout that is not installed."""
    try:
        return version("kk3")
    except PackageNotFoundError:
        return "source"


def environment() -> Environment:
    """This machine, for a record."""
    return Environment(
        kk3=kk3_version(),
        python=platform.python_version(),
        torch=torch.__version__,
        platform=f"{platform.system()} {platform.machine()}",
        device="cpu",
        threads=torch.get_num_threads(),
    )
