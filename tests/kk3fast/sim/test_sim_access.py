# ruff: noqa: E501  (MLIR text)
"""Loads, stores, LDS, private memory, atomics: what they move, and what the hardware drops."""

from __future__ import annotations

import numpy as np
import pytest
from kk3fast_sim_mlir import LANES, NUMPY, element, lanes, load, module, run, store

from kk3fast.sim import Simulator, compile_kernel

RNG = np.random.default_rng(13)
LANE = np.arange(LANES)
TESTED = {
    "rocdl.raw.ptr.buffer.load", "rocdl.raw.ptr.buffer.store", "rocdl.make.buffer.rsrc", "llvm.load",
    "llvm.store", "llvm.alloca", "llvm.atomicrmw", "llvm.cmpxchg", "llvm.fence", "gpu.barrier",
    "llvm.mlir.addressof", "rocdl.raw.ptr.buffer.atomic.fadd", "rocdl.raw.ptr.buffer.atomic.smax",
    "rocdl.raw.ptr.buffer.atomic.umin", "rocdl.raw.ptr.buffer.atomic.fmax",
    "rocdl.raw.ptr.buffer.atomic.cmpswap", "rocdl.s.waitcnt", "rocdl.barrier", "rocdl.s.barrier",
    "llvm.amdgcn.s.barrier", "llvm.amdgcn.s.waitcnt", "llvm.amdgcn.raw.ptr.buffer.load",
    "llvm.amdgcn.raw.ptr.buffer.store",
}  # fmt: skip
TYPES = ["i8", "i16", "i32", "i64", "f32", "bf16", "f64", "vector<2xi32>", "vector<4xf32>", "vector<8xbf16>",
         "vector<2xbf16>", "vector<4xi8>", "vector<3xi32>"]  # fmt: skip


def rsrc(name: str, pointer: str, nbytes: int) -> str:
    return f"""%{name}_p = llvm.inttoptr {pointer} : i64 to !llvm.ptr<1>
      %{name}_s = arith.constant 0 : i16
      %{name}_n = arith.constant {nbytes} : i64
      %{name}_f = arith.constant 159744 : i32
      %{name} = "rocdl.make.buffer.rsrc"(%{name}_p, %{name}_s, %{name}_n, %{name}_f) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
      %{name}_0 = arith.constant 0 : i32
      """


def array(t: str, n: int = LANES) -> np.ndarray:
    e, count = element(t)
    raw = RNG.integers(0, 256, n * count * np.dtype(NUMPY[e]).itemsize, np.uint8)
    return raw.view(NUMPY[e]).reshape(n, count).copy()


def copy_through(t: str, index: str, aux: int, limit: int, intrinsic: bool) -> str:
    size = array(t, 1).nbytes
    body = rsrc("a", "%in", limit) + rsrc("b", "%out", limit)
    body += f"%size = arith.constant {size} : i32\n%off = arith.muli {index}, %size : i32\n"
    if intrinsic:
        body += f"""%x = arith.constant {aux} : i32
          %v = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"(%a, %off, %a_0, %x) : (!llvm.ptr<8>, i32, i32, i32) -> {t}
          llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.store"(%v, %b, %off, %b_0, %x) : ({t}, !llvm.ptr<8>, i32, i32, i32) -> ()"""
    else:
        body += f"""%v = "rocdl.raw.ptr.buffer.load"(%a, %off, %a_0) <{{aux = {aux} : i32}}> : (!llvm.ptr<8>, i32, i32) -> {t}
          "rocdl.raw.ptr.buffer.store"(%v, %b, %off, %b_0) <{{aux = {aux} : i32}}> : ({t}, !llvm.ptr<8>, i32, i32) -> ()"""
    return module("%in: i64, %out: i64", body)


@pytest.mark.parametrize("intrinsic", [False, True], ids=["rocdl", "intrinsic"])
@pytest.mark.parametrize("aux", [0, 2, 16, 17])
@pytest.mark.parametrize("t", ["i32", "vector<4xi32>", "bf16"])
def test_buffer_copy_with_every_policy(t: str, aux: int, intrinsic: bool) -> None:
    x = array(t)
    out = np.zeros_like(x)
    run(copy_through(t, "%tid", aux, 0xFFFFFFFF, intrinsic), [x, out])
    assert out.tobytes() == x.tobytes()


