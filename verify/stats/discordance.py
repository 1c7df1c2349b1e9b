"""How much two runs of the same thing disagree: the off/off (A/A) control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta

from verify.stats.arguments import Reasons
from verify.stats.intervals import Interval, tango_interval
from verify.stats.paired import mcnemar_exact, outcomes, paired_counts


@dataclass(frozen=True)
class Discordance:
    """Share of questions on which two runs disagree."""

    b: int
    """Right only in the first run."""
    c: int
    """Right only in the second run."""
    n: int
    """Questions."""
    rate: float
    """(b + c)/n."""
    lower: float
    """Lower limit of the rate (Clopper–Pearson)."""
    upper: float
    """Upper limit of the rate."""
    confidence: float
    """Two-sided level of the limits."""
    p: float
    """Exact McNemar p. A small one in a control says that something drifts between runs."""


@dataclass(frozen=True)
class ExcessDiscordance:
    """Does on differ from off more than off differs from itself?"""

    control: Discordance
    """off against off again."""
    treatment: Discordance
    """off against on."""
    excess: Interval
    """Discordance off/on minus off/off, over the same questions."""
    p: float
    """Two-sided exact p of “on disagrees with off as often as off does again”."""


def discordance(b: int, c: int, n: int, confidence: float = 0.95) -> Discordance:
    """Discordance of two runs over ``n`` questions, with exact limits.

    ``b`` questions right only in the first run, ``c`` only in the second. Limits: Clopper &
    Pearson 1934, Biometrika 26. Assumes independent questions. Run off against off first: its
    rate is the discordance to plan with, and what on must be compared to.

    Raises ``ValueError`` when b and c are not counts within n or the level is not in (0, 1).
    """
    reasons = Reasons()
    reasons.pairs(b, c, n)
    reasons.inside("confidence", confidence, 0, 1)
    reasons.stop()
    found, tail = b + c, (1 - confidence) / 2
    lower = float(beta.ppf(tail, found, n - found + 1)) if found else 0.0
    upper = float(beta.isf(tail, found + 1, n - found)) if found < n else 1.0
    p = mcnemar_exact(b, c).p
    return Discordance(int(b), int(c), int(n), found / n, lower, upper, confidence, p)


def excess_discordance(
    off: ArrayLike, off_again: ArrayLike, on: ArrayLike, confidence: float = 0.95
) -> ExcessDiscordance:
    """Compare the discordance of off/on with that of off/off, on the same questions.

    The three are right/wrong marks [n] in one order of questions. If on behaves as off,
    swapping ``off_again`` and ``on`` changes nothing, so the questions that differ from ``off``
    only in one of the two are split evenly: the exact McNemar test, on “differs” marks. Catches
    a change that trades right answers for as many others and so leaves the accuracy as it is.

    Raises ``ValueError`` for marks that are none, or of unequal lengths.
    """
    reasons = Reasons()
    first = outcomes("off", off, reasons)
    second = outcomes("off_again", off_again, reasons)
    third = outcomes("on", on, reasons)
    if not reasons.found:
        for name, marks in (("off_again", second), ("on", third)):
            if marks.size != first.size:
                reasons.add(name, f"as long as off ({first.size})", marks.size)
    reasons.inside("confidence", confidence, 0, 1)
    reasons.stop()
    control, treatment = paired_counts(first, second), paired_counts(first, third)
    moved = paired_counts(np.not_equal(first, second), np.not_equal(first, third))
    return ExcessDiscordance(
        discordance(control.b, control.c, control.n, confidence),
        discordance(treatment.b, treatment.c, treatment.n, confidence),
        tango_interval(moved.b, moved.c, moved.n, confidence),
        mcnemar_exact(moved.b, moved.c).p,
    )
