# ruff: noqa: E501  (MLIR text)
"""Indices, wave-wide operations, moves between lanes."""

from __future__ import annotations

import numpy as np
import pytest
from kk3fast_sim_mlir import lanes, module, run, store

LANE = np.arange(64)
RNG = np.random.default_rng(5)
TESTED = {
    "gpu.thread_id", "gpu.block_id", "gpu.grid_dim", "gpu.block_dim", "gpu.lane_id", "rocdl.mbcnt.lo",
    "rocdl.mbcnt.hi", "rocdl.ballot", "rocdl.readfirstlane", "rocdl.readlane", "rocdl.permlane16.swap",
    "rocdl.permlane32.swap", "llvm.amdgcn.update.dpp.i32", "rocdl.update.dpp", "rocdl.ds_bpermute",
    "gpu.shuffle", "rocdl.ds_swizzle", "llvm.amdgcn.ds.bpermute", "llvm.amdgcn.ds.permute",
    "llvm.amdgcn.ds.swizzle", "llvm.amdgcn.mov.dpp.i32", "llvm.amdgcn.readfirstlane.i32",
    "llvm.amdgcn.readlane.i32", "llvm.amdgcn.ballot.i64", "llvm.amdgcn.mbcnt.lo", "llvm.amdgcn.mbcnt.hi",
    "rocdl.workitem.id.x", "rocdl.workgroup.id.x",
}  # fmt: skip


def words() -> np.ndarray:
    return RNG.integers(-(2**31), 2**31, (64, 1)).astype(np.int32)


def test_indices_of_a_two_dimensional_launch() -> None:
    from kk3fast.sim import Simulator

    body = """%ty = gpu.thread_id y
      %lane = gpu.lane_id
      %gx = gpu.grid_dim x
      %dx = gpu.block_dim x
      %a = arith.index_cast %ty : index to i32
      %b = arith.index_cast %lane : index to i32
      %c = arith.index_cast %gx : index to i32
      %d = arith.index_cast %dx : index to i32
      %k = arith.constant 100 : i32
      %threads = arith.constant 96 : i32
      %m0 = arith.muli %a, %d : i32
      %local = arith.addi %m0, %tid : i32
      %m1 = arith.muli %bid, %threads : i32
      %at = arith.addi %m1, %local : i32
      %v0 = arith.muli %at, %k : i32
      %v1 = arith.addi %v0, %b : i32
      %v = arith.addi %v1, %c : i32
      """ + store("%v", "%out", "i32", "%at")
    text = module("%out: i64", body).replace(
        "attributes {known_block_size = array<i32: 64, 1, 1>}", ""
    )
    out = np.zeros(3 * 96, np.int32)
    sim = Simulator()
    sim.launch(text, (3,), [sim.region("out", out)], block=(48, 2))
    sim.run()
    at = np.arange(288)
    np.testing.assert_array_equal(out, at * 100 + at % 96 % 64 + 3)


def test_rocdl_indices() -> None:
    body = '%x = "rocdl.workitem.id.x"() : () -> i32\n%b = "rocdl.workgroup.id.x"() : () -> i32\n%r = arith.addi %x, %b : i32'
    np.testing.assert_array_equal(lanes(body, [], "i32", [])[:, 0], LANE)


@pytest.mark.parametrize("dialect", ["rocdl", "llvm"])
def test_count_of_lower_lanes(dialect: str) -> None:
    bits = "%m = arith.constant -1 : i32\n%z = arith.constant 0 : i32\n"
    if dialect == "rocdl":
        bits += '%l = "rocdl.mbcnt.lo"(%m, %z) : (i32, i32) -> i32\n%r = "rocdl.mbcnt.hi"(%m, %l) : (i32, i32) -> i32'
    else:
        bits += '%l = llvm.call_intrinsic "llvm.amdgcn.mbcnt.lo"(%m, %z) : (i32, i32) -> i32\n'
        bits += '%r = llvm.call_intrinsic "llvm.amdgcn.mbcnt.hi"(%m, %l) : (i32, i32) -> i32'
    np.testing.assert_array_equal(lanes(bits, [], "i32", [])[:, 0], LANE)


BALLOTS = [
    '%r = "rocdl.ballot"(%c) : (i1) -> i64',
    '%r = llvm.call_intrinsic "llvm.amdgcn.ballot.i64"(%c) : (i1) -> i64',
]


@pytest.mark.parametrize("line", BALLOTS, ids=["rocdl", "intrinsic"])
def test_ballot(line: str) -> None:
    x = words()
    body = "%z = arith.constant 0 : i32\n%c = arith.cmpi slt, %x0, %z : i32\n" + line
    want = int(sum(1 << i for i in range(64) if x[i, 0] < 0))
    got = lanes(body, ["i32"], "i64", [x])
    assert (got.view(np.uint64) == np.uint64(want)).all()
    same = lanes(body, ["i32"], "i64", [np.full((64, 1), -1, np.int32)], uniform=True)
    assert (same == -1).all()


