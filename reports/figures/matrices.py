"""Matrices of verdicts: families, schedules, replays, faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from reports.drawn import Drawn, canvas
from reports.palette import LIGHT, VERDICTS


def matrix(
    name: str,
    title: str,
    caption: str,
    cells: Mapping[tuple[str, str], str],
    names: tuple[str, str],
    words: Mapping[str, str] | None = None,
) -> Drawn | None:
    """A verdict for each (row, column); a pair without one stays empty.

    Args:
        cells: ``pass``, ``fail`` or ``not_checked`` by (row, column).
        names: what rows and columns are called in the data.
        words: what the verdicts are called in the legend.
    """
    if not cells:
        return None
    down, across = _ordered(cells, 0), _ordered(cells, 1)
    longest = max(len(label) for label in down)
    tallest = max(len(label) for label in across)
    width = min(12.0, 0.075 * longest + 0.45 * max(len(across), 6) + 1.2)
    with canvas(1, 1, max(4.6, width), 0.28 * len(down) + 0.9 + 0.07 * min(40, tallest)) as (
        figure,
        axes,
    ):
        for (row, column), verdict in cells.items():
            y, x = down.index(row), across.index(column)
            color, mark = VERDICTS.get(verdict, ("muted", "?"))
            axes.add_patch(
                Rectangle((x - 0.45, y - 0.45), 0.9, 0.9, facecolor=LIGHT["pale"], linewidth=0)
            )
            axes.text(x, y, mark, ha="center", va="center", color=LIGHT[color], fontweight="bold")
        axes.set_xlim(-0.6, max(len(across), 6) - 0.4)
        axes.set_ylim(len(down) - 0.4, -0.6)
        axes.set_yticks(range(len(down)), down)
        axes.set_xticks(range(len(across)), across, rotation=40, ha="left", rotation_mode="anchor")
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        words = words or {"pass": "pass", "fail": "fail", "not_checked": "not checked"}
        used = [v for v in VERDICTS if v in cells.values()]
        legend = "   ".join(f"{VERDICTS[v][1]} {words[v]}" for v in used)
        axes.set_xlabel(legend, loc="left")
    data = pd.DataFrame(
        [{names[0]: row, names[1]: column, "verdict": v} for (row, column), v in cells.items()]
    )
    return Drawn(name, title, caption, figure, data)


def _ordered(cells: Mapping[tuple[str, str], str], side: int) -> list[str]:
    return list(dict.fromkeys(key[side] for key in cells))


def worse(verdicts: Sequence[str]) -> str:
    """fail before not_checked before pass."""
    return next(v for v in ("fail", "not_checked", "pass") if v in verdicts)


def depth(name: str, data: pd.DataFrame) -> Drawn | None:
    """Errors over the depth of the model.

    Args:
        data: columns depth, series, value and panel; a panel is one kind of error.
    """
    data = data[np.isfinite(data["value"]) & (data["value"] > 0)]
    if data["depth"].nunique() < 2:
        return None
    panels = list(dict.fromkeys(data["panel"]))
    with canvas(len(panels), 1, 8.0, 2.3 * len(panels) + 0.3, squeeze=False, sharex=True) as (
        figure,
        grid,
    ):
        for axes, panel in zip(grid.flat, panels, strict=True):
            mine = data[data["panel"] == panel]
            colors = ("first", "second", "third", "fourth", "muted", "ink")
            for i, (series, points) in enumerate(mine.groupby("series", sort=False)):
                points = points.groupby("depth")["value"].max()
                axes.plot(
                    points.index,
                    points.to_numpy(),
                    "osD^vP"[i % 6] + "-",
                    ms=4,
                    linewidth=1.2,
                    color=LIGHT[colors[i % 6]],
                    label=str(series),
                )
            if "bound" in panel:
                axes.axhline(1.0, color=LIGHT["ink"], linewidth=1)
            axes.set_yscale("log")
            axes.grid()
            axes.tick_params(length=0)
            axes.set_title(panel)
            axes.legend(bbox_to_anchor=(1.0, 1.0), loc="upper left")
        grid[-1, 0].set_xlabel("decoder layer")
    caption = "Largest value at each depth; each series is one layer kind or output."
    return Drawn(name, "Error by depth", caption, figure, data)
