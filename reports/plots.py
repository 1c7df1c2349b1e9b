"""Figures of a record for a notebook (extra ``report``)."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure
from torch import Tensor

from reports.drawn import Drawn
from reports.figures import distributions, maps, stages
from reports.frames import Frames


def _figure(drawn: Drawn | None) -> Figure:
    if drawn is None:
        raise ValueError("the record holds nothing for this figure")
    return drawn.figure


def error_over_bound(frames: Frames) -> Figure:
    """Largest error over its bound, one mark an output; beyond the line an output fails."""
    return _figure(stages.error_over_bound(frames, "record"))


def bound_shares(frames: Frames) -> Figure:
    """What the bound of each output's worst element is made of, by rounding point."""
    return _figure(stages.bound_shares(frames, "record"))


def error_maps(frames: Frames, stage: str, output: str) -> Figure:
    """Error over bound of an output, rows × columns, one panel a rank, as the record keeps it."""
    return _figure(maps.error_maps(frames, stage, output, "record"))


def ulps(frames: Frames, *outputs: tuple[str, str]) -> Figure:
    """Histograms of the distance to the rounded oracle, of ``(stage, output)`` pairs."""
    return _figure(distributions.ulps(frames, list(outputs), "record"))


def worst_rows(frames: Frames) -> Figure:
    """Relative L2 error of the worst rows of every output."""
    return _figure(distributions.worst_rows(frames, "record"))


def bound_against_error(frames: Frames) -> Figure:
    """Bound against error of sampled elements."""
    return _figure(distributions.scatter(frames, "record"))


def error_map(tensors: Mapping[str, Tensor], rank: int) -> Figure:
    """Error over bound of every element of a failing output on one rank, rows × columns.

    Raises:
        KeyError: nothing was saved for the rank.
    """
    if f"rank{rank}.candidate" not in tensors:
        raise KeyError(f"rank{rank}.candidate")
    return _figure(maps.detail(tensors, "saved", "tensors", {"rank": rank}, "record"))
