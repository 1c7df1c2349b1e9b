"""Vectors, structs and pointers: moving components about."""

from __future__ import annotations

from kk3fast.sim.codegen.arith import INTEGER, INTRINSICS, finish
from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.table import emits
from kk3fast.sim.codegen.values import V, component_types
from kk3fast.sim.ir import Op, Type
from kk3fast.sim.syntax import ReadError, attr_ints, attr_word, parse_type

DYNAMIC = -(2**63)


@emits("vector.extract", "llvm.extractelement")
def extract(e: Emitter, op: Op) -> None:
    source = op.operands[0]
    items = e.elements(e.get(source), source.type)
    position = attr_ints(op, "static_position") or [DYNAMIC]
    if len(position) != 1 or op.results[0].type.kind == "vector":
        raise ReadError(f"{op.name} at {op.loc.short}: must take one element of a 1-D vector")
    if position[0] != DYNAMIC:
        e.set(op, items[position[0]])
        return
    index = e.one(op.operands[1])
    out = items[0]
    for i, item in enumerate(items[1:], 1):
        out = e.select(e.compare("eq", index, e.const(i, index.ty)), item, out)
    e.set(op, out)


@emits("vector.insert", "llvm.insertelement")
def insert(e: Emitter, op: Op) -> None:
    value, target = (op.operands[0], op.operands[1])
    if op.name == "llvm.insertelement":
        value, target = target, value
    items = e.elements(e.get(target), target.type)
    new = e.one(value)
    position = attr_ints(op, "static_position") or [DYNAMIC]
    if position[0] != DYNAMIC:
        items[position[0]] = new
    else:
        index = e.one(op.operands[2])
        items = [
            e.select(e.compare("eq", index, e.const(i, index.ty)), new, item)
            for i, item in enumerate(items)
        ]
    finish(e, op, items)


@emits("vector.from_elements")
def from_elements(e: Emitter, op: Op) -> None:
    finish(e, op, [e.one(v) for v in op.operands])


@emits("vector.to_elements")
def to_elements(e: Emitter, op: Op) -> None:
    items = e.elements(e.get(op.operands[0]), op.operands[0].type)
    for result, item in zip(op.results, items, strict=True):
        e.env[result] = (item,)


