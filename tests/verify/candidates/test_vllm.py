"""vLLM's production kernels as a candidate: production shapes, 8 ranks, simulated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from kk3fast.peers.vllm_simulated import UnsupportedStep, simulate
from kk3fast.sim import Kill, Schedule
from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.cli.main import main
from verify.inputs import Case, build_case
from verify.layers import LAYERS
from verify.run import output_storage
from verify.step import Step

LAYER = 90


pytestmark = pytest.mark.usefixtures("vllm_sources")


@pytest.fixture(scope="module")
def k1() -> Case:
    """K1 of one row: weights of all ranks, made once."""
    weights = SyntheticWeights(preset("production"), 0)
    layer = LAYERS["k1"].make(LayerOptions())
    return build_case(layer, weights, LAYER, 8, Step.resolve(rows=1), 0, preset="production")


def run(case: Case, schedule: Schedule) -> tuple[list[dict[str, torch.Tensor]], list[str]]:
    buffers = [{n: g.tensor for n, g in output_storage(case, r).items()} for r in case.ranks]
    done = simulate("k1", case.contexts, case.inputs, buffers, schedule=schedule)
    return buffers, done.problems


def test_k1_gives_the_same_bits_under_every_schedule(k1: Case) -> None:
    schedules = [Schedule(), Schedule(order="reverse"), Schedule(order="random", seed=3)]
    first, *others = [run(k1, schedule) for schedule in schedules]
    assert not first[1]
    for buffers, problems in others:
        assert not problems
        for mine, theirs in zip(first[0], buffers, strict=True):
            for name, tensor in mine.items():
                assert torch.equal(tensor, theirs[name]), name


def test_a_dead_workgroup_ends_in_the_kernels_own_give_up(k1: Case) -> None:
    _, problems = run(k1, Schedule(kills=(Kill(rank=2, block=70),)))
    (wait,) = [p for p in problems if "GivenUpWait" in p]
    assert "region='qk'" in wait  # what the dead workgroup would have handed over next
    assert "seen=0" in wait
    assert "rank 2 raised its alarm word" in problems
    assert all(p.startswith("rank 2") for p in problems)


def test_a_step_the_kernels_have_no_build_for_lists_every_reason() -> None:
    weights = SyntheticWeights(preset("tiny"), 0)
    layer = LAYERS["k1"].make(LayerOptions())
    case = build_case(layer, weights, 0, 2, Step.resolve(rows=1), 0)
    with pytest.raises(UnsupportedStep) as error:
        run(case, Schedule())
    for part in ("ranks must be 8, got 2", "hidden_size must be 7168", "no AttnRes block"):
        assert part in str(error.value)


@pytest.mark.parametrize("kind", ["k1", "k2"])
def test_production_kernels_pass_every_stage(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["layer", kind, "--candidate", "vllm", "--rows", "1", "--layer", str(LAYER)]
    assert main([*words, "--no-sequence", "--json", "--out", str(tmp_path)]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["verdict"] == "pass"
    assert record["hardware"] == "not_checked"
    (build,) = record["builds"]
    assert build["target"] == "gfx950"
    assert record["simulation"]["findings"] == []
    names = {o["output"]: o for s in record["stages"] for o in s["outputs"]}
    assert "exact" in {c["name"] for c in names["prefix_after"]["checks"]}
    exact = {"k1": "conv_state_after", "k2": "out"}[kind]
    assert names[exact]["verdict"] == "pass"
    assert {c["name"]: c["verdict"] for c in record["layer_checks"]}["waits_and_alarms"] == "pass"


def test_layers_it_does_not_have_end_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["layer", "moe", "--preset", "tiny", "--candidate", "vllm", "--out", str(tmp_path)])
    assert code == 2
    assert "it has K1 and K2, not moe" in capsys.readouterr().err


def test_every_exposed_value_names_its_workgroup_and_line(k1: Case) -> None:
    from kk3fast.peers.vllm_simulated import Session

    buffers = [{n: g.tensor for n, g in output_storage(k1, r).items()} for r in k1.ranks]
    session = Session("k1", k1.contexts, k1.inputs, buffers, writers=True)
    taps = session.launch().taps
    found = [session.writer(3, tap, (0, 17)) for tap in ("x", "proj", "core")]
    assert all(w is not None and w.rank == 3 for w in found)
    assert len({w.block for w in found if w}) > 1
    assert all("vllm/" in str(w.where) for w in found)
    assert session.writer(3, "nothing", (0, 17)) is None
    # A word's writer is looked up where its value was read.
    from kk3fast.peers import vllm_simulated as module

    setup = session._setup
    assert setup is not None
    names = module._Addresses(setup, 3)
    values = module._Values(setup, 3)
    region = setup._scratch_regions[3]
    at = module._k1_taps(names)["proj"] - region.address
    words = setup.scratch[3].view(torch.int32)[at // 4].view(torch.float32)
    assert torch.equal(words.to(torch.bfloat16), taps[3]["proj"])
    assert torch.equal(module._k1_taps(values)["proj"], taps[3]["proj"])


def test_a_session_keeps_its_memory_and_bumps_its_epoch(k1: Case) -> None:
    from kk3fast.peers.vllm_simulated import EPOCH, Session

    storage = [output_storage(k1, r) for r in k1.ranks]
    buffers = [{n: g.tensor for n, g in named.items()} for named in storage]
    session = Session("k1", k1.contexts, k1.inputs, buffers)
    first = session.launch()
    setup = session._setup
    kept = [{n: t.clone() for n, t in named.items()} for named in buffers]
    for named, before in zip(buffers, k1.pools_before(), strict=True):
        for name, pool in before.items():
            named[name].copy_(pool)
    second = session.launch()
    assert session._setup is not None
    assert setup is not None
    assert session._setup.epoch == setup.epoch + 1 == EPOCH + 1
    assert session._setup.scratch is setup.scratch
    assert not first.problems + second.problems
    for mine, theirs in zip(buffers, kept, strict=True):
        for name, tensor in mine.items():
            assert torch.equal(tensor, theirs[name]), name
