"""How large the errors are: in representable values, in rows, and against their bounds."""

from __future__ import annotations

import numpy as np

from reports.drawn import Drawn, canvas
from reports.frames import Frames
from reports.palette import LIGHT


def ulps(frames: Frames, outputs: list[tuple[str, str]], name: str) -> Drawn | None:
    """Distance to the rounded oracle in representable values, below and above it."""
    data = frames.ulps
    shown = [
        (stage, output)
        for stage, output in outputs
        if ((data["stage"] == stage) & (data["output"] == output)).any()
    ]
    if not shown:
        return None
    across = min(3, len(shown))
    down = -(-len(shown) // across)
    with canvas(down, across, 8.0, 0.4 + 1.75 * down, squeeze=False) as (figure, grid):
        for axes in grid.flat[len(shown) :]:
            axes.set_axis_off()
        for axes, (stage, output) in zip(grid.flat, shown, strict=False):
            mine = data[(data["stage"] == stage) & (data["output"] == output)]
            total = max(1, int(mine["count"].sum()))
            for side, color, sign in ((-1, "second", -1), (1, "first", 1), (0, "muted", 1)):
                bins = mine[(mine["side"] == side) & (mine["count"] > 0)]
                # 0 at 0, 1 at ±1, 2 at ±2, up to 4 at ±3, …
                x = sign * (0 if side == 0 else 1) * (np.log2(bins["up_to"].clip(lower=1)) + 1)
                axes.bar(x, bins["count"] / total, 0.82, color=LIGHT[color])
            axes.set_yscale("log")
            axes.set_ylim(0.5 / total if total > 1 else 0.1, 2)
            reach = max(4.0, float(np.log2(max(1, mine["up_to"].max())) + 1) + 0.6)
            axes.set_xlim(-reach, reach)
            step = max(1, int(reach // 4))
            ticks = [t for t in range(-int(reach), int(reach) + 1) if t % step == 0]
            axes.set_xticks(ticks, [_tick(t) for t in ticks])
            axes.tick_params(length=2, labelsize=7)
            axes.set_title(f"{stage}.{output}", fontsize=8.5)
        for axes in grid[:, 0]:
            axes.set_ylabel("share", fontsize=8)
    caption = (
        "Distance from the oracle rounded to the output's type, in representable values (ulps); "
        "left: below the oracle, right: above. An arm on one side only means a bias, "
        "such as truncation."
    )
    wanted = data.set_index(["stage", "output"]).loc[shown].reset_index()
    return Drawn(f"{name}-ulps", "Ulp histograms", caption, figure, wanted)


def _tick(position: int) -> str:
    if position == 0:
        return "0"
    power = abs(position) - 1
    size = str(2**power) if power < 8 else f"2^{power}"
    return size if position > 0 else f"−{size}"


def worst_rows(frames: Frames, name: str) -> Drawn | None:
    """Relative L2 error of the worst rows of every output."""
    data = frames.rows[frames.rows["rel_l2"] > 0]
    if data.empty:
        return None
    names = list(dict.fromkeys(data["stage"] + "." + data["output"]))
    labels = (data["stage"] + "." + data["output"]).to_numpy()
    values = data["rel_l2"].to_numpy(float)
    finite = values[np.isfinite(values)]
    top = float(finite.max()) * 4 if finite.size else 1.0
    with canvas(height=0.27 * len(names) + 1.0) as (figure, axes):
        for y, output in enumerate(names):
            mine = labels == output
            x = np.minimum(values[mine], top)
            bad = data["max_over_bound"].to_numpy(float)[mine] > 1
            axes.plot(x[~bad], np.full((~bad).sum(), y), "o", ms=4, color=LIGHT["first"], alpha=0.6)
            axes.plot(x[bad], np.full(bad.sum(), y), "X", ms=6, color=LIGHT["fail"])
            worst = data[mine].iloc[0]
            axes.annotate(
                f"rank {worst['rank']}, row {worst['row']}",
                (x.max(), y),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                fontsize=7.5,
                color=LIGHT["muted"],
            )
        axes.set_xscale("log")
        low = float(finite[finite > 0].min()) / 2 if finite.size else 1e-9
        axes.set_xlim(low, top * (top / low) ** 0.22)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.tick_params(length=0)
        axes.grid(axis="x")
        axes.set_xlabel("relative L2 error of a row (log scale)")
    caption = (
        "The worst rows of each output, at most 16 over all ranks; the worst one is named. "
        "A cross: the row holds an element over its bound. One row far from the others is a "
        "rerouted or mixed-up row."
    )
    return Drawn(f"{name}-rows", "Worst rows", caption, figure, data)


def scatter(frames: Frames, name: str) -> Drawn | None:
    """Bound against error of sampled elements."""
    data = frames.sample
    if data.empty:
        return None
    bound, error = data["bound"].to_numpy(float), data["error"].to_numpy(float)
    low = bound.min() / 1e4
    shown = np.maximum(error, low)
    over, exact = error > bound, error == 0
    with canvas(height=4.2, width=6.2) as (figure, axes):
        inside = ~over & ~exact
        axes.plot(bound[inside], shown[inside], ".", ms=4, alpha=0.5, color=LIGHT["first"])
        axes.plot(bound[exact], shown[exact], "|", ms=6, alpha=0.5, color=LIGHT["muted"])
        axes.plot(bound[over], shown[over], "X", ms=6, color=LIGHT["fail"])
        ends = np.array([bound.min() / 2, bound.max() * 2])
        axes.plot(ends, ends, color=LIGHT["ink"], linewidth=1.2)
        axes.annotate(
            "error = bound",
            (ends[1], ends[1]),
            xytext=(-4, 6),
            textcoords="offset points",
            ha="right",
            fontsize=8,
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid()
        axes.tick_params(length=0)
        axes.set_xlabel("derived bound")
        axes.set_ylabel("error")
    caption = (
        "Sampled elements of all outputs: the nearest to their bounds and some of the others. "
        "Above the line (cross) an element fails; ticks at the lower edge have no error at all. "
        "Points far below the line everywhere: a bound that is wider than it need be."
    )
    return Drawn(f"{name}-scatter", "Bound against error", caption, figure, data)
