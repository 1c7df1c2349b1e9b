"""A figure with its words and its numbers, and how it is written out."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reports.palette import RC, themed

PNG_DPI = 160


@dataclass(frozen=True)
class Drawn:
    """One figure.

    Attributes:
        name: stem of its files.
        title: one line.
        caption: what it shows and how to read it; also the text for those who cannot see it.
        figure: the drawing.
        data: the numbers it was drawn from.
    """

    name: str
    title: str
    caption: str
    figure: Figure
    data: pd.DataFrame


def _rc(salt: str = "kk3") -> Any:
    """Untyped: matplotlib's own type lists the settings of one release."""
    return RC | {"svg.hashsalt": salt}


@contextmanager
def canvas(
    rows: int = 1, columns: int = 1, width: float = 8.0, height: float = 3.0, **more: Any
) -> Iterator[tuple[Figure, Any]]:
    """A figure in the page's style, and its axes; out of pyplot's hands afterwards.

    A notebook then shows the returned figure, and shows it once.
    """
    with mpl.rc_context(_rc()):
        figure, axes = plt.subplots(
            rows,
            columns,
            figsize=(width, height),
            layout="constrained",
            **more,
        )
        try:
            yield figure, axes
        finally:
            plt.close(figure)


def svg(drawn: Drawn) -> str:
    """The drawing as SVG that follows the page's theme; ids are unique to the figure."""
    target = io.StringIO()
    with mpl.rc_context(_rc(drawn.name)):
        _themes(drawn.figure, dark=True)
        drawn.figure.savefig(
            target,
            format="svg",
            facecolor="none",
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
        _themes(drawn.figure, dark=False)
    text = target.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = _unique(text, drawn.name)
    return themed(text)


def _unique(text: str, name: str) -> str:
    """Ids that hold on a page of several drawings; rasters come in pairs, light then dark."""
    text = re.sub(r'\bid="', f'id="{name}-', text)
    count = itertools.count()

    def raster(found: re.Match[str]) -> str:
        pair, dark = divmod(next(count), 2)
        return f'{found[1]}id="{"dark" if dark else "light"}-{name}-{pair}"'

    text = re.sub(r'(<image\b[^>]*?)\bid="[^"]*"', raster, text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    return re.sub(r'href="#', f'href="#{name}-', text)


def _themes(figure: Figure, dark: bool) -> None:
    """Whether the rasters of the dark theme, which lie on the light ones, are drawn."""
    for axes in figure.axes:
        for image in axes.get_images():
            if str(image.get_gid() or "").startswith("dark-"):
                image.set_visible(dark)


def write(drawn: Drawn, folder: Path) -> None:
    """``<name>.png`` and ``<name>.csv``."""
    with mpl.rc_context(_rc()):
        drawn.figure.savefig(folder / f"{drawn.name}.png", dpi=PNG_DPI, metadata={"Software": None})
    drawn.data.to_csv(folder / f"{drawn.name}.csv", index=False)
