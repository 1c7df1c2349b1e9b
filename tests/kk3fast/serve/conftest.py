"""A stand-in for vLLM's modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent / "fake_vllm"


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``import vllm`` means the stand-in, freshly imported; import hooks are taken back after."""

    def forget() -> None:
        for name in [n for n in sys.modules if n.partition(".")[0] == "vllm"]:
            del sys.modules[name]

    finders = list(sys.meta_path)
    forget()
    monkeypatch.syspath_prepend(str(_FOLDER))
    importlib.invalidate_caches()
    yield
    sys.meta_path[:] = finders
    forget()