@pytest.mark.parametrize("t", TYPES)
def test_buffer_copy_of_every_type(t: str) -> None:
    x = array(t)
    out = np.zeros_like(x)
    run(copy_through(t, "%tid", 0, 0xFFFFFFFF, False), [x, out])
    assert out.tobytes() == x.tobytes()


@pytest.mark.parametrize("t", TYPES)
def test_pointer_copy_of_every_type(t: str) -> None:
    x = array(t)
    body = load("v", "%in", t, "%tid") + store("%v", "%out", t, "%tid")
    out = np.zeros_like(x)
    run(module("%in: i64, %out: i64", body), [x, out])
    assert out.tobytes() == x.tobytes()


@pytest.mark.parametrize("t", ["i32", "vector<4xi32>"])
def test_gather_with_repeats_and_a_gap(t: str) -> None:
    x = array(t)
    index = RNG.integers(0, 64, (64, 1)).astype(np.int32)
    body = (
        load("i", "%idx", "i32", "%tid")
        + load("v", "%in", t, "%i")
        + store("%v", "%out", t, "%tid")
    )
    out = np.zeros_like(x)
    run(module("%in: i64, %idx: i64, %out: i64", body), [x, index, out])
    np.testing.assert_array_equal(out.view(np.uint8), x[index[:, 0]].view(np.uint8))


def test_lanes_past_num_records_load_zero_and_store_nothing() -> None:
    x, out = array("i32"), np.full((64, 1), -1, np.int32)
    run(copy_through("i32", "%tid", 0, 4 * 40, False), [x, out])
    np.testing.assert_array_equal(out[:40], x[:40])
    assert (out[40:] == -1).all()


def test_uniform_store_happens_once() -> None:
    body = (
        rsrc("b", "%out", 0xFFFFFFFF)
        + """%v = arith.constant 7 : i32
      "rocdl.raw.ptr.buffer.store"(%v, %b, %b_0, %b_0) <{aux = 0 : i32}> : (i32, !llvm.ptr<8>, i32, i32) -> ()"""
    )
    out = np.zeros(4, np.int32)
    result = run(module("%out: i64", body), [out])
    assert out.tolist() == [7, 0, 0, 0]
    assert result.launches[0].total("store_plain") == 4


def test_last_active_lane_wins_a_common_address() -> None:
    body = store("%tid", "%out", "i32", "%zero")
    out = np.zeros(1, np.int32)
    run(module("%out: i64", "%zero = arith.constant 0 : i32\n" + body), [out])
    assert out[0] == 63


def test_bytes_of_a_region_are_the_tensors_own() -> None:
    import torch

    x = torch.arange(64, dtype=torch.int32)
    text = module(
        "%in: i64, %out: i64", load("v", "%in", "i32", "%tid") + store("%v", "%out", "i32", "%tid")
    )
    out = torch.zeros(64, dtype=torch.int32)
    sim = Simulator()
    sim.launch(compile_kernel(text), (1,), [sim.region("x", x), sim.region("out", out)])
    sim.run()
    assert torch.equal(x, out)


# ------------------------------------------------------------------ LDS

BARRIERS = {
    "gpu.barrier": "gpu.barrier",
    "rocdl.barrier": '"rocdl.barrier"() : () -> ()',
    "rocdl.s.barrier": '"rocdl.s.barrier"() : () -> ()',
    "llvm.amdgcn.s.barrier": 'llvm.call_intrinsic "llvm.amdgcn.s.barrier"() : () -> ()',
}


def through_lds(t: str, barrier: str, block: int) -> str:
    size = array(t, 1).nbytes
    body = (
        load("v", "%in", t, "%tid")
        + f"""%lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
      %w = llvm.getelementptr %lds[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, {t}
      llvm.store %v, %w : {t}, !llvm.ptr<3>
      "rocdl.s.waitcnt"() <{{bitfield = 0 : i32}}> : () -> ()
      %bits = arith.constant 0 : i32
      llvm.call_intrinsic "llvm.amdgcn.s.waitcnt"(%bits) : (i32) -> ()
      {barrier}
      %last = arith.constant {block - 1} : i32
      %back = arith.subi %last, %tid : i32
      %q = llvm.getelementptr %lds[%back] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, {t}
      %r = llvm.load %q : !llvm.ptr<3> -> {t}
      """
        + store("%r", "%out", t, "%tid")
    )
    return module("%in: i64, %out: i64", body, block=block, lds=size * block)


