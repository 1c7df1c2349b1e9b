"""Our own versions of the few device helpers that vLLM's Kimi-K3 kernels import from AITER.

Only the parameters those kernels use exist; anything else is a ``TypeError``. The proof that they
emit what AITER's emit is the list of digests in ``tests/kk3fast/data``.
"""
