"""Launching builds: arguments by name, compiled once, what is launched being what was verified.

    kernel = Kernel(build)
    kernel.compile_only()                       # anywhere: IR, ISA and code object, no launch
    kernel.load(device=0)                       # on gfx950
    kernel.launch(stream, prefix=…, delta=…)    # by name; nothing is traced again

The code object that is loaded is the artefact of ``compile_only``: its ISA digest is the one that
records and certificates name.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from torch import Tensor

from kk3fast import hip
from kk3fast.abi import Argument
from kk3fast.compile import Artefact, ArtefactCache
from kk3fast.compile.environment import DEFAULT_TARGET
from kk3fast.flydsl.build import KernelBuild


class LaunchError(ValueError):
    """A launch's arguments do not fit, or the kernel is not ready; lists every problem."""


class Loader(Protocol):
    """How a code object comes onto a device; :class:`kk3fast.hip.Function` is one."""

    def load(self, code: bytes, symbol: str, device: int) -> Any:
        """A loaded kernel with ``launch(grid, block, packed, stream)``."""
        ...


class Kernel:
    """One build: compiled at most once, loaded at most once a device.

    Args:
        build: what to launch.
        loader: for tests; the HIP runtime by default.
    """

    def __init__(self, build: KernelBuild, loader: Loader | None = None) -> None:
        self.build = build
        self.arguments = build.arguments()
        self._loader: Loader = loader or hip.Function
        self._artefact: Artefact | None = None
        self._loaded: dict[int, Any] = {}

    def compile_only(
        self, *, target: str = DEFAULT_TARGET, cache: ArtefactCache | None = None
    ) -> Artefact:
        """Compile to a code object; launches nothing and needs no GPU.

        Raises:
            BuildError, CompileError: the build does not compile.
        """
        if self._artefact is None:
            self._artefact = self.build.compile(
                target=target, isa=True, hsaco=True, cache=cache or ArtefactCache()
            )
        return self._artefact

    def load(self, device: int) -> None:
        """Load the code object on a device; the second time does nothing."""
        if device not in self._loaded:
            artefact = self.compile_only()
            assert artefact.hsaco is not None
            symbol = artefact.identity.kernel
            self._loaded[device] = self._loader.load(artefact.hsaco, symbol, device)

    def launch(self, stream: int, device: int, **values: Tensor | int) -> None:
        """Queue a launch on a device's stream.

        Args:
            stream: its raw handle (``torch.cuda.current_stream().cuda_stream``).
            values: every argument by name: tensors on the device, or integers (scalars, and
                addresses that are no tensor, as the alarm word's).

        Raises:
            LaunchError: lists every problem; nothing is launched.
        """
        if device not in self._loaded:
            raise LaunchError(f"{self.build.kernel}: load(device={device}) must come first")
        packed = pack(self.arguments, values, self.build.kernel)
        self._loaded[device].launch(self.build.grid_for(values), self.build.block, packed, stream)


def pack(arguments: Sequence[Argument], values: Mapping[str, Tensor | int], kernel: str) -> bytes:
    """A kernel's argument buffer: every value at its natural alignment, in order.

    Raises:
        LaunchError: lists what is missing, unknown, or of the wrong kind, dtype or device.
    """
    names = [a.name for a in arguments]
    problems = [f"{n} is missing" for n in names if n not in values]
    problems += [f"{n} is not an argument" for n in values if n not in names]
    layout, given = "<", []
    for argument in arguments:
        if argument.name in values:
            number, wrong = _number(argument, values[argument.name])
            problems += wrong
            given.append(number)
            size = 8 if argument.is_pointer else 4
            layout += "x" * (-struct.calcsize(layout) % size)
            layout += "q" if argument.is_pointer else "i"
    if problems:
        raise LaunchError(f"{kernel}: " + "; ".join(problems))
    return struct.pack(layout, *given)


def _number(argument: Argument, value: Tensor | int) -> tuple[int, list[str]]:
    name, bits = argument.name, 64 if argument.is_pointer else 32
    if isinstance(value, bool) or not isinstance(value, (int, Tensor)):
        return 0, [f"{name} must be a tensor or an integer, got {type(value).__name__}"]
    if isinstance(value, Tensor):
        if not argument.is_pointer:
            return 0, [f"{name} must be an integer, got a tensor"]
        if str(value.dtype) != f"torch.{argument.dtype}":
            return 0, [f"{name} must be {argument.dtype}, got {value.dtype}"]
        return value.data_ptr(), []
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        return 0, [f"{name} must fit {bits} bits, got {value}"]
    return value, []
