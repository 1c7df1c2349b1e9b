"""Structured control flow with lane masks, and the outlining of large regions."""

from __future__ import annotations

from dataclasses import replace

from kk3fast.sim.codegen import loops
from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.merge import active_mask, as_mask, fitted, nonzero, phi, shape, zeros
from kk3fast.sim.codegen.table import HANDLERS, IGNORED
from kk3fast.sim.codegen.values import Comps, V, component_types, slot_bytes
from kk3fast.sim.ir import Op, Region, Value

OUTLINE_OPS = 80
"""A structured operation with at least this many operations becomes a function of its own."""
OUTLINE_ALWAYS = 5000
"""… and with this many it does so whatever it carries."""
CARRIED_COMPONENTS = 32
_TERMINATORS = ("scf.yield", "scf.condition", "gpu.return")


def emit_region(e: Emitter, region: Region) -> None:
    """The operations of a region, terminator left to the caller."""
    ops = [op for op in region.ops if op.name not in _TERMINATORS]
    if ops:
        count_ops(e, ops)
    for op in ops:
        emit_op(e, op)


def count_ops(e: Emitter, ops: list[Op]) -> None:
    located = next((op.loc for op in ops if op.loc.frames), ops[0].loc)
    e.call("kk3_ops", f"i32 {e.code.stage(located)}", f"i32 {len(ops)}")


def emit_op(e: Emitter, op: Op) -> None:
    """One operation, structured or not."""
    if op.name in ("scf.if", "scf.for", "scf.while"):
        if e.code.sizes[op] >= OUTLINE_OPS and not carries_much(e, op):
            outline(e, op)
        else:
            structured(e, op)
    elif op.kind not in IGNORED:
        HANDLERS[op.kind](e, op)


def carries_much(e: Emitter, op: Op) -> bool:
    """Whether a loop carries so much that passing it to a function costs more than it saves."""
    if op.name == "scf.if" or e.code.sizes[op] > OUTLINE_ALWAYS:
        return False
    return sum(len(component_types(v.type)) for v in op.operands) > CARRIED_COMPONENTS


def structured(e: Emitter, op: Op) -> None:
    if op.name == "scf.if":
        emit_if(e, op)
    elif op.name == "scf.for":
        loops.emit_for(e, op, emit_region)
    else:
        loops.emit_while(e, op, emit_region)


# ------------------------------------------------------------------ scf.if


def emit_if(e: Emitter, op: Op) -> None:
    c = e.one(op.operands[0])
    regions = [r for r in op.regions if r.ops]
    if not c.wide:
        _uniform_if(e, op, c, regions)
    else:
        _divergent_if(e, op, c, regions)


def _uniform_if(e: Emitter, op: Op, c: V, regions: list[Region]) -> None:
    f = e.f
    then, other, end = f.new_label("then"), f.new_label("else"), f.new_label("end")
    f.emit(f"br i1 {c.ref}, label %{then}, label %{other if len(regions) > 1 else end}")
    results: list[list[Comps]] = []
    blocks: list[str] = []
    for label, region in zip((then, other), regions, strict=False):
        f.label(label)
        emit_region(e, region)
        values = region.ops[-1].operands
        results.append([fitted(e, e.get(v), r) for v, r in zip(values, op.results, strict=True)])
        blocks.append(f.block)
        f.emit(f"br label %{end}")
    f.label(end)
    for i, result in enumerate(op.results):
        merged = []
        for j, (ty, wide) in enumerate(shape(e, result)):
            merged.append(
                phi(e, ty, wide, [(r[i][j], b) for r, b in zip(results, blocks, strict=True)])
            )
        e.env[result] = tuple(merged)


def _divergent_if(e: Emitter, op: Op, c: V, regions: list[Region]) -> None:
    f = e.f
    outer = e.mask
    lanes = active_mask(e)
    taken = e.binary("and", as_mask(e, c), lanes)
    sides = [taken]
    if len(regions) > 1:
        sides.append(e.binary("and", e.binary("xor", taken, V("-1", "i64")), lanes))
    merged: list[list[Comps]] = []
    for side, region in zip(sides, regions, strict=False):
        some = nonzero(e, side)
        body, end = f.new_label("some"), f.new_label("join")
        before = f.block
        f.emit(f"br i1 {some.ref}, label %{body}, label %{end}")
        f.label(body)
        e.mask = side
        emit_region(e, region)
        values = region.ops[-1].operands
        got = [tuple(f.wide(v) for v in e.get(x)) for x in values]
        after = f.block
        f.emit(f"br label %{end}")
        f.label(end)
        e.mask = outer
        out: list[Comps] = []
        for comps in got[: len(op.results)]:
            out.append(
                tuple(phi(e, v.ty, True, [(v, after), (zeros(v.ty, True), before)]) for v in comps)
            )
        merged.append(out)
    for i, result in enumerate(op.results):
        pairs = zip(merged[0][i], merged[1][i], strict=True)
        e.env[result] = tuple(e.select(c, a, b) for a, b in pairs)


# ------------------------------------------------------------------ outlining


def free_values(op: Op) -> list[Value]:
    """Values an operation uses and does not define, in order of first use."""
    defined: set[Value] = set()
    used: dict[Value, None] = {}

    def visit(o: Op) -> None:
        for v in o.operands:
            if v not in defined:
                used[v] = None
        for region in o.regions:
            defined.update(region.args)
            for inner in region.ops:
                visit(inner)
        defined.update(o.results)

    visit(op)
    return list(used)


def outline(e: Emitter, op: Op) -> None:
    """Emit a structured operation as a function: live-ins and results go through a frame."""
    f = e.f
    child = Emitter(e.code, e.code.function(True), None)
    offset = 64
    area = "%area"
    if f.outlined:
        f.emit(f"store ptr %frame, ptr {area}")
    for value in free_values(op):
        comps = []
        for v in e.env[value]:
            if v.literal:
                comps.append(v)
                continue
            if v.slot >= 0:  # a live-in of this function too: left where it is
                comps.append(replace(v, up=v.up + 1))
                continue
            comps.append(V("", v.ty, v.wide, offset))
            f.store_slot(area, offset, v)
            offset += slot_bytes(v.ty, v.wide)
            offset = -(-offset // 64) * 64
        child.env[value] = tuple(comps)
    if e.mask is not None:
        child.mask = V("%mask", "i64")
    structured(child, op)
    outs: list[tuple[Value, list[tuple[int, V]]]] = []
    for result in op.results:
        places = []
        for v in child.get(result):
            child.f.store_slot("%frame", offset, v)
            places.append((offset, v))
            offset += slot_bytes(v.ty, v.wide)
            offset = -(-offset // 64) * 64
        outs.append((result, places))
    child.f.emit("ret void")
    f.frame_bytes = max(f.frame_bytes, offset, 64)
    mask = f.use(e.mask).ref if e.mask is not None else "-1"
    f.emit(f"call void @{child.f.name}(ptr %w, ptr {area}, i64 {mask})")
    for result, places in outs:
        e.env[result] = tuple(f.load_slot(area, at, v.ty, v.wide) for at, v in places)
