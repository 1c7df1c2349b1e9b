"""Errors of a run as CSV, and their growth as a figure (extra ``report``)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from verify.steps.record import Growth
from verify.steps.track import Error

_LEAST = 1e-9  # an exact value on a logarithmic axis


def _errors(growth: Sequence[Growth]) -> tuple[list[float], list[float]]:
    return [g.candidate for g in growth], [g.baseline for g in growth]


def write_csv(errors: Mapping[str, Sequence[Error]], path: Path) -> None:
    """One line a run, view, value, layer, life and step; whole or not at all.

    Columns: ``run`` (candidate, baseline), ``view``, ``what``, ``layer``, ``life``, ``step``,
    ``age``, ``error`` (relative L2).
    """
    rows = [
        (run, e.view, e.what, e.layer, e.life, e.step, e.age, e.value)
        for run, found in errors.items()
        for e in found
    ]
    columns = ["run", "view", "what", "layer", "life", "step", "age", "error"]
    partial = path.with_suffix(f".{os.getpid()}.partial")
    pd.DataFrame(rows, columns=columns).to_csv(partial, index=False, float_format="%.4e")
    partial.replace(path)


def write_plot(growth: Sequence[Growth], title: str, path: Path) -> bool:
    """Error against age, a panel a view and value, a line a layer; False without matplotlib."""
    if find_spec("matplotlib") is None:
        return False
    from matplotlib import colormaps
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    panels = list(dict.fromkeys((g.view, g.what) for g in growth))
    if not panels:
        return False
    columns = min(4, len(panels))
    lines = -(-len(panels) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.2 * lines + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(lines, columns, squeeze=False)
    layers = [g.layer for g in growth]
    norm = Normalize(min(layers), max(layers) + 1e-9)
    colors = colormaps["viridis"]
    scale = ScalarMappable(norm, colors)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for ax, (view, what) in zip(axes.flat, panels, strict=False):
        chosen = [g for g in growth if (g.view, g.what) == (view, what)]
        for layer in sorted({g.layer for g in chosen}):
            mine = [g for g in chosen if g.layer == layer]
            x = [(g.ages[0] * g.ages[1]) ** 0.5 for g in mine]
            color = colors(float(norm(layer)))
            own, base = ([max(e, _LEAST) for e in es] for es in _errors(mine))
            ax.plot(x, own, color=color, linewidth=1.2)
            ax.plot(x, base, color=color, linewidth=0.8, linestyle=":")
            over = [g for g in mine if g.ratio > g.limit or g.worst_life > g.life_limit]
            ax.plot(
                [(g.ages[0] * g.ages[1]) ** 0.5 for g in over],
                [max(g.candidate, _LEAST) for g in over],
                linestyle="",
                marker="x",
                color="#d55e00",
            )
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_title(f"{view}: {what}", fontsize="medium")
        ax.set_xlabel("steps since the prompt")
    axes[0][0].set_ylabel("relative L2 error")
    figure.colorbar(scale, ax=axes, label="decoder layer", shrink=0.7)
    figure.suptitle(f"{title}\nsolid: candidate, dotted: baseline, ×: over the bound", fontsize=10)
    figure.savefig(path, dpi=110)
    return True
