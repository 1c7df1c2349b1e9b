"""Accuracy, paired: differences with their intervals, and who was right alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from reports.drawn import Drawn, canvas
from reports.palette import LIGHT, VERDICTS


def differences(name: str, tasks: Sequence[dict[str, Any]], margin: float) -> Drawn | None:
    """Difference of each task with its interval, beside the margin."""
    if not tasks:
        return None
    rows = []
    for t in tasks:
        rows.append(
            {
                "task": t["task"],
                "difference": 100 * t["difference"],
                "lower": 100 * t["interval"]["lower"],
                "upper": 100 * t["interval"]["upper"],
                "p": t["p"],
                "p_holm": t["p_holm"],
                "verdict": t["verdict"],
            }
        )
    data = pd.DataFrame(rows)
    reach = max(100 * margin, float(data[["lower", "upper"]].abs().to_numpy().max())) * 1.15
    with canvas(height=0.42 * len(data) + 1.1) as (figure, axes):
        axes.axvspan(-reach, -100 * margin, color=LIGHT["pale"], linewidth=0)
        axes.axvline(-100 * margin, color=LIGHT["fail"], linewidth=1.2, linestyle="--")
        axes.axvline(0, color=LIGHT["ink"], linewidth=1)
        for y, row in enumerate(rows):
            color, mark = VERDICTS[row["verdict"]]
            axes.plot([row["lower"], row["upper"]], [y, y], color=LIGHT[color], linewidth=2.4)
            axes.plot([row["difference"]], [y], "o", color=LIGHT[color], ms=7)
            axes.annotate(
                f"{mark} {row['difference']:+.2f}",
                (1.0, y),
                xycoords=("axes fraction", "data"),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
                color=LIGHT[color],
            )
        axes.annotate(
            f"margin −{100 * margin:g}",
            (-100 * margin, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=LIGHT["fail"],
        )
        axes.set_xlim(-reach, reach)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), data["task"])
        axes.tick_params(length=0)
        axes.grid(axis="x")
        axes.set_xlabel("accuracy on − off, points; bars: confidence interval of the difference")
    caption = (
        "Differences and their intervals. Non-inferiority is shown where the whole bar lies to the "
        "right of the margin; a bar that reaches across it excludes nothing, whatever p is."
    )
    return Drawn(name, "Differences and the margin", caption, figure, data)


def discordant(name: str, tasks: Sequence[dict[str, Any]], sides: Sequence[str]) -> Drawn | None:
    """Answers that only one side had right."""
    if not any(t["b"] or t["c"] for t in tasks):
        return None
    data = pd.DataFrame([{"task": t["task"], "only_off": t["b"], "only_on": t["c"]} for t in tasks])
    with canvas(height=0.42 * len(data) + 1.0) as (figure, axes):
        at = np.arange(len(data))
        axes.barh(at, -data["only_off"], 0.6, color=LIGHT["second"])
        axes.barh(at, data["only_on"], 0.6, color=LIGHT["first"])
        for y, (_, row) in enumerate(data.iterrows()):
            for value, side in ((row["only_off"], -1), (row["only_on"], 1)):
                axes.annotate(
                    str(value),
                    (side * value, y),
                    xytext=(4 * side, 0),
                    textcoords="offset points",
                    ha="right" if side < 0 else "left",
                    va="center",
                    fontsize=8.5,
                )
        reach = max(1, int(data[["only_off", "only_on"]].to_numpy().max())) * 1.15
        axes.set_xlim(-reach, reach)
        axes.set_yticks(at, data["task"])
        axes.set_ylim(len(data) - 0.5, -0.5)
        axes.axvline(0, color=LIGHT["ink"], linewidth=1)
        axes.xaxis.set_major_formatter(lambda x, _: f"{abs(x):g}")
        axes.tick_params(length=0)
        axes.set_xlabel(f"← right only {sides[0]}      right only {sides[1]} →")
    caption = "Answers that only one side had right: all that a paired test has to go by."
    return Drawn(name, "Discordant answers", caption, figure, data)
