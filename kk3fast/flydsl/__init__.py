"""Kernels of our own in FlyDSL for gfx950: the fused decode layers of Kimi-K3."""
