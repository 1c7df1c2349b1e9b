"""Where a run takes place."""

from __future__ import annotations

import platform
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

import kk3ref
import verify
from verify.data import Environment
from verify.device import CPU, device_name, driver_and_clocks


def kk3_version() -> str:
    """Installed version, or ``source`` when run from a checkout that is not installed."""
    try:
        return version("kk3")
    except PackageNotFoundError:
        return "source"


@cache
def harness_digest() -> str:
    """sha256 of the Python sources of ``kk3ref`` and ``verify``: what computes and judges."""
    found = sha256()
    for package in (kk3ref, verify):
        assert package.__file__ is not None
        folder = Path(package.__file__).parent
        for path in sorted(folder.rglob("*.py")):
            found.update(f"{package.__name__}/{path.relative_to(folder).as_posix()}\0".encode())
            found.update(sha256(path.read_bytes()).digest())
    return found.hexdigest()


def environment(
    device: torch.device = CPU, accelerator: str | None = None, named: str | None = None
) -> Environment:
    """This machine, for a record.

    Args:
        device: where the candidate ran.
        accelerator: the target accelerator, if its kernels ran there.
        named: how the device is called, where there are several.
    """
    driver, clocks = driver_and_clocks(device)
    return Environment(
        kk3=kk3_version(),
        python=platform.python_version(),
        torch=torch.__version__,
        platform=f"{platform.system()} {platform.machine()}",
        device=named or device_name(device),
        threads=torch.get_num_threads(),
        driver=driver,
        clocks=clocks,
        accelerator=accelerator,
        harness=harness_digest(),
    )
