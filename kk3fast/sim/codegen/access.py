"""Loads, stores, atomics, fences and private memory."""

from __future__ import annotations

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.table import emits
from kk3fast.sim.codegen.values import V, component_types
from kk3fast.sim.ir import Op, Type
from kk3fast.sim.syntax import ReadError, attr_int, attr_word, parse_type

GLOBAL, LDS, PRIVATE = 1, 3, 5
ATOMICS = (
    "xchg",
    "add",
    "sub",
    "and",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "fadd",
    "fmax",
    "fmin",
    "cas",
)
"""In the order of the runtime's table."""
_LLVM_ATOMICS = {
    0: "xchg",
    1: "add",
    2: "sub",
    3: "and",
    5: "or",
    6: "xor",
    7: "max",
    8: "min",
    9: "umax",
    10: "umin",
    11: "fadd",
    13: "fmax",
    14: "fmin",
}
_BUFFER_ATOMICS = {
    "rocdl.raw.ptr.buffer.atomic.fadd": "fadd",
    "rocdl.raw.ptr.buffer.atomic.fmax": "fmax",
    "rocdl.raw.ptr.buffer.atomic.smax": "max",
    "rocdl.raw.ptr.buffer.atomic.umin": "umin",
    "rocdl.raw.ptr.buffer.atomic.cmpswap": "cas",
}


def memory_bytes(t: Type) -> tuple[int, int]:
    """(bytes of a value in memory, bytes of the unit that must be aligned)."""
    if t.kind == "ptr":
        return 8, 4
    bits = 8 if t.elem == "i1" else t.bits
    total = t.count * bits // 8
    return total, min(total & -total, 4)


def give(e: Emitter, value: Op | None, comps: tuple[V, ...], t: Type) -> None:
    """Put a value into the exchange area as words."""
    for i, word in enumerate(e.words(comps, t)):
        e.put(i, word)


def fetch(e: Emitter, op: Op, wide: bool) -> None:
    """A loaded value from the exchange area."""
    t = op.results[0].type
    types = component_types(t)
    if t.kind == "scalar" and t.elem == "f32":
        e.set(op, e.take(0, wide, "float"))
        return
    if t.kind == "vector" and t.elem == "f32":
        e.env[op.results[0]] = tuple(e.take(i, wide, "float") for i in range(t.count))
        return
    count = sum({"i64": 2, "double": 2}.get(ty, 1) for ty in types)
    e.env[op.results[0]] = e.from_words([e.take(i, wide) for i in range(count)], t)


def full_address(e: Emitter, off: V, extra: V) -> V:
    return off if extra.literal and extra.ref == "0" else e.binary("add", off, extra)


@emits("rocdl.raw.ptr.buffer.load", "llvm.amdgcn.raw.ptr.buffer.load")
def buffer_load(e: Emitter, op: Op) -> None:
    base, limit = e.get(op.operands[0])
    off = full_address(e, e.one(op.operands[1]), e.one(op.operands[2]))
    size, elem = memory_bytes(op.results[0].type)
    site = e.code.site(op, GLOBAL, size, elem, attr_int(op, "aux", 0))
    _uniform_base(e, op, base, limit)
    head = (f"i64 {base.ref}", f"i64 {limit.ref}")
    if off.wide:
        e.put_addresses(off)
        e.call("kk3_buf_ld", *head, e.mask_text(), f"i32 {site}")
    else:
        e.call("kk3_buf_ld_u", *head, f"i32 {off.ref}", e.mask_text(), f"i32 {site}")
    fetch(e, op, off.wide)


@emits("rocdl.raw.ptr.buffer.store", "llvm.amdgcn.raw.ptr.buffer.store")
def buffer_store(e: Emitter, op: Op) -> None:
    value = op.operands[0]
    base, limit = e.get(op.operands[1])
    off = full_address(e, e.one(op.operands[2]), e.one(op.operands[3]))
    size, elem = memory_bytes(value.type)
    site = e.code.site(op, GLOBAL, size, elem, attr_int(op, "aux", 0))
    _uniform_base(e, op, base, limit)
    comps = e.get(value)
    head = (f"i64 {base.ref}", f"i64 {limit.ref}")
    if off.wide or any(v.wide for v in comps):
        give(e, op, tuple(e.f.wide(v) for v in comps), value.type)
        e.put_addresses(off)
        e.call("kk3_buf_st", *head, e.mask_text(), f"i32 {site}")
    else:
        give(e, op, comps, value.type)
        e.call("kk3_buf_st_u", *head, f"i32 {off.ref}", e.mask_text(), f"i32 {site}")


