"""Figures of a record."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import torch

import reports
from reports import plots
from verify.cli.main import main


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    main(["layer", "k1", "--preset", "tiny", "--family", "normal", "--out", str(out)])
    return next(out.glob("*.json"))


def test_no_figure_stays_open(record: Path) -> None:
    plots.error_over_bound(reports.load(record))
    assert not plt.get_fignums()


def test_every_bounded_output_has_a_bar(record: Path) -> None:
    frames = reports.load(record)
    (axes,) = plots.error_over_bound(frames).axes
    assert len(axes.patches) == frames.outputs["max_over_bound"].notna().sum()


def test_shares_of_a_bound_add_up(record: Path) -> None:
    axes = plots.bound_shares(reports.load(record)).axes[0]
    widths = torch.tensor([[bar.get_width() for bar in bars] for bars in axes.containers])
    torch.testing.assert_close(widths.sum(0), torch.ones(widths.shape[1], dtype=widths.dtype))


def test_the_map_shows_the_element_that_is_off() -> None:
    oracle = torch.zeros(3, 5)
    candidate = oracle.clone()
    candidate[1, 2] = 3.0
    tensors = {"candidate": candidate, "oracle": oracle, "bound": torch.ones(3, 5)}
    figure = plots.error_map({f"rank2.{n}": t for n, t in tensors.items()}, rank=2)
    (image,) = figure.axes[0].images
    shown = torch.as_tensor(image.get_array().data)
    assert shown[1, 2] == 3.0
    assert shown.sum() == 3.0


def test_a_rank_that_was_not_saved_is_an_error() -> None:
    with pytest.raises(KeyError):
        plots.error_map({}, rank=0)
