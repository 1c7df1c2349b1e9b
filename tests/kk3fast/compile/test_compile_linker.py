from __future__ import annotations

import subprocess
import sys

import pytest

from kk3fast.compile import CacheError, ToolchainError, linker


def test_the_linker_is_a_script_in_the_cache_folder(cache_dir):
    root = linker.install_linker()
    program = root / "llvm" / "bin" / "ld.lld"
    assert program.is_relative_to(cache_dir)
    assert sys.executable in program.read_text()
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert "LLD" in done.stdout


def test_a_foreign_program_in_its_place_is_replaced():
    program = linker.install_linker() / "llvm" / "bin" / "ld.lld"
    program.write_text("#!/bin/sh\nexit 1\n")
    linker.install_linker()
    assert program.read_text() == linker.linker_script()


def test_missing_ziglang_is_named(monkeypatch):
    monkeypatch.setattr(linker, "find_spec", lambda name: None)
    with pytest.raises(ToolchainError, match="ziglang is not installed; expected ziglang>="):
        linker.install_linker()


def test_an_unusable_cache_folder_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("KK3_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(CacheError, match="KK3_CACHE_DIR"):
        linker.install_linker()
