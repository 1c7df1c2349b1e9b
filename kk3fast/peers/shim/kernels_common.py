"""The suffix of a kernel's symbol, made of its build parameters."""

from __future__ import annotations

import re


def kernel_signature(**params: object) -> str:
    """``name`` + value pairs joined by ``_``, legal in a symbol.

    vLLM's Kimi-K3 kernels name themselves and never call this; the module that imports it does.
    """
    parts = (f"{n}{int(v) if isinstance(v, bool) else v}" for n, v in params.items())
    return re.sub(r"\W", "_", "_".join(parts))
