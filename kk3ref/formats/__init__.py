"""Number formats of the checkpoint and the kernels: MXFP4, fp8 E4M3, and AITER's layouts."""

from kk3ref.formats.fp8 import FP8_FORMATS, decode_fp8, encode_fp8, fp8_max
from kk3ref.formats.mxfp4 import (
    E2M1_VALUES,
    GROUP,
    MXFP4,
    decode_e2m1,
    decode_e8m0,
    encode_e2m1,
    pack_nibbles,
    quantize_mxfp4,
    scale_code,
    unpack_nibbles,
)
from kk3ref.formats.shuffle import (
    shuffle_scales,
    shuffle_weight,
    unshuffle_scales,
    unshuffle_weight,
)

__all__ = [
    "E2M1_VALUES",
    "FP8_FORMATS",
    "GROUP",
    "MXFP4",
    "decode_e2m1",
    "decode_e8m0",
    "decode_fp8",
    "encode_e2m1",
    "encode_fp8",
    "fp8_max",
    "pack_nibbles",
    "quantize_mxfp4",
    "scale_code",
    "shuffle_scales",
    "shuffle_weight",
    "unpack_nibbles",
    "unshuffle_scales",
    "unshuffle_weight",
]
