"""``scf.for`` and ``scf.while``: lanes leave one by one, the loop ends when none is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.merge import active_mask, as_mask, fitted, nonzero, zeros
from kk3fast.sim.codegen.values import Comps, V, component_types
from kk3fast.sim.ir import Op, Region
from kk3fast.sim.polls import waits

EmitRegion = Callable[[Emitter, Region], None]


class _Carried:
    """Loop-carried components: phis whose back-edge values come later."""

    def __init__(self, e: Emitter, first: list[Comps], block: str) -> None:
        self.e = e
        self.back: dict[str, V] = {}
        self.back_block = ""
        self.phis: list[Comps] = []
        for comps in first:
            self.phis.append(tuple(self.add(v, block) for v in comps))

    def add(self, first: V, block: str) -> V:
        name = self.e.f.fresh("c")
        v = V(name, first.ty, first.wide)

        def line() -> str:
            back = self.back[name].ref
            return (
                f"{name} = phi {v.llvm} [ {first.ref}, %{block} ], [ {back}, %{self.back_block} ]"
            )

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


def emit_for(e: Emitter, op: Op, emit_region: EmitRegion) -> None:
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
    carried = _Carried(e, first, before)
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


def emit_while(e: Emitter, op: Op, emit_region: EmitRegion) -> None:
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
    carried = _Carried(e, first, before)
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
    f.label(inside)
    for arg, v in zip(after_region.args, values, strict=True):
        e.env[arg] = e.env[v]
    emit_region(e, after_region)
    last = [
        fitted(e, e.get(v), t) for v, t in zip(after_region.ops[-1].operands, targets, strict=True)
    ]
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
