from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kk3fast.compile import ArtefactCache, CompileError, static_facts
from kk3fast.peers import vllm
from kk3fast.peers.vllm import VllmBuild

REPOSITORY = Path(__file__).parents[3]

# One of each kind of build; benchmarks/peer_digests.py compares all that are recorded.
REPRESENTATIVE = [
    VllmBuild("k1", 2, 1, 2),
    VllmBuild("k1", 4, 3, 4, write_index=3),
    VllmBuild("k1", 6, 8, 3),
    VllmBuild("k1", 8, 8, 8),
    VllmBuild("k2", 1, 1),
    VllmBuild("k2", 3, 8),
    VllmBuild("k2", 8, 8),
    VllmBuild("k2", 8, 8, reset=True),
]


def name(key: VllmBuild) -> str:
    own = f"q{key.query_rows}w{key.write_index}" if key.kernel == "k1" else f"reset{key.reset:d}"
    return f"{key.kernel}-rows{key.rows}-nblocks{key.nblocks}-{own}"


@pytest.mark.parametrize("key", REPRESENTATIVE, ids=name)
def test_builds_are_the_recorded_ones(key, sources, recorded, artefacts):
    (row,) = (r for r in recorded if VllmBuild(**r["build"]) == key)
    artefact = vllm.build(key, cache=artefacts)
    found = artefact.identity
    assert found.kernel == row["symbol"]
    assert found.ir_sha256 == row["ir_sha256"]
    assert found.isa_sha256 == row["isa_sha256"]
    facts = static_facts(artefact.isa)
    figures = (facts.vgpr, facts.agpr, facts.sgpr, facts.lds_bytes, facts.scratch_bytes)
    assert figures == tuple(row[n] for n in ("vgpr", "agpr", "sgpr", "lds", "scratch"))
    assert (facts.vgpr_spills, facts.sgpr_spills) == (row["vgpr_spill"], row["sgpr_spill"])
    assert facts.workgroups_per_cu == 1


