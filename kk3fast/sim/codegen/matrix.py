"""Matrix instructions, conversions of small formats, inline assembly."""

from __future__ import annotations

import re

from kk3fast.sim.codegen.base import IO_A32, IO_A64, Emitter
from kk3fast.sim.codegen.table import emits
from kk3fast.sim.codegen.values import V
from kk3fast.sim.ir import Op
from kk3fast.sim.syntax import ReadError, attr_int, attr_word

FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4", "bf16", "f16", "f32")
"""In the order of the runtime's table."""
MFMA = {
    "rocdl.mfma.f32.16x16x32.bf16": (16, 32, "bf16", "bf16"),
    "rocdl.mfma.f32.16x16x32.f16": (16, 32, "f16", "f16"),
    "rocdl.mfma.f32.32x32x16.bf16": (32, 16, "bf16", "bf16"),
    "rocdl.mfma.f32.32x32x16.f16": (32, 16, "f16", "f16"),
    "rocdl.mfma.f32.16x16x16bf16.1k": (16, 16, "bf16", "bf16"),
    "rocdl.mfma.f32.16x16x16f16": (16, 16, "f16", "f16"),
    "rocdl.mfma.f32.32x32x8bf16.1k": (32, 8, "bf16", "bf16"),
    "rocdl.mfma.f32.32x32x8f16": (32, 8, "f16", "f16"),
    "rocdl.mfma.f32.16x16x4f32": (16, 4, "f32", "f32"),
    "rocdl.mfma.f32.32x32x2f32": (32, 2, "f32", "f32"),
    **{
        f"rocdl.mfma.f32.{shape}.{a}.{b}": (int(shape[:2]), k, a, b)
        for shape, k in (("16x16x32", 32), ("32x32x16", 16))
        for a in ("fp8", "bf8")
        for b in ("fp8", "bf8")
    },
}
"""Name -> (rows and columns, k, format of A, format of B)."""
SCALED = {
    "rocdl.mfma.scale.f32.16x16x128.f8f6f4": (16, 128),
    "rocdl.mfma.scale.f32.32x32x64.f8f6f4": (32, 64),
}
_MATRIX = {"e4m3": "fp8", "e5m2": "bf8", "e2m3": "fp6", "e3m2": "bf6", "e2m1": "fp4"}


def _format(op: Op, name: str) -> str:
    word = attr_word(op, name, "0")
    if word.isdigit():
        return FORMATS[int(word)]
    return _MATRIX[word.rsplit("_", 1)[-1]]


@emits(*MFMA, *SCALED)
def mfma(e: Emitter, op: Op) -> None:
    a, b, c = op.operands[:3]
    sel = (0, 0)
    scaled = op.name in SCALED
    if scaled:
        m, k = SCALED[op.name]
        fa, fb = _format(op, "cbsz"), _format(op, "blgp")
        if "6" in fa or "6" in fb:
            raise ReadError(f"{op.name} at {op.loc.short}: 6-bit formats are not modelled")
        sel = (attr_int(op, "opselA", 0), attr_int(op, "opselB", 0))
        for offset, scale in ((IO_A32, op.operands[3]), (IO_A64, op.operands[4])):
            s = e.f.wide(e.one(scale))
            e.emit(f"store {s.llvm} {s.ref}, ptr {e.pointer(offset)}, align 4")
    else:
        m, k, fa, fb = MFMA[op.name]
        if any(attr_int(op, n, 0) for n in ("cbsz", "abid")) or attr_word(
            op, "blgp", "none"
        ) not in ("none", "0"):
            raise ReadError(
                f"{op.name} at {op.loc.short}: broadcast and permutation are not modelled"
            )
    for start, value in ((0, a), (8, b)):
        for i, word in enumerate(e.words(e.get(value), value.type)):
            e.put(start + i, e.f.wide(word))
    for i, v in enumerate(e.get(c)):
        e.put(16 + i, e.f.wide(v))
    site = e.code.site(op, 0, 0, 1, 0)
    numbers = (m, k, FORMATS.index(fa), FORMATS.index(fb), *sel, int(scaled), site)
    e.call("kk3_mfma", *(f"i32 {n}" for n in numbers))
    count = op.results[0].type.count
    e.env[op.results[0]] = tuple(e.take(i, True, "float") for i in range(count))


# ------------------------------------------------------------------ small formats


def _small(e: Emitter, op: Op, fmt: str, sel: int, pair: list[V], old: V, scale: V | None) -> None:
    inputs = [e.cast("bitcast", v, "i32") for v in pair] + [old]
    if scale is not None:
        inputs.append(e.cast("bitcast", scale, "i32"))
    args = [f"i32 {FORMATS.index(fmt)}", f"i32 {sel}", f"i32 {int(scale is not None)}"]
    word = e.helper("kk3_to_small", args, inputs)[0]
    e.env[op.results[0]] = e.from_words([word], op.results[0].type)


@emits(
    "rocdl.cvt.scalef32.pk.fp4.f32",
    "rocdl.cvt.scalef32.pk.fp8.f32",
    "rocdl.cvt.scalef32.pk.bf8.f32",
)
def scaled_from_f32(e: Emitter, op: Op) -> None:
    old, x, y, scale = op.operands
    words = e.words(e.get(old), old.type)
    sel = attr_int(op, "dstSelIndex", attr_int(op, "dstLoHiSel", 0))
    _small(e, op, op.name.split(".")[-2], sel, [e.one(x), e.one(y)], words[0], e.one(scale))


