from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from kk3fast.compile import ArtefactCache, CompileError, compile_launcher, flydsl_private
from kk3fast.compile.digests import sha256
from kk3fast.compile.elf import code_bytes
from kk3fast.compile.environment import offline


@pytest.fixture(scope="module")
def artefact(kernels):
    return compile_launcher(kernels.build_sum(2), (0, 0), parameters=(("waves", 2),))


def test_kernel_ir_is_lowered_but_structured(artefact):
    assert "gpu.func @block_sum_kernel" in artefact.kernel_ir
    assert "scf.for" in artefact.kernel_ir
    assert "scf.if" in artefact.kernel_ir
    assert "fly." not in artefact.kernel_ir
    assert "loc(" not in artefact.kernel_ir


def test_identity_names_the_texts(artefact):
    identity = artefact.identity
    assert identity.ir_sha256 == sha256(artefact.kernel_ir)
    assert identity.isa_sha256 == sha256(artefact.isa)
    assert identity.kernel == "block_sum_kernel_0"
    assert (identity.target, identity.parameters) == ("gfx950", (("waves", 2),))


def test_located_ir_is_the_same_module(artefact):
    with flydsl_private._context() as ir:
        module = ir.Module.parse(artefact.located_ir)
        assert module.operation.get_asm(enable_debug_info=False) == artefact.kernel_ir


def test_locations_name_source_lines_relative_to_the_root(artefact, kernels_path):
    places = set(re.findall(r'loc\("([^"]*)":(\d+)', artefact.located_ir))
    lines = Path(kernels_path).read_text().splitlines()
    (barrier,) = (i for i, text in enumerate(lines, 1) if "fx.gpu.barrier()" in text)
    assert ("kernels.py", str(barrier)) in places
    assert not [name for name, _ in places if name.startswith("/")]


def test_llvm_ir_and_isa_hold_the_kernel(artefact):
    assert "define amdgpu_kernel void @block_sum_kernel_0" in artefact.llvm_ir
    assert ".amdhsa_kernel block_sum_kernel_0" in artefact.isa
    assert "gfx950" in artefact.isa


def test_hsaco_is_linked_with_the_private_linker(kernels, cache_dir):
    made = compile_launcher(kernels.scaled_add, kernels.add_arguments(), hsaco=True)
    assert made.hsaco is not None
    assert made.hsaco[:4] == b"\x7fELF"
    assert code_bytes(made.hsaco, made.identity.kernel) > 0
    (script,) = cache_dir.glob("rocm/*/llvm/bin/ld.lld")
    assert "-m ziglang ld.lld" in script.read_text()
    with pytest.raises(CompileError, match="no function nothing"):
        code_bytes(made.hsaco, "nothing")


def test_stopping_at_the_ir_makes_no_isa(kernels, artefact):
    made = compile_launcher(kernels.build_sum(2), (0, 0), isa=False)
    assert made.isa is None
    assert made.identity.isa_sha256 is None
    assert made.identity.ir_sha256 == artefact.identity.ir_sha256


def test_another_parameter_is_another_program(kernels, artefact):
    made = compile_launcher(kernels.build_sum(4), (0, 0), isa=False)
    assert made.identity.ir_sha256 != artefact.identity.ir_sha256


def test_settings_of_the_caller_change_nothing(kernels, artefact, monkeypatch):
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "1")
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "0")
    monkeypatch.setenv("ARCH", "gfx942")
    before = dict(os.environ)
    made = compile_launcher(kernels.build_sum(2), (0, 0), parameters=(("waves", 2),))
    assert made.identity == artefact.identity
    assert dict(os.environ) == before


def test_a_plain_function_is_not_a_launcher():
    with pytest.raises(CompileError, match="launcher was expected, got function"):
        compile_launcher(lambda: None, ())


def test_errors_of_the_kernel_pass_through_and_restore(kernels):
    before = dict(os.environ)
    with pytest.raises(TypeError), offline():
        compile_launcher(kernels.scaled_add, (1,))
    assert dict(os.environ) == before


def test_a_hit_gives_the_same_artefact(kernels):
    cache = ArtefactCache()
    first = compile_launcher(kernels.build_sum(2), (0, 0), cache=cache)
    again = compile_launcher(kernels.build_sum(2), (0, 0), cache=cache)
    assert again == first
    assert set(first.timings) == {"trace", "lower", "isa"}
    assert set(again.timings) == {"trace", "cache"}


def test_an_entry_grows_with_what_is_asked(kernels):
    cache = ArtefactCache()
    short = compile_launcher(kernels.build_sum(2), (0, 0), cache=cache, isa=False)
    longer = compile_launcher(kernels.build_sum(2), (0, 0), cache=cache)
    again = compile_launcher(kernels.build_sum(2), (0, 0), cache=cache, isa=False)
    assert (short.isa, longer.isa is None, again.isa == longer.isa) == (None, False, True)
    assert "lower" not in longer.timings