def test_identity_is_the_same_under_another_hash_seed(sources, artefacts):
    script = (
        "from kk3fast.peers import vllm; "
        "print(vllm.build(vllm.VllmBuild('k1', 2, 1, 2)).identity.to_json())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "977", "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    here = vllm.build(VllmBuild("k1", 2, 1, 2), cache=artefacts).identity
    assert done.stdout.strip() == here.to_json()


def test_a_hit_needs_no_trace_and_leaves_no_module(sources):
    cache, key = ArtefactCache(), VllmBuild("k1", 2, 1, 2, write_index=1)
    first = vllm.build(key, cache=cache, isa=False)
    again = vllm.build(key, cache=cache, isa=False)
    assert again == first
    assert set(again.timings) == {"cache"}
    assert [m for m in sys.modules if m.partition(".")[0] in ("vllm", "aiter")] == []


def test_locations_name_the_kernel_sources(sources, artefacts):
    located = vllm.build(VllmBuild("k1", 2, 1, 2), isa=False, cache=artefacts).located_ir
    assert 'loc("vllm/attention/kda.py":' in located
    assert 'loc("vllm/common/sync.py":' in located
    assert str(sources) not in located


def test_a_fault_hook_is_another_build(sources, artefacts):
    plain = vllm.build(VllmBuild("k2", 1, 1), isa=False, cache=artefacts)
    stalled = vllm.build(VllmBuild("k2", 1, 1, fault_rank=3, fault_ticks=100), isa=False)
    assert stalled.identity.ir_sha256 != plain.identity.ir_sha256


@pytest.mark.parametrize("key", REPRESENTATIVE[3:5], ids=name)
def test_arguments_match_the_kernel(key, sources, artefacts):
    arguments = vllm.arguments(key)
    ir = vllm.build(key, isa=False, cache=artefacts).kernel_ir
    signature = ir[ir.index("gpu.func @") : ir.index(") kernel")]
    assert [a.ctype for a in arguments] == [p.split(": ")[1] for p in signature.split(", ")]
    assert {a.name for a in arguments} >= {"prefix", "blocks", "scratch", "epoch", "alarm"}
    assert all(a.shape for a in arguments if a.is_pointer)


def test_argument_shapes_follow_the_build(sources):
    shapes = {a.name: a.shape for a in vllm.arguments(VllmBuild("k1", 8, 8, 4))}
    assert shapes["st_idx"] == (2, 4)
    assert shapes["conv_st"] == ("slots", 4608, 6)
    assert shapes["core_out"] == (8, 1536)
    assert shapes["scratch"] == (vllm.scratch_bytes(VllmBuild("k1", 8, 8, 4)),)
    access = {a.name: a.access for a in vllm.arguments(VllmBuild("k1", 4, 3, 4, write_index=3))}
    assert access["blocks"] == "read-write"


@pytest.mark.parametrize("key", REPRESENTATIVE, ids=name)
def test_regions_are_apart_and_within_the_buffer(key, sources):
    regions = sorted(vllm.scratch_regions(key).values(), key=lambda r: r.offset)
    for one, next_one in itertools.pairwise(regions):
        assert one.offset + one.bytes <= next_one.offset
    assert regions[-1].offset + regions[-1].bytes == vllm.scratch_bytes(key)
    assert all(r.bytes % 8 == 0 for r in regions if r.pairs)


def test_peer_regions_fill_one_half(sources):
    regions = vllm.peer_regions(8)
    assert set(regions) == {"ar", "rlog", "lat", "latr", "final"}
    assert max(r.offset + r.bytes for r in regions.values()) == vllm.peer_bytes(8) // 2
    assert regions["final"].bytes == 8 * 8 * 7168 // 2 * 8  # rank, row, column pair, pair of words


def test_geometry_and_tags(sources):
    geometry = vllm.geometry()
    assert (geometry.grid, geometry.block, geometry.ranks) == ((256, 1, 1), (512, 1, 1), 8)
    assert geometry.health_words == 8 * 257
    assert geometry.wait_ticks == 10 * 100_000_000
    assert vllm.launch_tag(7, 3) == 7 * 256 + 4


def test_given_up_waits_read_as_the_kernels_write_them(sources):
    words = [0] * vllm.geometry().health_words
    words[0] = 1
    words[8 * 6 : 8 * 7] = [1, vllm.region_id("proj"), 40, 772, 516, 5, 2000, 0]
    words[8 * 3 : 8 * 4] = [1, 12345, 0, 772, 0, 2, 3000, 0]
    found = vllm.given_up_waits(words, vllm.scratch_regions(VllmBuild("k1", 2, 1, 2)))
    assert found == [
        vllm.GivenUpWait(cta=5, region="proj", pair=40, wanted=772, seen=516, clock=2000),
        vllm.GivenUpWait(cta=2, region="12345", pair=0, wanted=772, seen=0, clock=3000),
    ]
    with vllm._active() as peer:
        assert peer.module("common.debug").region_id("proj") == vllm.region_id("proj")
    with pytest.raises(ValueError, match="whole records of 8, got 9 words"):
        vllm.given_up_waits(words[:9], ())


def test_the_recorded_builds_are_61_and_different(recorded):
    keys = [VllmBuild(**row["build"]) for row in recorded]
    assert len(set(keys)) == len({row["isa_sha256"] for row in recorded}) == 61
    assert set(REPRESENTATIVE) <= set(keys)


@pytest.mark.parametrize("query_rows", [2, 4, 8])
def test_a_deployment_has_15_builds_of_each_kernel_a_width(query_rows):
    for rows in vllm.widths(query_rows):
        builds = vllm.production_builds(rows, query_rows)
        assert [sum(b.kernel == k for b in builds) for k in ("k1", "k2")] == [15, 15]
        assert len(set(builds)) == 30
    assert vllm.widths(3) == [3, 6]


IMPOSSIBLE = {
    "rows": (("k2", 9, 8), {}, "rows must be 1..8, got 9"),
    "blocks": (("k2", 8, 0), {}, "nblocks must be 1..8, got 0"),
    "partial request": (("k1", 8, 8, 3), {}, r"query_rows must divide rows \(8\), got 3"),
    "foreign parameter": (("k1", 8, 8, 8), {"reset": True}, "reset is not a parameter of k1"),
    "kernel": (("k3", 8, 8), {}, "kernel must be k1 or k2"),
}


@pytest.mark.parametrize(("values", "named", "reason"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_builds_are_refused(values, named, reason):
    with pytest.raises(CompileError, match=reason):
        VllmBuild(*values, **named)


def test_every_reason_is_given_at_once():
    with pytest.raises(CompileError, match=r"rows must be.*; nblocks must be.*; query_rows is"):
        VllmBuild("k2", 0, 9, 4)
