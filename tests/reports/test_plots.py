"""Figures of a record."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import torch
from matplotlib.colors import to_rgba

import reports
from reports import plots
from reports.drawn import Drawn, svg
from reports.palette import LEVEL_COLORS
from verify.cli.main import main


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    main(
        [
            "layer",
            "k1",
            "--preset",
            "tiny",
            "--family",
            "normal",
            "--candidate",
            "contract",
            "--out",
            str(out),
        ]
    )
    return next(out.glob("*.json"))


def test_no_figure_stays_open(record: Path) -> None:
    plots.error_over_bound(reports.load(record))
    assert not plt.get_fignums()


def test_every_bounded_output_has_a_bar(record: Path) -> None:
    frames = reports.load(record)
    (axes,) = plots.error_over_bound(frames).axes
    bars = sum(len(lines.get_segments()) for lines in axes.collections)
    assert bars == frames.outputs["max_over_bound"].notna().sum() > 5


def test_shares_of_a_bound_add_up(record: Path) -> None:
    axes = plots.bound_shares(reports.load(record)).axes[0]
    widths: dict[float, float] = defaultdict(float)
    for (bar,) in axes.containers:
        widths[bar.get_y()] += bar.get_width()
    assert list(widths.values()) == pytest.approx([1.0] * len(widths))
    assert len(widths) > 5


def test_the_map_shows_the_element_that_is_off() -> None:
    oracle = torch.zeros(3, 5)
    candidate = oracle.clone()
    candidate[1, 2] = 3.0
    tensors = {"candidate": candidate, "oracle": oracle, "bound": torch.ones(3, 5)}
    figure = plots.error_map({f"rank2.{n}": t for n, t in tensors.items()}, rank=2)
    for theme, image in zip(("light", "dark"), figure.axes[0].images, strict=True):
        fails = (image.get_array() == to_rgba(LEVEL_COLORS[theme][-1])).all(-1)
        assert fails.sum() == 1
        assert fails[1, 2]


def test_a_rank_that_was_not_saved_is_an_error() -> None:
    with pytest.raises(KeyError):
        plots.error_map({}, rank=0)


def test_a_figure_shows_the_light_raster_unless_a_page_has_both() -> None:
    ones = {name: torch.ones(2, 2) for name in ("candidate", "oracle", "bound")}
    figure = plots.error_map({f"rank0.{n}": t for n, t in ones.items()}, rank=0)
    shown = [image.get_visible() for image in figure.axes[0].images]
    assert shown == [True, False]
    drawn = Drawn("x", "x", "x", figure, pd.DataFrame())
    assert svg(drawn).count("<image") == 2
    assert [image.get_visible() for image in figure.axes[0].images] == shown
