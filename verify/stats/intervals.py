"""Score interval for a difference of paired proportions, and the non-inferiority test."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.optimize import brentq
from scipy.stats import norm

from verify.stats.arguments import Reasons
from verify.stats.score import score


@dataclass(frozen=True)
class Interval:
    """A confidence interval for accuracy on minus accuracy off, as fractions."""

    difference: float
    """(c − b)/n."""
    lower: float
    """Lower limit, at least −1."""
    upper: float
    """Upper limit, at most 1."""
    confidence: float
    """Two-sided level, e.g. 0.95."""


@dataclass(frozen=True)
class NonInferiority:
    """Is on worse than off by less than the margin?"""

    margin: float
    """Largest acceptable loss of accuracy, as a fraction."""
    alpha: float
    """One-sided level."""
    statistic: float
    """Score statistic at −margin, standard normal at the edge of inferiority."""
    p: float
    """One-sided p value of “on is worse by the margin or more”."""
    shown: bool
    """p ≤ alpha. False means “not shown”, not “inferior”."""


def tango_interval(b: int, c: int, n: int, confidence: float = 0.95) -> Interval:
    """Tango's score interval for accuracy on minus accuracy off.

    ``b`` questions right only off, ``c`` right only on, ``n`` questions in all. The interval
    holds every difference that the score test does not reject (Tango 1998, Statistics in
    Medicine 17:891–908), so it stays honest at b + c = 0, where it is ±z²/(n + z²). Assumes
    independent questions, one answer each. It may exclude 0 while the exact McNemar p is a
    little above 1 − confidence: the exact test is the more conservative one.

    Raises ``ValueError`` when b and c are not counts within n or the level is not in (0, 1).
    """
    reasons = Reasons()
    reasons.pairs(b, c, n)
    reasons.inside("confidence", confidence, 0, 1)
    reasons.stop()
    lower = _lower(b, c, n, float(norm.isf((1 - confidence) / 2)))
    upper = -_lower(c, b, n, float(norm.isf((1 - confidence) / 2)))
    return Interval((c - b) / n, lower, upper, confidence)


def _lower(b: int, c: int, n: int, z: float) -> float:
    """The difference below the estimate at which the score statistic is z."""
    estimate = (c - b) / n
    if estimate == -1:
        return -1.0
    # The statistic falls from +∞ at −1, where the hypothesis leaves no spread, to 0.
    inner = -1 + 1e-12
    return float(brentq(lambda d: float(score(b, c, n, d)) - z, inner, estimate, xtol=1e-14))


def noninferiority(b: int, c: int, n: int, margin: float, alpha: float = 0.025) -> NonInferiority:
    """Score test of non-inferiority: accuracy on > accuracy off − ``margin``.

    ``b`` questions right only off, ``c`` right only on, ``n`` questions in all; ``margin`` is a
    fraction (0.01 is one point) fixed before the run. Shown at the one-sided level ``alpha``
    exactly when the lower limit of the Tango interval at confidence 1 − 2·alpha lies above
    −margin (Tango 1998; the restricted-maximum-likelihood test of Liu et al. 2002,
    Statistics in Medicine 21:231–245). Assumes independent questions, one answer each, and a
    large sample.

    Raises ``ValueError`` for counts that are none, a margin outside (0, 1) or a level
    outside (0, 0.5).
    """
    reasons = Reasons()
    reasons.pairs(b, c, n)
    reasons.inside("margin", margin, 0, 1)
    reasons.inside("alpha", alpha, 0, 0.5)
    reasons.stop()
    statistic = float(score(b, c, n, -margin))
    p = float(norm.sf(statistic))
    return NonInferiority(margin, alpha, statistic, p, p <= alpha)
