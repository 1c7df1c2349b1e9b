"""Compare off and on pair by pair.

A pair is one seed: the same prompts, run on both sides one after the other, in alternating order,
so that what drifts slowly (clocks, heat, neighbours) hits both alike. Requests of one run share its
batches and are not independent; runs are the unit. The interval is Student's t on the pairs' log
ratios: speeds compare by ratio, a ratio of medians is near log-normal, and with three to ten pairs
a bootstrap of the pairs would be too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from verify.bench.serve_record import METRICS, Comparison, ServeRun
from verify.data import Verdict


def compare(runs: Sequence[ServeRun], confidence: float = 0.95) -> list[Comparison]:
    """One comparison a metric that every run has.

    Raises:
        ValueError: a seed lacks a side or has it twice; lists every reason.
    """
    sides: dict[str, dict[int, ServeRun]] = {"off": {}, "on": {}}
    problems = []
    for run in runs:
        if run.seed in sides[run.side]:
            problems.append(f"seed {run.seed} stands twice {run.side}")
        sides[run.side][run.seed] = run
    odd = sorted(sides["off"].keys() ^ sides["on"].keys())
    if odd or not runs:
        problems.append(f"every seed must be run off and on, got {odd or 'none'} on one side")
    if problems:
        raise ValueError("; ".join(problems))
    seeds = sorted(sides["off"])
    found = []
    for metric in METRICS:
        values = [[getattr(sides[side][seed], metric) for seed in seeds] for side in ("off", "on")]
        if any(v is None or not v > 0 for side in values for v in side):
            continue
        off, on = np.log(np.array(values, float))
        gaps = on - off
        lower = upper = None
        if gaps.size > 1:
            error = float(gaps.std(ddof=1)) / math.sqrt(gaps.size)
            reach = float(t.isf((1 - confidence) / 2, gaps.size - 1)) * error
            lower, upper = (math.exp(float(gaps.mean()) + s * reach) for s in (-1, 1))
        found.append(
            Comparison(
                metric=metric,
                off=math.exp(float(off.mean())),
                on=math.exp(float(on.mean())),
                ratio=math.exp(float(gaps.mean())),
                lower=lower,
                upper=upper,
                pairs=gaps.size,
            )
        )
    return found


def verdict(
    comparisons: Sequence[Comparison], runs: Sequence[ServeRun], margin: float
) -> tuple[Verdict, str]:
    """pass: not slower by the margin; fail: slower; not_checked: neither is shown."""
    failed = sum(run.failed for run in runs)
    if failed:
        return Verdict.NOT_CHECKED, f"{failed} requests failed: the times are of another load"
    found = next((c for c in comparisons if c.metric == "tpot_p50_ms"), None)
    if found is None:
        return Verdict.NOT_CHECKED, "no median TPOT on both sides"
    change = f"median TPOT {100 * (found.ratio - 1):+.1f} %"
    if found.lower is None or found.upper is None:
        return Verdict.NOT_CHECKED, f"{change} from one pair: no interval; more seeds are needed"
    limits = f"{100 * (found.lower - 1):+.1f} to {100 * (found.upper - 1):+.1f} %"
    if found.upper <= 1 + margin:
        word = "faster" if found.upper < 1 else "not slower by the margin"
        return Verdict.PASS, f"{word}: {change} ({limits})"
    if found.lower > 1:
        return Verdict.FAIL, f"slower: {change} ({limits})"
    return Verdict.NOT_CHECKED, f"unclear: {change} ({limits}); more seeds are needed"
