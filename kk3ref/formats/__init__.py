"""Number formats: MXFP4 (E2M1 elements, E8M0 scales), fp8 E4M3, bf16, and AITER's shuffles."""

from kk3ref.formats.bf16 import bf16_bits, bf16_from_bits, to_bf16
from kk3ref.formats.fp8 import FP8_MAX, decode_fp8, encode_fp8
from kk3ref.formats.mxfp4 import (
    E2M1_MAX,
    E2M1_VALUES,
    GROUP,
    MXFP4,
    decode_e2m1,
    decode_e8m0,
    dequantize,
    e8m0_at_least,
    encode_e2m1,
    pack_e2m1,
    quantize_mxfp4,
    unpack_e2m1,
)
from kk3ref.formats.shuffle import (
    shuffle_scale,
    shuffle_weight,
    unshuffle_scale,
    unshuffle_weight,
)

__all__ = [
    "E2M1_MAX",
    "E2M1_VALUES",
    "FP8_MAX",
    "GROUP",
    "MXFP4",
    "bf16_bits",
    "bf16_from_bits",
    "decode_e2m1",
    "decode_e8m0",
    "decode_fp8",
    "dequantize",
    "e8m0_at_least",
    "encode_e2m1",
    "encode_fp8",
    "pack_e2m1",
    "quantize_mxfp4",
    "shuffle_scale",
    "shuffle_weight",
    "to_bf16",
    "unpack_e2m1",
    "unshuffle_scale",
    "unshuffle_weight",
]
