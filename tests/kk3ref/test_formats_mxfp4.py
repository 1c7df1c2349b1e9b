"""MXFP4 against torch's dtypes, ml_dtypes and compressed-tensors."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
import torch
from compressed_tensors.compressors.mxfp4.base import MXFP4PackedCompressor
from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8, unpack_fp4_from_uint8
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from torch import Tensor

from kk3ref import formats
from kk3ref.formats import MXFP4

INF, NAN = math.inf, math.nan
ALL_BF16 = formats.bf16_from_bits(torch.arange(1 << 16))
# Every magnitude where rounding to E2M1 changes, and its neighbours.
MIDPOINTS = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0]


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Equal values, NaN equal to NaN, zeros of the same sign."""
    return (
        torch.equal(a.isnan(), b.isnan())
        and torch.equal(a.nan_to_num(7.0), b.nan_to_num(7.0))
        and torch.equal(a.signbit() & ~a.isnan(), b.signbit() & ~b.isnan())
    )


# -- elements ----------------------------------------------------------------------------------


def test_all_16_codes_decode_as_ml_dtypes():
    bytes_ = np.arange(16, dtype=np.uint8)
    expected = torch.from_numpy(bytes_.view(ml_dtypes.float4_e2m1fn).astype(np.float32))
    assert same_bits(formats.decode_e2m1(torch.arange(16)), expected)


def test_all_16_codes_round_trip():
    codes = torch.arange(16, dtype=torch.uint8)
    assert torch.equal(formats.encode_e2m1(formats.decode_e2m1(codes)), codes)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_every_bf16_rounds_as_ml_dtypes(dtype):
    x = ALL_BF16[~ALL_BF16.isnan()].to(dtype)
    expected = x.numpy().astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    assert torch.equal(formats.encode_e2m1(x), torch.from_numpy(expected))


@pytest.mark.parametrize("sign", [1, -1], ids=["positive", "negative"])
@pytest.mark.parametrize("midpoint", MIDPOINTS)
def test_midpoint_goes_to_even_and_its_neighbours_to_their_side(midpoint, sign):
    below = math.nextafter(midpoint, 0)
    above = math.nextafter(midpoint, INF)
    x = sign * torch.tensor([below, midpoint, above], dtype=torch.float64)
    low, tie, high = formats.encode_e2m1(x).tolist()
    assert high == low + 1
    assert tie == (low if low % 2 == 0 else high)


def test_infinities_saturate_and_nan_is_plus_zero():
    x = torch.tensor([INF, -INF, NAN, -NAN])
    assert formats.encode_e2m1(x).tolist() == [7, 15, 0, 0]


def test_low_nibble_is_the_first_element():
    packed = formats.pack_e2m1(torch.tensor([0x3, 0xA], dtype=torch.uint8))
    assert packed.tolist() == [0xA3]