def under(condition: str, line: str, t: str = "i32") -> str:
    """``line`` (giving ``%v``) executed only where ``condition`` holds; 0 elsewhere."""
    return f"""{condition}
      %r = scf.if %on -> ({t}) {{
        {line}
        scf.yield %v : {t}
      }} else {{
        %none = arith.constant 0 : {t}
        scf.yield %none : {t}
      }}"""


UPPER = "%k = arith.constant 20 : i32\n%on = arith.cmpi sge, %tid, %k : i32"


def test_wave_operations_see_active_lanes_only() -> None:
    x = words()
    got = lanes(under(UPPER, '%v = "rocdl.readfirstlane"(%x0) : (i32) -> i32'), ["i32"], "i32", [x])
    np.testing.assert_array_equal(got[20:, 0], np.full(44, x[20, 0]))
    line = '%t = arith.constant true\n%b = "rocdl.ballot"(%t) : (i1) -> i64\n%v = arith.trunci %b : i64 to i32'
    got = lanes(under(UPPER, line), ["i32"], "i32", [x])
    assert (got[20:, 0].view(np.uint32) == ((2**64 - 1) >> 20 << 20) & 0xFFFFFFFF).all()


@pytest.mark.parametrize("name", ["rocdl.readlane", "intrinsic"])
def test_readlane(name: str) -> None:
    x = words()
    line = (
        '"rocdl.readlane"'
        if name.startswith("r")
        else 'llvm.call_intrinsic "llvm.amdgcn.readlane.i32"'
    )
    body = f"%k = arith.constant 37 : i32\n%r = {line}(%x0, %k) : (i32, i32) -> i32"
    assert (lanes(body, ["i32"], "i32", [x]) == x[37, 0]).all()
    body = '%r = llvm.call_intrinsic "llvm.amdgcn.readfirstlane.i32"(%x0) : (i32) -> i32'
    assert (lanes(body, ["i32"], "i32", [x]) == x[0, 0]).all()


@pytest.mark.parametrize("half", [16, 32])
def test_permlane_swap(half: int) -> None:
    x, y = words(), words()
    upper = (LANE & half) != 0
    want0 = np.where(upper, y[LANE - half * upper, 0], x[:, 0])
    want1 = np.where(upper, y[:, 0], x[np.minimum(LANE + half, 63), 0])
    for i, want in enumerate((want0, want1)):
        body = f"""%s = "rocdl.permlane{half}.swap"(%x0, %x1) <{{boundControl = false, fi = false}}> : (i32, i32) -> !llvm.struct<(i32, i32)>
          %r = llvm.extractvalue %s[{i}] : !llvm.struct<(i32, i32)>"""
        np.testing.assert_array_equal(lanes(body, ["i32", "i32"], "i32", [x, y])[:, 0], want)


ROW = LANE & 15
DPP = {  # control: (source lane, inside)
    "quad_perm": (0x4E, (LANE & ~3) | np.array([2, 3, 0, 1] * 16), LANE >= 0),
    "row_shl": (0x103, LANE + 3, ROW + 3 < 16),
    "row_shr": (0x115, LANE - 5, ROW >= 5),
    "row_ror": (0x122, (LANE & ~15) | (ROW - 2) % 16, LANE >= 0),
    "row_mirror": (0x140, (LANE & ~15) | 15 - ROW, LANE >= 0),
    "row_half_mirror": (0x141, (LANE & ~7) | 7 - (LANE & 7), LANE >= 0),
    "row_bcast15": (0x142, (LANE & ~15) - 1, LANE >= 16),
    "row_bcast31": (0x143, np.full(64, 31), LANE >= 32),
    "row_newbcast": (0x157, (LANE & ~15) | 7, LANE >= 0),
}


@pytest.mark.parametrize("bound", [False, True], ids=["keep", "zero"])
@pytest.mark.parametrize("name", DPP)
def test_dpp(name: str, bound: bool) -> None:
    control, source, inside = DPP[name]
    old, x = words(), words()
    want = np.where(inside, x[np.clip(source, 0, 63), 0], 0 if bound else old[:, 0])
    want = np.where(LANE < 32, want, old[:, 0])  # row mask 0b0011
    flag = "true" if bound else "false"
    body = f"""%c = arith.constant {control} : i32
      %rows = arith.constant 3 : i32
      %banks = arith.constant 15 : i32
      %b = arith.constant {flag}
      %r = llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"(%x0, %x1, %c, %rows, %banks, %b) : (i32, i32, i32, i32, i32, i1) -> i32"""
    np.testing.assert_array_equal(lanes(body, ["i32", "i32"], "i32", [old, x])[:, 0], want)
    body = f'%r = "rocdl.update.dpp"(%x0, %x1) <{{dppCtrl = {control} : i32, rowMask = 3 : i32, bankMask = 15 : i32, boundCtrl = {flag}}}> : (i32, i32) -> i32'
    np.testing.assert_array_equal(lanes(body, ["i32", "i32"], "i32", [old, x])[:, 0], want)


