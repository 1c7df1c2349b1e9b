"""Figures of a record for a notebook (extra ``report``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from reports.drawn import Drawn
from reports.figures import distributions, evals, kernels, maps, stages
from reports.frames import EvalFrames, Frames


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


def differences(frames: EvalFrames) -> Figure:
    """Accuracy differences of an eval with their intervals, beside the margin."""
    return _figure(evals.differences("record", frames.record["tasks"], frames.record["margin"]))


def discordant(frames: EvalFrames) -> Figure:
    """Answers of an eval that only one side had right."""
    sides = [side["name"] for side in frames.record["sides"]]
    return _figure(evals.discordant("record", frames.record["tasks"], sides))


def timeline(runs: dict[str, ArrayLike]) -> Figure:
    """Hand-offs of a simulated kernel: µs ``[workgroups, 3]`` (began, received, sent) each."""
    return _figure(kernels.timeline("kernel", runs))


def work(stages: Sequence[str], counts: ArrayLike, what: str) -> Figure:
    """A count ``[workgroups, stages]`` of a simulated kernel, by source function."""
    return _figure(kernels.work("kernel", stages, counts, what))
