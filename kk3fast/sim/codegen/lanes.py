"""Indices of threads and blocks, and moves between the lanes of a wave."""

from __future__ import annotations

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.table import emits
from kk3fast.sim.codegen.values import V, component_types
from kk3fast.sim.ir import Op
from kk3fast.sim.syntax import ReadError, attr_int, attr_word

_LANES = ", ".join(f"i32 {i}" for i in range(64))


def lane_index() -> V:
    return V(f"<{_LANES}>", "i32", True)


def _index(e: Emitter, op: Op, v: V) -> None:
    ty = component_types(op.results[0].type)[0]
    e.set(op, e.cast("zext", v, ty))


def linear_thread(e: Emitter) -> V:
    wave = e.binary("shl", e.field("index", "i32"), e.const(6, "i32"))
    return e.binary("add", wave, lane_index())


@emits("gpu.thread_id", "rocdl.workitem.id.x", "rocdl.workitem.id.y", "rocdl.workitem.id.z")
def thread_id(e: Emitter, op: Op) -> None:
    dim = "xyz".index(attr_word(op, "dimension") if op.name.startswith("gpu") else op.name[-1])
    block = e.code.block
    if block[dim] == 1:
        _index(e, op, e.const(0, "i32"))
        return
    v = linear_thread(e)
    below = block[0] if dim == 1 else block[0] * block[1] if dim == 2 else 1
    if below > 1:
        v = e.binary("udiv", v, e.const(below, "i32"))
    if any(block[d] > 1 for d in range(dim + 1, 3)):
        v = e.binary("urem", v, e.const(block[dim], "i32"))
    _index(e, op, v)


@emits("gpu.block_id", "rocdl.workgroup.id.x", "rocdl.workgroup.id.y", "rocdl.workgroup.id.z")
def block_id(e: Emitter, op: Op) -> None:
    dim = "xyz".index(attr_word(op, "dimension") if op.name.startswith("gpu") else op.name[-1])
    _index(e, op, e.field("bid", "i32", 4 * dim))


@emits("gpu.grid_dim")
def grid_dim(e: Emitter, op: Op) -> None:
    _index(e, op, e.field("grid", "i32", 4 * "xyz".index(attr_word(op, "dimension"))))


@emits("gpu.block_dim")
def block_dim(e: Emitter, op: Op) -> None:
    _index(e, op, e.const(e.code.block["xyz".index(attr_word(op, "dimension"))], "i32"))


@emits("gpu.lane_id")
def lane_id(e: Emitter, op: Op) -> None:
    _index(e, op, lane_index())


@emits("rocdl.mbcnt.lo", "rocdl.mbcnt.hi", "llvm.amdgcn.mbcnt.lo", "llvm.amdgcn.mbcnt.hi")
def mbcnt(e: Emitter, op: Op) -> None:
    bits = e.one(op.operands[0])
    low = op.kind.endswith("lo")
    below = [(1 << min(i, 32)) - 1 if low else (1 << max(i - 32, 0)) - 1 for i in range(64)]
    mask = V(
        "<" + ", ".join(f"i32 {b if b < 2**31 else b - 2**32}" for b in below) + ">", "i32", True
    )
    count = e.intrinsic("ctpop", "i32", e.binary("and", bits, mask))
    e.set(op, e.binary("add", count, e.one(op.operands[1])))


# ------------------------------------------------------------------ wave-wide


def active(e: Emitter) -> V:
    return e.f.use(e.mask) if e.mask else e.field("mask0", "i64")


@emits("rocdl.ballot", "llvm.amdgcn.ballot.i64")
def ballot(e: Emitter, op: Op) -> None:
    c = e.one(op.operands[0])
    if c.wide:
        bits = e.f.value(f"bitcast <64 x i1> {c.ref} to i64", "i64")
        e.set(op, e.binary("and", bits, active(e)))
    else:
        e.set(op, e.select(c, active(e), e.const(0, "i64")))


