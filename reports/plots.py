"""Figures of a record (extra ``report``)."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from torch import Tensor

from reports.frames import Frames


def _closed(figure: Figure) -> Figure:
    """Out of pyplot's hands: a notebook shows the returned figure, and shows it once."""
    plt.close(figure)
    return figure


def error_over_bound(frames: Frames) -> Figure:
    """Largest error over its bound, one bar an output; beyond the line an output fails."""
    rows = frames.outputs.dropna(subset=["max_over_bound"])
    names = rows["stage"] + "." + rows["output"]
    failed = rows["verdict"] == "fail"
    figure, axes = plt.subplots(figsize=(8, 0.35 * len(rows) + 1.2), layout="constrained")
    axes.barh(names, rows["max_over_bound"], color=np.where(failed, "#d55e00", "#0072b2"))
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("largest error / its derived bound")
    axes.invert_yaxis()
    return _closed(figure)


def bound_shares(frames: Frames) -> Figure:
    """What the bound of each output's worst element is made of, by rounding point."""
    points = frames.points.assign(name=frames.points["stage"] + "." + frames.points["output"])
    shares = points.pivot_table(index="name", columns="point", values="share", sort=False)
    shares = shares.div(shares.sum(axis=1), axis=0).fillna(0.0)
    figure, axes = plt.subplots(figsize=(9, 0.35 * len(shares) + 1.5), layout="constrained")
    shares.plot.barh(stacked=True, ax=axes, colormap="tab20", width=0.8)
    axes.invert_yaxis()
    axes.set_ylabel("")
    axes.set_xlabel("share of the bound")
    axes.legend(fontsize="x-small", bbox_to_anchor=(1.0, 1.0), loc="upper left")
    return _closed(figure)


def error_map(tensors: Mapping[str, Tensor], rank: int) -> Figure:
    """Error over bound of every element of a failing output on one rank, rows × columns.

    Raises:
        KeyError: nothing was saved for the rank.
    """
    wanted = ("candidate", "oracle", "bound")
    k, o, bound = (tensors[f"rank{rank}.{name}"].double() for name in wanted)
    error = (k - o).abs()
    ratio = (error / bound).where(error > 0, 0.0).flatten(1).numpy()
    figure, axes = plt.subplots(figsize=(9, 3), layout="constrained")
    image = axes.imshow(ratio, aspect="auto", cmap="magma", vmin=0.0, vmax=max(1.0, ratio.max()))
    axes.set_xlabel("column")
    axes.set_ylabel("row")
    figure.colorbar(image, label="error / bound")
    return _closed(figure)
