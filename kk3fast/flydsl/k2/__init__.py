"""K2: o_proj → MLP AttnRes read → latent MoE with its all-reduces, in one launch."""

from kk3fast.flydsl.k2.build import K2Build

__all__ = ["K2Build"]
