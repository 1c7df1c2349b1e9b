"""Equivalence by two one-sided tests (TOST)."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import norm, t

from verify.stats.arguments import Reasons
from verify.stats.clustered import ClusteredDifference
from verify.stats.score import score


@dataclass(frozen=True)
class Equivalence:
    """Do on and off differ by less than the margin, either way?"""

    margin: float
    """Largest difference that counts as none, as a fraction."""
    alpha: float
    """Level of each one-sided test."""
    p_lower: float
    """p value of “on is worse by the margin or more”."""
    p_upper: float
    """p value of “on is better by the margin or more”."""
    p: float
    """The larger of the two: p value of “not equivalent”."""
    shown: bool
    """p ≤ alpha. False means “not shown”, not “different”."""


def _verdict(margin: float, alpha: float, p_lower: float, p_upper: float) -> Equivalence:
    p = max(p_lower, p_upper)
    return Equivalence(margin, alpha, p_lower, p_upper, p, p <= alpha)


def tost_paired(b: int, c: int, n: int, margin: float, alpha: float = 0.025) -> Equivalence:
    """Equivalence of two paired proportions by two score tests.

    ``b`` questions right only off, ``c`` right only on, ``n`` questions in all. Shown exactly
    when the Tango interval at confidence 1 − 2·alpha lies within ±``margin`` (TOST: Schuirmann
    1987, J. Pharmacokinetics and Biopharmaceutics 15; for paired proportions Liu et al. 2002,
    Statistics in Medicine 21:231–245). Needs no correction for making two tests: both must
    reject. Assumes independent questions, one answer each, and a large sample.

    Raises ``ValueError`` for counts that are none, a margin outside (0, 1) or a level
    outside (0, 0.5).
    """
    reasons = Reasons()
    reasons.pairs(b, c, n)
    reasons.inside("margin", margin, 0, 1)
    reasons.inside("alpha", alpha, 0, 0.5)
    reasons.stop()
    p_lower = float(norm.sf(float(score(b, c, n, -margin))))
    p_upper = float(norm.cdf(float(score(b, c, n, margin))))
    return _verdict(margin, alpha, p_lower, p_upper)


def tost_clustered(found: ClusteredDifference, margin: float, alpha: float = 0.025) -> Equivalence:
    """Equivalence of two repeatedly sampled runs, from their clustered difference.

    Two one-sided t tests with ``found``'s standard error and degrees of freedom. Where every
    question has the same difference there is no standard error to test with, and both p values
    are 1: use ``found``'s interval.

    Raises ``ValueError`` for a margin outside (0, 1) or a level outside (0, 0.5).
    """
    reasons = Reasons()
    reasons.inside("margin", margin, 0, 1)
    reasons.inside("alpha", alpha, 0, 0.5)
    reasons.stop()
    if found.degenerate:
        return _verdict(margin, alpha, 1.0, 1.0)
    below = (found.difference + margin) / found.standard_error
    above = (found.difference - margin) / found.standard_error
    return _verdict(
        margin,
        alpha,
        float(t.sf(below, found.degrees_of_freedom)),
        float(t.cdf(above, found.degrees_of_freedom)),
    )
