"""Repeated sampling (avg@k): the samples of one question form one cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, t

from verify.stats.arguments import Reasons


@dataclass(frozen=True)
class ClusteredMean:
    """Mean score over questions, each sampled k times (avg@k)."""

    mean: float
    """Mean of the questions' means: every question counts alike."""
    standard_error: float
    """Clustered by question."""
    naive_standard_error: float
    """What it would be if all samples were independent; shown for comparison only."""
    design_effect: float
    """(standard_error / naive_standard_error)²; nan where both are 0."""
    lower: float
    """Lower confidence limit."""
    upper: float
    """Upper confidence limit."""
    confidence: float
    """Two-sided level."""
    questions: int
    """Clusters."""
    samples: int
    """All samples."""
    degenerate: bool
    """All questions have one mean, so the limits come from the zero-event bound."""


@dataclass(frozen=True)
class ClusteredDifference:
    """Mean score on minus mean score off over the same questions."""

    difference: float
    """Mean over questions of (mean on − mean off)."""
    standard_error: float
    """Of the paired difference, clustered by question."""
    unpaired_standard_error: float
    """What forgetting the pairing would give; shown for comparison only."""
    degrees_of_freedom: int
    """questions − 1."""
    p: float
    """Two-sided t test of no difference; 1 where all questions agree on 0."""
    lower: float
    """Lower confidence limit."""
    upper: float
    """Upper confidence limit."""
    confidence: float
    """Two-sided level."""
    questions: int
    """Clusters."""
    differing: int
    """Questions whose means differ. Below about 20 the t interval is too short to trust."""
    degenerate: bool
    """All questions have one difference, so the limits come from the zero-event bound."""


def clustered_mean(
    values: ArrayLike, questions: ArrayLike, confidence: float = 0.95
) -> ClusteredMean:
    """Mean score with standard errors clustered by question.

    ``values`` [samples] are scores in [0, 1], ``questions`` [samples] the id of each sample's
    question. Each question is weighted alike, whatever its k; the cluster-robust variance of
    that weighted mean, with the usual factor G/(G − 1) for G clusters, is the variance of the
    question means over G (Liang & Zeger 1986, Biometrika 73; Miller 2024, arXiv:2411.00640, for
    evals). Limits: t with G − 1 degrees of freedom, cut to [0, 1]. Where all means are one value
    the standard error is 0 and says nothing; the limits then allow what the score bound for zero
    events in G, z²/(G + z²), leaves open. Assumes independent questions.

    Raises ``ValueError`` for arrays of other shapes, scores outside [0, 1], fewer than two
    questions, or a level outside (0, 1).
    """
    reasons = Reasons()
    scores, ids = _samples("values", values, "questions", questions, reasons)
    reasons.inside("confidence", confidence, 0, 1)
    reasons.stop()
    means, codes, counts = _means(scores, ids)
    size = means.size
    mean = float(means.mean())
    error = _error(means)
    weights = 1.0 / (size * counts[codes])
    n = scores.size
    naive = math.sqrt(float(np.sum((weights * (scores - mean)) ** 2)) * n / (n - 1))
    degenerate = bool(np.ptp(means) <= _ROUNDING)
    reach = _reach(error, size, confidence, degenerate)
    return ClusteredMean(
        mean,
        error,
        naive,
        (error / naive) ** 2 if naive else math.nan,
        max(0.0, mean - reach),
        min(1.0, mean + reach),
        confidence,
        size,
        n,
        degenerate,
    )


def clustered_difference(
    off: ArrayLike,
    on: ArrayLike,
    off_questions: ArrayLike,
    on_questions: ArrayLike,
    confidence: float = 0.95,
) -> ClusteredDifference:
    """Paired difference of two repeatedly sampled runs, clustered by question.

    ``off`` and ``on`` are scores in [0, 1], one a sample; ``off_questions`` and
    ``on_questions`` give each sample's question. Both runs must cover the same questions; k may
    differ between questions and runs. The standard error is that of the mean of the questions'
    differences (the clustered paired analysis of Miller 2024, arXiv:2411.00640); t with G − 1
    degrees of freedom. Where all differences are one value see :func:`clustered_mean`. With one
    answer a question prefer ``tango_interval``, which is honest for few discordant pairs.

    Raises ``ValueError`` as :func:`clustered_mean` does, and for questions that differ.
    """
    reasons = Reasons()
    first, first_ids = _samples("off", off, "off_questions", off_questions, reasons)
    second, second_ids = _samples("on", on, "on_questions", on_questions, reasons)
    if not reasons.found:
        missing = np.setxor1d(first_ids, second_ids)
        if missing.size:
            shown = [v.item() for v in missing[:5]]
            reasons.add("on_questions", "the same questions as off_questions", shown)
    reasons.inside("confidence", confidence, 0, 1)
    reasons.stop()
    means_off, means_on = _means(first, first_ids)[0], _means(second, second_ids)[0]
    gaps = means_on - means_off
    gaps[np.abs(gaps) <= _ROUNDING] = 0.0
    size = gaps.size
    difference, error = float(gaps.mean()), _error(gaps)
    degenerate = bool(np.ptp(gaps) <= _ROUNDING)
    reach = _reach(error, size, confidence, degenerate)
    if degenerate:
        reach *= 1 + abs(difference)  # how far a difference in [-1, 1] can lie from this one
        # With one and the same difference everywhere, symmetry of the signs is all that is left.
        p = min(1.0, 2.0 * 0.5**size) if difference else 1.0
    else:
        p = float(2 * t.sf(abs(difference) / error, size - 1))
    return ClusteredDifference(
        difference,
        error,
        math.hypot(_error(means_off), _error(means_on)),
        size - 1,
        p,
        max(-1.0, difference - reach),
        min(1.0, difference + reach),
        confidence,
        size,
        int(np.count_nonzero(gaps)),
        degenerate,
    )


_ROUNDING = 1e-12  # float64 means of scores in [0, 1] agree to far better than this


def _samples(
    name: str, values: ArrayLike, ids_name: str, questions: ArrayLike, reasons: Reasons
) -> tuple[np.ndarray, np.ndarray]:
    scores, ids = np.asarray(values), np.asarray(questions)
    before = len(reasons.found)
    if scores.ndim != 1 or scores.dtype.kind not in "biuf":
        reasons.add(name, "numbers of one dimension", f"{scores.dtype} {scores.shape}")
    elif not ((scores >= 0) & (scores <= 1)).all():  # a NaN fails both
        reasons.add(name, "scores between 0 and 1", f"{scores.min()} to {scores.max()}")
    if ids.shape != scores.shape:
        reasons.add(ids_name, f"of the shape of {name} {scores.shape}", ids.shape)
    if len(reasons.found) == before and np.unique(ids).size < 2:
        reasons.add(ids_name, "at least two questions", int(np.unique(ids).size))
    return scores.astype(float) if len(reasons.found) == before else scores, ids


def _means(scores: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means in the order of the sorted ids, each sample's cluster, the clusters' sizes."""
    _, codes = np.unique(ids, return_inverse=True)
    counts = np.bincount(codes)
    return np.bincount(codes, weights=scores) / counts, codes, counts


def _error(means: np.ndarray) -> float:
    return float(means.std(ddof=1)) / math.sqrt(means.size)


def _reach(error: float, size: int, confidence: float, degenerate: bool) -> float:
    """Half the length of the interval."""
    tail = (1 - confidence) / 2
    if degenerate:
        z2 = float(norm.isf(tail)) ** 2
        return z2 / (size + z2)
    return float(t.isf(tail, size - 1)) * error
