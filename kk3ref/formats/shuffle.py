"""AITER's memory layouts of MXFP4 weights for the 16×16×128 scaled MFMA, both ways.

A wave reads 16 rows by 128 elements: four groups of 16 lanes hold 16 bytes (32 elements, one scale
block) each of 16 rows. Weights are stored in that order; scales in tiles of 32 rows by 8 blocks.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import pad

_ROWS, _STEP_BYTES, _LANE_BYTES = 16, 64, 16
_SCALE_ROWS, _SCALE_COLS = 32, 8


def shuffle_weight(codes: Tensor) -> Tensor:
    """Packed elements ``[..., n, k/2]`` uint8 in the kernels' order, same shape.

    Raises:
        ValueError: n is not a multiple of 16, or k/2 not of 64.
    """
    n, k = _check_weight(codes)
    tiles = codes.reshape(-1, n // _ROWS, _ROWS, k // _STEP_BYTES, 4, _LANE_BYTES)
    return tiles.permute(0, 1, 3, 4, 2, 5).reshape(codes.shape)


def unshuffle_weight(codes: Tensor) -> Tensor:
    """The inverse of :func:`shuffle_weight`."""
    n, k = _check_weight(codes)
    tiles = codes.reshape(-1, n // _ROWS, k // _STEP_BYTES, 4, _ROWS, _LANE_BYTES)
    return tiles.permute(0, 1, 4, 2, 3, 5).reshape(codes.shape)


def _check_weight(codes: Tensor) -> tuple[int, int]:
    n, k = codes.shape[-2:]
    if n % _ROWS or k % _STEP_BYTES:
        raise ValueError(
            f"rows must be a multiple of {_ROWS} and bytes a row of {_STEP_BYTES}, got {n} × {k}"
        )
    return n, k


def shuffle_scales(scales: Tensor) -> Tensor:
    """Scales ``[rows, cols]`` uint8 in the kernels' order, zero-padded to tiles of 32 × 8.

    Returns:
        ``[rows padded to 32, cols padded to 8]``, contiguous in the shuffled order.
    """
    rows, cols = scales.shape
    padded = pad(scales, (0, -cols % _SCALE_COLS, 0, -rows % _SCALE_ROWS))
    rows, cols = padded.shape
    tiles = padded.reshape(rows // _SCALE_ROWS, 2, 16, cols // _SCALE_COLS, 2, 4)
    return tiles.permute(0, 3, 5, 2, 4, 1).reshape(rows, cols)


def unshuffle_scales(shuffled: Tensor, rows: int, cols: int) -> Tensor:
    """The inverse of :func:`shuffle_scales`, cut back to ``[rows, cols]``."""
    padded_rows, padded_cols = shuffled.shape
    tiles = shuffled.reshape(padded_rows // _SCALE_ROWS, padded_cols // _SCALE_COLS, 4, 16, 2, 2)
    plain = tiles.permute(0, 5, 3, 1, 4, 2).reshape(padded_rows, padded_cols)
    return plain[:rows, :cols]
