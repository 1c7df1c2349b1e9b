"""Acting on a module after its import."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kk3fast.serve.imports import after_import


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / "kk3_probe"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "inner.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    finders = list(sys.meta_path)
    yield "kk3_probe"
    sys.meta_path[:] = finders
    for name in [n for n in sys.modules if n.startswith("kk3_probe")]:
        del sys.modules[name]


def change(module: ModuleType) -> None:
    module.VALUE = module.VALUE + 1


def test_before_the_import(package: str) -> None:
    after_import(f"{package}.inner", change)
    assert f"{package}.inner" not in sys.modules
    module = importlib.import_module(f"{package}.inner")
    assert module.VALUE == 2
    assert module.__spec__ is not None
    assert module.__spec__.origin == module.__file__


def test_after_the_import_and_only_once(package: str) -> None:
    module = importlib.import_module(f"{package}.inner")
    after_import(f"{package}.inner", change)
    after_import(f"{package}.inner", change)
    assert module.VALUE == 2


def test_an_error_is_an_error_of_the_import(package: str) -> None:
    def refuse(module: ModuleType) -> None:
        raise ValueError("no")

    after_import(f"{package}.inner", refuse)
    with pytest.raises(ValueError, match="no"):
        importlib.import_module(f"{package}.inner")
    assert f"{package}.inner" not in sys.modules


def test_a_module_that_is_not_there_stays_so(package: str) -> None:
    after_import(f"{package}.missing", change)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{package}.missing")


def test_registering_loads_nothing_heavy() -> None:
    code = (
        "import sys; from kk3fast.serve.plugin import register; register(); register(); "
        "print(sorted({'torch', 'vllm', 'numpy', 'flydsl', 'pydantic'} & set(sys.modules)))"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
