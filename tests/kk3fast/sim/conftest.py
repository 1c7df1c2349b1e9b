"""Tests of the simulator share one cache of compiled objects, apart from the user's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def object_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from kk3fast.sim.backend import backend
    from kk3fast.sim.cache import ObjectCache

    folder = tmp_path_factory.mktemp("objects")
    backend().cache = ObjectCache(folder)
    return folder
