"""Serving speed: ratios with their intervals, and every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from reports.drawn import Drawn, canvas
from reports.palette import LIGHT, VERDICTS

UNITS = {
    "tpot_p50_ms": "TPOT p50",
    "tpot_p90_ms": "TPOT p90",
    "output_tokens_per_s": "output tokens/s",
}


def ratios(name: str, points: Sequence[dict[str, Any]]) -> Drawn | None:
    """On over off of every metric and point."""
    rows = [
        {
            "point": f"c{p['concurrency']} k{p['drafts']}",
            "metric": UNITS[c["metric"]],
            "change_percent": 100 * (c["ratio"] - 1),
            "lower_percent": None if c["lower"] is None else 100 * (c["lower"] - 1),
            "upper_percent": None if c["upper"] is None else 100 * (c["upper"] - 1),
            "verdict": p["verdict"],
        }
        for p in points
        for c in p["comparisons"]
    ]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    with canvas(height=0.32 * len(rows) + 1.0) as (figure, axes):
        for y, row in enumerate(rows):
            more_is_better = row["metric"] == UNITS["output_tokens_per_s"]
            color = "third" if more_is_better else VERDICTS[row["verdict"]][0]
            if row["lower_percent"] is not None:
                ends = [row["lower_percent"], row["upper_percent"]]
                axes.plot(ends, [y, y], color=LIGHT[color], linewidth=2.2)
            axes.plot([row["change_percent"]], [y], "o", color=LIGHT[color], ms=6)
            axes.annotate(
                f"{row['change_percent']:+.1f} %",
                (1.0, y),
                xycoords=("axes fraction", "data"),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
            )
        axes.axvline(0, color=LIGHT["ink"], linewidth=1)
        axes.set_yticks(range(len(rows)), [f"{r['point']}  {r['metric']}" for r in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(length=0)
        axes.grid(axis="x")
        axes.set_xlabel("on against off, %; bars: confidence interval over the pairs")
    caption = (
        "Change from off to on. Less is better for TPOT, more for output tokens/s. The intervals "
        "are of pairs of runs with one seed, not of single requests."
    )
    return Drawn(name, "On against off", caption, figure, data)


def runs(name: str, points: Sequence[dict[str, Any]]) -> Drawn | None:
    """Median TPOT of every run in the order it was made: drift shows as a slope."""
    rows = [
        {
            "point": f"c{p['concurrency']} k{p['drafts']}",
            "place": run["place"] if run["place"] >= 0 else i,
            "side": run["side"],
            "seed": run["seed"],
            "tpot_p50_ms": run["tpot_p50_ms"],
        }
        for p in points
        for i, run in enumerate(p["runs"])
    ]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    names = list(dict.fromkeys(data["point"]))
    across = min(3, len(names))
    down = -(-len(names) // across)
    with canvas(down, across, 8.0, 0.4 + 2.0 * down, squeeze=False) as (figure, grid):
        for axes in grid.flat[len(names) :]:
            axes.set_axis_off()
        for axes, point in zip(grid.flat, names, strict=False):
            mine = data[data["point"] == point]
            for side, color, marker in (("off", "second", "s"), ("on", "first", "o")):
                part = mine[mine["side"] == side]
                axes.plot(
                    part["place"],
                    part["tpot_p50_ms"],
                    marker + "-",
                    color=LIGHT[color],
                    linewidth=1,
                    ms=5,
                    label=side,
                )
            axes.set_ylim(0, float(np.max(mine["tpot_p50_ms"])) * 1.15)
            axes.set_title(point)
            axes.grid(axis="y")
            axes.tick_params(length=0)
            axes.set_xlabel("run, in order")
        for axes in grid[:, 0]:
            axes.set_ylabel("TPOT p50, ms")
        grid[0, 0].legend(loc="lower right", ncols=2)
    caption = "Median TPOT of each run in the order it was made. A slope is drift; pairs cancel it."
    return Drawn(name, "Every run", caption, figure, data)