def test_all_256_bytes_unpack_and_pack_back():
    packed = torch.arange(256, dtype=torch.uint8)
    unpacked = formats.unpack_e2m1(packed)
    assert torch.equal(unpacked, torch.stack((packed % 16, packed // 16), -1).flatten())
    assert torch.equal(formats.pack_e2m1(unpacked), packed)


def test_packing_agrees_with_compressed_tensors():
    packed = torch.arange(256, dtype=torch.uint8).reshape(16, 16)
    values = formats.decode_e2m1(formats.unpack_e2m1(packed))
    assert torch.equal(pack_fp4_to_uint8(values), packed)
    theirs = unpack_fp4_from_uint8(packed, 16, 32, dtype=torch.float32)
    assert torch.equal(theirs, values)


def test_odd_axis_cannot_be_packed():
    with pytest.raises(ValueError, match="must be even, got 3"):
        formats.pack_e2m1(torch.zeros(3, dtype=torch.uint8))


# -- scales ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_all_256_scales_are_exact(dtype):
    decoded = formats.decode_e8m0(torch.arange(256, dtype=torch.uint8), dtype)
    assert decoded.dtype == dtype
    assert decoded[255].isnan()
    exact = [Fraction(2) ** (code - 127) for code in range(255)]
    assert [Fraction(v) for v in decoded[:255].double().tolist()] == exact


def test_all_256_scales_agree_with_torch_and_ml_dtypes():
    codes = torch.arange(256, dtype=torch.uint8)
    ours = formats.decode_e8m0(codes)
    assert same_bits(ours, codes.view(torch.float8_e8m0fnu).float())
    theirs = codes.numpy().view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    assert same_bits(ours, torch.from_numpy(theirs))


def test_no_scale_in_half_precision():
    with pytest.raises(TypeError, match=r"float64, float32 or bfloat16, got torch\.float16"):
        formats.decode_e8m0(torch.zeros(1, dtype=torch.uint8), torch.float16)


def test_power_at_least_of_every_power_and_its_neighbours():
    powers = formats.decode_e8m0(torch.arange(255, dtype=torch.uint8))
    own = torch.arange(255)
    above = torch.nextafter(powers, torch.tensor(INF))
    below = torch.nextafter(powers, torch.tensor(0.0))
    assert torch.equal(formats.e8m0_at_least(powers).long(), own)
    assert torch.equal(formats.e8m0_at_least(above).long(), (own + 1).clamp(max=254))
    assert torch.equal(formats.e8m0_at_least(below).long(), own)


def test_power_at_least_of_the_ends():
    x = torch.tensor([0.0, 2.0**-149, 2.0**-128, torch.finfo(torch.float32).max, INF, NAN])
    assert formats.e8m0_at_least(x).tolist() == [0, 0, 0, 254, 254, 255]


# -- blocks ------------------------------------------------------------------------------------


def reference_block(x: list[float]) -> tuple[int, list[float]]:
    """Scale code and decoded elements of one finite block, in exact rational arithmetic."""
    amax = np.float32(max(abs(v) for v in x))
    bound = Fraction(float(amax * np.float32(1 / 6)))
    code = next(c for c in range(255) if Fraction(2) ** (c - 127) >= bound)
    scale = Fraction(2) ** (code - 127)
    grid = [Fraction(v) for v in formats.E2M1_VALUES[:8]]

    def nearest(v: float) -> float:
        exact = abs(Fraction(v)) / scale
        code = min(range(8), key=lambda c: (abs(grid[c] - exact), c % 2))
        return float(math.copysign(1, v) * grid[code] * scale)

    return code, [nearest(v) for v in x]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("exponent", [-140, -127, -126, -60, 0, 60, 127])
def test_blocks_agree_with_exact_arithmetic(dtype, exponent):
    torch.manual_seed(exponent % 1000)
    x = (torch.randn(20, 32, dtype=torch.float64) * 0.2 * 2.0**exponent).to(dtype)
    packed = formats.quantize_mxfp4(x)
    decoded = packed.dequantize(torch.float64)
    for row, code, got in zip(
        x.tolist(), packed.scales[:, 0].tolist(), decoded.tolist(), strict=True
    ):
        assert (code, got) == reference_block(row)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_every_bf16_as_amax_gets_the_smallest_power_and_never_exceeds_six(dtype):
    amax = ALL_BF16[ALL_BF16.isfinite()].to(dtype)
    x = torch.zeros(len(amax), 32, dtype=dtype)
    x[:, 5] = amax
    packed = formats.quantize_mxfp4(x)
    bound = (amax.abs().float() * torch.tensor(1 / 6, dtype=torch.float32)).double()
    scale = formats.decode_e8m0(packed.scales[:, 0], torch.float64)
    assert (scale >= bound).all()
    smaller_would_do = (scale / 2 >= bound) & (packed.scales[:, 0] > 0)
    assert not smaller_would_do.any()
    assert (amax.abs().double() <= 6 * scale * (1 + 2**-23)).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("exponent", [-100, 0, 100])
def test_amax_of_exactly_six_powers_gets_the_power(dtype, exponent):
    x = torch.zeros(32, dtype=dtype)
    x[0] = 6 * 2.0**exponent
    assert formats.quantize_mxfp4(x).scales.tolist() == [127 + exponent]


def test_just_above_six_doubles_the_scale():
    x = torch.zeros(32)
    x[0] = 6 + 2**-21  # one ulp: its product with fp32(1/6) rounds above 1
    assert formats.quantize_mxfp4(x).scales.tolist() == [128]


def test_zero_block_has_code_zero_and_zero_elements():
    packed = formats.quantize_mxfp4(torch.zeros(2, 64))
    assert not packed.scales.any()
    assert not packed.codes.any()


def test_negative_zero_keeps_its_sign():
    packed = formats.quantize_mxfp4(torch.full((32,), -0.0))
    assert packed.scales.tolist() == [0]
    assert packed.codes.tolist() == [0x88] * 16


@pytest.mark.parametrize(
    ("value", "code", "decoded"),
    [
        (2.0**-149, 0, 0.0),
        (2.0**-129, 0, 0.0),  # a tie between 0 and 2^-128: even
        (1.5 * 2.0**-129, 0, 2.0**-128),
        (6 * 2.0**-127, 0, 6 * 2.0**-127),
        (8 * 2.0**-127, 1, 8 * 2.0**-127),
    ],
    ids=["smallest", "tie", "half", "largest of code 0", "first of code 1"],
)
def test_scale_underflow_saturates_at_code_zero(value, code, decoded):
    x = torch.zeros(32)
    x[3] = value
    packed = formats.quantize_mxfp4(x)
    assert packed.scales.tolist() == [code]
    assert packed.dequantize()[3].item() == decoded


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_infinity_saturates_with_the_largest_scale(dtype):
    x = torch.ones(64, dtype=dtype)
    x[1], x[2] = INF, -INF
    packed = formats.quantize_mxfp4(x)
    assert packed.scales.tolist() == [254, 125]
    decoded = packed.dequantize(torch.float64)
    assert decoded[:4].tolist() == [0, 6 * 2.0**127, -6 * 2.0**127, 0]
    assert decoded[32:].tolist() == [1.0] * 32


@pytest.mark.parametrize("other", [0.0, 1.0, INF], ids=["zeros", "ones", "infinities"])
def test_nan_poisons_its_block_and_no_other(other):
    x = torch.full((64,), other)
    x[32:] = 1.0
    x[7] = NAN
    packed = formats.quantize_mxfp4(x)
    assert packed.scales.tolist() == [255, 125]
    assert not (packed.codes[:16] & 0x77).any()
    decoded = packed.dequantize()
    assert decoded[:32].isnan().all()
    assert torch.equal(decoded[32:], x[32:])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_every_byte_with_every_scale_decodes_exactly(dtype):
    codes = torch.arange(256, dtype=torch.uint8).repeat(256, 1)
    scales = torch.arange(256, dtype=torch.uint8)[:, None].repeat(1, 16)
    got = formats.dequantize(MXFP4(codes, scales), dtype)
    exact = formats.decode_e2m1(formats.unpack_e2m1(codes), torch.float64)
    exact = exact * formats.decode_e8m0(torch.arange(256), torch.float64)[:, None]
    assert got.dtype == dtype
    if dtype != torch.float64:
        beyond = exact.abs() >= 2.0**128
        assert beyond[253:255].any()
        assert not beyond[:253].any()
        exact = torch.where(beyond, exact.sign() * INF, exact)
    assert same_bits(got.double(), exact)


def test_quantising_a_decoded_block_returns_its_values():
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(0, 256, (64, 64), dtype=torch.uint8, generator=generator)
    scales = torch.randint(1, 253, (64, 4), dtype=torch.uint8, generator=generator)
    values = MXFP4(codes, scales).dequantize(torch.float64)
    again = formats.quantize_mxfp4(values).dequantize(torch.float64)
    assert torch.equal(again, values)


def test_decoding_agrees_with_compressed_tensors():
    args = QuantizationArgs(
        num_bits=4, type="float", strategy="group", group_size=32, scale_dtype=torch.uint8
    )
    scheme = QuantizationScheme(targets=["Linear"], weights=args)
    generator = torch.Generator().manual_seed(1)
    codes = torch.randint(0, 256, (48, 64), dtype=torch.uint8, generator=generator)
    scales = torch.randint(100, 150, (48, 4), dtype=torch.uint8, generator=generator)
    state = {"weight_packed": codes, "weight_scale": scales}
    theirs = MXFP4PackedCompressor.decompress(state, scheme)["weight"]
    assert torch.equal(MXFP4(codes, scales).dequantize(torch.float64), theirs.double())


# -- the packed tensor -------------------------------------------------------------------------


def sample(*shape: int) -> MXFP4:
    return formats.quantize_mxfp4(torch.randn(*shape, generator=torch.Generator().manual_seed(2)))


def test_rows_are_the_rows_of_the_whole():
    packed = sample(10, 96)
    assert packed.shape == (10, 96)
    assert packed.group == 32
    assert torch.equal(packed.rows(3, 7), packed.dequantize()[3:7])
    assert torch.equal(packed[8].dequantize(), packed.dequantize()[8])


def test_decodes_views_and_odd_offsets():
    packed = sample(4, 6, 64)
    whole = packed.dequantize()
    transposed = MXFP4(packed.codes.transpose(0, 1), packed.scales.transpose(0, 1))
    assert torch.equal(transposed.dequantize(), whole.transpose(0, 1))
    shifted = torch.cat((torch.zeros(1, dtype=torch.uint8), packed.codes.flatten()))[1:]
    odd = MXFP4(shifted.view(packed.codes.shape), packed.scales)
    assert torch.equal(odd.dequantize(), whole)


@pytest.mark.parametrize("n", [0, 16, 33, 48], ids=lambda n: f"{n} elements")
def test_partial_groups_are_refused(n):
    with pytest.raises(ValueError, match=f"whole groups of 32.*got {n} elements"):
        formats.quantize_mxfp4(torch.zeros(2, n))


def test_shapes_that_disagree_are_refused():
    codes, scales = torch.zeros(4, 32, dtype=torch.uint8), torch.zeros(5, 2, dtype=torch.uint8)
    with pytest.raises(ValueError, match=r"must agree.*\(4, 32\) and \(5, 2\)"):
        MXFP4(codes, scales)
    with pytest.raises(TypeError, match=r"scales must be uint8, got torch\.float32"):
        MXFP4(codes, scales.float())


def test_compiles_in_one_graph_with_the_same_bits():
    def round_trip(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        packed = formats.quantize_mxfp4(x)
        return packed.codes, packed.scales, packed.dequantize()

    x = torch.randn(8, 64, generator=torch.Generator().manual_seed(4))
    compiled = torch.compile(round_trip, backend="aot_eager", fullgraph=True)
    for ours, graph in zip(round_trip(x), compiled(x), strict=True):
        assert torch.equal(ours, graph)
