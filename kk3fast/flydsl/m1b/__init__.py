"""M1b: W_UV and the output gate."""

from kk3fast.flydsl.m1b.build import M1bBuild

__all__ = ["M1bBuild"]
