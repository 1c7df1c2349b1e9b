"""Error maps: rows × columns of an output, one panel a rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch

from reports.drawn import Drawn, canvas
from reports.frames import Frames, each_map, map_cells
from reports.palette import LEVEL_COLORS, LEVEL_NAMES, LEVELS, LIGHT

WINDOW = 512
"""Columns of a detail view."""


def error_maps(frames: Frames, stage: str, output: str, name: str) -> Drawn | None:
    """Error over bound of an output on every judged rank, as the record keeps it."""
    found = [m for place, m in each_map(frames.record) if place == _place(stage, output)]
    if not found:
        return None
    across = min(4, len(found))
    down = -(-len(found) // across)
    width = 8.0 if across > 1 else 5.0
    with canvas(down, across, width, 0.55 + down * (1.35 if down > 1 else 1.7), squeeze=False) as (
        figure,
        grid,
    ):
        for axes in grid.flat[len(found) :]:
            axes.set_axis_off()
        for axes, error_map in zip(grid.flat, found, strict=False):
            _panel(axes, map_cells(error_map), (error_map["rows"], error_map["columns"]))
            axes.set_title(f"rank {error_map['rank']}", fontsize=8.5, color=LIGHT["muted"])
        _labels(figure)
    data = frames.maps
    data = data[(data["stage"] == stage) & (data["output"] == output)]
    one = found[0]
    pooled = one["rows_a_cell"] * one["columns_a_cell"]
    caption = (
        f"{stage}.{output}: error over bound, rows down and columns across"
        + (f"; a cell is the largest of {pooled} elements" if pooled > 1 else "")
        + (
            "; computed alike on all ranks, so one is shown."
            if len(found) == 1 and frames.record["tp"] > 1
            else "."
        )
        + " A line points at a wrong row or index, scattered dots at rounding."
    )
    return Drawn(
        f"{name}-map-{stage}.{output}", f"Error map of {stage}.{output}", caption, figure, data
    )


def detail(
    tensors: Mapping[str, Any], stage: str, output: str, worst: Mapping[str, Any], name: str
) -> Drawn | None:
    """The saved tensors of a failing output at full resolution, around its worst element."""
    rank = worst["rank"]
    wanted = [f"rank{rank}.{part}" for part in ("candidate", "oracle", "bound")]
    if not all(part in tensors for part in wanted):
        return None
    k, o, bound = (tensors[part].double() for part in wanted)
    if k.shape != o.shape:
        return None
    error = (k - o).abs()
    ratio = (error / bound).where(error > 0, 0.0).nan_to_num(nan=np.inf, posinf=np.inf)
    table = ratio.reshape(ratio.shape[0], -1).numpy()
    peak = np.unravel_index(int(np.argmax(table)), table.shape)
    left = int(np.clip(peak[1] - WINDOW // 2, 0, max(0, table.shape[1] - WINDOW)))
    top = int(np.clip(peak[0] - 32, 0, max(0, table.shape[0] - 64)))
    part = table[top : top + 64, left : left + WINDOW]
    with canvas(1, 1, 8.0, 2.3) as (figure, axes):
        extent = (left - 0.5, left + part.shape[1] - 0.5, top + part.shape[0] - 0.5, top - 0.5)
        _raster(axes, part, extent)
        axes.set_xlabel("column")
        axes.set_ylabel("row")
        axes.tick_params(length=2)
        _labels(figure)
    over = int((table > 1).sum())
    caption = (
        f"{stage}.{output}, rank {rank}, every element"
        + (f" of columns {left} to {left + part.shape[1] - 1}" if left or over else "")
        + f"; {over} of {table.size} elements on this rank are over their bound."
    )
    row, column = np.indices(part.shape)
    data = pd.DataFrame(
        {"row": row.ravel() + top, "column": column.ravel() + left, "over_bound": part.ravel()}
    )
    return Drawn(
        f"{name}-detail-{stage}.{output}",
        f"Every element around the worst one of {stage}.{output}",
        caption,
        figure,
        data,
    )


def _place(stage: str, output: str) -> dict[str, str]:
    return {"stage": stage, "output": output}


def _panel(axes: Any, cells: np.ndarray, shape: tuple[int, int]) -> None:
    _raster(axes, cells, (-0.5, shape[1] - 0.5, shape[0] - 0.5, -0.5))
    axes.set_xticks([0, shape[1] - 1])
    axes.set_yticks([0, shape[0] - 1] if shape[0] > 1 else [0])
    axes.tick_params(length=2, labelsize=7)


def _raster(axes: Any, cells: np.ndarray, extent: tuple[float, float, float, float]) -> None:
    """Two rasters in one place: a theme shows one of them."""
    classes = np.digitize(cells, LEVELS, right=True)
    classes[cells == 0] = 0
    for theme in ("light", "dark"):
        colors = np.array([to_rgba(color) for color in LEVEL_COLORS[theme]])
        image = axes.imshow(colors[classes], aspect="auto", interpolation="nearest", extent=extent)
        image.set_gid(f"{theme}-{axes.get_subplotspec().num1}")
        image.set_visible(theme == "light")  # a page's SVG has both, everything else the light one
    axes.spines[:].set_visible(True)


def _labels(figure: Any) -> None:
    """The classes' legend, whose colours become theme variables."""
    handles = [
        Patch(facecolor=color, edgecolor=LIGHT["grid"], label=label)
        for color, label in zip(LEVEL_COLORS["light"], LEVEL_NAMES, strict=True)
    ]
    figure.legend(
        handles=handles,
        loc="outside lower left",
        ncols=len(handles),
        fontsize=7.5,
        handlelength=1.1,
        handleheight=1.0,
        columnspacing=1.2,
    )
