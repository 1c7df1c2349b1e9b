"""Structured control flow with lane masks, and the outlining of large regions."""

from __future__ import annotations

from collections.abc import Iterable

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.table import HANDLERS, IGNORED
from kk3fast.sim.codegen.values import Comps, V, component_types, slot_bytes
from kk3fast.sim.ir import Op, Region, Value, walk
from kk3fast.sim.polls import waits

OUTLINE_OPS = 80
"""A structured operation with at least this many operations becomes a function of its own."""
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
        if e.code.sizes[op] >= OUTLINE_OPS and not (e.f.outlined and _whole(e, op)):
            outline(e, op)
        else:
            structured(e, op)
    elif op.kind not in IGNORED:
        HANDLERS[op.kind](e, op)


def _whole(e: Emitter, op: Op) -> bool:
    return getattr(e, "root", None) is op


def structured(e: Emitter, op: Op) -> None:
    {"scf.if": emit_if, "scf.for": emit_for, "scf.while": emit_while}[op.name](e, op)


# ------------------------------------------------------------------ helpers


def shape(e: Emitter, value: Value) -> list[tuple[str, bool]]:
    """(LLVM type, wide) of each component of a value that control flow merges."""
    wide = e.code.divergence.is_varying(value)
    return [(ty, wide) for ty in component_types(value.type)]


def fitted(e: Emitter, comps: Iterable[V], target: Value) -> Comps:
    """Components as wide as the merged value needs them."""
    wide = e.code.divergence.is_varying(target)
    return tuple(e.f.wide(v) if wide else e.f.use(v) for v in comps)


def phi(e: Emitter, ty: str, wide: bool, incoming: list[tuple[V, str]]) -> V:
    full = f"<64 x {ty}>" if wide else ty
    pairs = ", ".join(f"[ {v.ref}, %{block} ]" for v, block in incoming)
    return e.f.value(f"phi {full} {pairs}", ty, wide)


def as_mask(e: Emitter, c: V) -> V:
    """A condition's lanes as 64 bits."""
    c = e.f.wide(c)
    return e.f.value(f"bitcast <64 x i1> {c.ref} to i64", "i64")


def active_mask(e: Emitter) -> V:
    return e.f.use(e.mask) if e.mask else V("-1", "i64")


def nonzero(e: Emitter, mask: V) -> V:
    return e.compare("ne", mask, V("0", "i64"))


def zeros(ty: str, wide: bool) -> V:
    return V("zeroinitializer" if wide else {"float": "0.0", "double": "0.0", "i1": "false"}.get(ty, "0"), ty, wide)


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
    start = f.block
    results: list[list[Comps]] = []
    blocks: list[str] = []
    for label, region in zip((then, other), regions, strict=False):
        f.label(label)
        emit_region(e, region)
        values = region.ops[-1].operands
        results.append([fitted(e, e.get(v), r) for v, r in zip(values, op.results, strict=True)])
        blocks.append(f.block)
        f.emit(f"br label %{end}")
    del start
    f.label(end)
    for i, result in enumerate(op.results):
        merged = []
        for j, (ty, wide) in enumerate(shape(e, result)):
            merged.append(phi(e, ty, wide, [(r[i][j], b) for r, b in zip(results, blocks, strict=True)]))
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


# ------------------------------------------------------------------ loops


class _Carried:
    """Loop-carried components: phis whose back-edge values come later."""

    def __init__(self, e: Emitter, targets: list[Value], first: list[Comps], block: str) -> None:
        self.e = e
        self.back: dict[str, V] = {}
        self.back_block = ""
        self.phis: list[Comps] = []
        for target, comps in zip(targets, first, strict=True):
            out = []
            for v in comps:
                out.append(self.add(v, block))
            self.phis.append(tuple(out))

    def add(self, first: V, block: str) -> V:
        name = self.e.f.fresh("c")
        v = V(name, first.ty, first.wide)

        def line() -> str:
            back = self.back[name].ref
            return f"{name} = phi {v.llvm} [ {first.ref}, %{block} ], [ {back}, %{self.back_block} ]"

        self.e.f.later(line)
        return v

    def close(self, values: Iterable[tuple[V, V]]) -> None:
        self.back_block = self.e.f.block
        for carried, value in values:
            self.back[carried.ref] = value


def back_edge(e: Emitter, op: Op) -> None:
    """Let other waves run after a bounded number of iterations."""
    f = e.f
    p = f.fresh("p")
    f.emit(f"{p} = getelementptr i8, ptr %w, i64 {e.code.layout['budget']}")
    left = f.value(f"load i32, ptr {p}", "i32")
    less = e.binary("add", left, V("-1", "i32"))
    f.emit(f"store i32 {less.ref}, ptr {p}")
    out = e.compare("eq", less, V("0", "i32"))
    spent, go = f.new_label("spent"), f.new_label("go")
    f.emit(f"br i1 {out.ref}, label %{spent}, label %{go}")
    f.label(spent)
    e.call("kk3_quantum", f"i32 {e.code.site(op, 0, 0, 1, 0)}")
    f.emit(f"br label %{go}")
    f.label(go)


