"""Static memory of a captured step: the same addresses, contents that change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from kk3ref.formats import MXFP4
from kk3ref.stages import RankContext, Role
from verify.candidates import LayerCall
from verify.inputs import Case
from verify.inputs.case import AFTER
from verify.memory import GUARD_BYTES, Guarded, poison
from verify.placement import Placement
from verify.ranks import Ranks
from verify.run import output_storage


class StaticStep:
    """A step's inputs, outputs and pools at fixed addresses on one device.

    Args:
        contexts: of ``case``, if they lie on the device already.
        ranks: the group, where each rank has a process of its own.

    Attributes:
        call: what a candidate is bound to.
        storage: the outputs and pools between their guard bands, one mapping a rank.
    """

    def __init__(
        self,
        case: Case,
        device: str = "cpu",
        contexts: Sequence[RankContext] | None = None,
        ranks: Ranks | None = None,
    ):
        self.device = torch.device(device)
        place = Placement(self.device, ranks)
        if ranks is None:
            contexts = contexts or contexts_on(case.contexts, self.device)
        else:
            contexts = contexts or place.contexts(case.contexts)
        made: dict[tuple[int, torch.device], Tensor] = {}
        self._inputs: list[dict[str, Tensor]] = []
        for rank, values in enumerate(case.inputs):
            at = place.of(rank)
            self._inputs.append(
                {n: made.setdefault((id(t), at), t.clone().to(at)) for n, t in values.items()}
            )
        self.storage = [
            {name: _moved(g, place.of(rank)) for name, g in output_storage(case, rank).items()}
            for rank in case.ranks
        ]
        buffers = [{name: g.tensor for name, g in named.items()} for named in self.storage]
        self.call = LayerCall(case.layer, contexts, self._inputs, buffers, ranks=ranks)
        self.load(case)

    def load(self, case: Case) -> None:
        """Copy a case's inputs in; pools as before the step, outputs poisoned."""
        before = case.pools_before()
        for rank in case.ranks:
            self.load_inputs(case, rank)
            for name, buffer in self.call.buffers[rank].items():
                if name in before[rank]:
                    buffer.copy_(before[rank][name])
                else:
                    poison(buffer)

    def load_inputs(self, case: Case, rank: int, skip: frozenset[str] = frozenset()) -> None:
        """Copy one rank's inputs in, without those named."""
        for name, tensor in case.inputs[rank].items():
            if name not in skip:
                self._inputs[rank][name].copy_(tensor)

    def pools(self) -> frozenset[str]:
        """Names of the inputs that are state pools."""
        roles = self.call.layer.roles.items()
        return frozenset(name.removesuffix(AFTER) for name, role in roles if role is Role.STATE)

    def next_step(self, case: Case) -> None:
        """Go on from the state the last launch left, with another case's remaining inputs."""
        pools = self.pools()
        for rank in case.ranks:
            self.load_inputs(case, rank, pools)
            for name, buffer in self.call.buffers[rank].items():
                before = name.removesuffix(AFTER)
                if before in pools:
                    self._inputs[rank][before].copy_(buffer)
                else:
                    poison(buffer)

    def as_case(self, case: Case) -> Case:
        """A case of what the memory holds now: the step that the next launch will run."""
        pools = self.pools()
        inputs = tuple(
            {
                name: (buffers[name + AFTER] if name in pools else t).cpu().clone()
                for name, t in values.items()
            }
            for values, buffers in zip(self._inputs, self.call.buffers, strict=True)
        )
        return replace(case, inputs=inputs)


def contexts_on(contexts: Sequence[RankContext], device: torch.device) -> list[RankContext]:
    """Ranks' contexts with their weights on a device, each moved when it is first read; what the
    ranks share is moved once."""
    if device.type == "cpu":
        return list(contexts)
    shared: dict[int, tuple[Tensor, Tensor]] = {}
    return [replace(c, weights=_DeviceWeights(c.weights, device, shared)) for c in contexts]


class _DeviceWeights(Mapping[str, Any]):
    def __init__(
        self,
        weights: Mapping[str, Any],
        device: torch.device,
        shared: dict[int, tuple[Tensor, Tensor]],
    ):
        self._weights, self._device, self._shared = weights, device, shared
        self._own: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._own:
            with torch.device("cpu"):  # whatever the default device is where it is read
                weight = self._weights[name]
            if isinstance(weight, Tensor):
                if id(weight) not in self._shared:  # the original is kept, so that ids stay true
                    self._shared[id(weight)] = weight, weight.to(self._device)
                self._own[name] = self._shared[id(weight)][1]
            else:
                self._own[name] = _DeviceExperts(weight, self._device)
        return self._own[name]

    def __iter__(self) -> Any:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)


class _DeviceExperts:
    """Routed experts that are moved when they are picked."""

    def __init__(self, experts: Any, device: torch.device):
        self._experts = experts
        self._device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._experts, name)

    def w13(self, ids: Sequence[int]) -> MXFP4:
        with torch.device("cpu"):
            weight = self._experts.w13(ids)
        return self._move(weight)

    def w2(self, ids: Sequence[int]) -> MXFP4:
        with torch.device("cpu"):
            weight = self._experts.w2(ids)
        return self._move(weight)

    def _move(self, weight: MXFP4) -> MXFP4:
        return MXFP4(weight.codes.to(self._device), weight.scales.to(self._device))


def _moved(g: Guarded, device: torch.device) -> Guarded:
    """Guarded storage on another device, with the same layout."""
    if device.type == "cpu":
        return g
    storage, t = g.storage.to(device), g.tensor
    view = storage[GUARD_BYTES : storage.numel() - GUARD_BYTES].view(t.dtype)
    tensor = view.as_strided(t.shape, t.stride(), GUARD_BYTES // t.dtype.itemsize)
    return Guarded(tensor, storage, g._mask.to(device))


__all__ = ["StaticStep", "contexts_on"]
