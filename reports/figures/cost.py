"""Times: predicted from counts, measured on a GPU, and the floor that the bytes set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from reports.drawn import Drawn, canvas
from reports.palette import LIGHT


def predicted(name: str, builds: Sequence[dict[str, Any]]) -> Drawn | None:
    """Predicted time of simulated builds; split into bytes and hand-offs where the file says so."""
    rows = [_prediction(b) for b in builds if b.get("predicted_us") is not None]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    with canvas(height=0.42 * len(data) + 1.0) as (figure, axes):
        at = np.arange(len(data))
        if data["bytes_us"].notna().all():
            axes.barh(at, data["bytes_us"], 0.6, color=LIGHT["first"], label="bytes moved")
            axes.barh(
                at,
                data["predicted_us"] - data["bytes_us"],
                0.6,
                left=data["bytes_us"],
                color=LIGHT["fourth"],
                label="waits for hand-offs",
            )
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        else:
            axes.barh(at, data["predicted_us"], 0.6, color=LIGHT["first"])
        for y, value in zip(at, data["predicted_us"], strict=True):
            axes.annotate(
                f"{value:.1f} µs",
                (value, y),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        axes.set_yticks(at, data["build"])
        axes.invert_yaxis()
        axes.set_xlim(0, float(data["predicted_us"].max()) * 1.18)
        axes.tick_params(length=0)
        axes.set_xlabel("µs, PREDICTED from a simulated launch's counts; not measured")
    caption = (
        "Predicted time of a launch: bytes moved and the longest chain of hand-offs, with two "
        "constants solved from two published times. A prediction is not a measurement."
    )
    return Drawn(name, "Predicted time", caption, figure, data)


def _prediction(build: dict[str, Any]) -> dict[str, Any]:
    counts = build.get("counts") or {}
    moved = sum(v for k, v in counts.items() if k.startswith(("load_", "store_")))
    return {
        "build": build.get("build", "?"),
        "predicted_us": float(build["predicted_us"]),
        "bytes_us": build.get("predicted_bytes_us"),
        "bytes": moved,
        "handoffs": build.get("handoffs"),
    }


def measured(name: str, rows: Sequence[dict[str, Any]]) -> Drawn | None:
    """Measured medians beside the floor that the bytes and the copy bandwidth set.

    Args:
        rows: of ``verify bench layer``: kind, rows, what, median_us, low_us, high_us, floor_us.
    """
    data = pd.DataFrame([r for r in rows if r["median_us"] is not None])
    if data.empty:
        return None
    data = data[["kind", "rows", "what", "median_us", "low_us", "high_us", "floor_us"]]
    with canvas(height=0.42 * len(data) + 1.0) as (figure, axes):
        at = np.arange(len(data))
        spread = [data["median_us"] - data["low_us"], data["high_us"] - data["median_us"]]
        axes.barh(at, data["floor_us"], 0.62, color=LIGHT["grid"], label="floor")
        axes.errorbar(
            data["median_us"], at, xerr=spread, fmt="o", color=LIGHT["first"], label="measured"
        )
        axes.set_yticks(at, data["kind"] + ", " + data["rows"].astype(str) + ": " + data["what"])
        axes.set_ylim(len(data) - 0.4, -0.6)
        axes.set_xlim(left=0)
        axes.grid(axis="x")
        axes.tick_params(length=0)
        axes.set_xlabel("µs a launch")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    caption = (
        "Median and 10–90 % spread of graph replays on the machine they were made on; the floor is "
        "the bytes a launch must move over the measured copy bandwidth."
    )
    return Drawn(name, "Measured time and floor", caption, figure, data)
