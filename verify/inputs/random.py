"""Random tensors that depend on (seed, name) alone, not on the order they are drawn in."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor


class Draw:
    """Draws named tensors for one seed."""

    def __init__(self, seed: int):
        self.seed = seed

    def generator(self, name: str) -> torch.Generator:
        """A generator of its own for ``name``."""
        digest = hashlib.sha256(f"{self.seed}/{name}".encode()).digest()
        return torch.Generator().manual_seed(int.from_bytes(digest[:7], "little"))

    def normal(
        self, name: str, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.bfloat16
    ) -> Tensor:
        """``scale``·N(0, 1)."""
        return (torch.randn(shape, generator=self.generator(name)) * scale).to(dtype)

    def permutation(self, name: str, n: int) -> Tensor:
        """A permutation of ``0…n-1``, int64."""
        return torch.randperm(n, generator=self.generator(name))
