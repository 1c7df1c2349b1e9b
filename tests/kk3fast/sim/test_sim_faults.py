# ruff: noqa: E501  (MLIR text)
"""Memory faults and barriers: each is reported with source line, workgroup, lane and address."""

from __future__ import annotations

import numpy as np
import pytest
from kk3fast_sim_mlir import load, module, run, store

from kk3fast.sim import Finding, SimulationError, Simulator, UnknownOperation, compile_kernel


def fault(text: str, args: list[object], *, grid: int = 1, **options: object) -> Finding:
    with pytest.raises(SimulationError) as caught:
        run(text, args, grid=grid, **options)  # type: ignore[arg-type]
    (found,) = caught.value.findings
    assert found.fatal
    assert str(found) in str(caught.value)
    return found


def located(text: str) -> str:
    """The module with a location on every line of the kernel's body."""
    lines = text.splitlines()
    return "\n".join(
        f'{line} loc("kernel.py":{i}:1)'
        if " = " in line.split("//")[0] and "scf" not in line and "{" not in line
        else line
        for i, line in enumerate(lines, 1)
    )


def test_store_past_the_end() -> None:
    text = module("%out: i64", store("%tid", "%out", "i32", "%tid"))
    found = fault(text, [np.zeros(40, np.int32)])
    assert (found.kind, found.lane, found.block) == ("out_of_bounds", 40, (0, 0, 0))
    assert found.address == "a0 + 0xa0 (0x0 past its end)"
    assert "the region has 160 bytes" in found.detail


def test_load_before_the_beginning_hits_the_guard() -> None:
    body = (
        "%k = arith.constant -1 : i32\n"
        + load("v", "%a", "i32", "%k")
        + store("%v", "%out", "i32", "%tid")
    )
    found = fault(
        module("%a: i64, %out: i64", body), [np.zeros(64, np.int32), np.zeros(64, np.int32)]
    )
    assert found.kind in ("out_of_bounds", "no_region")


def test_source_line_of_a_fault() -> None:
    body = """%p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
      %k = arith.constant 64 : i32
      %q = llvm.getelementptr %p[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %v = llvm.load %q : !llvm.ptr<1> -> i32 loc(callsite("helper.py":7:1 at "kernel.py":3:1))
      """ + store("%v", "%out", "i32", "%tid")
    found = fault(
        module("%a: i64, %out: i64", body), [np.zeros(64, np.int32), np.zeros(64, np.int32)]
    )
    assert str(found.where) == "helper.py:7 called from kernel.py:3"


def test_workgroup_and_wave_of_a_fault() -> None:
    body = "%k = arith.constant 256 : i32\n%m = arith.muli %bid, %k : i32\n%at = arith.addi %m, %tid : i32\n"
    text = module("%out: i64", body + store("%at", "%out", "i32", "%at"), block=256)
    found = fault(text, [np.zeros(256 * 2 + 70, np.int32)], grid=3)
    assert (found.block, found.wave, found.lane) == ((2, 0, 0), 1, 6)


def test_buffer_access_past_num_records_but_inside_the_region_is_dropped() -> None:
    """… and past the region is a fault even where num_records would allow it."""
    body = """%p = llvm.inttoptr %out : i64 to !llvm.ptr<1>
      %s = arith.constant 0 : i16
      %n = arith.constant NUM : i64
      %f = arith.constant 159744 : i32
      %b = "rocdl.make.buffer.rsrc"(%p, %s, %n, %f) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
      %z = arith.constant 0 : i32
      %four = arith.constant 4 : i32
      %off = arith.muli %tid, %four : i32
      "rocdl.raw.ptr.buffer.store"(%tid, %b, %off, %z) : (i32, !llvm.ptr<8>, i32, i32) -> ()"""
    out = np.full(50, -1, np.int32)
    run(module("%out: i64", body.replace("NUM", "160")), [out])
    assert (out[40:] == -1).all()
    assert fault(module("%out: i64", body.replace("NUM", "256")), [out]).lane == 50


@pytest.mark.parametrize("t", ["i32", "i16"])
def test_misaligned(t: str) -> None:
    body = "%p = llvm.inttoptr %a : i64 to !llvm.ptr<1>\n%one = arith.constant 1 : i32\n"
    body += f"%q = llvm.getelementptr %p[%one] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n%v = llvm.load %q : !llvm.ptr<1> -> {t}\n"
    found = fault(
        module("%a: i64, %out: i64", body + store("%v", "%out", t, "%tid")),
        [np.zeros(64, np.int32), np.zeros(64, np.int32)],
    )
    assert found.kind == "misaligned"
    assert f"multiple of {4 if t == 'i32' else 2} bytes" in found.detail


def test_an_address_of_no_region() -> None:
    text = module("%out: i64", store("%tid", "%out", "i32", "%tid"))
    found = fault(text, [0x1234])
    assert (found.kind, found.address) == ("no_region", "0x1234")


