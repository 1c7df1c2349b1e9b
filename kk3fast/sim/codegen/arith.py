"""Element-wise arithmetic, comparisons and casts."""

from __future__ import annotations

from kk3fast.sim.codegen.base import Emitter
from kk3fast.sim.codegen.table import emits
from kk3fast.sim.codegen.values import LLVM_TYPES, V, component_types, packed
from kk3fast.sim.ir import Op
from kk3fast.sim.syntax import attr_int

INTEGER = {
    "arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul", "arith.andi": "and",
    "arith.ori": "or", "arith.xori": "xor", "llvm.add": "add", "llvm.sub": "sub", "llvm.mul": "mul",
    "llvm.and": "and", "llvm.or": "or", "llvm.xor": "xor",
}  # fmt: skip
SHIFTS = {
    "arith.shli": "shl", "arith.shrsi": "ashr", "arith.shrui": "lshr",
    "llvm.shl": "shl", "llvm.ashr": "ashr", "llvm.lshr": "lshr",
}  # fmt: skip
FLOAT = {
    "arith.addf": "fadd", "arith.subf": "fsub", "arith.mulf": "fmul", "arith.divf": "fdiv",
    "arith.remf": "frem", "llvm.fadd": "fadd", "llvm.fsub": "fsub", "llvm.fmul": "fmul",
    "llvm.fdiv": "fdiv",
}  # fmt: skip
INTRINSICS = {
    "arith.maxsi": "smax", "arith.minsi": "smin", "arith.maxui": "umax", "arith.minui": "umin",
    "math.absf": "fabs", "math.ctpop": "ctpop", "math.floor": "floor", "math.ceil": "ceil",
    "math.trunc": "trunc", "math.roundeven": "roundeven", "math.round": "round",
    "arith.maximumf": "maximum", "arith.minimumf": "minimum", "arith.maxnumf": "maxnum",
    "arith.minnumf": "minnum", "math.fma": "fma", "math.copysign": "copysign",
    "llvm.intr.maximum": "maximum", "llvm.intr.minimum": "minimum", "llvm.intr.maxnum": "maxnum",
    "llvm.intr.minnum": "minnum", "llvm.intr.fma": "fma", "llvm.intr.fabs": "fabs",
    "llvm.intr.umin": "umin", "llvm.intr.umax": "umax", "llvm.intr.smin": "smin",
    "llvm.intr.smax": "smax", "llvm.intr.ctpop": "ctpop", "llvm.intr.floor": "floor",
}  # fmt: skip
ICMP = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FCMP = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
)  # fmt: skip
CASTS = {
    "arith.extsi": "sext", "arith.extui": "zext", "arith.trunci": "trunc",
    "llvm.sext": "sext", "llvm.zext": "zext", "llvm.trunc": "trunc",
}  # fmt: skip


def is_float(elem: str) -> bool:
    return elem[0] in "fb"


def elementwise(e: Emitter, op: Op) -> list[list[V]]:
    """Elements of every operand, transposed: one list of operands an element."""
    columns = [e.elements(e.get(v), v.type) for v in op.operands]
    return [list(row) for row in zip(*columns, strict=True)]


def finish(e: Emitter, op: Op, out: list[V]) -> None:
    e.env[op.results[0]] = e.vector(out, op.results[0].type)


@emits(*INTEGER)
def integer(e: Emitter, op: Op) -> None:
    instr = INTEGER[op.name]
    if packed(op.results[0].type) and instr in ("and", "or", "xor"):
        a, b = e.get(op.operands[0]), e.get(op.operands[1])
        e.set(op, *(e.binary(instr, x, y) for x, y in zip(a, b, strict=True)))
        return
    finish(e, op, [e.binary(instr, a, b) for a, b in elementwise(e, op)])


@emits(*SHIFTS)
def shift(e: Emitter, op: Op) -> None:
    constant = e.code.divergence.wave_constant(op)
    if constant is not None:
        wave_constant(e, op, constant)
        return
    out = []
    for a, b in elementwise(e, op):
        bits = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}[a.ty]
        if not b.literal:  # the hardware takes the amount modulo the width; LLVM gives poison
            b = e.binary("and", b, e.const(bits - 1, b.ty))
        out.append(e.binary(SHIFTS[op.name], a, b))
    finish(e, op, out)


