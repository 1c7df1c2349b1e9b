"""vLLM's kernel sources: given, already fetched, or fetched now by the documented command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kk3fast.compile import ArtefactCache
from kk3fast.peers import vllm_sources
from kk3fast.peers.errors import PeerSourcesError

RECORD = Path(__file__).parents[1] / "data" / "vllm_builds.json"


@pytest.fixture(scope="session")
def vllm_tree() -> Path:
    """A folder holding ``vllm/``, verified."""
    if os.environ.get(vllm_sources.OVERRIDE):
        return Path(os.environ[vllm_sources.OVERRIDE])
    folder = vllm_sources.fetched_folder()
    try:
        vllm_sources.verified(folder)
    except PeerSourcesError:
        subprocess.run([sys.executable, "-m", "kk3fast.peers.fetch"], check=True)
    return folder


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KK3_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def sources(vllm_tree: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sources in use, everything else in an own cache folder."""
    monkeypatch.setenv(vllm_sources.OVERRIDE, str(vllm_tree))
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
