"""Colours and text sizes of every figure and page; safe for the usual colour blindnesses.

A figure is drawn once, in the light colours. In the page's SVG each of them becomes a CSS variable,
so that the same drawing follows the reader's theme.
"""

from __future__ import annotations

import re
from typing import Any

LIGHT = {
    "surface": "#fefefe",
    "ink": "#1b1d21",
    "muted": "#5b606b",
    "grid": "#d8dbe1",
    "first": "#0b67a6",
    "second": "#8b3f87",
    "third": "#00735d",
    "fourth": "#8a6102",
    "pass": "#00735c",
    "fail": "#b84a00",
    "open": "#8a6100",
    "pale": "#e6edf4",
}
DARK = {
    "surface": "#15171b",
    "ink": "#e8eaee",
    "muted": "#a5abb6",
    "grid": "#3a3f49",
    "first": "#62b4f0",
    "second": "#d993d5",
    "third": "#42c4a2",
    "fourth": "#e5b94c",
    "pass": "#43c5a3",
    "fail": "#ff9560",
    "open": "#e6ba4d",
    "pale": "#232b35",
}
"""Every colour of a theme has a value of its own: a drawing's colours are told apart by it."""

LEVELS = (0.0, 1 / 64, 1 / 16, 1 / 4, 1 / 2, 1.0)
"""Upper limits of a map's classes; what is above the last one is beyond its bound."""
LEVEL_NAMES = ("none", "≤ 1/64", "≤ 1/16", "≤ 1/4", "≤ 1/2", "≤ 1", "> 1: fails")
LEVEL_COLORS = {
    "light": ("#f4f6f8", "#d3e3f1", "#a6c9e4", "#6ea6d0", "#3a7fb6", "#0f4f86", "#d65a00"),
    "dark": ("#1c1f25", "#1d3346", "#244c6d", "#2f6c9b", "#4d95cb", "#93caf3", "#ff9560"),
}

VERDICTS = {"pass": ("pass", "✓"), "fail": ("fail", "✗"), "not_checked": ("open", "○")}
"""Colour name and mark of each verdict: never colour alone."""

RC: dict[str, Any] = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": LIGHT["surface"],
    "axes.edgecolor": LIGHT["grid"],
    "axes.labelcolor": LIGHT["muted"],
    "axes.titlecolor": LIGHT["ink"],
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": LIGHT["ink"],
    "xtick.color": LIGHT["grid"],
    "ytick.color": LIGHT["grid"],
    "xtick.labelcolor": LIGHT["muted"],
    "ytick.labelcolor": LIGHT["ink"],
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "grid.color": LIGHT["grid"],
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "font.size": 9,
    "svg.fonttype": "none",
    "image.composite_image": False,
    "svg.hashsalt": "kk3",
}


def themed(svg: str) -> str:
    """An SVG's light colours as CSS variables."""
    names = {value: name for name, value in LIGHT.items()}
    names |= {value: f"level{i}" for i, value in enumerate(LEVEL_COLORS["light"])}

    def variable(found: re.Match[str]) -> str:
        name = names.get(found[0].lower())
        return f"var(--{name})" if name else found[0]

    return re.sub(r"#[0-9a-fA-F]{6}\b", variable, svg)


def css(theme: str) -> str:
    """A theme, ``light`` or ``dark``, as CSS custom properties."""
    colors = LIGHT if theme == "light" else DARK
    levels = {f"level{i}": color for i, color in enumerate(LEVEL_COLORS[theme])}
    return " ".join(f"--{name}: {value};" for name, value in (colors | levels).items())
