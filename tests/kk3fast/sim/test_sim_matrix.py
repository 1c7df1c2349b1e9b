# ruff: noqa: E501  (MLIR text)
"""MFMA, small formats, inline assembly."""

from __future__ import annotations

import numpy as np
import pytest
from kk3fast_sim_mlir import bf16, from_bf16, lanes

from kk3fast.sim import Models
from kk3fast.sim.codegen.matrix import MFMA

RNG = np.random.default_rng(17)
LANE = np.arange(64)
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
TESTED = {
    *MFMA, "rocdl.mfma.scale.f32.16x16x128.f8f6f4", "rocdl.mfma.scale.f32.32x32x64.f8f6f4",
    "rocdl.cvt.scalef32.pk.fp4.f32", "rocdl.cvt.pk.fp8.f32", "rocdl.cvt.pk.bf8.f32", "rocdl.cvt.f32.fp8",
    "rocdl.cvt.f32.bf8", "rocdl.cvt.pk.f32.fp8", "rocdl.cvt.pk.f32.bf8", "rocdl.cvt.scalef32.pk.fp8.f32",
    "rocdl.cvt.scalef32.pk.bf8.f32", "llvm.inline_asm", "llvm.amdgcn.perm",
    *(f"rocdl.cvt.scalef32.pk.{s}.{f}" for s in ("fp4", "fp8", "bf8") for f in ("bf16", "f16")),
    *(f"rocdl.cvt.scalef32.pk.{f}.{s}" for s in ("fp4", "fp8", "bf8") for f in ("f32", "bf16", "f16")),
}  # fmt: skip


def fp8_table(exponent: int, mantissa: int, bias: int) -> np.ndarray:
    code = np.arange(128)
    e, m = code >> mantissa, code & ((1 << mantissa) - 1)
    x = np.where(
        e > 0, (1 + m / 2**mantissa) * 2.0 ** (e - bias), m / 2**mantissa * 2.0 ** (1 - bias)
    )
    if exponent == 4:
        x[127] = np.nan
    else:
        x[124:] = [np.inf, np.nan, np.nan, np.nan]
    return np.concatenate([x, -x]).astype(np.float32)


TABLES = {"fp8": fp8_table(4, 3, 7), "bf8": fp8_table(5, 2, 15)}
BITS = {"fp8": 8, "bf8": 8, "fp4": 4, "bf16": 16, "f16": 16, "f32": 32}