def emit_for(e: Emitter, op: Op) -> None:
    f = e.f
    lower, upper, step = (e.one(v) for v in op.operands[:3])
    body = op.regions[0]
    iv, *targets = body.args
    first = [fitted(e, e.get(v), t) for v, t in zip(op.operands[3:], targets, strict=True)]
    index = f.wide(lower) if e.code.divergence.is_varying(iv) else lower
    divergent = lower.wide or upper.wide or step.wide
    outer, lanes = e.mask, active_mask(e)
    done = [[zeros(v.ty, True) for v in c] for c in first] if divergent else []
    if divergent:
        done = [[f.wide(v) for v in c] for c in first]
    head, inside, end = f.new_label("for"), f.new_label("body"), f.new_label("end")
    before = f.block
    f.emit(f"br label %{head}")
    f.label(head)
    carried = _Carried(e, targets, first, before)
    i = carried.add(index, before)
    live = carried.add(lanes, before) if divergent else None
    results = [[carried.add(v, before) for v in c] for c in done]
    c = e.compare("slt", i, upper)
    if live is not None:
        now = e.binary("and", as_mask(e, c), live)
        on = f.value(f"bitcast i64 {now.ref} to <64 x i1>", "i1", True)
        c = nonzero(e, now)
        e.mask = now
    f.emit(f"br i1 {c.ref}, label %{inside}, label %{end}")
    f.label(inside)
    e.env[iv] = (i,)
    for target, comps in zip(targets, carried.phis, strict=True):
        e.env[target] = comps
    emit_region(e, body)
    last = [fitted(e, e.get(v), t) for v, t in zip(body.ops[-1].operands, targets, strict=True)]
    after = e.binary("add", i, step)
    pairs = [(i, after)]
    if live is not None:
        pairs.append((live, now))
        for old, new in zip(results, last, strict=True):
            pairs += [(o, e.select(on, n, o)) for o, n in zip(old, new, strict=True)]
    back_edge(e, op)
    for phis, values in zip(carried.phis, last, strict=True):
        pairs += list(zip(phis, values, strict=True))
    carried.close(pairs)
    f.emit(f"br label %{head}")
    f.label(end)
    e.mask = outer
    for k, result in enumerate(op.results):
        comps = tuple(results[k]) if divergent else carried.phis[k]
        e.env[result] = comps


def emit_while(e: Emitter, op: Op) -> None:
    f = e.f
    before_region, after_region = op.regions
    targets = before_region.args
    first = [fitted(e, e.get(v), t) for v, t in zip(op.operands, targets, strict=True)]
    condition, *values = before_region.ops[-1].operands
    divergent = e.code.divergence.is_varying(condition)
    outer, lanes = e.mask, active_mask(e)
    waiting = waits(op)
    site = e.code.site(op, 0, 0, 1, 0) if waiting else 0
    if waiting:
        e.call("kk3_poll_begin", f"i32 {site}")
    head, inside, end = f.new_label("while"), f.new_label("do"), f.new_label("end")
    before = f.block
    f.emit(f"br label %{head}")
    f.label(head)
    carried = _Carried(e, targets, first, before)
    live = carried.add(lanes, before) if divergent else None
    kept: list[list[V]] = []
    if divergent:
        for v in values:
            kept.append([carried.add(zeros(ty, True), before) for ty in component_types(v.type)])
        e.mask = live
    for target, comps in zip(targets, carried.phis, strict=True):
        e.env[target] = comps
    emit_region(e, before_region)
    c = e.one(condition)
    pairs: list[tuple[V, V]] = []
    results: list[Comps] = []
    if live is not None:
        on = f.value(f"bitcast i64 {live.ref} to <64 x i1>", "i1", True)
        for old, v in zip(kept, values, strict=True):
            new = tuple(e.select(on, x, o) for x, o in zip(e.get(v), old, strict=True))
            pairs += list(zip(old, new, strict=True))
            results.append(new)
        now = e.binary("and", as_mask(e, c), live)
        pairs.append((live, now))
        c = nonzero(e, now)
        e.mask = now
    else:
        results = [fitted(e, e.get(v), r) for v, r in zip(values, op.results, strict=True)]
    f.emit(f"br i1 {c.ref}, label %{inside}, label %{end}")
    leaving = f.block
    del leaving
    f.label(inside)
    for arg, v in zip(after_region.args, values, strict=True):
        e.env[arg] = e.env[v]
    emit_region(e, after_region)
    last = [fitted(e, e.get(v), t) for v, t in zip(after_region.ops[-1].operands, targets, strict=True)]
    back_edge(e, op)
    for phis, new_values in zip(carried.phis, last, strict=True):
        pairs += list(zip(phis, new_values, strict=True))
    carried.close(pairs)
    f.emit(f"br label %{head}")
    f.label(end)
    e.mask = outer
    if waiting:
        e.call("kk3_poll_end", f"i32 {site}")
    for result, comps in zip(op.results, results, strict=True):
        e.env[result] = comps


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
    child.root = op  # type: ignore[attr-defined]
    offset = 0
    area = "%area"
    for value in free_values(op):
        comps = []
        for v in e.get(value):
            if v.literal:
                comps.append(v)
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


def region_ops(op: Op) -> list[Op]:
    """All operations nested in an operation."""
    return [inner for region in op.regions for inner in walk(region)]