@emits("rocdl.readfirstlane", "llvm.amdgcn.readfirstlane.i32", "llvm.amdgcn.readfirstlane")
def read_first_lane(e: Emitter, op: Op) -> None:
    v = e.one(op.operands[0])
    if not v.wide:
        e.set(op, v)
        return
    index = V("0", "i64")
    if e.mask is not None:
        e.code.declare("declare i64 @llvm.cttz.i64(i64, i1)")
        first = e.f.value(f"call i64 @llvm.cttz.i64({e.mask_text()}, i1 false)", "i64")
        index = e.binary("and", first, e.const(63, "i64"))
    e.set(op, e.f.value(f"extractelement {v.llvm} {v.ref}, i64 {index.ref}", v.ty))


@emits("rocdl.readlane", "llvm.amdgcn.readlane.i32", "llvm.amdgcn.readlane")
def read_lane(e: Emitter, op: Op) -> None:
    v, lane = e.one(op.operands[0]), e.one(op.operands[1])
    if not v.wide:
        e.set(op, v)
        return
    if lane.wide:  # the hardware reads the index from the first active lane
        lane = e.f.value(f"extractelement {lane.llvm} {lane.ref}, i64 0", lane.ty)
    lane = e.binary("and", lane, e.const(63, lane.ty))
    e.set(op, e.f.value(f"extractelement {v.llvm} {v.ref}, {lane.ty} {lane.ref}", v.ty))


# ------------------------------------------------------------------ lane to lane


def moved(e: Emitter, v: V, sources: list[int]) -> V:
    """``out[l] = v[sources[l]]`` for a fixed pattern."""
    v = e.f.wide(v)
    order = ", ".join(f"i32 {s}" for s in sources)
    return e.f.value(
        f"shufflevector {v.llvm} {v.ref}, {v.llvm} poison, <64 x i32> <{order}>", v.ty, True
    )


def blend(e: Emitter, take: list[bool], a: V, b: V) -> V:
    """``a`` in the lanes of ``take``, else ``b``."""
    if all(take):
        return e.f.wide(a)
    bits = ", ".join(f"i1 {'true' if t else 'false'}" for t in take)
    return e.select(V(f"<{bits}>", "i1", True), a, b)


@emits("rocdl.permlane16.swap", "rocdl.permlane32.swap")
def permlane_swap(e: Emitter, op: Op) -> None:
    half = 16 if "16" in op.name else 32
    x, y = e.one(op.operands[0]), e.one(op.operands[1])
    upper = [bool(lane & half) for lane in range(64)]
    first = blend(e, [not u for u in upper], x, moved(e, y, [max(i - half, 0) for i in range(64)]))
    second = blend(e, upper, y, moved(e, x, [min(i + half, 63) for i in range(64)]))
    e.set(op, first, second)


def dpp_pattern(control: int) -> tuple[list[int], list[bool]] | None:
    """(source lane, whether it is inside) of a DPP control, or None for one not modelled."""
    lanes = range(64)
    if control <= 0xFF:  # quad_perm
        return [(i & ~3) | (control >> 2 * (i & 3)) & 3 for i in lanes], [True] * 64
    n = control & 15
    if 0x101 <= control <= 0x10F:  # row_shl
        return [min(i + n, 63) for i in lanes], [(i & 15) + n < 16 for i in lanes]
    if 0x111 <= control <= 0x11F:  # row_shr
        return [max(i - n, 0) for i in lanes], [(i & 15) >= n for i in lanes]
    if 0x121 <= control <= 0x12F:  # row_ror
        return [(i & ~15) | ((i & 15) - n) % 16 for i in lanes], [True] * 64
    if control == 0x140:  # row_mirror
        return [(i & ~15) | (15 - (i & 15)) for i in lanes], [True] * 64
    if control == 0x141:  # row_half_mirror
        return [(i & ~7) | (7 - (i & 7)) for i in lanes], [True] * 64
    if control == 0x142:  # row_bcast15: last lane of each row to the next row
        return [max((i & ~15) - 1, 0) for i in lanes], [i >= 16 for i in lanes]
    if control == 0x143:  # row_bcast31
        return [31 for _ in lanes], [i >= 32 for i in lanes]
    if 0x150 <= control <= 0x15F:  # row_newbcast
        return [(i & ~15) | n for i in lanes], [True] * 64
    return None


