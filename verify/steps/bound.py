"""The bound of depth: how fast rounding alone lets errors grow, measured on the baseline.

No bound of a single operation says how errors add up over hundreds of steps, so the growth is
measured. The baseline (the contract's rounding points, another legal order of sums) lives through
the same traffic as the candidate; each life of a request is one paired sample. At every layer and
age, with ``e`` the relative L2 error against the run's own shadow,

    mean over lives of log((e_candidate + f) / (e_baseline + f))  ≤  log 2 + z·s/√lives

``2`` is the factor of the ratio criterion (docs/verification.md). ``f`` is a quarter of the stored
dtype's unit roundoff: less than that is not told apart from storing the value. ``s`` is the spread
of such a log ratio between two runs that differ by rounding alone: √2 times the standard deviation
of ``log e_baseline`` over the lives (unpaired, so rather too large), pooled over the layers, at the
age where it is largest. ``z`` makes all comparisons of a run together raise a false alarm with a
probability of :data:`FALSE_ALARM`, if log ratios are normal. The same holds for single lives with
``lives = 1``, so that one bad request does not drown among good ones.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from verify.data import Check, Verdict
from verify.steps.record import Flips, Growth
from verify.steps.track import Error

FALSE_ALARM = 1e-6
FACTOR = 2.0
LEAST_LIVES = 3  # below, their spread says nothing
UNIT_ROUNDOFF = {"recurrent_state": 2.0**-24, "kv_cache": 2.0**-4}
_BF16 = 2.0**-8

Key = tuple[str, str, int]  # view, what, layer


@dataclass(frozen=True)
class Cells:
    """Mean ``log(e + f)`` by view, value and layer, then by age range, then by life; and ``f``."""

    values: dict[Key, dict[int, dict[int, float]]]
    floors: dict[str, float]


def age_range(age: int) -> int:
    """Number of the age's range: 1, 2–3, 4–7, …"""
    return age.bit_length() - 1


def ages(number: int) -> tuple[int, int]:
    """First and last age of a range."""
    return 1 << number, (2 << number) - 1


