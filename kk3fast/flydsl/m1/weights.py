"""W_UK and W_UV as the kernels take them: made once, when a model is loaded."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from kk3ref.formats import MXFP4
from kk3ref.formats.shuffle import shuffle_scale, shuffle_weight
from kk3ref.mla import mxfp4_weight


@dataclass(frozen=True)
class HeadWeights:
    """A weight a head.

    Attributes:
        values: bf16 ``[h, out, in]``, or shuffled MXFP4 codes ``[h, out, in/2]`` uint8.
        scales: shuffled E8M0 scales of the flattened ``[h*out, in/32]`` uint8; of bf16 one unused.
    """

    values: Tensor
    scales: Tensor


def head_weights(weight: Tensor | MXFP4, mxfp4: bool) -> HeadWeights:
    """A weight ``[h, out, in]`` as a kernel takes it; bf16 is quantised here if MXFP4 is wanted.

    Raises:
        TypeError: an MXFP4 weight where the kernel takes bf16.
    """
    if not mxfp4:
        if isinstance(weight, MXFP4):
            raise TypeError("the weight must be bf16 [h, out, in], got MXFP4")
        return HeadWeights(weight.contiguous(), torch.zeros(16, dtype=torch.uint8))
    quantised = mxfp4_weight(weight)
    heads, rows, columns = quantised.shape
    codes = quantised.codes.reshape(heads * rows, columns // 2)
    scales = quantised.scales.reshape(heads * rows, -1)
    values = shuffle_weight(codes).reshape(heads, rows, columns // 2)
    return HeadWeights(values.contiguous(), shuffle_scale(scales).flatten().contiguous())


def absorb_weights(w_uk: Tensor | MXFP4, mxfp4: bool) -> HeadWeights:
    """W_UK by output columns: bf16 ``[h, nope, c]``, or MXFP4 ``[h, c, nope]``."""
    by_columns = w_uk if isinstance(w_uk, MXFP4) else w_uk.transpose(1, 2).contiguous()
    return head_weights(by_columns, mxfp4)