@emits("vector.broadcast", "vector.splat")
def broadcast(e: Emitter, op: Op) -> None:
    items = e.elements(e.get(op.operands[0]), op.operands[0].type)
    count = op.results[0].type.count
    finish(e, op, items * (count // len(items)))


@emits(
    "vector.shape_cast",
    "llvm.inttoptr",
    "llvm.ptrtoint",
    "llvm.addrspacecast",
    "llvm.intr.expect",
    "llvm.freeze",
    "builtin.unrealized_conversion_cast",
)
def same(e: Emitter, op: Op) -> None:
    comps = e.get(op.operands[0])
    types = component_types(op.results[0].type)
    out = []
    for v, ty in zip(comps, types, strict=True):
        if v.ty != ty:
            grow = int(ty[1:]) > int(v.ty[1:])
            v = e.cast("zext" if grow else "trunc", v, ty)
        out.append(v)
    e.env[op.results[0]] = tuple(out)


@emits("llvm.expect.i1", "llvm.expect.i32")
def expect(e: Emitter, op: Op) -> None:
    e.env[op.results[0]] = e.get(op.operands[0])


@emits("vector.shuffle", "llvm.shufflevector")
def shuffle(e: Emitter, op: Op) -> None:
    items = []
    for v in op.operands:
        items += e.elements(e.get(v), v.type)
    finish(e, op, [items[max(i, 0)] for i in attr_ints(op, "mask")])


@emits("vector.extract_strided_slice")
def strided_slice(e: Emitter, op: Op) -> None:
    items = e.elements(e.get(op.operands[0]), op.operands[0].type)
    start = _list(op, "offsets")
    if len(start) != 1:
        raise ReadError(f"{op.name} at {op.loc.short}: must slice a 1-D vector")
    finish(e, op, items[start[0] : start[0] + op.results[0].type.count])


@emits("vector.insert_strided_slice")
def insert_slice(e: Emitter, op: Op) -> None:
    part = e.elements(e.get(op.operands[0]), op.operands[0].type)
    items = e.elements(e.get(op.operands[1]), op.operands[1].type)
    start = _list(op, "offsets")[0]
    items[start : start + len(part)] = part
    finish(e, op, items)


def _list(op: Op, name: str) -> list[int]:
    text = op.attrs[name].strip("[]")
    return [int(x.split(":")[0]) for x in text.split(",") if x.strip()]


@emits("vector.reduction")
def reduction(e: Emitter, op: Op) -> None:
    source = op.operands[0]
    kind = attr_word(op, "kind")
    elem = source.type.elem
    items = [e.to_f32(x, elem) for x in e.elements(e.get(source), source.type)]
    if len(op.operands) > 1:
        items.insert(0, e.to_f32(e.one(op.operands[1]), elem))
    instr = {
        "add": "fadd" if source.type.is_float else "add",
        "mul": "fmul" if source.type.is_float else "mul",
    }
    total = items[0]
    for item in items[1:]:
        if kind in instr:
            total = e.binary(instr[kind], total, item)
        elif f"arith.{kind}i" in INTEGER:
            total = e.binary(INTEGER[f"arith.{kind}i"], total, item)
        else:
            total = e.intrinsic(INTRINSICS[f"arith.{kind}"], total.ty, total, item)
    e.set(op, e.from_f32(total, elem))


# ------------------------------------------------------------------ structs and addresses


def _span(t: Type, position: list[int]) -> tuple[int, int]:
    """The components of a struct's member: first and past the last."""
    start = 0
    for i in position:
        start += sum(len(component_types(m)) for m in t.members[:i])
        t = t.members[i]
    return start, start + len(component_types(t))


@emits("llvm.extractvalue")
def extract_value(e: Emitter, op: Op) -> None:
    start, end = _span(op.operands[0].type, attr_ints(op, "position"))
    e.env[op.results[0]] = e.get(op.operands[0])[start:end]


@emits("llvm.insertvalue")
def insert_value(e: Emitter, op: Op) -> None:
    target, value = op.operands
    start, end = _span(target.type, attr_ints(op, "position"))
    comps = e.get(target)
    e.env[op.results[0]] = comps[:start] + e.get(value) + comps[end:]


@emits("llvm.mlir.addressof")
def address_of(e: Emitter, op: Op) -> None:
    name = op.attrs["global_name"].lstrip("@").strip('"')
    e.set(op, V(str(e.code.kernel.lds[name][0]), "i32"))


def _bytes(t: Type) -> int:
    return t.count * max(t.bits, 8) // 8


@emits("llvm.getelementptr")
def element_pointer(e: Emitter, op: Op) -> None:
    text = op.attrs["elem_type"]
    nested: list[int] = []
    while text.startswith("!llvm.array<"):  # an array's strides, outermost first
        count, _, text = text[len("!llvm.array<") : -1].partition(" x ")
        nested.append(int(count))
    size = _bytes(parse_type(text))
    strides = [size]
    for length in reversed(nested):
        strides.insert(0, strides[0] * length)
    raw = attr_ints(op, "rawConstantIndices")
    address = e.one(op.operands[0])
    rest = list(op.operands[1:])
    for stride, index in zip(strides, raw, strict=False):
        if index != -(2**31):
            if index:
                address = e.binary("add", address, e.const(index * stride, address.ty))
            continue
        step = e.one(rest.pop(0))
        if step.ty != address.ty:
            step = e.cast("trunc" if address.ty == "i32" else "sext", step, address.ty)
        if stride != 1:
            step = e.binary("mul", step, e.const(stride, address.ty))
        address = e.binary("add", address, step)
    e.set(op, address)


@emits("rocdl.make.buffer.rsrc")
def buffer_resource(e: Emitter, op: Op) -> None:
    base, limit = e.one(op.operands[0]), e.one(op.operands[2])
    if limit.ty != "i64":
        limit = e.cast("zext", limit, "i64")
    e.set(op, base, limit)
