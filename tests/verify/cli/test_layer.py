"""``verify layer`` as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kk3ref.checkpoint import SyntheticWeights, write_checkpoint
from kk3ref.presets import preset
from verify.cli.main import main
from verify.data.store import read

TINY = ("--preset", "tiny", "--family", "normal")


def run(*words: str, out: Path) -> int:
    return main(["layer", *words, "--out", str(out)])


def test_pass_writes_a_record_and_prints_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("k1", *TINY, out=tmp_path) == 0
    printed = capsys.readouterr().out
    assert "recurrence" in printed
    assert "verdict: pass" in printed
    (path,) = tmp_path.glob("*.json")
    assert str(path) in printed
    record = read(path)
    assert record.verdict.value == "pass"
    assert record.hardware.value == "not_checked"
    assert list(tmp_path.iterdir()) == [path]  # nothing failed, nothing else is kept


def test_json_holds_the_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("attn_res", *TINY, "--json", out=tmp_path) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["layer"] == "attn_res"
    assert record["command"].startswith("python -m verify layer attn_res --preset tiny")


FAILING = """
import torch
from kk3ref.precision import CONTRACT


class Broken:
    name = "broken"
    description = "in_proj one percent off"

    def available(self):
        return True, ""

    def stage(self, name):
        from kk3ref.layers.k1 import K1

        s = K1.stage(name)

        def call(context, inputs):
            outputs = s(CONTRACT, context, inputs)
            if name == "in_proj":
                outputs = {"proj": (outputs["proj"].float() * 1.01).to(torch.bfloat16)}
            return outputs

        return call


def make():
    return Broken()


def unavailable():
    broken = Broken()
    broken.available = lambda: (False, "no such GPU")
    return broken


def empty():
    return object()
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.py"
    path.write_text(FAILING)
    return path


def test_a_failure_names_its_place_and_repeats(
    tmp_path: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("k1", *TINY, "--candidate", f"{broken}:make", out=out) == 1
    printed = capsys.readouterr().out
    for part in ("stage in_proj", "output proj", "index [", "rounding point kda.proj", "repeat: "):
        assert part in printed
    assert (out / "k1-6-normal-broken-0" / "in_proj.proj.safetensors").is_file()
    (record_path,) = out.glob("*.json")
    command = read(record_path).command.split()
    assert command[:4] == ["python", "-m", "verify", "layer"]
    again = tmp_path / "again"
    assert main([*command[3:], "--out", str(again)]) == 1
    first, second = read(record_path), read(next(again.glob("*.json")))
    assert first.stages == second.stages


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--candidate", "nothing"), ["contract", "path/to/file.py:factory"]),
        (("--candidate", "missing.py:make"), ["no file 'missing.py'"]),
        (("--rows", "9", "--drafts", "-1"), ["--rows must be in", "--drafts must be 0 or more"]),
        (("--accepted", "5"), ["--accepted counts must be in 1…4"]),
        (("--accepted", "x"), ["whole numbers"]),
        (("--layer", "3"), ["--layer must be one with k1"]),
        (("--tp", "3"), ["3"]),
        (("--stage", "nope"), ["--stage must be among", "in_proj"]),
        (("--family", "ties"), ["changes nothing for k1"]),
        (("--dcp", "4"), ["--dcp must be 1 or --tp"]),
        (("--checkpoint", "somewhere"), ["--preset", "--checkpoint"]),
    ],
    ids=lambda value: "-".join(value).strip("-") if isinstance(value, tuple) else "",
)
def test_wrong_arguments_end_with_2_and_every_reason(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    expected: list[str],
) -> None:
    assert run("k1", "--preset", "tiny", *words, out=tmp_path) == 2
    message = capsys.readouterr().err
    for part in expected:
        assert part in message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("factory", "expected"),
    [("unavailable", "no such GPU"), ("empty", "must have name"), ("gone", "gone")],
)
def test_a_candidate_that_cannot_run_ends_with_2(
    tmp_path: Path,
    broken: Path,
    capsys: pytest.CaptureFixture[str],
    factory: str,
    expected: str,
) -> None:
    code = run("k1", *TINY, "--candidate", f"{broken}:{factory}", out=tmp_path / "out")
    assert code == 2
    assert expected in capsys.readouterr().err


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoint") / "tiny"
    write_checkpoint(SyntheticWeights(preset("tiny"), 0), path)
    return path


def test_a_checkpoint_gives_the_values_of_its_weights(
    tmp_path: Path, checkpoint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--layer", "5", "--tp", "8", "--family", "normal", "--json")
    assert run("k1", "--checkpoint", str(checkpoint), *words, out=tmp_path) == 0
    (from_disk,) = json.loads(capsys.readouterr().out)
    assert run("k1", "--preset", "tiny", *words, out=tmp_path) == 0
    (from_seed,) = json.loads(capsys.readouterr().out)
    assert from_disk["stages"] == from_seed["stages"]
    assert from_disk["weights"] != from_seed["weights"]


def test_a_truncated_checkpoint_ends_with_2_and_one_error(
    tmp_path: Path, checkpoint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in checkpoint.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    victim = max(copy.glob("*.safetensors"), key=lambda f: f.stat().st_size)
    os.truncate(victim, victim.stat().st_size - 100)
    code = run("k1", "--checkpoint", str(copy), "--layer", "5", "--tp", "8", out=tmp_path / "out")
    assert code == 2
    message = capsys.readouterr().err
    assert message.count("error:") == 1
    assert victim.name in message


def test_it_runs_as_a_module_with_help_and_examples(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "verify", "layer", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "examples:" in done.stdout
    assert "exit codes:" in done.stdout
