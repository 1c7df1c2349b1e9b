"""vLLM's kernel sources and recorded builds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kk3fast.compile import ArtefactCache
from kk3fast.peers.vllm_sources import OVERRIDE, fetched_folder

RECORD = Path(__file__).parents[1] / "data" / "vllm_builds.json"


@pytest.fixture(scope="session")
def vllm_tree(vllm_sources: None) -> Path:
    """A folder holding ``vllm/``, verified."""
    return Path(os.environ.get(OVERRIDE) or fetched_folder())


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KK3_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def sources(vllm_tree: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sources in use, everything else in an own cache folder."""
    monkeypatch.setenv(OVERRIDE, str(vllm_tree))
    return vllm_tree


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> ArtefactCache:
    """One cache for the session: every build is compiled once."""
    return ArtefactCache(tmp_path_factory.mktemp("artefacts"))


@pytest.fixture(scope="session")
def recorded() -> list[dict]:
    """The recorded builds: parameters, digests and figures."""
    builds: list[dict] = json.loads(RECORD.read_text())["builds"]
    return builds
