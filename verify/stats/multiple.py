"""Several tasks at once: Holm's step-down correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verify.stats.arguments import Reasons


@dataclass(frozen=True)
class Holm:
    """Holm's correction of several p values, in the order given."""

    p: tuple[float, ...]
    """As given."""
    adjusted: tuple[float, ...]
    """Adjusted p values: reject what is at most alpha."""
    rejected: tuple[bool, ...]
    """Which hypotheses fall."""
    alpha: float
    """Chance of any false rejection, over the whole family."""


def holm(p: Sequence[float], alpha: float = 0.05) -> Holm:
    """Holm's step-down correction, for any dependence between the tests.

    The i-th smallest of m p values is multiplied by m − i + 1 and kept at least as large as
    those before it (Holm 1979, Scandinavian Journal of Statistics 6:65–70). Non-inferiority
    that must hold on *every* task needs no correction; a claim about *any* task does.

    Raises ``ValueError`` for no p value at all, one outside [0, 1] or a level outside (0, 1).
    """
    reasons = Reasons()
    if len(p) == 0:
        reasons.add("p", "at least one p value", list(p))
    for i, value in enumerate(p):
        reasons.within(f"p[{i}]", value, 0, 1)
    reasons.inside("alpha", alpha, 0, 1)
    reasons.stop()
    values = np.asarray(p, float)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return Holm(
        tuple(float(v) for v in values),
        tuple(float(v) for v in adjusted),
        tuple(bool(v <= alpha) for v in adjusted),
        alpha,
    )
