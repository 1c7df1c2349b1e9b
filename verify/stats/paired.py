"""Paired right/wrong outcomes and the exact McNemar test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from verify.stats.arguments import Reasons


@dataclass(frozen=True)
class PairedCounts:
    """How ``n`` questions split when each is answered off and on."""

    b: int
    """Right only off."""
    c: int
    """Right only on."""
    n: int
    """All questions, the concordant ones included."""

    @property
    def difference(self) -> float:
        """Accuracy on minus accuracy off, as a fraction."""
        return (self.c - self.b) / self.n

    @property
    def discordance(self) -> float:
        """Share of the questions whose verdict differs."""
        return (self.b + self.c) / self.n


@dataclass(frozen=True)
class McNemar:
    """Result of the exact McNemar test."""

    b: int
    """Right only off."""
    c: int
    """Right only on."""
    p: float
    """Two-sided exact p value of “off and on are right equally often”."""


def outcomes(name: str, values: ArrayLike, reasons: Reasons) -> np.ndarray:
    """``values`` as booleans [n]; adds a reason when they are not right/wrong marks."""
    found = np.asarray(values)
    if found.ndim != 1 or found.size == 0:
        reasons.add(name, "a non-empty array of one dimension", found.shape)
    elif found.dtype != np.bool_ and not (
        found.dtype.kind in "iuf" and np.isin(found, (0, 1)).all()
    ):
        reasons.add(name, "right/wrong marks (booleans, or 0 and 1)", found.dtype.name)
    else:
        return found.astype(np.bool_)
    return np.zeros(0, np.bool_)


def paired_counts(off: ArrayLike, on: ArrayLike) -> PairedCounts:
    """Count the discordant pairs of two runs over the same questions.

    ``off`` and ``on`` are right/wrong marks [n], in the same order of questions.
    Raises ``ValueError`` when they are not, or differ in length.
    """
    reasons = Reasons()
    first, second = outcomes("off", off, reasons), outcomes("on", on, reasons)
    if not reasons.found and first.size != second.size:
        reasons.add("on", f"as long as off ({first.size})", second.size)
    reasons.stop()
    return PairedCounts(int(np.sum(first & ~second)), int(np.sum(~first & second)), int(first.size))


def mcnemar_exact(b: int, c: int) -> McNemar:
    """Exact McNemar test of paired outcomes.

    Given the b + c discordant pairs, b is binomial(b + c, ½) when off and on are right
    equally often; the two-sided p value doubles the smaller tail and stops at 1
    (McNemar 1947, Psychometrika 12, in its exact conditional form). Assumes independent
    questions, one answer each; for repeated samples see ``clustered``.

    A large p says that no difference was found, never that there is none.
    Raises ``ValueError`` unless b and c are whole numbers of at least 0.
    """
    reasons = Reasons()
    reasons.count("b", b)
    reasons.count("c", c)
    reasons.stop()
    p = min(1.0, 2.0 * float(binom.cdf(min(b, c), b + c, 0.5))) if b + c else 1.0
    return McNemar(int(b), int(c), p)
