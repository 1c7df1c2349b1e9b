# ruff: noqa: E501  (MLIR text)
"""vLLM's production K1 and K2: same bits under every schedule, nothing found, waits given up."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import torch

pytest.importorskip("kk3fast.peers")
sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
import production

from kk3fast.peers import vllm
from kk3fast.peers.errors import PeerSourcesError
from kk3fast.peers.vllm_sources import kernel_folder
from kk3fast.sim import CompiledKernel, Kill, Schedule, Simulator, compile_kernel
from kk3fast.sim.codegen.kernel import check_operations
from kk3fast.sim.reader import read_kernel

K1 = vllm.VllmBuild("k1", 8, 8, 8)
K2 = vllm.VllmBuild("k2", 1, 8)


@pytest.fixture(scope="module", autouse=True)
def sources() -> None:
    try:
        kernel_folder()
    except PeerSourcesError as e:
        pytest.skip(str(e))


@pytest.fixture(scope="module")
def k1() -> CompiledKernel:
    return production.compiled(K1)


@pytest.fixture(scope="module")
def k2() -> CompiledKernel:
    return production.compiled(K2)


SCHEDULES = [Schedule("reverse"), *(Schedule("random", seed=s) for s in (1, 2, 3))]


def test_k1_gives_the_same_bits_under_every_schedule(k1: CompiledKernel) -> None:
    sim = Simulator(sanitize=True)
    launch = production.k1(sim, k1, K1)
    result = sim.run()
    assert result.findings == []
    t = launch.tensors
    assert not t["health"].any()
    assert t["core_out"].abs().sum() > 0
    assert result.launches[0].total("mfma") > 0
    fresh = torch.Generator().manual_seed(0)
    drawn = {a.name: production.tensor(a, K1, fresh) for a in vllm.arguments(K1) if a.is_pointer}
    torch.testing.assert_close(
        t["prefix"], (drawn["prefix"].float() + drawn["delta"].float()).bfloat16(), rtol=0, atol=0
    )
    for schedule in SCHEDULES:
        other = Simulator(schedule)
        again = production.k1(other, k1, K1)
        other.run()
        assert again.digest() == launch.digest(), schedule.describe()


def test_k1_of_short_requests_reads_what_another_wave_normalises() -> None:
    """A true race without effect: waves beyond the 2 L rows of q and k read the last row and drop it."""
    key = vllm.VllmBuild("k1", 8, 8, 2)
    kernel, digests = production.compiled(key), set()
    for schedule in (Schedule(), Schedule("random", seed=1)):
        sim = Simulator(schedule, sanitize=True)
        launch = production.k1(sim, kernel, key)
        result = sim.run()
        digests.add(launch.digest())
        assert {f.kind for f in result.findings} <= {"lds_race"}
        places = [x for f in result.findings for x in (f.where, f.other) if x is not None]
        assert {x.frames[0].file for x in places} <= {"vllm/attention/kda.py"}
        stages = {production.stage_of(x) for x in places}
        assert stages <= {"kda_gates"}
    assert len(digests) == 1
    assert result.of_kind("lds_race")


def test_k1_gives_up_when_a_workgroup_is_missing(k1: CompiledKernel) -> None:
    sim = Simulator(Schedule(kills=(Kill(0, 10),)))
    launch = production.k1(sim, k1, K1)
    result = sim.run()
    assert result.killed == 1
    assert 10 <= result.virtual_seconds < 15
    assert launch.tensors["health"][0] == 1
    assert launch.tensors["alarm"][0] == 1


def mutated(pattern: str, count: int = 0) -> CompiledKernel:
    text = vllm.build(K1, isa=False).located_ir
    changed = re.sub(pattern, "", text, count=count, flags=re.M)
    assert changed != text
    return compile_kernel(changed)


@pytest.mark.parametrize(
    ("pattern", "count", "kind"),
    [
        (r"^ *rocdl\.s\.waitcnt .*$", 0, "flag_overtakes_data"),
        (r"^ *gpu\.barrier .*$", 0, "lds_race"),
    ],
    ids=["waits", "barriers"],
)
def test_k1_without_its_waits_or_barriers_is_caught(pattern: str, count: int, kind: str) -> None:
    sim = Simulator(Schedule("random", seed=1), sanitize=True)
    production.k1(sim, mutated(pattern, count), K1)
    result = sim.run(raise_on_fault=False)
    assert result.of_kind(kind)


def test_k2_on_eight_ranks(k2: CompiledKernel) -> None:
    sim = Simulator(sanitize=True)
    launches = production.k2(sim, k2, K2)
    result = sim.run()
    assert result.findings == []
    outputs = {bytes(x.tensors["out"].view(torch.uint8).numpy()) for x in launches}
    assert len(outputs) == 1
    assert all(not x.tensors["health"].any() for x in launches)
    assert launches[0].tensors["out"].float().abs().max() > 0
    assert result.longest_chain > 5
    other = Simulator(Schedule("random", seed=1))
    again = production.k2(other, k2, K2)
    other.run()
    assert [x.digest() for x in again] == [x.digest() for x in launches]


@pytest.mark.parametrize("key", [K1, K2, vllm.VllmBuild("k1", 4, 1, 4, write_index=1), vllm.VllmBuild("k2", 8, 2, reset=True)],
                         ids=lambda k: f"{k.kernel}-{k.rows}")  # fmt: skip
def test_every_operation_of_a_build_is_known(key: vllm.VllmBuild) -> None:
    check_operations(read_kernel(vllm.build(key, isa=False).located_ir))