@emits(*(f"rocdl.cvt.scalef32.pk.{s}.{f}" for s in ("fp4", "fp8", "bf8") for f in ("bf16", "f16")))
def scaled_from_half(e: Emitter, op: Op) -> None:
    old, x, scale = op.operands
    words = e.words(e.get(old), old.type)
    sel = attr_int(op, "dstSelIndex", attr_int(op, "dstLoHiSel", 0))
    pair = [e.to_f32(v, x.type.elem) for v in e.elements(e.get(x), x.type)]
    _small(e, op, op.name.split(".")[-2], sel, pair, words[0], e.one(scale))


@emits("rocdl.cvt.pk.fp8.f32", "rocdl.cvt.pk.bf8.f32")
def to_fp8(e: Emitter, op: Op) -> None:
    x, y, old = op.operands
    _small(
        e,
        op,
        op.name.split(".")[-2],
        attr_int(op, "wordSel", 0),
        [e.one(x), e.one(y)],
        e.one(old),
        None,
    )


@emits(
    *(
        f"rocdl.cvt.scalef32.pk.{t}.{s}"
        for s in ("fp4", "fp8", "bf8")
        for t in ("f32", "bf16", "f16")
    ),
    "rocdl.cvt.pk.f32.fp8",
    "rocdl.cvt.pk.f32.bf8",
    "rocdl.cvt.f32.fp8",
    "rocdl.cvt.f32.bf8",
)
def from_small(e: Emitter, op: Op) -> None:
    fmt = op.name.split(".")[-1]
    scaled, single = "scalef32" in op.name, ".pk." not in op.name
    source = op.operands[0]
    words = e.words(e.get(source), source.type)
    sel = 0
    for name in ("srcSelIndex", "srcLoHiSel", "byteSel", "wordSel"):
        sel = attr_int(op, name, sel)
    inputs = [words[0]]
    if scaled:
        zero = e.const(0, "i32")
        inputs += [zero, zero, e.cast("bitcast", e.one(op.operands[1]), "i32")]
    args = [f"i32 {FORMATS.index(fmt)}", f"i32 {sel}", f"i32 {int(scaled)}", f"i32 {int(single)}"]
    pair = [e.cast("bitcast", w, "float") for w in e.helper("kk3_from_small", args, inputs, 2)]
    t = op.results[0].type
    if single:
        e.set(op, pair[0])
    else:
        e.env[op.results[0]] = e.vector([e.from_f32(v, t.elem) for v in pair], t)


@emits("rocdl.cvt.pkrtz", "llvm.amdgcn.cvt.pkrtz")
def pack_half_towards_zero(e: Emitter, op: Op) -> None:
    raise ReadError(f"{op.kind} at {op.loc.short}: rounding towards zero to f16 is not modelled")


# ------------------------------------------------------------------ inline assembly and bits


@emits("llvm.inline_asm")
def inline_asm(e: Emitter, op: Op) -> None:
    text = op.attrs.get("asm_string", "").strip('"').strip()
    if not text or text.startswith(";"):
        if op.results:
            e.env[op.results[0]] = e.get(op.operands[0])
    elif re.fullmatch(r"v_mov_b32(_e32)? \$0, \$1", text):
        e.set(op, e.one(op.operands[0]))
    elif re.fullmatch(r"v_cvt_pk_bf16_f32 \$0, \$1, \$2", text):
        low, high = (e.bf16_word(e.one(v)) for v in op.operands[:2])
        word = e.binary("or", low, e.binary("shl", high, e.const(16, "i32")))
        e.env[op.results[0]] = e.from_words([word], op.results[0].type)
    elif text.startswith("s_waitcnt") and "vmcnt(0)" in text:
        e.call("kk3_waitcnt", "i32 0", f"i32 {e.code.site(op, 0, 0, 1, 0)}")
    elif text.startswith(("s_waitcnt", "s_nop", "s_setprio")):
        pass
    else:
        raise ReadError(f"inline assembly at {op.loc.short}: {text!r} is not modelled")


@emits("llvm.amdgcn.perm")
def perm(e: Emitter, op: Op) -> None:
    high, low, selector = (e.one(v) for v in op.operands)
    pair = e.binary(
        "or",
        e.binary("shl", e.cast("zext", high, "i64"), e.const(32, "i64")),
        e.cast("zext", low, "i64"),
    )
    if not selector.literal:
        raise ReadError(f"{op.kind} at {op.loc.short}: must have a constant selector")
    out: V | None = None
    for i in range(4):
        pick = int(selector.ref) >> 8 * i & 255
        if pick > 7 and pick != 12:
            raise ReadError(f"{op.kind} at {op.loc.short}: selector byte {pick} is not modelled")
        if pick == 12:
            continue
        byte = e.cast("trunc", e.binary("lshr", pair, e.const(8 * pick, "i64")), "i32")
        byte = e.binary("shl", e.binary("and", byte, e.const(255, "i32")), e.const(8 * i, "i32"))
        out = byte if out is None else e.binary("or", out, byte)
    e.set(op, out if out is not None else e.const(0, "i32"))
