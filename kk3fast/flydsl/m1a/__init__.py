"""M1a: AttnRes read → fused qkv_a and gate → norms → q_b → W_UK → stored query and cache rows."""

from kk3fast.flydsl.m1a.build import M1aBuild

__all__ = ["M1aBuild"]
