from __future__ import annotations

import json
import os

import pytest

from kk3fast.compile.environment import offline


def test_variables_hold_inside_and_are_restored(monkeypatch):
    monkeypatch.setenv("ARCH", "gfx942")
    monkeypatch.delenv("COMPILE_ONLY", raising=False)
    before = dict(os.environ)
    with offline("gfx950"):
        assert os.environ["ARCH"] == os.environ["FLYDSL_GPU_ARCH"] == "gfx950"
        assert os.environ["COMPILE_ONLY"] == "1"
        assert os.environ["FLYDSL_RUNTIME_ENABLE_CACHE"] == "0"
    assert dict(os.environ) == before


def test_settings_that_change_code_are_hidden(monkeypatch):
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "1")
    monkeypatch.setenv("HSA_OVERRIDE_GFX_VERSION", "11.0.0")
    before = dict(os.environ)
    with offline():
        assert "FLYDSL_DEBUG_ENABLE_DEBUG_INFO" not in os.environ
        assert "HSA_OVERRIDE_GFX_VERSION" not in os.environ
    assert dict(os.environ) == before


def test_nested_blocks_restore_each_other():
    before = dict(os.environ)
    with offline("gfx950"):
        with offline("gfx942"):
            assert os.environ["ARCH"] == "gfx942"
        assert os.environ["ARCH"] == "gfx950"
    assert dict(os.environ) == before


def test_restored_after_an_error():
    before = dict(os.environ)
    with pytest.raises(ZeroDivisionError), offline():
        _ = 1 // 0
    assert dict(os.environ) == before


def test_import_sets_nothing_and_needs_no_flydsl(run_python):
    script = (
        "import os, sys, json; before = dict(os.environ); import kk3fast.compile, "
        "kk3fast.peers.vllm; print(json.dumps([dict(os.environ) == before, 'flydsl' in sys.modules,"
        " [m for m in sys.modules if m.split('.')[0] in ('vllm', 'aiter')]]))"
    )
    out, error = run_python(script).communicate()
    assert json.loads(out) == [True, False, []], error
