"""Our kernels as a candidate: the command line, faults as verdicts, where values come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("flydsl", reason="extra sim")

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.candidates import LayerCall, RunOptions, chosen, execute
from verify.candidates.flydsl import FlydslCandidate
from verify.cli.main import main
from verify.inputs import build_case
from verify.layers import LAYERS
from verify.run import output_storage
from verify.step import Step

WORDS = ("--preset", "tiny", "--tp", "2", "--rows", "2", "--family", "normal", "--no-sequence")


@pytest.mark.parametrize("kind", ["k1", "k2", "m1", "kda-decode"])
def test_it_is_the_default_where_there_are_kernels(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["layer", kind, *WORDS, "--json", "--out", str(tmp_path)]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["candidate"]["name"] == "flydsl"
    assert record["verdict"] == "pass"
    assert record["hardware"] == "not_checked"
    assert record["simulation"] is not None
    assert all(build["isa_sha256"] for build in record["builds"])


def test_layers_without_kernels_have_the_control_as_default() -> None:
    assert chosen(None, "moe") == "contract"
    assert chosen("vllm", "k1") == "vllm"


def test_a_fault_of_the_simulated_run_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["layer", "k1", *WORDS, "--plant", "missing_barrier", "--json"]
    assert main([*words, "--out", str(tmp_path)]) == 1
    (record,) = json.loads(capsys.readouterr().out)
    (faults,) = [c for c in record["layer_checks"] if c["name"] == "faults"]
    assert faults["verdict"] == "fail"
    assert "uninitialised_lds" in faults["message"]


@pytest.mark.parametrize(
    ("kind", "tap", "index", "file"),
    [
        ("k1", "x", (1, 3), "attn_res.py"),
        ("k1", "proj", (0, 5), "mailbox.py"),
        ("k1", "core", (1, 7), "attend.py"),
        ("m1", "proj_a", (1, 2), "mailbox.py"),
        ("m1", "o_lat", (0, 1, 4), "m1c"),
        ("k2", "ln", (0, 5), "mailbox.py"),
        ("k2", "out", (1, 7), "tail.py"),
        ("kda-decode", "core", (1, 6), "kernel.py"),
    ],
)
def test_a_values_last_store_is_named(
    kind: str, tap: str, index: tuple[int, ...], file: str
) -> None:
    layer = LAYERS[kind].make(LayerOptions())
    step = Step.resolve(rows=2, drafts=0)
    where = LAYERS[kind].default_indices(preset("tiny"))[0]
    case = build_case(layer, SyntheticWeights(preset("tiny")), where, 2, step, 0)
    buffers = [{n: g.tensor for n, g in output_storage(case, r).items()} for r in case.ranks]
    candidate = FlydslCandidate(layer, RunOptions())
    candidate.trace()
    execute(candidate, LayerCall(layer, case.contexts, case.inputs, buffers), lambda _: None)
    found = candidate.provenance(1, tap, index)
    assert found is not None
    assert found.rank == 1
    assert file in found.where
    assert candidate.provenance(0, "no such tap", (0,)) is None
