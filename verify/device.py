"""Where a candidate runs. Inputs are drawn, and every value judged, on the CPU in float64."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from kk3ref.formats import MXFP4
from kk3ref.stages import RankContext
from verify.candidates.base import LayerCall
from verify.step import UsageError

CPU = torch.device("cpu")


def device_of(name: str) -> torch.device:
    """The device called ``cpu`` or ``cuda`` (the current GPU, CUDA's or ROCm's).

    Raises:
        UsageError: there is no such device here.
    """
    if name == "cpu":
        return CPU
    if name != "cuda":
        raise UsageError(f"--device must be cpu or cuda, got {name!r}")
    if not torch.cuda.is_available():
        raise UsageError("--device cuda: this machine has no GPU that torch can use")
    return torch.device("cuda", torch.cuda.current_device())


def moved_call(call: LayerCall, device: torch.device) -> LayerCall:
    """A call with inputs, and weights when they are read, on a device.

    ``call.buffers`` must lie there already. What ranks share stays shared.
    """
    if device.type == "cpu":
        return call
    inputs = inputs_on(call.inputs, device)
    return replace(call, contexts=contexts_on(call.contexts, device), inputs=inputs)


def inputs_on(
    inputs: Sequence[Mapping[str, Tensor]], device: torch.device
) -> list[Mapping[str, Tensor]]:
    """Inputs on a device; what ranks share stays shared."""
    if device.type == "cpu":
        return list(inputs)
    made: dict[int, Tensor] = {}
    return [
        {name: made.setdefault(id(t), t.to(device)) for name, t in values.items()}
        for values in inputs
    ]


def contexts_on(contexts: Sequence[RankContext], device: torch.device) -> list[RankContext]:
    """Contexts whose weights are moved when they are first read; replicated ones once."""
    if device.type == "cpu":
        return list(contexts)
    made: dict[int, tuple[Tensor, Tensor]] = {}
    return [replace(c, weights=_Weights(c.weights, device, made)) for c in contexts]


def taps_to_cpu(taps: Sequence[Mapping[str, Tensor]]) -> list[dict[str, Tensor]]:
    """On the CPU, copied if they are not there; tensors that ranks share stay shared."""
    made: dict[int, Tensor] = {}

    def moved(t: Tensor) -> Tensor:
        if id(t) not in made:
            made[id(t)] = t.detach().cpu()
        return made[id(t)]

    return [{name: moved(t) for name, t in values.items()} for values in taps]


def synchronize(device: torch.device) -> None:
    """Wait for everything on the device."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def device_name(device: torch.device) -> str:
    """For records: ``cpu``, or the GPU's name."""
    return "cpu" if device.type == "cpu" else torch.cuda.get_device_name(device)


def driver_and_clocks(device: torch.device) -> tuple[str | None, str | None]:
    """Driver version, and clocks as they are now; None where no tool tells."""
    if device.type == "cpu" or torch.version.hip is not None or not shutil.which("nvidia-smi"):
        return None, None
    wanted = "driver_version,clocks.sm,clocks.mem"
    command = ["nvidia-smi", f"--query-gpu={wanted}", "--format=csv,noheader"]
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None, None
    lines = out.stdout.strip().splitlines()
    index = min(device.index or 0, len(lines) - 1)
    driver, sm, memory = (part.strip() for part in lines[index].split(","))
    return driver, f"SM {sm}, memory {memory}"


class _Weights(Mapping[str, Any]):
    def __init__(
        self,
        weights: Mapping[str, Any],
        device: torch.device,
        made: dict[int, tuple[Tensor, Tensor]],
    ):
        self._weights, self._device, self._made = weights, device, made
        self._own: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._own:
            with CPU:  # a weight is made where it is read, whatever the default device
                weight = self._weights[name]
            self._own[name] = (
                self._shared(weight)
                if isinstance(weight, Tensor)
                else _Experts(weight, self._device)
            )
        return self._own[name]

    def _shared(self, weight: Tensor) -> Tensor:
        # The original is kept, so that its id is not given to another tensor.
        if id(weight) not in self._made:
            self._made[id(weight)] = (weight, weight.to(self._device))
        return self._made[id(weight)][1]

    def __iter__(self) -> Any:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)


class _Experts:
    """Routed experts, moved when they are picked."""

    def __init__(self, experts: Any, device: torch.device):
        self._experts, self._device = experts, device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._experts, name)

    def __len__(self) -> int:
        return len(self._experts)

    def w13(self, ids: Sequence[int]) -> MXFP4:
        """See :class:`kk3ref.moe.Experts`."""
        with CPU:
            weight = self._experts.w13(ids)
        return self._move(weight)

    def w2(self, ids: Sequence[int]) -> MXFP4:
        """See :class:`kk3ref.moe.Experts`."""
        with CPU:
            weight = self._experts.w2(ids)
        return self._move(weight)

    def _move(self, weight: MXFP4) -> MXFP4:
        return MXFP4(weight.codes.to(self._device), weight.scales.to(self._device))
