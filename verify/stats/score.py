"""Tango's score statistic for a difference of paired proportions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def score(b: ArrayLike, c: ArrayLike, n: int, delta: float) -> np.ndarray:
    """Score statistic of “p_on − p_off = delta”, elementwise over ``b`` and ``c``.

    (c − b − n·delta) over its standard error under the hypothesis, with the probability q
    of “right only off” at its restricted maximum-likelihood estimate: the larger root of
    2n·q² + B·q − b·delta·(1 − delta) = 0, B = (2n + b − c)·delta − (b + c)
    (Tango 1998, Statistics in Medicine 17:891–908). At delta = 0 it is McNemar's
    (c − b)/√(b + c). Standard normal for large n; 0/0 (nothing observed contradicts the
    hypothesis) is 0. No checks of arguments.
    """
    if delta < 0:  # the mirrored problem; its root needs no difference of like numbers
        return -score(c, b, n, -delta)
    off, on = np.asarray(b, float), np.asarray(c, float)
    linear = (2 * n + off - on) * delta - (off + on)
    constant = off * delta * (1 - delta)
    root = np.sqrt(linear**2 + 8 * n * constant)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(linear > 0, 2 * constant / (root + linear), (root - linear) / (4 * n))
        spread = np.sqrt(n * np.maximum(2 * q + delta * (1 - delta), 0.0))
        excess = on - off - n * delta
        found = np.where(excess == 0, 0.0, excess / spread)
    return np.asarray(found)
