"""M1c: attention over the paged latent cache, contexts in splits, merged in the same launch."""

from kk3fast.flydsl.m1c.build import M1cBuild

__all__ = ["M1cBuild"]
