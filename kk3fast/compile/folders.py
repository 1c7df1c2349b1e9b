"""Where this project keeps what it can make again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

OVERRIDE = "KK3_CACHE_DIR"


def cache_folder() -> Path:
    """``$KK3_CACHE_DIR``, else the platform's cache folder for ``kk3``. Not created here."""
    override = os.environ.get(OVERRIDE)
    if override:
        return Path(override).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "kk3"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "kk3" / "Cache"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "kk3"