def test_mov_dpp_starts_from_zero() -> None:
    x = words()
    body = """%c = arith.constant 257 : i32
      %m = arith.constant 15 : i32
      %b = arith.constant false
      %r = llvm.call_intrinsic "llvm.amdgcn.mov.dpp.i32"(%x0, %c, %m, %m, %b) : (i32, i32, i32, i32, i1) -> i32"""
    want = np.where(ROW < 15, x[np.minimum(LANE + 1, 63), 0], 0)
    np.testing.assert_array_equal(lanes(body, ["i32"], "i32", [x])[:, 0], want)


def test_dpp_does_not_read_idle_lanes() -> None:
    old, x = words(), words()
    line = """%c = arith.constant 273 : i32
      %m = arith.constant 15 : i32
      %b = arith.constant false
      %v = llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"(%x0, %x1, %c, %m, %m, %b) : (i32, i32, i32, i32, i32, i1) -> i32"""
    got = lanes(under(UPPER, line), ["i32", "i32"], "i32", [old, x])[20:, 0]
    assert got[0] == old[20, 0]  # lane 19 is switched off
    assert got[1] == x[20, 0]


@pytest.mark.parametrize(
    "line", ['"rocdl.ds_bpermute"', 'llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"']
)
def test_bpermute(line: str) -> None:
    index, x = RNG.integers(0, 64, (64, 1)).astype(np.int32), words()
    body = f"%two = arith.constant 2 : i32\n%i = arith.shli %x0, %two : i32\n%r = {line}(%i, %x1) : (i32, i32) -> i32"
    np.testing.assert_array_equal(
        lanes(body, ["i32", "i32"], "i32", [index, x])[:, 0], x[index[:, 0], 0]
    )


def test_permute_pushes() -> None:
    order, x = RNG.permutation(64).astype(np.int32)[:, None], words()
    body = '%two = arith.constant 2 : i32\n%i = arith.shli %x0, %two : i32\n%r = llvm.call_intrinsic "llvm.amdgcn.ds.permute"(%i, %x1) : (i32, i32) -> i32'
    want = np.zeros(64, np.int32)
    want[order[:, 0]] = x[:, 0]
    np.testing.assert_array_equal(lanes(body, ["i32", "i32"], "i32", [order, x])[:, 0], want)


@pytest.mark.parametrize(
    "line", ['"rocdl.ds_swizzle"', 'llvm.call_intrinsic "llvm.amdgcn.ds.swizzle"']
)
def test_swizzle(line: str) -> None:
    x = words()
    pattern = 31 | 4 << 10  # lane ^ 4
    body = f"%p = arith.constant {pattern} : i32\n%r = {line}(%x0, %p) : (i32, i32) -> i32"
    np.testing.assert_array_equal(lanes(body, ["i32"], "i32", [x])[:, 0], x[LANE ^ 4, 0])


SHUFFLES = {"xor": LANE ^ 5, "up": LANE - 5, "down": LANE + 5, "idx": (LANE & ~31) + 5}


@pytest.mark.parametrize("constant", [True, False], ids=["constant", "variable"])
@pytest.mark.parametrize("mode", SHUFFLES)
def test_shuffle(mode: str, constant: bool) -> None:
    x, five = words(), np.full((64, 1), 5, np.int32)
    offset = "%five" if constant else "%x1"
    source = SHUFFLES[mode]
    ok = (source >= (LANE & ~31)) & (source < (LANE & ~31) + 32)
    body = f"%five = arith.constant 5 : i32\n%w = arith.constant 32 : i32\n%v, %valid = gpu.shuffle {mode} %x0, {offset}, %w : i32\n"
    got = lanes(body + "%r = arith.select %valid, %v, %w : i32", ["i32", "i32"], "i32", [x, five])[
        :, 0
    ]
    np.testing.assert_array_equal(got, np.where(ok, x[np.clip(source, 0, 63), 0], 32))


def test_blocks_cover_the_grid() -> None:
    out = np.zeros(5 * 64, np.int32)
    body = "%k = arith.constant 64 : i32\n%m = arith.muli %bid, %k : i32\n%at = arith.addi %m, %tid : i32\n"
    run(module("%out: i64", body + store("%at", "%out", "i32", "%at")), [out], grid=5)
    np.testing.assert_array_equal(out, np.arange(320))