@pytest.mark.parametrize("name", BARRIERS)
def test_reversal_through_lds(name: str) -> None:
    x = array("i32", 256)
    out = np.zeros_like(x)
    run(through_lds("i32", BARRIERS[name], 256), [x, out], sanitize=True)
    np.testing.assert_array_equal(out, x[::-1])


@pytest.mark.parametrize(
    "t", ["i8", "bf16", "i64", "vector<4xf32>", "vector<2xi32>", "vector<8xbf16>"]
)
def test_reversal_through_lds_of_every_width(t: str) -> None:
    x = array(t, 128)
    out = np.zeros_like(x)
    run(through_lds(t, "gpu.barrier", 128), [x, out])
    assert out.tobytes() == x[::-1].tobytes()


def test_a_wave_that_is_not_full() -> None:
    x = array("i32", 100)
    out = np.zeros_like(x)
    run(through_lds("i32", "gpu.barrier", 100), [x, out])
    np.testing.assert_array_equal(out, x[::-1])


def test_private_memory_is_a_lanes_own() -> None:
    body = """%n = arith.constant 4 : i32
      %m = llvm.alloca %n x i32 : (i32) -> !llvm.ptr<5>
      %three = arith.constant 3 : i32
      %k = arith.andi %tid, %three : i32
      %p = llvm.getelementptr %m[%k] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, i32
      llvm.store %tid, %p : i32, !llvm.ptr<5>
      %q = llvm.getelementptr %m[%k] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, i32
      %r = llvm.load %q : !llvm.ptr<5> -> i32"""
    np.testing.assert_array_equal(lanes(body, [], "i32", [])[:, 0], LANE)


# ------------------------------------------------------------------ atomics

ATOMICS = {
    "add": lambda x: x.sum(), "max": lambda x: x.max(), "min": lambda x: x.min(), "umax": lambda x: x.view(np.uint32).max(),
    "umin": lambda x: x.view(np.uint32).min(), "_and": lambda x: np.bitwise_and.reduce(x), "_or": lambda x: np.bitwise_or.reduce(x),
    "_xor": lambda x: np.bitwise_xor.reduce(x), "xchg": lambda x: x[-1], "sub": lambda x: -x.sum(),
}  # fmt: skip
START = {"_and": -1, "umin": -1, "max": -(2**31), "min": 2**31 - 1}


@pytest.mark.parametrize("space", ["global", "lds"])
@pytest.mark.parametrize("kind", ATOMICS)
def test_atomic_over_all_lanes(kind: str, space: str) -> None:
    x = RNG.integers(-1000, 1000, 64).astype(np.int32)
    out = np.full(1, START.get(kind, 0), np.int32)
    pointer, t = "%out_p", "!llvm.ptr<1>"
    body = load("v", "%in", "i32", "%tid") + "%out_p = llvm.inttoptr %out : i64 to !llvm.ptr<1>\n"
    if space == "lds":
        pointer, t = "%lds", "!llvm.ptr<3>"
        body += (
            f"%lds = llvm.mlir.addressof @lds : {t}\n%s = llvm.load %out_p : !llvm.ptr<1> -> i32\n"
        )
        body += f"llvm.store %s, %lds : i32, {t}\n"
    body += f"%old = llvm.atomicrmw {kind} {pointer}, %v monotonic : {t}, i32\n"
    if space == "lds":
        body += f"%f = llvm.load %lds : {t} -> i32\nllvm.store %f, %out_p : i32, !llvm.ptr<1>\n"
    run(module("%in: i64, %out: i64", body, lds=16 if space == "lds" else 0), [x, out])
    assert out[0] == np.array(ATOMICS[kind](x)).astype(np.int64).astype(np.int32)