def test_store_to_a_read_only_region() -> None:
    sim = Simulator()
    region = sim.region("weights", np.zeros(64, np.int32), writable=False)
    sim.launch(module("%out: i64", store("%tid", "%out", "i32", "%tid")), (1,), [region])
    with pytest.raises(SimulationError, match="read_only: store to a read-only region"):
        sim.run()


def lds(body: str, nbytes: int = 256) -> str:
    return module("%out: i64", "%l = llvm.mlir.addressof @lds : !llvm.ptr<3>\n" + body, lds=nbytes)


WRITE = "%w = llvm.getelementptr %l[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\nllvm.store %tid, %w : i32, !llvm.ptr<3>\n"


def test_read_of_lds_nobody_wrote() -> None:
    body = "%v = llvm.load %l : !llvm.ptr<3> -> i32\n" + store("%v", "%out", "i32", "%tid")
    found = fault(lds(body), [np.zeros(64, np.int32)])
    assert (found.kind, found.address) == ("uninitialised_lds", "LDS + 0x0")
    run(lds(WRITE + body), [np.zeros(64, np.int32)])


def test_one_lane_reading_lds_nobody_wrote() -> None:
    body = """%k = arith.constant 32 : i32
      %c = arith.cmpi slt, %tid, %k : i32
      scf.if %c {
        %w = llvm.getelementptr %l[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
        llvm.store %tid, %w : i32, !llvm.ptr<3>
      }
      %q = llvm.getelementptr %l[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %v = llvm.load %q : !llvm.ptr<3> -> i32
      """ + store("%v", "%out", "i32", "%tid")
    found = fault(lds(body), [np.zeros(64, np.int32)])
    assert (found.kind, found.lane) == ("uninitialised_lds", 32)
    sim = Simulator(checks=False)
    sim.launch(lds(body), (1,), [sim.region("out", np.zeros(64, np.int32))])
    assert sim.run().findings == []


def test_lds_out_of_bounds() -> None:
    found = fault(lds(WRITE, nbytes=128), [np.zeros(64, np.int32)])
    assert (found.kind, found.lane, found.address) == ("out_of_bounds", 32, "LDS + 0x80")


def test_private_memory_read_before_written() -> None:
    body = """%n = arith.constant 4 : i32
      %m = llvm.alloca %n x i32 : (i32) -> !llvm.ptr<5>
      %v = llvm.load %m : !llvm.ptr<5> -> i32
      """ + store("%v", "%out", "i32", "%tid")
    assert (
        fault(module("%out: i64", body), [np.zeros(64, np.int32)]).kind == "uninitialised_private"
    )


def test_memory_registered_as_uninitialised() -> None:
    body = load("v", "%a", "i32", "%tid") + store("%v", "%out", "i32", "%tid")
    text = module("%a: i64, %out: i64", body)
    sim = Simulator()
    scratch = sim.region("scratch", np.zeros(64, np.int32), initialised=False)
    sim.launch(text, (1,), [scratch, sim.region("out", np.zeros(64, np.int32))])
    with pytest.raises(SimulationError, match=r"uninitialised_memory(.|\n)*scratch \+ 0x0"):
        sim.run()
    sim = Simulator()
    scratch = sim.region("scratch", np.zeros(64, np.int32), initialised=False)
    source, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    sim.launch(text, (1,), [sim.region("source", source), scratch])
    sim.launch(text, (1,), [scratch, sim.region("out", out)])
    sim.run()
    np.testing.assert_array_equal(out, source)


DIVERGENT = """%k = arith.constant LIMIT : i32
      %c = arith.cmpi slt, %tid, %k : i32
      scf.if %c {
        gpu.barrier
      }"""


def test_barrier_inside_a_wave_that_has_diverged() -> None:
    found = fault(
        module("%out: i64", DIVERGENT.replace("LIMIT", "20"), block=128), [np.zeros(1, np.int32)]
    )
    assert found.kind == "divergent_barrier"
    assert found.detail == "active lanes 0x00000000000fffff"


def test_barrier_another_wave_never_reaches() -> None:
    found = fault(
        module("%out: i64", DIVERGENT.replace("LIMIT", "64"), block=128), [np.zeros(1, np.int32)]
    )
    assert found.kind == "barrier_ended"


# ------------------------------------------------------------------ sparse regions

COPY = module(
    "%a: i64, %out: i64",
    load("v", "%a", "i32", "%at0").replace("%at0", "%tid") + store("%v", "%out", "i32", "%tid"),
)


