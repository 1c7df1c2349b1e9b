"""fp8 and bf16 against torch's dtypes and ml_dtypes."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
import torch

from kk3ref import formats

INF, NAN = math.inf, math.nan
ALL_BF16 = formats.bf16_from_bits(torch.arange(1 << 16))
ALL_BYTES = torch.arange(256, dtype=torch.uint8)
TORCH = {"fp8_e4m3fn": torch.float8_e4m3fn, "fp8_e4m3fnuz": torch.float8_e4m3fnuz}
ML = {"fp8_e4m3fn": ml_dtypes.float8_e4m3fn, "fp8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz}

each_format = pytest.mark.parametrize("name", TORCH)
each_dtype = pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str
)


def encoded_bytes(x: torch.Tensor, name: str) -> torch.Tensor:
    encoded = formats.encode_fp8(x, name)
    assert encoded.dtype == TORCH[name]
    return encoded.view(torch.uint8)


@each_format
def test_all_256_bytes_decode_as_torch_and_ml_dtypes(name):
    ours = formats.decode_fp8(ALL_BYTES, name)
    theirs = torch.from_numpy(ALL_BYTES.numpy().view(ML[name]).astype(np.float32))
    for other in (ALL_BYTES.view(TORCH[name]).float(), theirs):
        assert torch.equal(ours.isnan(), other.isnan())
        assert torch.equal(ours.nan_to_num(-1), other.nan_to_num(-1))
        assert torch.equal(ours.signbit()[~ours.isnan()], other.signbit()[~ours.isnan()])
    assert ours.isnan().sum() == {"fp8_e4m3fn": 2, "fp8_e4m3fnuz": 1}[name]
    assert ours.nan_to_num(0).max() == formats.FP8_MAX[name]


@each_format
@each_dtype
def test_all_256_bytes_round_trip(name, dtype):
    values = formats.decode_fp8(ALL_BYTES, name, dtype)
    finite = ~values.isnan()
    assert torch.equal(encoded_bytes(values, name)[finite], ALL_BYTES[finite])
    assert formats.decode_fp8(encoded_bytes(values, name), name)[~finite].isnan().all()


@each_format
@each_dtype
def test_every_bf16_rounds_as_ml_dtypes_and_saturates(name, dtype):
    x = ALL_BF16[~ALL_BF16.isnan()].to(dtype)
    top = formats.FP8_MAX[name]
    clamped = x.double().clamp(-top, top).float()  # ml_dtypes makes NaN of an overflow
    expected = torch.from_numpy(clamped.numpy().astype(ML[name]).view(np.uint8))
    assert torch.equal(encoded_bytes(x, name), expected)
    assert torch.equal(encoded_bytes(x, name), clamped.to(TORCH[name]).view(torch.uint8))


@each_format
@pytest.mark.parametrize("sign", [1, -1], ids=["positive", "negative"])
def test_every_midpoint_goes_to_even_and_its_neighbours_to_their_side(name, sign):
    values = formats.decode_fp8(ALL_BYTES[:128], name, torch.float64)
    grid = values[~values.isnan()]
    middle = (grid[:-1] + grid[1:]) / 2
    below = torch.nextafter(middle, torch.zeros(()).double())
    above = torch.nextafter(middle, torch.full((), INF).double())
    low = torch.arange(len(middle))
    for x, expected in ((below, low), (middle, low + low % 2), (above, low + 1)):
        bytes_ = encoded_bytes(sign * x, name)
        magnitude = torch.where(bytes_ == 0x80, 0, bytes_ & 0x7F)
        assert torch.equal(magnitude.long(), expected)
        nonzero = expected > 0
        assert torch.equal(
            bytes_[nonzero] >= 128, torch.full_like(bytes_[nonzero], sign < 0).bool()
        )


@each_format
@each_dtype
def test_specials(name, dtype):
    x = torch.tensor([INF, -INF, 1e30, -1e30, NAN, 0.0, -0.0], dtype=dtype)
    values = formats.decode_fp8(formats.encode_fp8(x, name), name)
    top = formats.FP8_MAX[name]
    assert values[:4].tolist() == [top, -top, top, -top]
    assert values[4].isnan()
    assert values[5:].tolist() == [0, 0]
    assert values[6].signbit().item() == (name == "fp8_e4m3fn")


def test_float64_is_rounded_once():
    # 1.0625 is the tie of 1 and 1.125; the rest is lost in a float32 on the way.
    x = torch.tensor([1.0625 + 2.0**-40], dtype=torch.float64)
    assert formats.decode_fp8(formats.encode_fp8(x)).item() == 1.125


def test_unknown_format_and_wrong_dtype_are_refused():
    with pytest.raises(ValueError, match="fp8_e4m3fn, fp8_e4m3fnuz, got 'e5m2'"):
        formats.encode_fp8(torch.zeros(1), "e5m2")
    with pytest.raises(TypeError, match=r"must be uint8 or torch\.float8_e4m3fnuz"):
        formats.decode_fp8(torch.zeros(1).to(torch.float8_e4m3fn), "fp8_e4m3fnuz")


# -- bf16 --------------------------------------------------------------------------------------


def test_every_bf16_has_its_bits():
    bits = torch.arange(1 << 16, dtype=torch.int32)
    assert torch.equal(formats.bf16_bits(ALL_BF16), bits)
    theirs = bits.numpy().astype(np.uint16).view(ml_dtypes.bfloat16).astype(np.float32)
    assert torch.equal(ALL_BF16.float().nan_to_num(7), torch.from_numpy(theirs).nan_to_num(7))


@pytest.mark.parametrize("sign", [1, -1], ids=["positive", "negative"])
def test_every_bf16_midpoint_rounds_once_from_float64(sign):
    bits = torch.arange(0x7F80)
    value = formats.bf16_from_bits(bits).double()
    above = formats.bf16_from_bits(bits + 1).double()
    above[-1] = 2.0**128  # what infinity stands for when rounding to nearest
    middle = (value + above) / 2
    for x, expected in (
        (torch.nextafter(middle, value), bits),
        (middle, bits + bits % 2),
        (torch.nextafter(middle, above), bits + 1),
        (value, bits),
    ):
        got = formats.bf16_bits(formats.to_bf16(sign * x))
        assert torch.equal(got.long(), expected + (0x8000 if sign < 0 else 0))


def test_bf16_specials_from_float64():
    x = torch.tensor([INF, -INF, 1e300, -1e300, NAN, 1e-300], dtype=torch.float64)
    assert formats.to_bf16(x)[:4].tolist() == [INF, -INF, INF, -INF]
    assert formats.to_bf16(x)[4].isnan()
    assert formats.to_bf16(x)[5].item() == 0


def test_bf16_from_float32_is_torchs():
    x = torch.randn(1000, generator=torch.Generator().manual_seed(3))
    assert torch.equal(formats.to_bf16(x), x.bfloat16())


def test_bits_of_another_dtype_are_refused():
    with pytest.raises(TypeError, match=r"must be bfloat16, got torch\.float32"):
        formats.bf16_bits(torch.zeros(1))
