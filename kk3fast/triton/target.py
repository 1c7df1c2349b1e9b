"""What a launch may use here: interpreter, PTX, programmatic dependent launch."""

from __future__ import annotations

import functools
import importlib.metadata
from dataclasses import dataclass
from typing import Any

import torch
import triton
from triton import knobs

INTERPRET = bool(knobs.runtime.interpret)
"""Whether kernels were made for Triton's interpreter (decided when they are imported)."""

NEXT_POWER = triton.next_power_of_2


@dataclass(frozen=True)
class Target:
    """How kernels are built for a device.

    Attributes:
        ptx: inline PTX may be used (NVIDIA, compute capability 9.0 or above).
        pdl: successive kernels of a stream may overlap (programmatic dependent launch).
        clock: kernels can read a clock in nanoseconds; elsewhere a wait counts its polls.
    """

    ptx: bool = False
    pdl: bool = False
    clock: bool = False


@functools.lru_cache(maxsize=16)
def target_of(device: torch.device, pdl: bool = True) -> Target:
    """The target of a device; ``pdl=False`` where ranks share one GPU.

    A kernel launched ahead of its predecessor's end occupies the GPU while it waits. Where another
    rank's kernel, which the predecessor waits for, needs that room, nothing would ever finish.
    """
    if INTERPRET or device.type != "cuda" or torch.version.hip is not None:
        return Target()
    hopper = torch.cuda.get_device_capability(device) >= (9, 0)
    return Target(ptx=hopper, pdl=hopper and pdl, clock=True)


def why_not(device: torch.device) -> str:
    """Why kernels cannot run on ``device``; empty if they can."""
    if INTERPRET:
        return "" if device.type == "cpu" else "TRITON_INTERPRET=1 runs on the CPU only"
    if device.type == "cuda":
        return ""
    return "needs a GPU (--device cuda), or TRITON_INTERPRET=1 to run under Triton's interpreter"


def triton_version() -> str:
    """Version of the installed Triton."""
    return importlib.metadata.version("triton")


def launch(
    kernel: Any,
    grid: tuple[int, ...],
    *arguments: Any,
    target: Target,
    warps: int = 4,
    stages: int = 1,
    **constants: Any,
) -> Any:
    """Launch a kernel; returns the compiled kernel (None under the interpreter)."""
    options: dict[str, Any] = {"num_warps": warps, "num_stages": stages}
    if target.pdl:
        options["launch_pdl"] = True
    return kernel[grid](*arguments, **constants, **options)
