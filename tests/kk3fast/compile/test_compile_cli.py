from __future__ import annotations

import json

import pytest

from kk3fast.compile import ToolchainError, flydsl_private
from kk3fast.compile.__main__ import main, parser


def test_tables_name_identity_and_facts(kernels_path, capsys):
    assert main([f"{kernels_path}:scaled_add", "--args", "add_arguments"]) == 0
    out = capsys.readouterr().out
    for part in ("scaled_add_kernel_0", "IR sha256", "VGPR", "nt: 2", "gfx950"):
        assert part in out


def test_json_of_a_factory_with_parameters(kernels_path, capsys):
    assert main([f"{kernels_path}:build_sum", "--param", "waves=2", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["identity"]["parameters"] == {"waves": 2}
    assert record["facts"]["block_sum_kernel_0"]["workgroup_size"] == 128


def test_outputs_are_written(kernels_path, tmp_path, capsys):
    names = ("ir", "located-ir", "llvm-ir", "isa", "hsaco")
    files = [a for n in names for a in (f"--save-{n}", str(tmp_path / n))]
    target = f"{kernels_path}:scaled_add"
    assert main([target, "--args", "add_arguments", "--json", *files]) == 0
    assert json.loads(capsys.readouterr().out)["facts"]["scaled_add_kernel_0"]["code_bytes"] > 0
    assert [n for n in names if not (tmp_path / n).stat().st_size] == []


def test_expectations_pass_or_fail(kernels_path, tmp_path, capsys):
    target, expected = f"{kernels_path}:build_sum", tmp_path / "identity.json"
    assert main([target, "--json"]) == 0
    expected.write_text(capsys.readouterr().out)
    assert main([target, "--expect", str(expected)]) == 0
    assert main([target, "--param", "waves=4", "--expect", str(expected)]) == 1
    assert "not as expected: ir_sha256" in capsys.readouterr().err


FAILURES = {
    "tensors without examples": (["{}:scaled_add"], 2, "x: Tensor, y: Tensor, out: Tensor"),
    "no such file": (["absent.py:launch"], 2, "path/to/file.py:function"),
    "no such function": (["{}:absent"], 2, "has no absent"),
    "not a launcher": (["{}:THREADS"], 2, "neither a launcher nor a function"),
    "wrong parameter": (["{}:build_sum", "--param", "waves"], 2, "must be name=value"),
    "no such peer kernel": (["vllm:k3"], 2, "vllm:k1 and vllm:k2"),
    "impossible build": (["vllm:k2", "--rows", "9"], 2, "rows must be 1..8, got 9"),
    "wrong arguments": (["{}:scaled_add", "--args", "build_sum"], 1, "does not compile"),
}


@pytest.mark.parametrize(("arguments", "code", "message"), FAILURES.values(), ids=FAILURES.keys())
def test_failures_have_honest_exit_codes(arguments, code, message, kernels_path, capsys):
    assert main([a.format(kernels_path) for a in arguments]) == code
    assert message in capsys.readouterr().err


def test_a_missing_toolchain_is_could_not_check(kernels_path, monkeypatch, capsys):
    def missing() -> str:
        raise ToolchainError("FlyDSL 9 is installed")

    monkeypatch.setattr(flydsl_private, "supported_version", missing)
    assert main([f"{kernels_path}:build_sum"]) == 2
    assert "could not check: FlyDSL 9" in capsys.readouterr().err


def test_an_unreadable_expectation_is_could_not_check(kernels_path, tmp_path):
    (tmp_path / "bad.json").write_text("not JSON")
    assert main([f"{kernels_path}:build_sum", "--expect", str(tmp_path / "bad.json")]) == 2
    assert main([f"{kernels_path}:build_sum", "--expect", str(tmp_path / "absent.json")]) == 2


def test_clearing_the_cache(kernels_path, capsys):
    assert main([f"{kernels_path}:build_sum"]) == 0
    capsys.readouterr()
    assert main(["--clear-cache"]) == 0
    assert capsys.readouterr().out == "1 files removed\n"


def test_help_has_examples_and_exit_codes():
    text = parser().format_help()
    assert "vllm:k1 --rows 8 --nblocks 8" in text
    assert "exit codes: 0" in text
