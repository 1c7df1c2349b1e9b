"""Counts a workgroup and stage, and what is known of the runtime itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from kk3fast_sim_mlir import load, module, run, store

pytest.importorskip("kk3fast.compile")
import kk3fast_sim_kernels as kernels
import test_sim_access
import test_sim_arith
import test_sim_control
import test_sim_lanes
import test_sim_matrix
import test_sim_vectors

from kk3fast.sim import COUNTS, Schedule, Simulator, compile_kernel
from kk3fast.sim.codegen.table import HANDLERS, IGNORED, STRUCTURED
from kk3fast.sim.models import TABLE
from kk3fast.sim.runtime import build
from kk3fast.sim.stages import Stages

HERE = Path(__file__).parent


def handoff(schedule: Schedule | None = None):
    kernel = compile_kernel(kernels.flag_handoff(), sources={"": HERE})
    sim = Simulator(schedule)
    tensors = [torch.zeros(1024, dtype=torch.int32) for _ in range(3)]
    sim.launch(kernel, (2,), [*(sim.region(f"t{i}", t) for i, t in enumerate(tensors)), 0, 0])
    return sim.run()


def test_bytes_by_cache_policy_and_workgroup() -> None:
    result = handoff(Schedule("reverse"))
    (launch,) = result.launches
    assert launch.by_workgroup("store_device").tolist() == [512 * 4 + 4, 0]
    assert launch.by_workgroup("store_plain").tolist() == [0, 512 * 4]
    loads = launch.by_workgroup("load_device")
    assert loads[0] == 0
    assert loads[1] >= 512 * 4 + 8 * 4
    assert (
        launch.total("load_plain") == launch.total("load_system") == launch.total("store_nt") == 0
    )
    assert launch.by_workgroup("barriers").tolist() == [1, 1]
    assert launch.by_workgroup("polls").tolist() == [0, 8]
    assert launch.by_workgroup("polls_waited").tolist() == [0, 8]
    assert result.longest_chain == 1


def test_polls_that_find_the_flag_set_have_not_waited() -> None:
    (launch,) = handoff(Schedule()).launches
    assert launch.by_workgroup("polls_waited").tolist() == [0, 0]


def test_stages_are_source_functions() -> None:
    (launch,) = handoff().launches
    assert set(launch.by_stage()) >= {"handoff", "put", "get"}
    assert launch.by_stage()["put"]["store_device"] == 512 * 4
    assert launch.total("store_device", "put") == launch.total("store_device") - 4  # the flag


def test_lds_bytes_mfma_and_atomics() -> None:
    t = "vector<4xf32>"
    body = load("a", "%x", "vector<8xbf16>", "%tid") + load("c", "%y", t, "%tid")
    attrs = "<{abid = 0 : i32, blgp = #rocdl<mfma_perm_b none>, cbsz = 0 : i32}>"
    kind = f"(vector<8xbf16>, vector<8xbf16>, {t}) -> {t}"
    body += f"""%r = "rocdl.mfma.f32.16x16x32.bf16"(%a, %a, %c) {attrs} : {kind}
      %l = llvm.mlir.addressof @lds : !llvm.ptr<3>
      %w = llvm.getelementptr %l[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %tid, %w : i32, !llvm.ptr<3>
      %p = llvm.inttoptr %y : i64 to !llvm.ptr<1>
      %o = llvm.atomicrmw add %p, %tid monotonic : !llvm.ptr<1>, i32
      """ + store("%r", "%out", t, "%tid")
    text = module("%x: i64, %y: i64, %out: i64", body, block=128, lds=512)
    arrays = [
        np.zeros((128, 8), np.uint16),
        np.zeros((128, 4), np.float32),
        np.zeros((128, 4), np.float32),
    ]
    (launch,) = run(text, arrays).launches
    assert launch.total("mfma") == 2
    assert launch.total("lds_store") == 512
    assert launch.total("atomics") == 128
    assert launch.total("load_plain") == 128 * (16 + 16)
    assert launch.total("store_plain") == 128 * 16


def test_wave_operations_are_counted_as_executed() -> None:
    body = """%one = arith.constant 1 : i32
      %n = arith.constant 10 : i32
      %none = arith.constant 0 : i32
      %r = scf.for %i = %none to %n step %one iter_args(%s = %none) -> (i32) : i32 {
        %t = arith.addi %s, %i : i32
        scf.yield %t : i32
      }
      """ + store("%r", "%out", "i32", "%tid")
    text = module("%out: i64", body, block=128)
    ops = run(text, [np.zeros(128, np.int32)]).wave_ops
    static = 4 + 3 + 1 + 3  # indices, constants, the loop, the store
    assert ops == 2 * (static + 10)


def test_chain_counts_dependent_handoffs() -> None:
    """Rank 0 -> rank 1 -> rank 0 -> rank 1: data, acknowledgement, data."""
    data, flags, out = (torch.zeros(256, dtype=torch.int32) for _ in range(3))
    sim = Simulator()
    regions = [sim.region(n, t) for n, t in (("data", data), ("flags", flags), ("out", out))]
    for rank in (0, 1):
        sim.launch(kernels.reused_slot(acknowledged=True), (1,), [*regions, 0, rank], rank=rank)
    assert sim.run().longest_chain == 3


def test_chains_of_a_ranks_launches_add_up() -> None:
    data, flags, out = (torch.zeros(1024, dtype=torch.int32) for _ in range(3))
    kernel = compile_kernel(kernels.flag_handoff(), sources={"": HERE})
    sim = Simulator()
    regions = [sim.region(n, t) for n, t in (("data", data), ("flags", flags), ("out", out))]
    other = [torch.zeros(1024, dtype=torch.int32) for _ in range(3)]
    fresh = [sim.region(f"other {i}", t) for i, t in enumerate(other)]
    sim.launch(kernel, (2,), [*regions, 0, 0])
    sim.launch(kernel, (2,), [*fresh, 0, 0])
    result = sim.run()
    assert [int(x.depth.max()) for x in result.launches] == [1, 1]
    assert result.longest_chain == 2


def test_stage_is_the_function_called_by_the_kernels() -> None:
    from kk3fast.sim.ir import Frame, Location

    file = str(HERE / "kk3fast_sim_kernels.py")
    lines = Path(file).read_text().splitlines()
    at = {
        name: next(i for i, s in enumerate(lines, 1) if s.strip().startswith(f"def {name}(")) + 2
        for name in ("handoff", "put", "resource")
    }
    frames = tuple(Frame(file, at[n]) for n in ("resource", "put", "handoff"))
    assert Stages().of(Location(frames)) == "put"
    assert Stages().of(Location(frames[2:])) == "handoff"
    assert Stages().of(Location((Frame("gone.py", 3),))) == "gone.py"
    assert Stages().of(Location()) == "?"
    builder = Frame(
        file, next(i for i, s in enumerate(lines, 1) if s.startswith("def flag_handoff"))
    )
    assert Stages().of(Location((builder, frames[2]))) == "handoff"  # a factory is no stage


def test_every_count_has_a_name() -> None:
    assert len(set(COUNTS)) == len(COUNTS)


# ------------------------------------------------------------------ the simulator's own tables


def test_runtime_was_built_from_the_sources_present() -> None:
    first = (Path(build.__file__).parent / "runtime.ll").read_text().split("\n", 1)[0]
    assert first == f"; sources {build.source_digest()}", "run python -m kk3fast.sim.runtime.build"


UNTESTED = {
    "llvm.amdgcn.s.memtime", "rocdl.s.memrealtime", "llvm.amdgcn.s.sleep", "llvm.amdgcn.update.dpp",
    "llvm.amdgcn.readfirstlane", "llvm.amdgcn.readlane", "rocdl.ds_permute", "rocdl.workitem.id.y",
    "rocdl.workitem.id.z", "rocdl.workgroup.id.y", "rocdl.workgroup.id.z", "rocdl.cvt.pkrtz",
    "llvm.amdgcn.cvt.pkrtz",
}  # fmt: skip
"""Second names of tested operations, and the one that is refused."""


def test_every_operation_has_a_test() -> None:
    tests = (
        test_sim_access,
        test_sim_arith,
        test_sim_control,
        test_sim_lanes,
        test_sim_matrix,
        test_sim_vectors,
    )
    tested = set().union(*(t.TESTED for t in tests))
    tested |= {
        "arith.constant",
        "llvm.mlir.constant",
        "llvm.mlir.poison",
        "llvm.mlir.undef",
        "llvm.mlir.zero",
        "ub.poison",
    }
    tested |= {
        "arith.cmpi",
        "llvm.icmp",
        "arith.cmpf",
        "llvm.fcmp",
        "arith.select",
        "llvm.select",
        "math.fma",
    }
    tested |= {
        "llvm.intr.fma",
        "math.powf",
        "math.atan2",
        "math.erf",
        "arith.index_cast",
        "arith.index_castui",
    }
    tested |= {"rocdl.s.sleep", "llvm.amdgcn.s.memrealtime"}  # test_sim_schedule
    tested |= {f"llvm.amdgcn.{n}.f32" for n in ("rcp", "rsq", "sqrt", "exp2", "log")}
    second = {f"rocdl.{n}" for n in ("rcp", "rsq", "sqrt", "exp2", "log", "log2")}
    second |= {f"llvm.amdgcn.{n}" for n in ("rcp", "rsq", "sqrt", "exp2", "log", "log2")} | {
        "llvm.amdgcn.log2.f32"
    }
    assert set(HANDLERS) - tested - second - UNTESTED == set()
    assert tested - set(HANDLERS) - STRUCTURED == set()
    assert not IGNORED & set(HANDLERS)


def test_the_first_alternative_of_a_model_is_its_default() -> None:
    from kk3fast.sim import Models

    assert {name: next(iter(choices)) for name, choices in TABLE.items()} == vars(Models())
