from __future__ import annotations

import threading
from importlib import metadata
from pathlib import Path

import pytest

from kk3fast.compile import CompileError, ToolchainError, flydsl_private, linker
from kk3fast.compile.environment import offline


@pytest.mark.parametrize("version", ["0.4.2", "0.4.9", "0.5.0", "0.5.12.post1", "0.5"])
def test_supported_versions(version):
    flydsl_private.check_version(version)


@pytest.mark.parametrize("version", ["0.3.1", "0.4.1", "0.6.0", "0.6.0.dev3", "1.0", "unknown"])
def test_other_versions_are_refused_by_name(version):
    with pytest.raises(ToolchainError) as error:
        flydsl_private.check_version(version)
    assert version in str(error.value)
    assert flydsl_private.SUPPORTED in str(error.value)


def test_guard_holds_before_flydsl_is_used(monkeypatch):
    monkeypatch.setattr(flydsl_private, "installed_version", lambda: "0.6.1")
    with pytest.raises(ToolchainError, match=r"FlyDSL 0\.6\.1 is installed; supported: flydsl>="):
        flydsl_private.module("expr")


def test_absent_flydsl_is_named(monkeypatch):
    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    with pytest.raises(ToolchainError, match="FlyDSL is not installed; expected flydsl>="):
        flydsl_private.supported_version()


def test_moved_private_names_are_all_listed(monkeypatch):
    jit = flydsl_private.module("compiler.jit_function")
    monkeypatch.delattr(jit, "_create_mlir_context")
    monkeypatch.delattr(jit, "_extract_llvm_ir")
    with pytest.raises(ToolchainError, match="_create_mlir_context, _extract_llvm_ir"):
        flydsl_private.is_launcher(None)


@pytest.mark.parametrize("supported", [flydsl_private.SUPPORTED, linker.SUPPORTED])
def test_the_extra_has_the_bounds_of_the_guard(supported):
    assert f'"{supported}"' in (Path(__file__).parents[3] / "pyproject.toml").read_text()


def test_hook_is_gone_after_a_trace_and_after_an_error(kernels):
    compiler = flydsl_private.module("compiler.jit_function").MlirCompiler
    before = compiler.__dict__["compile"]
    with offline():
        flydsl_private.trace(kernels.scaled_add, kernels.add_arguments(), {})
        with pytest.raises(TypeError):
            flydsl_private.trace(kernels.scaled_add, (), {})
    assert compiler.__dict__["compile"] is before


def test_a_call_that_does_not_launch_is_an_error():
    with pytest.raises(CompileError, match="without reaching"):
        flydsl_private.trace(lambda: None, (), {})


def test_other_threads_keep_their_compiler():
    compiler = flydsl_private.module("compiler.jit_function").MlirCompiler
    seen = []

    def other() -> None:
        try:
            compiler.compile("not a module", func_name="f", config=None)
        except Exception as error:
            seen.append(type(error).__name__)

    def launch() -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    with pytest.raises(CompileError, match="without reaching"):
        flydsl_private.trace(launch, (), {})
    assert seen
    assert seen != ["_Stopped"]