def cells(errors: Iterable[Error], kv_unit: float = UNIT_ROUNDOFF["kv_cache"]) -> Cells:
    """Sort errors into cells.

    Args:
        kv_unit: unit roundoff of the latent cache's format.
    """
    sums: dict[Key, dict[int, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    floors: dict[str, float] = {}
    for e in errors:
        unit = kv_unit if e.what == "kv_cache" else UNIT_ROUNDOFF.get(e.what, _BF16)
        floors[e.what] = unit / 4
        log = math.log(e.value + unit / 4) if math.isfinite(e.value) else math.log(1e6)
        sums[e.view, e.what, e.layer][age_range(e.age)][e.life].append(log)
    return Cells(
        {
            key: {
                number: {life: float(np.mean(logs)) for life, logs in lives.items()}
                for number, lives in ranges.items()
            }
            for key, ranges in sums.items()
        },
        floors,
    )


def spread(baseline: Cells, view: str, what: str) -> float | None:
    """``s`` of a value; None where no age has enough lives."""
    pooled: dict[int, list[float]] = defaultdict(list)
    for (v, w, _), ranges in baseline.values.items():
        if (v, w) == (view, what):
            for number, lives in ranges.items():
                if len(lives) >= LEAST_LIVES:
                    pooled[number].append(float(np.var(list(lives.values()), ddof=1)))
    if not pooled:
        return None
    return math.sqrt(2 * max(float(np.mean(v)) for v in pooled.values()))


def judge(candidate: Cells, baseline: Cells) -> tuple[list[Growth], list[Check]]:
    """Compare a candidate's cells with the baseline's: one check a view and value."""
    count = sum(1 + len(lives) for r in candidate.values.values() for lives in r.values())
    z = float(norm.isf(FALSE_ALARM / max(1, count)))
    growth: list[Growth] = []
    groups: dict[tuple[str, str], list[Growth]] = defaultdict(list)
    unjudged: set[tuple[str, str]] = set()
    for key, ranges in sorted(candidate.values.items()):
        view, what, layer = key
        s = spread(baseline, view, what)
        if s is None:
            unjudged.add((view, what))
            groups[view, what] = []
            continue
        for number, mine in sorted(ranges.items()):
            theirs = baseline.values[key][number]
            d = {life: log - theirs[life] for life, log in mine.items()}
            n = len(d)
            cell = Growth(
                view=view,
                what=what,
                layer=layer,
                ages=ages(number),
                lives=n,
                candidate=_mean_error(mine, candidate.floors[what]),
                baseline=_mean_error(theirs, candidate.floors[what]),
                ratio=math.exp(float(np.mean(list(d.values())))),
                limit=FACTOR * math.exp(z * s / math.sqrt(n)),
                worst_life=math.exp(max(d.values())),
                life_limit=FACTOR * math.exp(z * s),
            )
            growth.append(cell)
            groups[view, what].append(cell)
    checks = [
        _too_few(view, what) if (view, what) in unjudged else _check(view, what, found)
        for (view, what), found in sorted(groups.items())
    ]
    return growth, checks


def _mean_error(lives: dict[int, float], floor: float) -> float:
    return max(0.0, math.exp(float(np.mean(list(lives.values())))) - floor)


def _too_few(view: str, what: str) -> Check:
    message = f"fewer than {LEAST_LIVES} requests lived at any age: run more steps"
    return Check(name=f"{view}.{what}", verdict=Verdict.NOT_CHECKED, message=message)


def _check(view: str, what: str, found: Sequence[Growth]) -> Check:
    def over(cell: Growth) -> float:
        return max(cell.ratio / cell.limit, cell.worst_life / cell.life_limit)

    worst = max(found, key=over)
    by_mean = worst.ratio / worst.limit >= worst.worst_life / worst.life_limit
    value, limit = (worst.ratio, worst.limit) if by_mean else (worst.worst_life, worst.life_limit)
    first, last = worst.ages
    told = (
        f"layer {worst.layer}, ages {first}–{last}: "
        f"{'mean' if by_mean else 'one life'} {value:.2f} × the baseline, must be ≤ {limit:.2f} "
        f"(errors {worst.candidate:.2e} and {worst.baseline:.2e})"
    )
    bad = [cell for cell in found if over(cell) > 1]
    if bad:
        layers = sorted({cell.layer for cell in bad})
        told += f"; {len(bad)} of {len(found)} cells, layers {layers}"
    verdict = Verdict.FAIL if bad else Verdict.PASS
    return Check(name=f"{view}.{what}", verdict=verdict, value=value, limit=limit, message=told)


def judge_flips(
    candidate: dict[str, list[int]], baseline: dict[str, list[int]]
) -> tuple[list[Flips], list[Check]]:
    """Discrete choices that the float64 shadow would have made otherwise.

    Picks and codes are forced on the shadow, so wrong ones must show here: their number must not
    exceed twice the baseline's by more than its spread from step to step explains.

    Args:
        candidate, baseline: counts a step, by tap.
    """
    z = float(norm.isf(FALSE_ALARM / max(1, len(candidate))))
    flips, checks = [], []
    for name, mine in candidate.items():
        theirs = np.array(baseline[name], dtype=float)
        count, base, n = sum(mine), float(theirs.sum()), len(theirs)
        per_step = float(theirs.var(ddof=1)) if n > 1 else 0.0
        limit = FACTOR * base + z * math.sqrt((1 + FACTOR**2) * n * per_step) + z
        flips.append(Flips(what=name, candidate=count, baseline=int(base), limit=limit))
        ok = count <= limit
        told = f"{count} in {n} steps, the baseline {base:.0f}, must be ≤ {limit:.0f}"
        verdict = Verdict.PASS if ok else Verdict.FAIL
        check = Check(
            name=f"flips.{name}", verdict=verdict, value=float(count), limit=limit, message=told
        )
        checks.append(check)
    return flips, checks
