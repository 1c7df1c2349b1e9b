"""Reading mailbox words back as values."""

from __future__ import annotations

import torch
from torch import Tensor


def bf16(words: Tensor) -> Tensor:
    """Two bf16 a word, the first in the low half: int32 ``[n]`` → bf16 ``[2n]``, a copy."""
    return words.contiguous().clone().view(torch.bfloat16)


def fp32(words: Tensor) -> Tensor:
    """int32 ``[n]`` → fp32 ``[n]``, a copy."""
    return words.contiguous().clone().view(torch.float32)
