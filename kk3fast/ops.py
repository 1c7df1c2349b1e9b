"""Launches as torch operators: they compose with graphs and ``torch.compile``.

    op = operator(build)            # torch.ops.kk3.k1, the same for every build of a kernel
    op(number, tensors, scalars)

An operator ``kk3::<kernel>`` takes the build's number (``register``) and its arguments by name, and
mutates what the argument table says it writes; its fake does nothing, so tracing never launches.
On ROCm it launches; on the CPU it runs the kernel on the simulator, one rank (kernels that talk to
other ranks cannot run so: their ranks run together through ``kk3fast.flydsl.run.simulated``).
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor

from kk3fast.abi import Argument
from kk3fast.flydsl.build import KernelBuild
from kk3fast.launch import Kernel

_kernels: list[Kernel] = []
_numbers: dict[KernelBuild, int] = {}
_library = torch.library.Library("kk3", "FRAGMENT")


def register(build: KernelBuild) -> int:
    """The build's number for its operator; equal builds share one."""
    if build not in _numbers:
        _define(build)
        _numbers[build] = len(_kernels)
        _kernels.append(Kernel(build))
    return _numbers[build]


def operator(build: KernelBuild) -> Any:
    """The operator of the build's kernel: ``op(number, *arguments in order)``."""
    register(build)
    return getattr(torch.ops.kk3, _name(build))


def call(build: KernelBuild, **values: Tensor | int) -> None:
    """Run a build's operator on arguments by name.

    Raises:
        LaunchError: lists what is missing, unknown or of the wrong kind.
    """
    from kk3fast.launch import LaunchError

    names = [a.name for a in build.arguments()]
    problems = [f"{n} is missing" for n in names if n not in values]
    problems += [f"{n} is not an argument" for n in values if n not in names]
    if problems:
        raise LaunchError(f"{build.kernel}: " + "; ".join(problems))
    operator(build)(register(build), *(values[n] for n in names))


def _name(build: KernelBuild) -> str:
    return build.kernel.replace("-", "_")


def schema(build: KernelBuild) -> str:
    """The operator's schema: tensors for addresses (mutable where written), ints for the rest."""
    parts, written = ["int build"], 0
    for argument in build.arguments():
        if not _is_tensor(argument):
            parts.append(f"int {argument.name}")
        elif argument.access == "read":
            parts.append(f"Tensor {argument.name}")
        else:
            parts.append(f"Tensor(a{written}!) {argument.name}")
            written += 1
    return f"({', '.join(parts)}) -> ()"


def _is_tensor(argument: Argument) -> bool:
    return argument.is_pointer and argument.name != "alarm"  # another rank's memory: an address


@functools.cache
def _defined(name: str, signature: str) -> None:
    _library.define(f"{name}{signature}")
    _library.impl(name, _launch, "CUDA")
    _library.impl(name, _simulate, "CPU")
    torch.library.register_fake(f"kk3::{name}", _nothing, lib=_library)


def _define(build: KernelBuild) -> None:
    _defined(_name(build), schema(build))


def _nothing(build: int, *arguments: Any) -> None:
    """The fake: shapes and dtypes of what is written do not change."""


def _launch(number: int, *arguments: Any) -> None:
    kernel = _kernels[number]
    values = dict(zip((a.name for a in kernel.arguments), arguments, strict=True))
    device = next(v.device for v in arguments if isinstance(v, Tensor))
    kernel.load(device.index)
    stream = torch.cuda.current_stream(device).cuda_stream
    kernel.launch(stream, device.index, **values)


def _simulate(number: int, *arguments: Any) -> None:
    from kk3fast.flydsl.run.simulated import run_one

    build = _kernels[number].build
    run_one(build, dict(zip((a.name for a in build.arguments()), arguments, strict=True)))
