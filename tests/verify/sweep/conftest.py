"""Fixtures of the sweep's tests."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verify.cli.main import main

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def fragile(tmp_path: Path) -> Path:
    """A copy of the fragile candidate; beside it lies what its workers noted."""
    folder = tmp_path / "candidate"
    folder.mkdir()
    return Path(shutil.copy(Path(__file__).parent / "fragile.py", folder))


@pytest.fixture
def sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """``sweep(words…, code=0)``: the merged record of a small sweep on two workers."""

    def run(*words: str, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        given = ["sweep", *words, "--preset", "tiny", "--tp", "1", "--workers", "2"]
        assert main([*given, "--json", "--out", str(tmp_path / "sweep")]) == code
        record: dict[str, Any] = json.loads(capsys.readouterr().out)
        return record

    return run
