"""K1: AttnRes read → in_proj → f_b → short convolution → delta rule → gated norm, in one launch."""

from kk3fast.flydsl.k1.build import K1Build

__all__ = ["K1Build"]
