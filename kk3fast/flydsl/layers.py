"""The fused layers that have kernels here, by the reference's layer name."""

from __future__ import annotations

from kk3fast.flydsl.k1.layer import K1Layer
from kk3fast.flydsl.k2.layer import K2Layer
from kk3fast.flydsl.kda_decode.layer import KdaDecodeLayer
from kk3fast.flydsl.m1.layer import M1Layer
from kk3fast.flydsl.run.layer import FusedLayer

FUSED: dict[str, FusedLayer] = {
    layer.name: layer for layer in (K1Layer(), K2Layer(), KdaDecodeLayer(), M1Layer())
}
