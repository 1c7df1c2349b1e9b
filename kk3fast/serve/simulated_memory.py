"""Memory that a worker and its simulator process both map, and tensors in it.

The memory has no name, so nothing of it is left whichever process ends, however it ends.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kk3fast.serve.modules import LoadedExperts
from kk3fast.serve.simulated_protocol import Place

Named = Sequence[Mapping[str, Tensor]]
Places = list[dict[str, Place]]
_ALIGNMENT = 256
_EXPERTS = "experts."


class SharedMemory:
    """A mapped open file of memory; the mapping lives as long as a tensor in it."""

    def __init__(self, file: int):
        """Map all of ``file``, which stays the caller's."""
        self.size = os.fstat(file).st_size
        self._bytes = torch.frombuffer(mmap.mmap(file, self.size), dtype=torch.uint8)

    def tensor(self, place: Place) -> Tensor:
        """The tensor at a place, in the memory itself."""
        offset, name, shape = place
        dtype: torch.dtype = getattr(torch, name)
        size = torch.Size(shape).numel() * dtype.itemsize
        return self._bytes[offset : offset + size].view(dtype).view(*shape)

    def named(self, places: Sequence[Mapping[str, Place]]) -> list[dict[str, Tensor]]:
        """The tensors at places by name, one mapping a rank."""
        return [{name: self.tensor(place) for name, place in held.items()} for held in places]


def new_file(size: int) -> int:
    """An open file of ``size`` bytes of memory without a name."""
    file = os.memfd_create("kk3-simulator")
    try:
        os.ftruncate(file, max(size, mmap.PAGESIZE))
    except BaseException:
        os.close(file)
        raise
    return file


def laid_out(tensors: Named, start: int = 0, *, own: bool = False) -> tuple[Places, int]:
    """A place from ``start`` on for every tensor, and the end of the last.

    A tensor that several ranks or names share has one place, unless each shall have its ``own``.
    """
    known: dict[int, Place] = {}
    end, places = start, []
    for held in tensors:
        mine: dict[str, Place] = {}
        for name, tensor in held.items():
            if own or id(tensor) not in known:
                dtype = str(tensor.dtype).removeprefix("torch.")
                known[id(tensor)] = (end, dtype, tuple(tensor.shape))
                size = tensor.numel() * tensor.itemsize
                end += -(-size // _ALIGNMENT) * _ALIGNMENT
            mine[name] = known[id(tensor)]
        places.append(mine)
    return places, end


def copy_in(memory: SharedMemory, tensors: Named, places: Places) -> None:
    """Copy every tensor to its place, once a place."""
    done: set[int] = set()
    for held, where in zip(tensors, places, strict=True):
        for name, tensor in held.items():
            offset = where[name][0]
            if offset not in done and tensor.numel():
                memory.tensor(where[name]).copy_(tensor)
                done.add(offset)


def flat_weights(weights: Mapping[str, Any]) -> dict[str, Tensor]:
    """A rank's weights as tensors by name; those of its experts begin with ``experts.``."""
    found = {name: value for name, value in weights.items() if isinstance(value, Tensor)}
    return found | {_EXPERTS + name: value for name, value in vars(weights["experts"]).items()}


def weights_of(flat: Mapping[str, Tensor]) -> dict[str, Any]:
    """The inverse of :func:`flat_weights`."""
    dense = {name: value for name, value in flat.items() if not name.startswith(_EXPERTS)}
    experts = {n.removeprefix(_EXPERTS): v for n, v in flat.items() if n.startswith(_EXPERTS)}
    return {**dense, "experts": LoadedExperts(**experts)}
