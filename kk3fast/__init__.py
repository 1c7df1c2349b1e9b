"""Fused decode kernels for Kimi-K3, and the tools that compile and check them without a GPU."""
