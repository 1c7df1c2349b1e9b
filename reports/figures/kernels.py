"""A simulated kernel: when its workgroups waited, and what they did."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from reports.drawn import Drawn, canvas
from reports.palette import LIGHT

COLORS = ("first", "second", "third", "fourth", "muted", "grid")


def timeline(name: str, runs: dict[str, ArrayLike]) -> Drawn:
    """Waiting and working of every workgroup under several schedules.

    Args:
        runs: by schedule, times ``[workgroups, 3]`` in µs: began, received, sent.
    """
    with canvas(1, len(runs), 8.0, 2.8, squeeze=False, sharey=True) as (figure, grid):
        rows = []
        for axes, (schedule, times) in zip(grid.flat, runs.items(), strict=True):
            stamps = np.asarray(times, float)
            at = np.arange(len(stamps))
            began, received, sent = stamps.T
            axes.barh(at, received - began, 0.6, began, color=LIGHT["grid"], label="waits")
            axes.barh(at, sent - received, 0.6, received, color=LIGHT["first"], label="works")
            axes.plot(sent, at, "o", ms=5, color=LIGHT["first"], label="handed on")
            axes.set_title(schedule)
            axes.set_xlabel("virtual µs")
            axes.set_xlim(-0.3, max(1.0, float(stamps.max())) * 1.08)
            axes.tick_params(length=0)
            rows += [
                {"schedule": schedule, "workgroup": i, "began": b, "received": r, "sent": s}
                for i, (b, r, s) in enumerate(stamps)
            ]
        grid[0, 0].set_ylabel("workgroup")
        grid[0, 0].invert_yaxis()
        grid[0, -1].legend(loc="lower left", bbox_to_anchor=(1.0, 0.0))
    caption = (
        "When each workgroup began, had its neighbour's row and handed its own on, by the clock "
        "that the kernel reads. The clock is the simulator's: it counts rounds, and predicts no "
        "time on hardware."
    )
    return Drawn(name, "Hand-offs under several schedules", caption, figure, pd.DataFrame(rows))


def work(name: str, stages: Sequence[str], counts: ArrayLike, what: str) -> Drawn:
    """One count of every workgroup, by the source function it comes from.

    Args:
        stages: function names.
        counts: ``[workgroups, stages]``.
        what: name of the count.
    """
    table = np.asarray(counts)
    used = [i for i in range(len(stages)) if table[:, i].any()]
    with canvas(height=min(5.0, 1.2 + 0.22 * len(table))) as (figure, axes):
        left = np.zeros(len(table))
        for place, i in enumerate(used):
            axes.barh(
                np.arange(len(table)),
                table[:, i],
                0.8,
                left,
                color=LIGHT[COLORS[min(place, len(COLORS) - 1)]],
                label=stages[i],
            )
            left += table[:, i]
        axes.invert_yaxis()
        axes.tick_params(length=0)
        axes.set_ylabel("workgroup")
        axes.set_xlabel(f"{what}, by source function")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    data = pd.DataFrame(table[:, used], columns=[stages[i] for i in used])
    data.insert(0, "workgroup", range(len(table)))
    caption = f"{what} of every workgroup, by the function of the source that they come from."
    return Drawn(name, what, caption, figure, data)
