"""Which loads are polls: loads whose value decides when a waiting loop ends."""

from __future__ import annotations

from kk3fast.sim.ir import Kernel, Op, Region, Value, walk

_LOADS = ("rocdl.raw.ptr.buffer.load", "llvm.load")


def waits(op: Op) -> bool:
    """Whether an ``scf.while`` sleeps in its body: a wait, not a computation."""
    return op.name == "scf.while" and any(
        inner.name in ("rocdl.s.sleep", "llvm.amdgcn.s.sleep") or inner.kind.endswith(".s.sleep")
        for region in op.regions
        for inner in walk(region)
    )


def spins(op: Op, inner: set[Op]) -> bool:
    """Whether an ``scf.while`` without a sleep tests a scoped or atomic load."""
    return any(_scoped(load) for load in inner)


def _scoped(load: Op) -> bool:
    aux = load.attrs.get("aux", "0").split(":")[0]
    ordering = load.attrs.get("ordering", "0").split(":")[0]
    return bool(int(aux) & 16) or int(ordering) >= 2


def poll_loads(kernel: Kernel) -> set[Op]:
    """The loads a waiting loop's condition depends on, in the loop or before its first test."""
    sources: dict[Value, list[Value]] = {}
    _flow(kernel.body, sources)
    found: set[Op] = set()
    for op in walk(kernel.body):
        if op.name != "scf.while":
            continue
        reached: set[Op] = set()
        todo = [op.regions[0].ops[-1].operands[0]]
        seen: set[Value] = set()
        while todo:
            value = todo.pop()
            if value in seen:
                continue
            seen.add(value)
            todo += sources.get(value, [])
            if value.op is None:
                continue
            if value.op.name in _LOADS:
                reached.add(value.op)
            elif not value.op.regions:
                todo += value.op.operands
        inside = {inner for region in op.regions for inner in walk(region)}
        if waits(op) or spins(op, reached & inside):
            found |= reached
    return found


def _flow(region: Region, sources: dict[Value, list[Value]]) -> None:
    """Where block arguments and the results of structured operations get their values."""
    for op in region.ops:
        for inner in op.regions:
            _flow(inner, sources)
        if op.name == "scf.if":
            for inner in (r for r in op.regions if r.ops):
                for result, value in zip(op.results, inner.ops[-1].operands, strict=False):
                    sources.setdefault(result, []).append(value)
        elif op.name == "scf.for":
            body = op.regions[0]
            triples = zip(
                op.results, body.args[1:], op.operands[3:], body.ops[-1].operands, strict=True
            )
            for result, arg, first, last in triples:
                sources[arg] = [first, last]
                sources[result] = [arg]
        elif op.name == "scf.while":
            before, after = op.regions
            for arg, first, last in zip(
                before.args, op.operands, after.ops[-1].operands, strict=True
            ):
                sources[arg] = [first, last]
            values = before.ops[-1].operands[1:]
            for arg, result, value in zip(after.args, op.results, values, strict=True):
                sources[arg] = [value]
                sources[result] = [value]