@pytest.mark.parametrize(("kind", "f"), [("fadd", np.sum), ("fmax", np.max), ("fmin", np.min)])
def test_float_atomic(kind: str, f: object) -> None:
    x = RNG.integers(-50, 50, 64).astype(np.float32)
    out = np.zeros(1, np.float32)
    body = load("v", "%in", "f32", "%tid") + "%out_p = llvm.inttoptr %out : i64 to !llvm.ptr<1>\n"
    body += f"%old = llvm.atomicrmw {kind} %out_p, %v monotonic : !llvm.ptr<1>, f32"
    run(module("%in: i64, %out: i64", body), [x, out])
    assert out[0] == f(np.append(x, 0))  # type: ignore[operator]


def test_atomics_give_the_old_value_in_lane_order() -> None:
    body = """%one = arith.constant 1 : i32
      %p = llvm.inttoptr %count : i64 to !llvm.ptr<1>
      %old = llvm.atomicrmw add %p, %one syncscope("agent") acq_rel : !llvm.ptr<1>, i32
      """ + store("%old", "%out", "i32", "%tid")
    count, out = np.zeros(1, np.int32), np.zeros(64, np.int32)
    run(module("%count: i64, %out: i64", body), [count, out])
    np.testing.assert_array_equal(out, LANE)


def test_compare_and_exchange_succeeds_once() -> None:
    body = """%none = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %me = arith.extui %tid : i32 to i64
      %mine = arith.addi %me, %one : i64
      %p = llvm.inttoptr %word : i64 to !llvm.ptr<1>
      %x = llvm.cmpxchg %p, %none, %mine acq_rel monotonic : !llvm.ptr<1>, i64
      %ok = llvm.extractvalue %x[1] : !llvm.struct<(i64, i1)>
      """ + store("%ok", "%out", "i1", "%tid")
    word, out = np.zeros(1, np.int64), np.zeros(64, np.uint8)
    run(module("%word: i64, %out: i64", body), [word, out])
    assert word[0] == 1
    assert out.tolist() == [1] + [0] * 63


BUFFER_ATOMICS = {
    "smax": ("i32", np.max),
    "umin": ("i32", np.min),
    "fadd": ("f32", np.sum),
    "fmax": ("f32", np.max),
}


@pytest.mark.parametrize("kind", BUFFER_ATOMICS)
def test_buffer_atomic(kind: str) -> None:
    t, f = BUFFER_ATOMICS[kind]
    x = RNG.integers(1, 100, 64).astype(NUMPY[t])
    out = np.array([50], NUMPY[t])
    body = load("v", "%in", t, "%tid") + rsrc("b", "%out", 0xFFFFFFFF)
    body += f'%old = "rocdl.raw.ptr.buffer.atomic.{kind}"(%v, %b, %b_0, %b_0) <{{aux = 0 : i32}}> : ({t}, !llvm.ptr<8>, i32, i32) -> {t}'
    run(module("%in: i64, %out: i64", body), [x, out])
    assert out[0] == f(np.append(x, NUMPY[t](50)))


def test_buffer_compare_and_swap() -> None:
    body = (
        rsrc("b", "%out", 0xFFFFFFFF)
        + """%one = arith.constant 1 : i32
      %new = arith.addi %tid, %one : i32
      %old = "rocdl.raw.ptr.buffer.atomic.cmpswap"(%new, %b_0, %b, %b_0, %b_0) <{aux = 0 : i32}> : (i32, i32, !llvm.ptr<8>, i32, i32) -> i32"""
    )
    out = np.zeros(1, np.int32)
    run(module("%out: i64", body), [out])
    assert out[0] == 1


@pytest.mark.parametrize("ordering", ["acquire", "release", "acq_rel", "seq_cst"])
@pytest.mark.parametrize("scope", ["", 'syncscope("agent") ', 'syncscope("workgroup") '])
def test_fence_runs(ordering: str, scope: str) -> None:
    body = f"llvm.fence {scope}{ordering}\n" + store("%tid", "%out", "i32", "%tid")
    out = np.zeros(64, np.int32)
    run(module("%out: i64", body), [out], sanitize=True)
    np.testing.assert_array_equal(out, LANE)