def wave_constant(e: Emitter, op: Op, constant: int) -> None:
    """A division of the thread's index by a multiple of 64: the same in every lane."""
    ty = component_types(op.results[0].type)[0]
    wave = e.field("index", "i32")
    q = e.binary("udiv", wave, e.const(constant // 64, "i32")) if constant != 64 else wave
    e.set(op, e.cast("zext", q, ty) if ty == "i64" else q)


@emits(
    "arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "arith.floordivsi",
    "arith.ceildivsi", "arith.ceildivui", "llvm.sdiv", "llvm.udiv", "llvm.srem", "llvm.urem",
)  # fmt: skip
def divide(e: Emitter, op: Op) -> None:
    constant = e.code.divergence.wave_constant(op)
    if constant is not None:
        wave_constant(e, op, constant)
        return
    finish(e, op, [_divide(e, op.name, a, b) for a, b in elementwise(e, op)])


def _divide(e: Emitter, name: str, a: V, b: V) -> V:
    one, zero = e.const(1, a.ty), e.const(0, a.ty)
    if not b.literal or b.ref == "0":  # idle lanes may hold anything: division must not trap
        b = e.select(e.compare("eq", b, zero), one, b)
        if not name.endswith(("ui", "udiv", "urem")):
            low = e.const(-(1 << (int(a.ty[1:]) - 1)), a.ty)
            minus = e.const(-1, a.ty)
            clash = e.binary("and", e.compare("eq", a, low), e.compare("eq", b, minus))
            b = e.select(clash, one, b)
    kind = name.split(".")[1]
    if kind in ("divsi", "sdiv"):
        return e.binary("sdiv", a, b)
    if kind in ("divui", "udiv"):
        return e.binary("udiv", a, b)
    if kind in ("remsi", "srem"):
        return e.binary("srem", a, b)
    if kind in ("remui", "urem"):
        return e.binary("urem", a, b)
    if kind == "ceildivui":
        q = e.binary("udiv", a, b)
        rest = e.compare("ne", e.binary("urem", a, b), zero)
        return e.select(rest, e.binary("add", q, one), q)
    q, rest = e.binary("sdiv", a, b), e.binary("srem", a, b)
    inexact = e.compare("ne", rest, zero)
    negative = e.compare("slt", e.binary("xor", a, b), zero)
    if kind == "floordivsi":
        return e.select(e.binary("and", inexact, negative), e.binary("sub", q, one), q)
    positive = e.binary("xor", negative, e.const("true", "i1"))
    return e.select(e.binary("and", inexact, positive), e.binary("add", q, one), q)


@emits(*FLOAT)
def floating(e: Emitter, op: Op) -> None:
    elem = op.results[0].type.elem
    out = []
    for a, b in elementwise(e, op):
        r = e.binary(FLOAT[op.name], e.to_f32(a, elem), e.to_f32(b, elem))
        out.append(e.from_f32(r, elem))
    finish(e, op, out)


@emits("arith.negf", "llvm.fneg")
def negate(e: Emitter, op: Op) -> None:
    elem = op.results[0].type.elem
    out = []
    for (a,) in elementwise(e, op):
        x = e.to_f32(a, elem)
        out.append(e.from_f32(e.apply("fneg {t} {0}", x.ty, x), elem))
    finish(e, op, out)


@emits(*INTRINSICS)
def by_intrinsic(e: Emitter, op: Op) -> None:
    elem = op.results[0].type.elem
    name = INTRINSICS[op.name]
    out = []
    for row in elementwise(e, op):
        if is_float(elem):
            row = [e.to_f32(x, elem) for x in row]
            out.append(e.from_f32(e.intrinsic(name, row[0].ty, *row), elem))
        else:
            out.append(e.intrinsic(name, row[0].ty, *row))
    finish(e, op, out)


@emits("math.absi")
def absolute(e: Emitter, op: Op) -> None:
    zero = e.const(0, component_types(op.results[0].type)[0])
    out = [e.intrinsic("smax", a.ty, a, e.binary("sub", zero, a)) for (a,) in elementwise(e, op)]
    finish(e, op, out)


@emits("math.ctlz", "math.cttz")
def zeros(e: Emitter, op: Op) -> None:
    out = []
    for (a,) in elementwise(e, op):
        full = a.llvm
        a = e.f.use(a)
        name = f"llvm.{op.name[5:]}.{'v64' if a.wide else ''}{a.ty}"
        e.code.declare(f"declare {full} @{name}({full}, i1)")
        out.append(e.f.value(f"call {full} @{name}({full} {a.ref}, i1 false)", a.ty, a.wide))
    finish(e, op, out)


@emits("arith.cmpi", "llvm.icmp")
def compare_integers(e: Emitter, op: Op) -> None:
    predicate = ICMP[attr_int(op, "predicate")]
    finish(e, op, [e.compare(predicate, a, b) for a, b in elementwise(e, op)])


@emits("arith.cmpf", "llvm.fcmp")
def compare_floats(e: Emitter, op: Op) -> None:
    predicate = FCMP[attr_int(op, "predicate")]
    elem = op.operands[0].type.elem
    rows = elementwise(e, op)
    finish(e, op, [e.compare(predicate, e.to_f32(a, elem), e.to_f32(b, elem)) for a, b in rows])


@emits("arith.select", "llvm.select")
def select(e: Emitter, op: Op) -> None:
    c, a, b = (e.get(v) for v in op.operands)
    if len(c) == 1:
        e.env[op.results[0]] = tuple(e.select(c[0], x, y) for x, y in zip(a, b, strict=True))
    else:
        finish(e, op, [e.select(*row) for row in elementwise(e, op)])


@emits(*CASTS)
def resize(e: Emitter, op: Op) -> None:
    ty = LLVM_TYPES[op.results[0].type.elem]
    finish(e, op, [e.cast(CASTS[op.name], a, ty) for (a,) in elementwise(e, op)])


@emits("arith.index_cast", "arith.index_castui")
def index_cast(e: Emitter, op: Op) -> None:
    source, target = op.operands[0].type, op.results[0].type
    grow = "sext" if op.name == "arith.index_cast" else "zext"
    instr = grow if target.bits > source.bits else "trunc"
    ty = LLVM_TYPES[target.elem]
    finish(e, op, [e.cast(instr, a, ty) for (a,) in elementwise(e, op)])


@emits("arith.extf", "arith.truncf", "llvm.fpext", "llvm.fptrunc")
def resize_float(e: Emitter, op: Op) -> None:
    source, target = op.operands[0].type.elem, op.results[0].type.elem
    out = []
    for (a,) in elementwise(e, op):
        x = e.to_f32(a, source)
        if target == "f64":
            x = e.cast("fpext", x, "double")
        elif x.ty == "double":
            x = e.cast("fptrunc", x, "float")
        out.append(e.from_f32(x, target))
    finish(e, op, out)


@emits("arith.sitofp", "arith.uitofp", "llvm.sitofp", "llvm.uitofp")
def from_integer(e: Emitter, op: Op) -> None:
    elem = op.results[0].type.elem
    ty = "double" if elem == "f64" else "float"
    instr = op.name.split(".")[1]
    finish(e, op, [e.from_f32(e.cast(instr, a, ty), elem) for (a,) in elementwise(e, op)])


@emits("arith.fptosi", "arith.fptoui", "llvm.fptosi", "llvm.fptoui")
def to_integer(e: Emitter, op: Op) -> None:
    elem = op.operands[0].type.elem
    ty = LLVM_TYPES[op.results[0].type.elem]
    name = "fptosi.sat" if op.name.endswith("si") else "fptoui.sat"  # as the hardware converts
    out = []
    for (a,) in elementwise(e, op):
        x = e.f.use(e.to_f32(a, elem))
        wide = "v64" if x.wide else ""
        f = {"float": "f32", "double": "f64"}[x.ty]
        to = f"<64 x {ty}>" if x.wide else ty
        full = f"llvm.{name}.{wide}{ty}.{wide}{f}"
        e.code.declare(f"declare {to} @{full}({x.llvm})")
        out.append(e.f.value(f"call {to} @{full}({x.llvm} {x.ref})", ty, x.wide))
    finish(e, op, out)


@emits("arith.bitcast", "vector.bitcast", "llvm.bitcast")
def bitcast(e: Emitter, op: Op) -> None:
    source, target = op.operands[0].type, op.results[0].type
    comps = e.get(op.operands[0])
    if component_types(source) == component_types(target):
        e.env[op.results[0]] = comps
        return
    e.env[op.results[0]] = e.from_words(e.words(comps, source), target)
