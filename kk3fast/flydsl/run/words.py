"""Mailbox words as values; of words' addresses (int64), the address of each value's word."""

from __future__ import annotations

import torch
from torch import Tensor


def bf16(words: Tensor) -> Tensor:
    """Two bf16 a word, the first in the low half: int32 ``[n]`` → bf16 ``[2n]``, a copy."""
    return _split(words, torch.bfloat16)


def fp32(words: Tensor) -> Tensor:
    """int32 ``[n]`` → fp32 ``[n]``, a copy."""
    return _split(words, torch.float32)


def uint8(words: Tensor) -> Tensor:
    """int32 ``[n]`` → uint8 ``[4n]``, a copy."""
    return _split(words, torch.uint8)


def low_byte(words: Tensor) -> Tensor:
    """int32 ``[n]``, each 0 to 255 → uint8 ``[n]``."""
    return words if words.dtype is torch.int64 else words.to(torch.uint8)


def _split(words: Tensor, dtype: torch.dtype) -> Tensor:
    if words.dtype is torch.int64:
        return words.repeat_interleave(4 // dtype.itemsize)
    return words.contiguous().clone().view(dtype)
