# ruff: noqa: E501  (MLIR text)
"""Element-wise operations against numpy, in vector and in scalar code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kk3fast_sim_mlir import NUMPY, bf16, element, from_bf16, lanes

from kk3fast.sim import Models

RNG = np.random.default_rng(7)
Reference = Callable[..., np.ndarray]


def values(t: str) -> np.ndarray:
    e, n = element(t)
    shape = (64, n)
    if e == "i1":
        return RNG.integers(0, 2, shape).astype(np.uint8)
    if e in ("bf16", "f16"):
        x = RNG.standard_normal(shape).astype(np.float32) * 3
        return bf16(x) if e == "bf16" else x.astype(np.float16).view(np.uint16)
    if e in ("f32", "f64"):
        x = RNG.standard_normal(shape) * 10.0 ** RNG.integers(-3, 4, shape)
        return x.astype(NUMPY[e])
    bits = np.iinfo(NUMPY[e])
    x = RNG.integers(bits.min, bits.max, shape, NUMPY[e])
    small = RNG.integers(-20, 20, shape).astype(NUMPY[e])
    x = np.where(RNG.integers(0, 2, shape) == 1, x, small)
    x[:3, 0] = [0, -1, bits.min]
    return x


def unsigned(f: Reference) -> Reference:
    def g(*a: np.ndarray) -> np.ndarray:
        out = f(*(x.view(f"u{x.dtype.itemsize}") for x in a))
        return out if out.dtype == bool else out.view(a[0].dtype)

    return g


def safe(f: Reference) -> Reference:
    """A division whose undefined cases are left out by the divisor the kernel gets."""
    return lambda a, b: f(a.astype(object), b.astype(object)).astype(a.dtype)


def floor(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a // b


def trunc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.vectorize(
        lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), otypes=[object]
    )(a, b)


BINARY: dict[str, tuple[str, Reference]] = {
    "arith.addi": ("i32", np.add), "arith.subi": ("i64", np.subtract), "arith.muli": ("i32", np.multiply),
    "arith.andi": ("i32", np.bitwise_and), "arith.ori": ("i16", np.bitwise_or),
    "arith.xori": ("i64", np.bitwise_xor), "arith.maxsi": ("i32", np.maximum),
    "arith.minsi": ("i16", np.minimum), "arith.maxui": ("i32", unsigned(np.maximum)),
    "arith.minui": ("i32", unsigned(np.minimum)), "arith.addf": ("f32", np.add),
    "arith.subf": ("f32", np.subtract), "arith.mulf": ("f64", np.multiply), "arith.divf": ("f32", np.divide),
    "arith.maximumf": ("f32", np.maximum), "arith.minimumf": ("f32", np.minimum),
    "arith.maxnumf": ("f32", np.fmax), "arith.minnumf": ("f32", np.fmin),
    "llvm.add": ("i32", np.add), "llvm.sub": ("i32", np.subtract), "llvm.mul": ("i64", np.multiply),
    "llvm.and": ("i32", np.bitwise_and), "llvm.or": ("i32", np.bitwise_or), "llvm.xor": ("i32", np.bitwise_xor),
    "llvm.fadd": ("f32", np.add), "llvm.fsub": ("f32", np.subtract), "llvm.fmul": ("f32", np.multiply),
    "llvm.fdiv": ("f32", np.divide), "llvm.intr.maximum": ("f32", np.maximum),
    "llvm.intr.minimum": ("f32", np.minimum), "llvm.intr.maxnum": ("f32", np.fmax),
    "llvm.intr.minnum": ("f32", np.fmin), "llvm.intr.smax": ("i32", np.maximum),
    "llvm.intr.smin": ("i32", np.minimum), "llvm.intr.umax": ("i32", unsigned(np.maximum)),
    "llvm.intr.umin": ("i32", unsigned(np.minimum)), "math.copysign": ("f32", np.copysign),
    "arith.remf": ("f32", np.fmod),
}  # fmt: skip
DIVISIONS: dict[str, tuple[str, Reference]] = {
    "arith.divsi": ("i32", safe(trunc)), "arith.floordivsi": ("i32", safe(floor)),
    "arith.ceildivsi": ("i32", safe(lambda a, b: -((-a) // b))),
    "arith.remsi": ("i32", safe(lambda a, b: a - trunc(a, b) * b)),
    "arith.divui": ("i64", unsigned(floor)), "arith.remui": ("i32", unsigned(np.remainder)),
    "arith.ceildivui": ("i32", unsigned(lambda a, b: a // b + (a % b != 0).astype(a.dtype))),
    "llvm.sdiv": ("i64", safe(trunc)), "llvm.srem": ("i32", safe(lambda a, b: a - trunc(a, b) * b)),
    "llvm.udiv": ("i32", unsigned(floor)), "llvm.urem": ("i32", unsigned(np.remainder)),
}  # fmt: skip
SHIFTS: dict[str, tuple[str, Reference]] = {
    "arith.shli": ("i32", np.left_shift), "arith.shrsi": ("i32", np.right_shift),
    "arith.shrui": ("i64", unsigned(np.right_shift)), "llvm.shl": ("i32", np.left_shift),
    "llvm.ashr": ("i64", np.right_shift), "llvm.lshr": ("i32", unsigned(np.right_shift)),
}  # fmt: skip
UNARY: dict[str, tuple[str, Reference]] = {
    "arith.negf": ("f32", np.negative), "llvm.fneg": ("f32", np.negative), "math.absf": ("f32", np.abs),
    "math.floor": ("f32", np.floor), "math.ceil": ("f32", np.ceil), "math.trunc": ("f32", np.trunc),
    "math.roundeven": ("f32", np.rint), "math.absi": ("i32", np.abs),
    "math.round": ("f32", lambda x: np.copysign(np.floor(np.abs(x) + np.float32(0.5)), x)),
    "math.ctpop": ("i64", lambda x: np.bitwise_count(x.view(np.uint64)).astype(np.int64)),
    "math.ctlz": ("i32", lambda x: 32 - np.vectorize(lambda v: int(v).bit_length())(x.view(np.uint32))),
    "math.cttz": ("i32", lambda x: np.vectorize(lambda v: (int(v) & -int(v)).bit_length() - 1 if v else 32)(x)),
    "llvm.intr.fabs": ("f32", np.abs), "llvm.intr.floor": ("f32", np.floor),
    "llvm.intr.ctpop": ("i32", lambda x: np.bitwise_count(x.view(np.uint32)).astype(np.int32)),
    "math.sqrt": ("f32", np.sqrt), "llvm.intr.sqrt": ("f32", np.sqrt),
}  # fmt: skip
TESTED = {*BINARY, *DIVISIONS, *SHIFTS, *UNARY}


def same(got: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(
        got.view(f"u{got.dtype.itemsize}"), want.view(f"u{want.dtype.itemsize}")
    )


def check(body: str, types: list[str], result: str, inputs: list[np.ndarray], f: Reference) -> None:
    with np.errstate(all="ignore"):
        want = f(*inputs).astype(NUMPY[element(result)[0]])
    same(lanes(body, types, result, inputs), want)
    with np.errstate(all="ignore"):
        first = f(*(np.repeat(x[:1], 64, 0) for x in inputs)).astype(NUMPY[element(result)[0]])
    same(lanes(body, types, result, inputs, uniform=True), first)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    t, f = BINARY[name]
    check(f'%r = "{name}"(%x0, %x1) : ({t}, {t}) -> {t}', [t, t], t, [values(t), values(t)], f)


@pytest.mark.parametrize("name", ["arith.addf", "arith.mulf", "arith.muli"])
def test_binary_of_vectors(name: str) -> None:
    t = "vector<4xi32>" if name.endswith("i") else "vector<4xf32>"
    f = BINARY[name][1]
    check(f'%r = "{name}"(%x0, %x1) : ({t}, {t}) -> {t}', [t, t], t, [values(t), values(t)], f)


def test_bf16_arithmetic_rounds_once() -> None:
    t = "vector<2xbf16>"
    check(
        f'%r = "arith.mulf"(%x0, %x1) : ({t}, {t}) -> {t}', [t, t], t, [values(t), values(t)],
        lambda a, b: bf16(from_bf16(a) * from_bf16(b)),
    )  # fmt: skip


def test_multiply_and_add_are_not_contracted() -> None:
    t = "f32"
    body = '%m = "arith.mulf"(%x0, %x1) : (f32, f32) -> f32\n%r = "arith.addf"(%m, %x2) : (f32, f32) -> f32'
    a, b = values(t), values(t)
    c = -(a * b)
    check(body, [t] * 3, t, [a, b, c], lambda a, b, c: a * b + c)


def test_fma_rounds_once() -> None:
    a, b, c = (values("f32") for _ in range(3))
    want = (a.astype(np.float64) * b + c).astype(np.float32)
    got = lanes(
        '%r = "math.fma"(%x0, %x1, %x2) : (f32, f32, f32) -> f32', ["f32"] * 3, "f32", [a, b, c]
    )
    assert (got == want).mean() > 0.95  # double rounding of the reference aside
    np.testing.assert_allclose(got, want, rtol=1.2e-7)
    same(
        lanes(
            "%r = llvm.intr.fma(%x0, %x1, %x2) : (f32, f32, f32) -> f32",
            ["f32"] * 3,
            "f32",
            [a, b, c],
        ),
        got,
    )


@pytest.mark.parametrize("name", DIVISIONS)
def test_division(name: str) -> None:
    t, f = DIVISIONS[name]
    a, b = values(t), values(t)
    b[(b == 0) | (b == -1)] = 7
    check(f'%r = "{name}"(%x0, %x1) : ({t}, {t}) -> {t}', [t, t], t, [a, b], f)


@pytest.mark.parametrize("name", ["arith.divsi", "arith.remui", "arith.floordivsi"])
def test_division_by_zero_does_not_trap(name: str) -> None:
    a, b = values("i32"), np.zeros((64, 1), np.int32)
    lanes(f'%r = "{name}"(%x0, %x1) : (i32, i32) -> i32', ["i32", "i32"], "i32", [a, b])


@pytest.mark.parametrize("name", SHIFTS)
def test_shift(name: str) -> None:
    t, f = SHIFTS[name]
    amount = RNG.integers(0, 32, (64, 1)).astype(NUMPY[t])
    check(f'%r = "{name}"(%x0, %x1) : ({t}, {t}) -> {t}', [t, t], t, [values(t), amount], f)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    t, f = UNARY[name]
    x = values(t)
    if "sqrt" in name:
        x = np.abs(x)
    attrs = (
        " <{is_zero_poison = false}>"
        if name.startswith("llvm.intr.ct") and "pop" not in name
        else ""
    )
    check(f'%r = "{name}"(%x0){attrs} : ({t}) -> {t}', [t], t, [x], f)


CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
SIGNED = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


@pytest.mark.parametrize("predicate", range(10), ids=CMPI)
def test_compare_integers(predicate: int) -> None:
    f = SIGNED[predicate] if predicate < 6 else unsigned(SIGNED[predicate - 4])
    a, b = values("i32"), values("i32")
    b[::3] = a[::3]
    for name in ("arith.cmpi", "llvm.icmp"):
        body = f'%r = "{name}"(%x0, %x1) <{{predicate = {predicate} : i64}}> : (i32, i32) -> i1'
        check(body, ["i32", "i32"], "i1", [a, b], f)


ORDERED = {
    1: np.equal,
    2: np.greater,
    3: np.greater_equal,
    4: np.less,
    5: np.less_equal,
    13: np.not_equal,
}


@pytest.mark.parametrize("predicate", [*ORDERED, 6, 7, 8, 9, 12, 14])
def test_compare_floats(predicate: int) -> None:
    a, b = values("f32"), values("f32")
    b[::3] = a[::3]
    a[::5] = np.nan
    nan = np.isnan(a) | np.isnan(b)
    with np.errstate(all="ignore"):
        other = {
            6: (a != b) & ~nan,
            7: ~nan,
            8: (a == b) | nan,
            9: (a > b) | nan,
            12: (a <= b) | nan,
            14: nan,
        }
        want = ORDERED[predicate](a, b) if predicate in ORDERED else other[predicate]
    for name in ("arith.cmpf", "llvm.fcmp"):
        body = f'%r = "{name}"(%x0, %x1) <{{predicate = {predicate} : i64}}> : (f32, f32) -> i1'
        same(lanes(body, ["f32", "f32"], "i1", [a, b]), want.astype(np.uint8))


@pytest.mark.parametrize("t", ["i32", "f32", "vector<4xf32>", "vector<2xbf16>", "i1"])
def test_select(t: str) -> None:
    c, a, b = values("i1"), values(t), values(t)
    check(
        f"%r = arith.select %x0, %x1, %x2 : {t}",
        ["i1", t, t],
        t,
        [c, a, b],
        lambda c, a, b: np.where(c, a, b),
    )
    check(
        f'%r = "llvm.select"(%x0, %x1, %x2) : (i1, {t}, {t}) -> {t}', ["i1", t, t], t, [c, a, b],
        lambda c, a, b: np.where(c, a, b),
    )  # fmt: skip


CASTS = {
    "arith.extsi": ("i16", "i64", lambda x: x.astype(np.int64)),
    "arith.extui": ("i32", "i64", lambda x: x.view(np.uint32).astype(np.int64)),
    "arith.trunci": ("i64", "i16", lambda x: x.astype(np.int16)),
    "llvm.sext": ("i32", "i64", lambda x: x.astype(np.int64)),
    "llvm.zext": ("i8", "i32", lambda x: x.view(np.uint8).astype(np.int32)),
    "llvm.trunc": ("i32", "i8", lambda x: x.astype(np.int8)),
    "arith.extf": ("bf16", "f32", from_bf16),
    "arith.truncf": ("f32", "bf16", bf16),
    "llvm.fpext": ("f32", "f64", lambda x: x.astype(np.float64)),
    "llvm.fptrunc": ("f64", "f32", lambda x: x.astype(np.float32)),
    "arith.sitofp": ("i32", "f32", lambda x: x.astype(np.float32)),
    "arith.uitofp": ("i32", "f32", lambda x: x.view(np.uint32).astype(np.float32)),
    "llvm.sitofp": ("i64", "f64", lambda x: x.astype(np.float64)),
    "llvm.uitofp": ("i32", "f64", lambda x: x.view(np.uint32).astype(np.float64)),
    "arith.fptosi": ("f32", "i32", lambda x: np.trunc(x).astype(np.int32)),
    "arith.fptoui": ("f32", "i32", lambda x: np.clip(np.trunc(x), 0, None).astype(np.int32)),
    "llvm.fptosi": ("f32", "i64", lambda x: np.trunc(x).astype(np.int64)),
    "llvm.fptoui": ("f32", "i64", lambda x: np.clip(np.trunc(x), 0, None).astype(np.int64)),
    "arith.bitcast": ("f32", "i32", lambda x: x.view(np.int32)),
    "llvm.bitcast": ("i64", "f64", lambda x: x.view(np.float64)),
}
TESTED |= set(CASTS)


@pytest.mark.parametrize("name", CASTS)
def test_cast(name: str) -> None:
    source, target, f = CASTS[name]
    check(f'%r = "{name}"(%x0) : ({source}) -> {target}', [source], target, [values(source)], f)


@pytest.mark.parametrize("name", ["arith.index_cast", "arith.index_castui"])
def test_index_cast(name: str) -> None:
    body = f"%i = {name} %x0 : i32 to index\n%r = arith.index_cast %i : index to i64"
    f = (
        (lambda x: x.astype(np.int64))
        if name.endswith("cast")
        else lambda x: x.view(np.uint32).astype(np.int64)
    )
    check(body, ["i32"], "i64", [values("i32")], f)


@pytest.mark.parametrize("target", ["f16", "bf16"])
def test_narrow_float_rounds_to_nearest_even(target: str) -> None:
    bits = RNG.integers(0, 2**32, (64, 1), np.uint32)
    bits[0], bits[1], bits[2] = (
        0x3F808000,
        0x3F818000,
        0x00000001,
    )  # a tie down, a tie up, a denormal
    x = bits.view(np.float32)
    x[~np.isfinite(x)] = 1.0
    got = lanes(f"%r = arith.truncf %x0 : f32 to {target}", ["f32"], target, [x])
    with np.errstate(over="ignore"):
        want = bf16(x) if target == "bf16" else x.astype(np.float16).view(np.uint16)
    same(got, want)
    back = lanes(f"%r = arith.extf %x0 : {target} to f32", [target], "f32", [want])
    same(back, from_bf16(want) if target == "bf16" else want.view(np.float16).astype(np.float32))


def test_nan_stays_nan_in_bf16() -> None:
    x = np.array([0x7F800001, 0xFFFFFFFF, 0x7FC00000, 0x7F800000] * 16, np.uint32).view(np.float32)
    got = lanes("%r = arith.truncf %x0 : f32 to bf16", ["f32"], "bf16", [x])[:, 0]
    assert np.isnan(from_bf16(got)[:3]).all()
    assert got[3] == 0x7F80


CONSTANTS = {
    "i32": ("-7", [-7]), "i64": ("4294967296", [2**32]), "f32": ("1.5", [1.5]), "bf16": ("2.0", [0x4000]),
    "vector<4xi32>": ("dense<[1, -2, 3, 4]>", [1, -2, 3, 4]), "vector<2xf32>": ("dense<0.25>", [0.25, 0.25]),
    "vector<4xbf16>": ("dense<[1.0, 2.0, -1.0, 0.5]>", [0x3F80, 0x4000, 0xBF80, 0x3F00]), "i1": ("true", [1]),
}  # fmt: skip


@pytest.mark.parametrize("t", CONSTANTS)
def test_constant(t: str) -> None:
    text, want = CONSTANTS[t]
    kind = "" if t == "i1" else f" : {t}"
    got = lanes(f"%r = arith.constant {text}{kind}", [], t, [])
    assert got.tolist() == [want] * 64


def test_poison_and_llvm_constants_are_defined_values() -> None:
    body = "%c = llvm.mlir.constant(3 : i32) : i32\n%p = llvm.mlir.poison : i32\n%z = llvm.mlir.zero : i32\n"
    body += "%u = llvm.mlir.undef : i32\n%q = ub.poison : i32\n"
    body += "%s = arith.addi %c, %z : i32\n%c2 = arith.constant 0 : i32\n%p2 = arith.andi %p, %c2 : i32\n"
    body += "%u2 = arith.andi %u, %c2 : i32\n%q2 = arith.andi %q, %c2 : i32\n%t = arith.addi %u2, %q2 : i32\n"
    body += "%w = arith.addi %s, %p2 : i32\n%r = arith.addi %w, %t : i32"
    assert (lanes(body, [], "i32", []) == 3).all()


# ------------------------------------------------------------------ transcendental functions

HARDWARE: dict[str, Reference] = {
    "rcp": lambda x: 1 / x, "rsq": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt, "exp2": np.exp2, "log": np.log2,
}  # fmt: skip
LIBRARY: dict[str, Reference] = {
    "math.rsqrt": lambda x: 1 / np.sqrt(x), "math.exp2": np.exp2, "math.log2": np.log2, "math.exp": np.exp,
    "math.log": np.log, "math.log10": np.log10, "math.sin": np.sin, "math.cos": np.cos, "math.tanh": np.tanh,
    "math.log1p": np.log1p, "math.expm1": np.expm1, "math.atan": np.arctan, "llvm.intr.exp2": np.exp2,
    "llvm.intr.log2": np.log2, "llvm.intr.exp": np.exp, "llvm.intr.log": np.log,
}  # fmt: skip
TESTED |= set(LIBRARY)


def positive() -> np.ndarray:
    x = np.abs(RNG.standard_normal((64, 1))) * 10.0 ** RNG.integers(-1, 2, (64, 1))
    return np.minimum(x, 60).astype(np.float32)


def call(name: str) -> str:
    return f'%r = llvm.call_intrinsic "llvm.amdgcn.{name}.f32"(%x0) : (f32) -> f32'


@pytest.mark.parametrize("name", HARDWARE)
def test_hardware_function_is_nearest(name: str) -> None:
    x = positive()
    want = HARDWARE[name](x.astype(np.float64)).astype(np.float32)
    same(lanes(call(name), ["f32"], "f32", [x]), want)


@pytest.mark.parametrize("name", LIBRARY)
def test_library_function(name: str) -> None:
    x = positive()
    want = LIBRARY[name](x.astype(np.float64)).astype(np.float32)
    got = lanes(f'%r = "{name}"(%x0) : (f32) -> f32', ["f32"], "f32", [x])
    np.testing.assert_array_max_ulp(got, want, maxulp=1)


def test_functions_of_two_arguments() -> None:
    x, y = positive(), values("f32") / 100
    got = lanes("%r = math.powf %x0, %x1 : f32", ["f32", "f32"], "f32", [x, y])
    with np.errstate(over="ignore"):
        want = np.power(x.astype(np.float64), y).astype(np.float32)
    np.testing.assert_array_max_ulp(got, want, maxulp=1)
    got = lanes("%r = math.atan2 %x0, %x1 : f32", ["f32", "f32"], "f32", [x, y])
    np.testing.assert_array_max_ulp(
        got, np.arctan2(x.astype(np.float64), y).astype(np.float32), maxulp=1
    )


def test_erf_matches_torch() -> None:
    import torch

    x = values("f32")
    got = lanes("%r = math.erf %x0 : f32", ["f32"], "f32", [x])
    want = torch.erf(torch.from_numpy(x).double()).float().numpy()
    np.testing.assert_array_max_ulp(got, want, maxulp=1)


def test_rounding_of_hardware_functions_is_selectable() -> None:
    x = positive()
    exact = 1 / x.astype(np.float64)
    down = lanes(call("rcp"), ["f32"], "f32", [x], models=Models(transcendental_rounding="down"))
    up = lanes(call("rcp"), ["f32"], "f32", [x], models=Models(transcendental_rounding="up"))
    assert (down <= exact).all()
    assert (up >= exact).all()
    assert (down < up).any()


def test_denormals_of_hardware_functions_are_selectable() -> None:
    x = np.full((64, 1), 3e38, np.float32)
    flushed = lanes(call("rcp"), ["f32"], "f32", [x])
    kept = lanes(call("rcp"), ["f32"], "f32", [x], models=Models(transcendental_denormals="keep"))
    assert (flushed == 0).all()
    assert (kept > 0).all()


def test_exp2_at_its_ends() -> None:
    x = np.array([np.inf, -np.inf, np.nan, 128, -126, -200, 0, 1] * 8, np.float32)
    got = lanes(call("exp2"), ["f32"], "f32", [x])[:8, 0]
    assert got[0] == np.inf
    assert got[1] == 0
    assert np.isnan(got[2])
    assert got[3] == np.inf
    assert got[4] == np.float32(2.0**-126)
    assert got[5:].tolist() == [0, 1, 2]


def test_unknown_model_is_refused() -> None:
    with pytest.raises(
        ValueError, match="mfma_order must be one of sequential, pairwise, fused, got 'x'"
    ):
        Models(mfma_order="x")
