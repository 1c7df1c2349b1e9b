"""Where a run takes place."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import torch

from verify.data import Environment
from verify.device import CPU, device_name, driver_and_clocks


def kk3_version() -> str:
    """Installed version, or ``source`` when run from a checkout that is not installed."""
    try:
        return version("kk3")
    except PackageNotFoundError:
        return "source"


def environment(device: torch.device = CPU) -> Environment:
    """This machine, for a record; ``device`` is where the candidate ran."""
    driver, clocks = driver_and_clocks(device)
    return Environment(
        kk3=kk3_version(),
        python=platform.python_version(),
        torch=torch.__version__,
        platform=f"{platform.system()} {platform.machine()}",
        device=device_name(device),
        threads=torch.get_num_threads(),
        driver=driver,
        clocks=clocks,
    )