def operand(fmt: str, m: int, k: int) -> tuple[np.ndarray, np.ndarray, str]:
    """(values [m, k], lane words as the kernel loads them, the operand's type)."""
    kpl = m * k // 64
    if fmt in TABLES:
        codes = RNG.integers(0, 256, (m, k), np.uint8)
        codes[~np.isfinite(TABLES[fmt][codes])] = 0
        values, kept = TABLES[fmt][codes], codes
    elif fmt == "fp4":
        codes = RNG.integers(0, 16, (m, k), np.uint8)
        values, kept = FP4[codes], codes
    else:
        x = RNG.standard_normal((m, k)).astype(np.float32)
        kept = (
            bf16(x)
            if fmt == "bf16"
            else x.astype(np.float16).view(np.uint16)
            if fmt == "f16"
            else x
        )
        values = (
            from_bf16(kept)
            if fmt == "bf16"
            else kept.view(np.float16).astype(np.float32)
            if fmt == "f16"
            else x
        )
    lane = np.stack(
        [kept[lane_ % m, kpl * (lane_ // m) : kpl * (lane_ // m) + kpl] for lane_ in LANE]
    )
    if fmt == "fp4":
        lane = lane[:, 0::2] | lane[:, 1::2] << 4
    words = np.ascontiguousarray(lane).view(np.uint8).reshape(64, -1).view(np.int32)
    return values, words, fmt


def place(d: np.ndarray) -> np.ndarray:
    """A result matrix [m, m] as the accumulator registers of each lane [64, m*m/64]."""
    m = d.shape[0]
    regs = m * m // 64
    out = np.zeros((64, regs), np.float32)
    for lane_ in LANE:
        for i in range(regs):
            row = 4 * (lane_ // 16) + i if m == 16 else 8 * (i // 4) + 4 * (lane_ // 32) + i % 4
            out[lane_, i] = d[row, lane_ % m]
    return out


def shaped(fmt: str, words: int) -> tuple[str, str]:
    """How loaded words (i32) become an MFMA operand: (its type, conversion line's target)."""
    if fmt in ("bf16", "f16", "i16"):
        return f"vector<{2 * words}x{fmt}>", "vector.bitcast"
    if fmt == "f32":
        return "f32", "f32"
    return ("i64", "i64") if words == 2 else (f"vector<{words}xi32>", "")


def prepared(name: str, fmt: str, words: int) -> tuple[str, str]:
    t, how = shaped(fmt, words)
    source = f"vector<{words}xi32>"
    if how == "vector.bitcast":
        return f"%{name}v = vector.bitcast %{name} : {source} to {t}\n", t
    if how == "f32":
        return (
            f"%{name}e = vector.extract %{name}[0] : i32 from {source}\n%{name}v = arith.bitcast %{name}e : i32 to f32\n",
            t,
        )
    if how == "i64":
        line = f"%{name}w = vector.bitcast %{name} : {source} to vector<1xi64>\n"
        return line + f"%{name}v = vector.extract %{name}w[0] : i64 from vector<1xi64>\n", t
    return (
        f"%{name}v = vector.shuffle %{name}, %{name} {list(range(words))} : {source}, {source}\n",
        t,
    )


def sequential(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    d = c.copy()
    for k in range(a.shape[1]):
        d = d + a[:, k : k + 1] * b[:, k][None, :]
    return d


def pairwise(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    p = [a[:, k : k + 1] * b[:, k][None, :] for k in range(a.shape[1])]
    while len(p) > 1:
        p = [p[i] + p[i + 1] if i + 1 < len(p) else p[i] for i in range(0, len(p), 2)]
    return c + p[0]


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return (c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32)


ORDERS = {"sequential": sequential, "pairwise": pairwise, "fused": fused}


def run_mfma(name: str, m: int, k: int, fa: str, fb: str, models: Models) -> tuple[np.ndarray, ...]:
    a, wa, _ = operand(fa, m, k)
    b, wb, _ = operand(fb, m, k)
    c = RNG.standard_normal((m, m)).astype(np.float32)
    regs = m * m // 64
    kinds = ("i16", "i16") if name.endswith(".1k") else (fa, fb)
    (la, ta), (lb, tb) = (
        prepared(f"x{i}", f, w.shape[1])
        for i, (f, w) in enumerate(zip(kinds, (wa, wb), strict=True))
    )
    t = f"vector<{regs}xf32>"
    none = "<{abid = 0 : i32, blgp = #rocdl<mfma_perm_b none>, cbsz = 0 : i32}>"
    body = la + lb + f'%r = "{name}"(%x0v, %x1v, %x2) {none} : ({ta}, {tb}, {t}) -> {t}'
    types = [f"vector<{wa.shape[1]}xi32>", f"vector<{wb.shape[1]}xi32>", t]
    return lanes(body, types, t, [wa, wb, place(c)], models=models), a, b, c


@pytest.mark.parametrize("name", MFMA)
def test_mfma(name: str) -> None:
    m, k, fa, fb = MFMA[name]
    got, a, b, c = run_mfma(name, m, k, fa, fb, Models(mfma_order="sequential"))
    np.testing.assert_array_equal(got, place(sequential(a, b, c)))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["rocdl.mfma.f32.16x16x32.bf16", "rocdl.mfma.f32.16x16x4f32"])
def test_mfma_order(name: str, order: str) -> None:
    m, k, fa, fb = MFMA[name]
    got, a, b, c = run_mfma(name, m, k, fa, fb, Models(mfma_order=order))
    want = ORDERS[order](a, b, c)
    if order == "fused":
        np.testing.assert_allclose(got, place(want), rtol=2e-7, atol=1e-7)
    else:
        np.testing.assert_array_equal(got, place(want))


def test_orders_differ() -> None:
    name = "rocdl.mfma.f32.16x16x32.bf16"
    m, k, fa, fb = MFMA[name]
    _, a, b, c = run_mfma(name, m, k, fa, fb, Models())
    assert not np.array_equal(sequential(a, b, c), pairwise(a, b, c))


def test_denormals_of_mfma_are_selectable() -> None:
    tiny = np.full((64, 4), 0x00010001, np.int32)  # bf16 denormals
    big = np.full((64, 4), 0x7F007F00, np.int32)
    t = "vector<4xf32>"
    line, ta = prepared("x0", "bf16", 4)
    line2, tb = prepared("x1", "bf16", 4)
    none = "<{abid = 0 : i32, blgp = #rocdl<mfma_perm_b none>, cbsz = 0 : i32}>"
    body = (
        line
        + line2
        + f'%r = "rocdl.mfma.f32.16x16x32.bf16"(%x0v, %x1v, %x2) {none} : ({ta}, {tb}, {t}) -> {t}'
    )
    args = (
        body,
        ["vector<4xi32>", "vector<4xi32>", t],
        t,
        [tiny, big, np.zeros((64, 4), np.float32)],
    )
    assert (lanes(*args, models=Models(mfma_denormals="keep")) > 0).all()
    assert (lanes(*args, models=Models(mfma_denormals="flush")) == 0).all()


def widened(words: np.ndarray) -> np.ndarray:
    """Words padded to the four or eight an operand of the scaled MFMA has."""
    return np.pad(words, ((0, 0), (0, (8 if words.shape[1] > 4 else 4) - words.shape[1])))


FORMATS = {"fp4": "fp4_e2m1", "fp8": "fp8_e4m3", "bf8": "fp8_e5m2"}


def scaled(m: int, k: int, fa: str, fb: str, order: str) -> tuple[np.ndarray, np.ndarray]:
    a, wa, _ = operand(fa, m, k)
    b, wb, _ = operand(fb, m, k)
    c = RNG.standard_normal((m, m)).astype(np.float32) * 16
    sa, sb = (RNG.integers(122, 131, (m, k // 32)).astype(np.int64) for _ in range(2))
    byte_a, byte_b = 1, 2
    lane_a = np.array([[sa[lane_ % m, lane_ // m] << 8 * byte_a] for lane_ in LANE]).astype(
        np.int32
    )
    lane_b = np.array([[sb[lane_ % m, lane_ // m] << 8 * byte_b] for lane_ in LANE]).astype(
        np.int32
    )
    d = c.astype(np.float32)
    parts = []
    for t in range(k // 32):
        at = slice(32 * t, 32 * t + 32)
        s = (a[:, at].astype(np.float64) @ b[:, at].astype(np.float64).T).astype(np.float32)
        parts.append(
            s
            * (
                np.ldexp(1.0, sa[:, t] - 127)[:, None] * np.ldexp(1.0, sb[:, t] - 127)[None, :]
            ).astype(np.float32)
        )
    if order == "sequential":
        for p in parts:
            d = d + p
    else:
        d = d + (
            (parts[0] + parts[1]) + (parts[2] + parts[3])
            if len(parts) == 4
            else parts[0] + parts[1]
        )
    t = f"vector<{m * m // 64}xf32>"
    wa, wb = widened(wa), widened(wb)
    ta, tb = f"vector<{wa.shape[1]}xi32>", f"vector<{wb.shape[1]}xi32>"
    attrs = f"<{{blgp = #rocdl<matrix_format {FORMATS[fb]}>, cbsz = #rocdl<matrix_format {FORMATS[fa]}>, opselA = {byte_a} : i32, opselB = {byte_b} : i32}}>"
    shape = f"{m}x{m}x{k}"
    body = f'%r = "rocdl.mfma.scale.f32.{shape}.f8f6f4"(%x0, %x1, %x2, %x3, %x4) {attrs} : ({ta}, {tb}, {t}, i32, i32) -> {t}'
    got = lanes(
        body,
        [ta, tb, t, "i32", "i32"],
        t,
        [wa, wb, place(c), lane_a, lane_b],
        models=Models(mfma_order=order),
    )
    return got, place(d)


@pytest.mark.parametrize("order", ["sequential", "pairwise"])
@pytest.mark.parametrize(("m", "k"), [(16, 128), (32, 64)])
@pytest.mark.parametrize(("fa", "fb"), [("fp4", "fp4"), ("fp8", "fp4"), ("fp8", "bf8")])
def test_scaled_mfma(m: int, k: int, fa: str, fb: str, order: str) -> None:
    got, want = scaled(m, k, fa, fb, order)
    if "fp4" == fa == fb:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-5 * np.abs(want).max())


# ------------------------------------------------------------------ small formats


def nearest(x: np.ndarray, table: np.ndarray, even: bool = True) -> np.ndarray:
    """Codes of a sorted magnitude table, nearest with ties to the even code, saturating."""
    a = np.abs(x.astype(np.float64))
    codes = np.zeros(x.shape, np.int64)
    mids = (table[1:].astype(np.float64) + table[:-1]) / 2
    for i, mid in enumerate(mids):
        codes += (a > mid) | ((a == mid) & (i % 2 == 1))
    return codes


def inputs() -> tuple[np.ndarray, np.ndarray]:
    x = (RNG.standard_normal((64, 1)) * 4).astype(np.float32)
    y = RNG.choice(
        np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, -5, 7, -0.0, 0.24, 6, 100], np.float32),
        (64, 1),
    )
    return x, y


def expected(fmt: str, x: np.ndarray) -> np.ndarray:
    sign = np.signbit(x).astype(np.int64)
    if fmt == "fp4":
        return sign << 3 | nearest(x, FP4[:8])
    table = TABLES[fmt][: 127 if fmt == "fp8" else 124]
    return sign << 7 | nearest(x, table)


@pytest.mark.parametrize("sel", range(4))
def test_pair_of_f32_to_fp4_in_a_byte(sel: int) -> None:
    x, y = inputs()
    old = RNG.integers(-(2**31), 2**31, (64, 1)).astype(np.int32)
    scale = np.exp2(RNG.integers(-2, 3, (64, 1))).astype(np.float32)
    body = f'%r = "rocdl.cvt.scalef32.pk.fp4.f32"(%x0, %x1, %x2, %x3) <{{dstSelIndex = {sel} : i32}}> : (i32, f32, f32, f32) -> i32'
    got = lanes(body, ["i32", "f32", "f32", "f32"], "i32", [old, x, y, scale]).view(np.uint32)
    byte = expected("fp4", x / scale) | expected("fp4", y / scale) << 4
    want = (old.view(np.uint32).astype(np.int64) & ~(255 << 8 * sel)) | byte << 8 * sel
    np.testing.assert_array_equal(got, want.astype(np.uint32))


@pytest.mark.parametrize("fmt", ["fp4", "fp8", "bf8"])
@pytest.mark.parametrize("source", ["bf16", "f16"])
def test_pair_of_halves_to_small(fmt: str, source: str) -> None:
    x = np.concatenate(inputs(), 1)
    bits = bf16(x) if source == "bf16" else x.astype(np.float16).view(np.uint16)
    exact = from_bf16(bits) if source == "bf16" else bits.view(np.float16).astype(np.float32)
    one = np.ones((64, 1), np.float32)
    old, select = (
        ("i32", "dstSelIndex = 0 : i32")
        if fmt == "fp4"
        else ("vector<2xi16>", "dstLoHiSel = false")
    )
    start = (
        "%z = arith.constant 0 : i32\n"
        if fmt == "fp4"
        else "%z = arith.constant dense<0> : vector<2xi16>\n"
    )
    body = (
        start
        + f'%r = "rocdl.cvt.scalef32.pk.{fmt}.{source}"(%z, %x0, %x1) <{{{select}}}> : ({old}, vector<2x{source}>, f32) -> {old}'
    )
    got = lanes(body, [f"vector<2x{source}>", "f32"], old, [bits, one])
    got_bits = np.ascontiguousarray(got).view(np.uint32)[:, 0]
    width = 4 if fmt == "fp4" else 8
    want = expected(fmt, exact[:, 0]) | expected(fmt, exact[:, 1]) << width
    np.testing.assert_array_equal(got_bits, want.astype(np.uint32))


@pytest.mark.parametrize("fmt", ["fp8", "bf8"])
@pytest.mark.parametrize("high", [False, True], ids=["low", "high"])
def test_pair_of_f32_to_fp8(fmt: str, high: bool) -> None:
    x, y = inputs()
    x[:4, 0] = [1e9, -1e9, 1e-9, 2.0**-9 * 1.5]
    zero = np.zeros((64, 1), np.int32)
    word = "true" if high else "false"
    body = f'%r = "rocdl.cvt.pk.{fmt}.f32"(%x0, %x1, %x2) <{{wordSel = {word}}}> : (f32, f32, i32) -> i32'
    got = lanes(body, ["f32", "f32", "i32"], "i32", [x, y, zero]).view(np.uint32)
    want = (expected(fmt, x) | expected(fmt, y) << 8) << (16 if high else 0)
    np.testing.assert_array_equal(got, want.astype(np.uint32))
    body = f"""%z = arith.constant dense<0> : vector<2xi16>
      %one = arith.constant 1.0 : f32
      %v = "rocdl.cvt.scalef32.pk.{fmt}.f32"(%z, %x0, %x1, %one) <{{dstLoHiSel = {word}}}> : (vector<2xi16>, f32, f32, f32) -> vector<2xi16>
      %w = vector.bitcast %v : vector<2xi16> to vector<1xi32>
      %r = vector.extract %w[0] : i32 from vector<1xi32>"""
    np.testing.assert_array_equal(
        lanes(body, ["f32", "f32"], "i32", [x, y]).view(np.uint32), want.astype(np.uint32)
    )


def test_overflow_of_fp8_is_selectable() -> None:
    x = np.full((64, 1), 1000, np.float32)
    body = '%z = arith.constant 0 : i32\n%r = "rocdl.cvt.pk.fp8.f32"(%x0, %x0, %z) <{wordSel = false}> : (f32, f32, i32) -> i32'
    assert (lanes(body, ["f32"], "i32", [x]) == 0x7E7E).all()
    assert (lanes(body, ["f32"], "i32", [x], models=Models(fp8_overflow="nan")) == 0x7F7F).all()


def same_values(got: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.nan_to_num(got), np.nan_to_num(want))


@pytest.mark.parametrize("fmt", ["fp8", "bf8"])
def test_small_to_f32_of_every_code(fmt: str) -> None:
    codes = np.arange(256, dtype=np.uint8).reshape(64, 4)
    word = codes.view(np.int32)
    for byte in range(4):
        body = f'%r = "rocdl.cvt.f32.{fmt}"(%x0) <{{byteSel = {byte} : i32}}> : (i32) -> f32'
        same_values(lanes(body, ["i32"], "f32", [word])[:, 0], TABLES[fmt][codes[:, byte]])
    for high in (0, 1):
        flag = "true" if high else "false"
        body = f'%r = "rocdl.cvt.pk.f32.{fmt}"(%x0) <{{wordSel = {flag}}}> : (i32) -> vector<2xf32>'
        same_values(
            lanes(body, ["i32"], "vector<2xf32>", [word]),
            TABLES[fmt][codes[:, 2 * high : 2 * high + 2]],
        )


@pytest.mark.parametrize("target", ["f32", "bf16", "f16"])
@pytest.mark.parametrize("fmt", ["fp4", "fp8", "bf8"])
def test_scaled_small_to_pair(fmt: str, target: str) -> None:
    codes = RNG.integers(0, 256, (64, 4), np.uint8)
    if fmt != "fp4":
        codes[~np.isfinite(TABLES[fmt][codes])] = 1
    select = "srcSelIndex = 1 : i32" if fmt == "fp4" else "srcLoHiSel = true"
    two = np.full((64, 1), 2, np.float32)
    t = f"vector<2x{target}>"
    body = (
        f'%r = "rocdl.cvt.scalef32.pk.{target}.{fmt}"(%x0, %x1) <{{{select}}}> : (i32, f32) -> {t}'
    )
    got = lanes(body, ["i32", "f32"], t, [codes.view(np.int32), two])
    if fmt == "fp4":
        want = np.stack([FP4[codes[:, 1] & 15], FP4[codes[:, 1] >> 4]], 1) * 2
    else:
        want = TABLES[fmt][codes[:, 2:4]] * 2
    if target == "f16":
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(got.view(np.float16), want.astype(np.float16))
    else:
        np.testing.assert_array_equal(from_bf16(got) if target == "bf16" else got, want)


# ------------------------------------------------------------------ inline assembly and bits


def test_known_inline_assembly() -> None:
    x = RNG.integers(-99, 99, (64, 1)).astype(np.int32)
    f, g = (RNG.standard_normal((64, 1)).astype(np.float32) for _ in range(2))
    body = """%m = llvm.inline_asm has_side_effects "v_mov_b32 $0, $1", "=v,v" %x0 : (i32) -> i32
      llvm.inline_asm has_side_effects "s_waitcnt vmcnt(0)", "" : () -> ()
      %p = llvm.inline_asm "v_cvt_pk_bf16_f32 $0, $1, $2", "=v,v,v" %x1, %x2 : (f32, f32) -> i32
      %r = arith.addi %m, %p : i32"""
    want = x + (bf16(f).astype(np.uint32) | bf16(g).astype(np.uint32) << 16).view(np.int32)
    np.testing.assert_array_equal(lanes(body, ["i32", "f32", "f32"], "i32", [x, f, g]), want)


def test_byte_permutation() -> None:
    x, y = (RNG.integers(-(2**31), 2**31, (64, 1)).astype(np.int32) for _ in range(2))
    body = """%s = arith.constant 117899267 : i32
      %r = llvm.call_intrinsic "llvm.amdgcn.perm"(%x0, %x1, %s) : (i32, i32, i32) -> i32"""
    pair = np.concatenate([y.view(np.uint8), x.view(np.uint8)], 1)  # low bytes first
    want = pair[:, [3, 0, 7, 7]]
    assert 117899267 == 3 | 0 << 8 | 7 << 16 | 7 << 24
    np.testing.assert_array_equal(lanes(body, ["i32", "i32"], "i32", [x, y]).view(np.uint8), want)