def _uniform_base(e: Emitter, op: Op, base: V, limit: V) -> None:
    if base.wide or limit.wide:
        raise ReadError(
            f"{op.name} at {op.loc.short}: the buffer resource must be the same in every lane"
            " (a resource that differs between lanes is not modelled)"
        )


@emits("llvm.load")
def load(e: Emitter, op: Op) -> None:
    pointer = op.operands[0]
    size, elem = memory_bytes(op.results[0].type)
    address = e.one(pointer)
    space = pointer.type.space
    if space == LDS:
        site = e.code.site(op, LDS, size, elem, 0)
        if address.wide:
            e.put_addresses(address)
            e.call("kk3_lds_ld", e.mask_text(), f"i32 {site}")
        else:
            e.call("kk3_lds_ld_u", f"i32 {address.ref}", e.mask_text(), f"i32 {site}")
        fetch(e, op, address.wide)
    elif space == PRIVATE:
        site = e.code.site(op, PRIVATE, size, elem, 0, 0)
        e.put_addresses(address)
        e.call("kk3_prv", e.mask_text(), f"i32 {site}")
        fetch(e, op, True)
    else:
        site = e.code.site(op, GLOBAL, size, elem, _policy(op))
        if address.wide:
            e.put_addresses(address)
            e.call("kk3_ptr_ld", e.mask_text(), f"i32 {site}")
        else:
            e.call("kk3_ptr_ld_u", f"i64 {address.ref}", e.mask_text(), f"i32 {site}")
        fetch(e, op, address.wide)


@emits("llvm.store")
def store(e: Emitter, op: Op) -> None:
    value, pointer = op.operands
    size, elem = memory_bytes(value.type)
    address, comps = e.one(pointer), e.get(value)
    space = pointer.type.space
    wide = address.wide or any(v.wide for v in comps)
    kind = space if space in (LDS, PRIVATE) else GLOBAL
    site = e.code.site(op, kind, size, elem, 0 if kind != GLOBAL else _policy(op), 1)
    if wide or space == PRIVATE:
        give(e, op, tuple(e.f.wide(v) for v in comps), value.type)
        e.put_addresses(address)
        name = {LDS: "kk3_lds_st", PRIVATE: "kk3_prv"}.get(space, "kk3_ptr_st")
        e.call(name, e.mask_text(), f"i32 {site}")
    else:
        give(e, op, comps, value.type)
        name, ty = ("kk3_lds_st_u", "i32") if space == LDS else ("kk3_ptr_st_u", "i64")
        e.call(name, f"{ty} {address.ref}", e.mask_text(), f"i32 {site}")


def _policy(op: Op) -> int:
    """The cache policy of a pointer access: nontemporal, or the scope of an atomic one."""
    if attr_int(op, "ordering", 0) >= 2:
        return _scope_policy(op)
    return 2 if "nontemporal" in op.attrs else 0


def _scope_policy(op: Op) -> int:
    scope = op.attrs.get("syncscope", '""').strip('"')
    if scope.startswith(("workgroup", "wavefront", "singlethread")):
        return 0
    return 16 if scope.startswith("agent") else 17


