"""How near each output of a layer comes to its bound, and what the bound is made of."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reports.drawn import Drawn, canvas
from reports.frames import Frames
from reports.palette import LIGHT

FAMILY = ("first", "second", "third", "fourth", "muted")
FLOOR = 1e-4
"""Left end of the logarithmic axis: what is below it, exact values included, is drawn there."""


def error_over_bound(frames: Frames, name: str) -> Drawn | None:
    """Largest error over its bound, one mark an output; beyond the line an output fails."""
    rows = frames.outputs.dropna(subset=["max_over_bound"])
    if rows.empty:
        return None
    labels = rows["stage"] + "." + rows["output"]
    values = rows["max_over_bound"].to_numpy(float)
    limit = max(10.0, float(np.max(values[np.isfinite(values)], initial=1.0)) * 3)
    shown = np.clip(values, FLOOR, limit)
    failed = (rows["verdict"] == "fail").to_numpy()
    with canvas(height=0.27 * len(rows) + 1.0) as (figure, axes):
        at = np.arange(len(rows))
        for mask, color, marker, label in (
            (~failed, "first", "o", "within"),
            (failed, "fail", "X", "fails"),
        ):
            axes.hlines(at[mask], FLOOR, shown[mask], color=LIGHT[color], linewidth=2.2)
            axes.plot(shown[mask], at[mask], marker, color=LIGHT[color], markersize=7, label=label)
        for y, value, bad in zip(at, values, failed, strict=True):
            axes.annotate(
                f"{value:.3g}",
                (1.0, y),
                xycoords=("axes fraction", "data"),
                ha="right",
                va="center",
                fontsize=8,
                color=LIGHT["fail" if bad else "muted"],
            )
        axes.axvline(1.0, color=LIGHT["ink"], linewidth=1.2)
        axes.set_xscale("log")
        axes.set_xlim(FLOOR, limit * 8)
        axes.set_yticks(at, labels)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.tick_params(length=0)
        axes.grid(axis="x")
        axes.set_xlabel("largest error / its derived bound (log scale; the line is the bound)")
    data = rows[["stage", "output", "verdict", "max_error", "max_over_bound", "nrmse"]]
    caption = (
        "Largest error of each output divided by that element's derived bound. "
        "A cross beyond the line fails."
    )
    return Drawn(f"{name}-over-bound", "Error over bound, stage by stage", caption, figure, data)


def bound_shares(frames: Frames, name: str) -> Drawn | None:
    """What the bound of each output's worst element is made of, largest rounding points first."""
    if frames.points.empty:
        return None
    points = frames.points.assign(name=frames.points["stage"] + "." + frames.points["output"])
    points = points[points["share"] > 0].sort_values("share", ascending=False)
    names = list(dict.fromkeys(frames.points["stage"] + "." + frames.points["output"]))
    with canvas(height=0.3 * len(names) + 1.0) as (figure, axes):
        for y, output in enumerate(names):
            mine = points[points["name"] == output]
            total = float(mine["share"].sum())
            if not total or not np.isfinite(total):
                continue
            left = 0.0
            shares = list(zip(mine["point"], mine["share"] / total, strict=True))
            large, rest = shares[:3], sum(share for _, share in shares[3:])
            if rest:
                large.append((f"{len(shares) - 3} more", rest))
            for place, (point, share) in enumerate(large):
                color = LIGHT[FAMILY[min(place, 3) if point == shares[place][0] else 4]]
                axes.barh(y, share, 0.72, left, color=color, edgecolor=LIGHT["surface"])
                if share > 0.012 * len(point) + 0.02:
                    axes.text(
                        left + share / 2,
                        y,
                        point,
                        ha="center",
                        va="center",
                        fontsize=7.5,
                        color=LIGHT["surface"],
                    )
                left += share
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlim(0, 1)
        axes.tick_params(length=0)
        axes.set_xlabel("share of the bound at the worst element")
    caption = (
        "Rounding points behind the bound of each output's worst element, largest first; "
        "grey: all further points together."
    )
    data = pd.DataFrame(points[["stage", "output", "point", "share"]]).sort_index()
    return Drawn(f"{name}-bound-shares", "What the bounds are made of", caption, figure, data)