def test_sparse_region_asks_for_touched_pages_only() -> None:
    asked: list[int] = []

    def page(i: int) -> np.ndarray:
        asked.append(i)
        return np.full(4096, i, np.uint8)

    out = np.zeros(64, np.int32)
    sim = Simulator()
    region = sim.region("experts", nbytes=1 << 34, pages=page, page_bytes=4096)
    sim.launch(COPY, (1,), [region + 4096 * 77 + 4000, sim.region("out", out)])
    result = sim.run()
    assert asked == [77, 78]
    assert result.pages_touched == 2
    assert out.tolist() == [0x4D4D4D4D] * 24 + [0x4E4E4E4E] * 40


def test_sparse_region_of_zeros_keeps_what_is_stored() -> None:
    out = np.zeros(64, np.int32)
    sim = Simulator()
    region = sim.region("scratch", nbytes=1 << 20)
    sim.launch(module("%out: i64", store("%tid", "%out", "i32", "%tid")), (1,), [region])
    sim.launch(COPY, (1,), [region, sim.region("out", out)])
    sim.run()
    np.testing.assert_array_equal(out, np.arange(64))


def test_vector_across_two_pages() -> None:
    body = load("v", "%a", "vector<4xi32>", "%tid") + store("%v", "%out", "vector<4xi32>", "%tid")
    out = np.zeros((64, 4), np.int32)
    sim = Simulator()
    region = sim.region(
        "x",
        nbytes=8192,
        pages=lambda i: np.arange(1024, dtype=np.int32) + 1024 * i,
        page_bytes=4096,
    )
    sim.launch(module("%a: i64, %out: i64", body), (1,), [region + 3592, sim.region("out", out)])
    sim.run()
    np.testing.assert_array_equal(out.ravel(), np.arange(898, 898 + 256))


def test_failure_of_a_page_provider_is_the_runs() -> None:
    def page(i: int) -> np.ndarray:
        raise OSError(f"page {i} is gone")

    sim = Simulator()
    region = sim.region("x", nbytes=8192, pages=page)
    sim.launch(COPY, (1,), [region, sim.region("out", np.zeros(64, np.int32))])
    with pytest.raises(OSError, match="page 0 is gone"):
        sim.run()


def test_short_page_is_refused() -> None:
    sim = Simulator()
    region = sim.region("x", nbytes=1 << 17, pages=lambda i: np.zeros(8, np.uint8))
    sim.launch(COPY, (1,), [region, sim.region("out", np.zeros(64, np.int32))])
    with pytest.raises(ValueError, match="page 0 of x must have 65536 bytes, got 8"):
        sim.run()


# ------------------------------------------------------------------ refusals


def test_unknown_operations_are_all_named_at_load() -> None:
    body = """%c = "rocdl.cvt.sr.fp8.f32"(%x, %tid, %tid) <{byteSel = 0 : i32}> : (f32, i32, i32) -> i32 loc("a.py":3:1)
      %d = llvm.call_intrinsic "llvm.amdgcn.strange"(%tid) : (i32) -> i32 loc("b.py":9:1)"""
    text = module("%x: f32", body)
    with pytest.raises(UnknownOperation) as caught:
        compile_kernel(text)
    message = str(caught.value)
    assert "2 operations are not modelled" in message
    assert "rocdl.cvt.sr.fp8.f32 at a.py:3" in message
    assert "llvm.amdgcn.strange at b.py:9" in message


def test_arguments_that_do_not_fit_are_all_named() -> None:
    text = module("%a: i64, %b: i32, %c: i32", "")
    sim = Simulator()
    with pytest.raises(
        TypeError,
        match=r"argument 1 \(i32\): .*; argument 2 \(i32\): must fit 32 bits, got 4294967296",
    ):
        sim.launch(text, (1,), [0, "x", 1 << 32])
    with pytest.raises(TypeError, match="must have 3 arguments, got 1"):
        sim.launch(text, (1,), [0])


def test_wrong_block_is_refused() -> None:
    with pytest.raises(ValueError, match=r"block must be \(64, 1, 1\), got \(128, 1, 1\)"):
        compile_kernel(module("%a: i64", ""), block=(128, 1, 1))


def test_a_simulator_runs_once() -> None:
    sim = Simulator()
    with pytest.raises(RuntimeError, match="nothing to run"):
        sim.run()
    sim.launch(module("%a: i64", ""), (1,), [0])
    sim.run()
    with pytest.raises(RuntimeError, match="runs once"):
        sim.run()


@pytest.mark.parametrize("data", [np.zeros((4, 4), np.int32).T, "text"])
def test_unsuitable_region_is_refused(data: object) -> None:
    with pytest.raises((ValueError, TypeError), match="must be"):
        Simulator().region("x", data)


def test_region_needs_data_or_size() -> None:
    with pytest.raises(ValueError, match="either data or nbytes"):
        Simulator().region("x")
    with pytest.raises(ValueError, match="page_bytes must be a power of two"):
        Simulator().region("x", nbytes=100, page_bytes=5000)
