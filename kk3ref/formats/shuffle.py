"""AITER's memory layouts of MXFP4 weights and scales, both ways.

The 16×16×128 scaled MFMA reads, for each group of 16 rows, lanes of 16 bytes (32 elements): a
shuffled weight is ``[row group, lane of the row, row in the group, 16 bytes]``. Its scales are
``[32 rows, 8 columns, column % 4, row % 16, column // 4 % 2, row // 16 % 2]``. Both functions
permute bytes only, so a round trip is exact.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

ROWS = 16  # rows of a weight group
LANE = 16  # bytes a lane reads of a row
SCALE_ROWS = 32  # scale tile: rows
SCALE_COLS = 8  # scale tile: columns, one column a group of 32 elements


def shuffle_weight(codes: Tensor) -> Tensor:
    """Packed elements in AITER's order.

    Args:
        codes: uint8 ``[..., rows, bytes]``, rows and bytes multiples of 16.

    Returns:
        uint8 of the same shape, contiguous in the shuffled order.

    Raises:
        ValueError: the shape does not hold whole tiles.
    """
    tiles = _weight_tiles(codes)
    view = codes.unflatten(-2, (tiles[0], ROWS)).unflatten(-1, (tiles[1], LANE))
    return view.transpose(-3, -2).reshape(codes.shape)


def unshuffle_weight(shuffled: Tensor) -> Tensor:
    """Inverse of :func:`shuffle_weight`."""
    tiles = _weight_tiles(shuffled)
    view = shuffled.reshape(*shuffled.shape[:-2], tiles[0], tiles[1], ROWS, LANE)
    return view.transpose(-3, -2).reshape(shuffled.shape)


def shuffle_scale(scales: Tensor) -> Tensor:
    """E8M0 scales in AITER's order.

    Args:
        scales: uint8 ``[..., rows, columns]``.

    Returns:
        uint8 ``[..., rows padded to 32, columns padded to 8]``, contiguous in the shuffled order;
        the padding holds code 0.
    """
    _check(scales)
    rows, cols = scales.shape[-2:]
    padded = pad(scales, (0, -cols % SCALE_COLS, 0, -rows % SCALE_ROWS))
    lead, (rows, cols) = padded.shape[:-2], padded.shape[-2:]
    tiles = padded.reshape(-1, rows // SCALE_ROWS, 2, 16, cols // SCALE_COLS, 2, 4)
    return tiles.permute(0, 1, 4, 6, 3, 5, 2).reshape(*lead, rows, cols)


def unshuffle_scale(shuffled: Tensor, rows: int, columns: int) -> Tensor:
    """Inverse of :func:`shuffle_scale`.

    Args:
        shuffled: uint8 ``[..., rows padded to 32, columns padded to 8]``.
        rows: rows without padding.
        columns: columns without padding.

    Raises:
        ValueError: the shape is not that of ``rows × columns`` with padding.
    """
    _check(shuffled)
    height, width = rows + -rows % SCALE_ROWS, columns + -columns % SCALE_COLS
    if shuffled.shape[-2:] != (height, width):
        raise ValueError(
            f"shuffled scales of {rows} × {columns} must be [..., {height}, {width}], "
            f"got {tuple(shuffled.shape)}"
        )
    tiles = shuffled.reshape(-1, height // SCALE_ROWS, width // SCALE_COLS, 4, 16, 2, 2)
    plain = tiles.permute(0, 1, 6, 4, 2, 5, 3).reshape(shuffled.shape)
    return plain[..., :rows, :columns].contiguous()


def _check(x: Tensor) -> None:
    if x.dtype != torch.uint8 or x.ndim < 2:
        raise ValueError(f"must be uint8 [..., rows, columns], got {x.dtype} {tuple(x.shape)}")


def _weight_tiles(codes: Tensor) -> tuple[int, int]:
    _check(codes)
    rows, width = codes.shape[-2:]
    if rows % ROWS or width % LANE:
        raise ValueError(
            f"rows must be a multiple of {ROWS} and bytes of {LANE}, got {rows} and {width}"
        )
    return rows // ROWS, width // LANE
