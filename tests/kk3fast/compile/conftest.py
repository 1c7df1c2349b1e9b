"""An own cache folder for every test, and the kernels to compile."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

KERNELS = Path(__file__).with_name("kernels.py")
REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KK3_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def kernels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kk3_test_kernels", KERNELS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run_python():
    """Start a Python process on a script; ``.communicate()`` gives its output."""

    def start(script: str, *arguments: str, seed: str = "0") -> subprocess.Popen:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(REPOSITORY)}
        return subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def kernels_path() -> str:
    return str(KERNELS)
