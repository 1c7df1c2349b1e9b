"""What a paired comparison can show: power, minimum detectable effect, sample size.

Every figure comes three ways, because published figures mix them:

- **exact**: the power of the exact McNemar test, summed over the random number of discordant
  pairs. What the test that is reported really does.
- **connor**: normal approximation of the unconditional test, with the variance under each
  hypothesis (Connor 1987, Biometrics 43:207–211). Slightly optimistic about the exact test.
- **normal**: the same with the variance under no difference in both places,
  effect = (z₁₋α/₂ + z_power)·√(discordance/n). For mental arithmetic.

Effects, discordances and margins are fractions of the questions: 0.01 is one point. The
discordance is that expected between off and on; plan with the off/off control's upper limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm

from verify.stats.arguments import Reasons
from verify.stats.score import score


@dataclass(frozen=True)
class Power:
    """Chance that the two-sided McNemar test finds a given difference."""

    exact: float
    """Of the exact test."""
    connor: float
    """Normal approximation, variance under each hypothesis."""
    normal: float
    """Normal approximation, variance under no difference."""


@dataclass(frozen=True)
class DetectableEffect:
    """Smallest true difference found with the wanted power; None where none can be."""

    exact: float | None
    """For the exact test."""
    connor: float | None
    """Normal approximation, variance under each hypothesis."""
    normal: float | None
    """Normal approximation, variance under no difference."""


@dataclass(frozen=True)
class SampleSize:
    """Questions needed to find a difference with the wanted power."""

    exact: int
    """For the exact test: enough, and one fewer is not."""
    connor: int
    """Normal approximation, variance under each hypothesis, rounded up."""
    normal: int
    """Normal approximation, variance under no difference, rounded up."""


@dataclass(frozen=True)
class NonInferiorityPower:
    """Chance that the score test shows non-inferiority."""

    exact: float
    """Summed over every outcome that has a chance worth counting."""
    normal: float
    """Normal approximation, variance under the true difference."""


def mcnemar_power(n: int, discordance: float, effect: float, alpha: float = 0.05) -> Power:
    """Power of the two-sided McNemar test with ``n`` questions at a true difference.

    Rejections in the wrong direction count in ``exact`` (at an effect of 0 it is the size of
    the test) and are left out of the approximations. Assumes independent questions.

    Raises ``ValueError`` for n below 1, a discordance outside (0, 1], an effect larger than the
    discordance, or a level outside (0, 1).
    """
    reasons = Reasons()
    reasons.count("n", n, 1)
    if reasons.share("discordance", discordance):
        reasons.within("effect", effect, -discordance, discordance)
    reasons.inside("alpha", alpha, 0, 1)
    reasons.stop()
    return Power(
        _exact(n, discordance, effect, alpha),
        _connor(n, discordance, effect, alpha),
        _normal(n, discordance, effect, alpha),
    )


def minimum_detectable_effect(
    n: int, discordance: float, alpha: float = 0.05, power: float = 0.8
) -> DetectableEffect:
    """Smallest difference that the two-sided McNemar test finds with chance ``power``.

    None where even an effect as large as the discordance (all changes one way) is found less
    often. Assumes independent questions.

    Raises ``ValueError`` for n below 1, a discordance outside (0, 1], a level outside (0, 1) or
    a power outside (alpha, 1).
    """
    reasons = Reasons()
    reasons.count("n", n, 1)
    reasons.share("discordance", discordance)
    _level_and_power(reasons, alpha, power)
    reasons.stop()

    def smallest(chance: _Chance) -> float | None:
        def missing(effect: float) -> float:
            return chance(n, discordance, effect, alpha) - power

        if missing(discordance) < 0:
            return None
        return float(brentq(missing, 0.0, discordance, xtol=1e-12))

    return DetectableEffect(smallest(_exact), smallest(_connor), smallest(_normal))


def sample_size(
    effect: float, discordance: float, alpha: float = 0.05, power: float = 0.8
) -> SampleSize:
    """Questions the two-sided McNemar test needs to find ``effect`` with chance ``power``.

    The exact test's power dips a little where its rejection region jumps; the answer is a size
    that suffices while one question fewer does not. Assumes independent questions.

    Raises ``ValueError`` for a discordance outside (0, 1], an effect of 0 or larger than the
    discordance, a level outside (0, 1), a power outside (alpha, 1), or a need beyond 10⁹
    questions.
    """
    reasons = Reasons()
    if reasons.share("discordance", discordance):
        reasons.within("effect", effect, -discordance, discordance)
    if effect == 0:
        reasons.add("effect", "different from 0", effect)
    _level_and_power(reasons, alpha, power)
    reasons.stop()
    z_alpha, z_power = float(norm.isf(alpha / 2)), float(norm.ppf(power))
    root_null = math.sqrt(discordance)
    root_true = math.sqrt(max(0.0, discordance - effect**2))
    connor = ((z_alpha * root_null + z_power * root_true) / effect) ** 2
    normal = ((z_alpha + z_power) * root_null / effect) ** 2
    if normal > _MOST:
        reasons.add("effect", f"findable with at most {_MOST:g} questions", effect)
    reasons.stop()
    enough = max(1, math.ceil(connor))
    while _exact(enough, discordance, effect, alpha) < power:
        enough *= 2
    short = 0
    while enough - short > 1:
        middle = (short + enough) // 2
        if _exact(middle, discordance, effect, alpha) >= power:
            enough = middle
        else:
            short = middle
    return SampleSize(enough, math.ceil(connor), math.ceil(normal))


def noninferiority_power(
    n: int, discordance: float, margin: float, difference: float = 0.0, alpha: float = 0.025
) -> NonInferiorityPower:
    """Chance to show non-inferiority at ``margin`` when on differs by ``difference``.

    Of the score test of ``intervals.noninferiority``; ``alpha`` is one-sided. At
    ``difference`` = −margin this is the size of the test. Assumes independent questions.

    Raises ``ValueError`` for n below 1, a discordance outside (0, 1], a margin
    outside (0, 1), a difference larger than the discordance, or a level outside (0, 0.5).
    """
    reasons = Reasons()
    reasons.count("n", n, 1)
    if reasons.share("discordance", discordance):
        reasons.within("difference", difference, -discordance, discordance)
    reasons.inside("margin", margin, 0, 1)
    reasons.inside("alpha", alpha, 0, 0.5)
    reasons.stop()
    z = float(norm.isf(alpha))
    spread = math.sqrt(max(0.0, discordance - difference**2))
    shift = (margin + difference) * math.sqrt(n)
    normal = float(norm.cdf(shift / spread - z)) if spread else float(shift > 0)
    total, chance = _likely(n, discordance)
    on_share = (discordance + difference) / (2 * discordance)
    # At a given total the statistic rises with c: bisect for the least c that shows it.
    low, high = np.full_like(total, -1), total + 1
    while np.any(high - low > 1):
        middle = (low + high) // 2
        shows = score(total - middle, middle, n, -margin) >= z
        open_ = high - low > 1
        high = np.where(open_ & shows, middle, high)
        low = np.where(open_ & ~shows, middle, low)
    exact = float(np.sum(chance * binom.sf(high - 1, total, on_share)))
    return NonInferiorityPower(min(1.0, exact), normal)


_Chance = Callable[[int, float, float, float], float]
_MOST = 1e9
_NEGLIGIBLE = 1e-13  # probability left out at either end of a sum


def _level_and_power(reasons: Reasons, alpha: float, power: float) -> None:
    if reasons.inside("alpha", alpha, 0, 1):
        reasons.inside("power", power, alpha, 1)


def _likely(n: int, discordance: float) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of discordant pairs worth counting, and their chances."""
    low = int(binom.ppf(_NEGLIGIBLE, n, discordance))
    high = int(binom.isf(_NEGLIGIBLE, n, discordance))
    total = np.arange(max(0, low), min(n, high) + 1)
    return total, binom.pmf(total, n, discordance)


def _exact(n: int, discordance: float, effect: float, alpha: float) -> float:
    total, chance = _likely(n, discordance)
    # Largest count of the smaller side that still rejects: 2·P(X ≤ count) ≤ alpha.
    count = binom.ppf(alpha / 2, total, 0.5)
    count = np.where(2 * binom.cdf(count, total, 0.5) <= alpha, count, count - 1)
    on_share = (discordance + effect) / (2 * discordance)
    rejects = binom.cdf(count, total, on_share) + binom.cdf(count, total, 1 - on_share)
    return float(min(1.0, np.sum(chance * rejects)))


def _connor(n: int, discordance: float, effect: float, alpha: float) -> float:
    spread = math.sqrt(max(0.0, discordance - effect**2))
    shift = abs(effect) * math.sqrt(n) - float(norm.isf(alpha / 2)) * math.sqrt(discordance)
    return float(norm.cdf(shift / spread)) if spread else float(shift > 0)


def _normal(n: int, discordance: float, effect: float, alpha: float) -> float:
    shift = abs(effect) * math.sqrt(n / discordance)
    return float(norm.cdf(shift - float(norm.isf(alpha / 2))))