@emits(
    "llvm.amdgcn.update.dpp.i32",
    "llvm.amdgcn.update.dpp",
    "rocdl.update.dpp",
    "llvm.amdgcn.mov.dpp.i32",
)
def dpp(e: Emitter, op: Op) -> None:
    if op.name == "rocdl.update.dpp":
        old, src = e.one(op.operands[0]), e.one(op.operands[1])
        control, rows, banks, bound = (
            attr_int(op, n, 0) for n in ("dppCtrl", "rowMask", "bankMask", "boundCtrl")
        )
    else:
        values = [e.one(v) for v in op.operands]
        if op.kind.endswith("mov.dpp.i32"):
            values.insert(0, e.const(0, values[0].ty))
        old, src = values[:2]
        control, rows, banks = (int(v.ref) for v in values[2:5])
        bound = int(values[5].ref in ("true", "1"))
    pattern = dpp_pattern(control)
    if pattern is None:
        raise ReadError(f"{op.kind} at {op.loc.short}: DPP control {control:#x} is not modelled")
    sources, inside = pattern
    written = [bool(rows >> (i // 16) & 1 and banks >> (i % 16 // 4) & 1) for i in range(64)]
    value = moved(e, src, sources)
    fallback = e.const("0.0" if value.ty == "float" else 0, value.ty) if bound else old
    if e.mask is not None:  # lanes that are switched off supply nothing
        m = e.f.use(e.mask)
        on = e.f.value(f"bitcast i64 {m.ref} to <64 x i1>", "i1", True)
        value = e.select(moved(e, on, sources), value, fallback)
    value = blend(e, inside, value, fallback)
    e.set(op, blend(e, written, value, old))


@emits("rocdl.ds_bpermute", "llvm.amdgcn.ds.bpermute")
def bpermute(e: Emitter, op: Op) -> None:
    _permute(e, op, "kk3_permute")


@emits("rocdl.ds_permute", "llvm.amdgcn.ds.permute")
def permute(e: Emitter, op: Op) -> None:
    _permute(e, op, "kk3_permute_push")


def _permute(e: Emitter, op: Op, name: str) -> None:
    index, v = e.one(op.operands[0]), e.one(op.operands[1])
    e.put_addresses(index)
    e.put(1, e.f.wide(e.cast("bitcast", v, "i32")))
    e.call(name, f"i64 {active(e).ref}")
    e.set(op, e.take(0, True, v.ty))


@emits("rocdl.ds_swizzle", "llvm.amdgcn.ds.swizzle")
def swizzle(e: Emitter, op: Op) -> None:
    v, pattern = e.one(op.operands[0]), int(e.one(op.operands[1]).ref)
    if pattern & 0x8000:
        sources = [(i & ~3) | (pattern >> 2 * (i & 3)) & 3 for i in range(64)]
    else:
        keep, set_, flip = pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31
        sources = [(i & 32) | (((i & keep) | set_) ^ flip) & 31 for i in range(64)]
    e.set(op, moved(e, v, sources))


@emits("gpu.shuffle")
def shuffle(e: Emitter, op: Op) -> None:
    v, offset, width = (e.one(x) for x in op.operands)
    mode = ("xor", "up", "down", "idx").index(attr_word(op, "mode"))
    if not width.literal:
        raise ReadError(f"gpu.shuffle at {op.loc.short}: must have a constant width")
    size = int(width.ref)
    words = e.words((v,), op.operands[0].type)
    out: list[V] = []
    if offset.literal:
        n = int(offset.ref)
        pick = [(i ^ n, i - n, i + n, (i & ~(size - 1)) + n)[mode] for i in range(64)]
        ok = [p // size == i // size and p >= 0 for i, p in enumerate(pick)]
        sources = [p if good else i for i, (p, good) in enumerate(zip(pick, ok, strict=True))]
        out = [moved(e, w, sources) for w in words]
        bits = ", ".join(f"i1 {'true' if good else 'false'}" for good in ok)
        valid = V(f"<{bits}>", "i1", True)
    else:
        for w in words:
            e.put_addresses(offset)
            e.put(1, e.f.wide(w))
            e.call("kk3_shuffle", f"i32 {mode}", f"i32 {size}")
            out.append(e.take(0, True))
        valid = e.compare("ne", e.take(2, True), e.const(0, "i32"))
    e.env[op.results[0]] = e.from_words(out, op.results[0].type)
    e.env[op.results[1]] = (valid,)
