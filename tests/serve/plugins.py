"""What a server process finds on its path: this checkout, and which plugins are installed.

vLLM finds plugins by the entry points of installed distributions. A folder with their metadata
on the path is an installation as far as it can see, so nothing is installed into the rig and a
scenario chooses its plugins.
"""

from __future__ import annotations

import enum
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GROUP = "vllm.general_plugins"


class Plugin(enum.Enum):
    """How the distribution ``kk3`` is there."""

    INSTALLED = "installed"
    MISSING = "missing"
    BROKEN = "broken"
    """its entry point's module fails to import"""


def declared_entry_points() -> str:
    """The lines under the group in ``pyproject.toml``."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf'^\[project\.entry-points\."{re.escape(GROUP)}"\]\n((?:.+\n)+)', text, re.M)
    if found is None:
        raise RuntimeError(f"pyproject.toml must declare entry points in {GROUP}")
    return found[1].replace('"', "")


def write_site(folder: Path, plugin: Plugin) -> list[Path]:
    """Write the metadata to ``folder``; returns what must be on the path, in order."""
    _distribution(folder, "kk3_rig", "kk3_rig = kk3_rig:register\n")
    if plugin is Plugin.INSTALLED:
        _distribution(folder, "kk3", declared_entry_points())
    if plugin is Plugin.BROKEN:
        _distribution(folder, "kk3", "kk3 = kk3_broken:register\n")
        (folder / "kk3_broken.py").write_text('raise ImportError("planted: cannot be imported")\n')
    return [folder, Path(__file__).parent / "cpu_model", ROOT]


def _distribution(folder: Path, name: str, entry_points: str) -> None:
    info = folder / f"{name}-0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry_points}")
