"""The portable fast path: the fused decode layers as Triton kernels for one GPU a rank.

The same sources run compiled on CUDA (and, without the PTX parts, on ROCm) and on a CPU under
Triton's interpreter (``TRITON_INTERPRET=1`` before the first import). Rounding points are those of
``kk3ref``; every stage of the reference is exposed as a tap, always: the build that is verified is
the build that is timed.
"""
