"""AITER's layouts: round trips, single addresses, and the production kernel's reading."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from kk3ref import formats
from kk3ref.formats import MXFP4


def random_bytes(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)


# The shapes of a rank at TP8: w13 and w2 of production, then of the tiny preset.
WEIGHTS = [(768, 1792), (3584, 192), (64, 64), (128, 16)]
SCALES = [(768, 112), (3584, 12), (64, 4), (128, 1), (33, 9)]


@pytest.mark.parametrize("shape", WEIGHTS, ids=str)
def test_weight_round_trips_both_ways(shape):
    x = random_bytes(*shape)
    assert torch.equal(formats.unshuffle_weight(formats.shuffle_weight(x)), x)
    assert torch.equal(formats.shuffle_weight(formats.unshuffle_weight(x)), x)


@pytest.mark.parametrize("shape", SCALES, ids=str)
def test_scale_round_trips(shape):
    x = random_bytes(*shape)
    shuffled = formats.shuffle_scale(x)
    assert shuffled.shape == (-(-shape[0] // 32) * 32, -(-shape[1] // 8) * 8)
    assert torch.equal(formats.unshuffle_scale(shuffled, *shape), x)


def test_whole_scale_tiles_round_trip_the_other_way():
    x = random_bytes(64, 16)
    assert torch.equal(formats.shuffle_scale(formats.unshuffle_scale(x, 64, 16)), x)


def test_padding_is_code_zero():
    x = torch.full((33, 9), 1, dtype=torch.uint8)
    assert formats.shuffle_scale(x).sum() == 33 * 9


def test_leading_axes_are_a_batch():
    w, s = random_bytes(2, 3, 32, 32), random_bytes(2, 3, 40, 12)
    for e in range(2):
        for j in range(3):
            assert torch.equal(formats.shuffle_weight(w)[e, j], formats.shuffle_weight(w[e, j]))
            assert torch.equal(formats.shuffle_scale(s)[e, j], formats.shuffle_scale(s[e, j]))
    assert torch.equal(formats.unshuffle_weight(formats.shuffle_weight(w)), w)
    assert torch.equal(formats.unshuffle_scale(formats.shuffle_scale(s), 40, 12), s)


def test_weight_address():
    x = random_bytes(48, 128)
    flat = formats.shuffle_weight(x).flatten()
    row, byte = 37, 101
    lanes = 128 // 16
    address = ((row // 16 * lanes + byte // 16) * 16 + row % 16) * 16 + byte % 16
    assert flat[address] == x[row, byte]


def test_scale_is_the_published_permutation():
    rows, cols = 96, 24
    x = random_bytes(rows, cols)
    published = x.view(rows // 32, 2, 16, cols // 8, 2, 4).permute(0, 3, 5, 2, 4, 1)
    assert torch.equal(formats.shuffle_scale(x).flatten(), published.flatten())


@pytest.mark.parametrize(("rows", "columns"), [(768, 3584), (3584, 384)], ids=["w13", "w2"])
def test_the_production_kernels_reading_decodes_the_same_matrix(rows, columns):
    """Read tile by tile, as the 16×16×128 MFMA does: [row group, k step, lane, row, byte]."""
    packed = MXFP4(
        random_bytes(rows, columns // 2), random_bytes(rows, columns // 32, seed=1) % 255
    )
    steps = columns // 128
    w = formats.shuffle_weight(packed.codes).numpy().reshape(rows // 16, steps, 4, 16, 16)
    s = formats.shuffle_scale(packed.scales).numpy()
    # [row pair, step pair, lane, row, step parity, row-group parity]
    s = s.reshape(rows // 32, -1, 4, 16, 2, 2)
    values = np.array(formats.E2M1_VALUES)
    expected = packed.dequantize(torch.float64)
    for group in range(0, rows // 16, 5):
        for step in range(steps):
            for lane in range(4):
                data = w[group, step, lane]
                codes = np.stack((data & 15, data >> 4), -1).reshape(16, 32)
                scale = s[group // 2, step // 2, lane, :, step % 2, group % 2].astype(int)
                tile = np.ldexp(values[codes], scale[:, None] - 127)
                column = step * 128 + lane * 32
                want = expected[group * 16 : group * 16 + 16, column : column + 32]
                assert np.array_equal(tile, want.numpy())


@pytest.mark.parametrize("shape", [(15, 16), (16, 8)], ids=str)
def test_partial_weight_tiles_are_refused(shape):
    for call in (formats.shuffle_weight, formats.unshuffle_weight):
        with pytest.raises(ValueError, match="rows must be a multiple of 16"):
            call(random_bytes(*shape))


def test_wrong_scale_shape_and_dtype_are_refused():
    with pytest.raises(ValueError, match=r"must be \[..., 64, 16\], got \(32, 8\)"):
        formats.unshuffle_scale(random_bytes(32, 8), 33, 9)
    with pytest.raises(ValueError, match="must be uint8"):
        formats.shuffle_scale(torch.zeros(32, 8))