@emits("llvm.alloca")
def alloca(e: Emitter, op: Op) -> None:
    t = parse_type(op.attrs["elem_type"])
    count = e.one(op.operands[0])
    if not count.literal:
        raise ReadError(f"llvm.alloca at {op.loc.short}: must have a constant size")
    size = -(-t.count * max(t.bits, 8) // 8 // 16) * 16 * int(count.ref)
    e.set(op, V(str(e.code.private(size)), "i32"))


@emits("llvm.atomicrmw", "llvm.cmpxchg", *_BUFFER_ATOMICS)
def atomic(e: Emitter, op: Op) -> None:
    values = list(op.operands)
    if op.name.startswith("rocdl"):
        kind = _BUFFER_ATOMICS[op.name]
        at = 2 if kind == "cas" else 1
        base, limit = e.get(values[at])
        _uniform_base(e, op, base, limit)
        off = full_address(e, e.one(values[at + 1]), e.one(values[at + 2]))
        address = e.binary("add", base, e.cast("zext", off, "i64"))
        space, policy, data = GLOBAL, 16, values[:at]
        if kind == "cas":
            data = [values[0], values[1]]
    else:
        pointer = values[0]
        space = LDS if pointer.type.space == LDS else GLOBAL
        address, policy = e.one(pointer), _scope_policy(op)
        if op.name == "llvm.cmpxchg":
            kind, data = "cas", [values[2], values[1]]
        else:
            number = attr_int(op, "bin_op")
            if number not in _LLVM_ATOMICS:
                raise ReadError(
                    f"llvm.atomicrmw at {op.loc.short}: operation {number} is not modelled"
                )
            kind, data = _LLVM_ATOMICS[number], [values[1]]
    t = data[0].type
    size, _ = memory_bytes(t)
    if size not in (4, 8) or t.kind == "vector":
        raise ReadError(f"{op.name} at {op.loc.short}: must be of 4 or 8 bytes, got {size}")
    site = e.code.site(op, space, size, size, policy, ATOMICS.index(kind))
    for i, value in enumerate(data):
        for j, word in enumerate(e.words(e.get(value), t)):
            e.put(2 * i + j, e.f.wide(word))
    e.put_addresses(address)
    e.call("kk3_atomic", e.mask_text(), f"i32 {site}")
    if not op.results:
        return
    old = e.from_words([e.take(i, True) for i in range(size // 4)], t)
    if op.name == "llvm.cmpxchg":
        same = e.compare("eq", old[0], e.get(values[1])[0])
        e.env[op.results[0]] = (*old, same)
    else:
        e.env[op.results[0]] = old


@emits("llvm.fence")
def fence(e: Emitter, op: Op) -> None:
    ordering = attr_int(op, "ordering")
    acquire, release = int(ordering in (4, 6, 7)), int(ordering in (5, 6, 7))
    scope = op.attrs.get("syncscope", '""').strip('"')
    level = {"workgroup": 0, "wavefront": 0, "singlethread": 0, "agent": 1}.get(
        scope.split("-")[0], 2
    )
    site = e.code.site(op, 0, 0, 1, 0)
    e.call("kk3_fence", f"i32 {acquire}", f"i32 {release}", f"i32 {level}", f"i32 {site}")


@emits("rocdl.s.waitcnt", "llvm.amdgcn.s.waitcnt")
def waitcnt(e: Emitter, op: Op) -> None:
    if op.name == "rocdl.s.waitcnt":
        bits = attr_int(op, "bitfield")
    else:
        bits = int(e.one(op.operands[0]).ref)
    e.call("kk3_waitcnt", f"i32 {bits}", f"i32 {e.code.site(op, 0, 0, 1, 0)}")


@emits("gpu.barrier", "rocdl.barrier", "rocdl.s.barrier", "llvm.amdgcn.s.barrier")
def barrier(e: Emitter, op: Op) -> None:
    if attr_word(op, "scope", "workgroup") != "workgroup":
        raise ReadError(f"{op.name} at {op.loc.short}: must be of workgroup scope")
    mask = e.mask_text()
    if e.mask is None:
        mask = f"i64 {e.field('mask0', 'i64').ref}"
    e.call("kk3_barrier", mask, f"i32 {e.code.site(op, 0, 0, 1, 0)}")


@emits("rocdl.s.sleep", "llvm.amdgcn.s.sleep")
def sleep(e: Emitter, op: Op) -> None:
    e.call("kk3_sleep", f"i32 {e.code.site(op, 0, 0, 1, 0)}")


@emits("llvm.amdgcn.s.memrealtime", "llvm.amdgcn.s.memtime", "rocdl.s.memrealtime")
def clock(e: Emitter, op: Op) -> None:
    value = e.call("kk3_clock", result="i64")
    assert value is not None
    e.set(op, value)
