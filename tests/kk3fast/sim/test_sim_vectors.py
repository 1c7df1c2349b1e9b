# ruff: noqa: E501  (MLIR text)
"""Vectors, structs, pointers: moving elements about."""

from __future__ import annotations

import numpy as np
import pytest
from kk3fast_sim_mlir import bf16, element, from_bf16, lanes

RNG = np.random.default_rng(3)
TESTED = {
    "vector.extract", "vector.insert", "vector.from_elements", "vector.to_elements", "vector.broadcast",
    "vector.splat", "vector.shape_cast", "vector.shuffle", "vector.extract_strided_slice",
    "vector.insert_strided_slice", "vector.reduction", "vector.bitcast", "llvm.extractelement",
    "llvm.insertelement", "llvm.shufflevector", "llvm.extractvalue", "llvm.insertvalue", "llvm.ptrtoint",
    "llvm.inttoptr", "llvm.addrspacecast", "llvm.getelementptr", "llvm.freeze", "llvm.expect.i1",
    "llvm.expect.i32", "llvm.intr.expect", "builtin.unrealized_conversion_cast",
}  # fmt: skip


def data(t: str) -> np.ndarray:
    e, n = element(t)
    if e == "bf16":
        return bf16(RNG.standard_normal((64, n)))
    if e == "f32":
        return RNG.standard_normal((64, n)).astype(np.float32)
    return RNG.integers(0, 100, (64, n)).astype(
        {"i8": np.int8, "i16": np.int16, "i32": np.int32}[e]
    )


KINDS = ["vector<4xi32>", "vector<4xf32>", "vector<8xbf16>", "vector<4xi16>", "vector<4xi8>"]


@pytest.mark.parametrize("uniform", [False, True], ids=["vector", "scalar"])
@pytest.mark.parametrize("t", KINDS)
def test_extract_insert_from_elements(t: str, uniform: bool) -> None:
    e, n = element(t)
    x = data(t)
    body = (
        f"%e = vector.extract %x0[2] : {e} from {t}\n%i = vector.insert %e, %x0[0] : {e} into {t}\n"
    )
    body += f"%f = vector.extract %i[0] : {e} from {t}\n%l = vector.extract %i[{n - 1}] : {e} from {t}\n"
    body += f"%r = vector.from_elements %l, %f, {', '.join(['%e'] * (n - 2))} : {t}"
    got = lanes(body, [t], t, [x], uniform=uniform)
    source = np.repeat(x[:1], 64, 0) if uniform else x
    want = np.repeat(source[:, 2:3], n, 1)
    want[:, 0] = source[:, n - 1]
    np.testing.assert_array_equal(got, want)


def test_dynamic_position() -> None:
    x, i = data("vector<4xi32>"), RNG.integers(0, 4, (64, 1)).astype(np.int32)
    body = "%p = arith.index_cast %x1 : i32 to index\n%r = vector.extract %x0[%p] : i32 from vector<4xi32>"
    got = lanes(body, ["vector<4xi32>", "i32"], "i32", [x, i])
    np.testing.assert_array_equal(got, np.take_along_axis(x, i, 1))
    body = "%r = llvm.extractelement %x0[%x1 : i32] : vector<4xi32>"
    np.testing.assert_array_equal(lanes(body, ["vector<4xi32>", "i32"], "i32", [x, i]), got)
    body = "%c = arith.constant 9 : i32\n%r = llvm.insertelement %c, %x0[%x1 : i32] : vector<4xi32>"
    want = x.copy()
    np.put_along_axis(want, i, 9, 1)
    np.testing.assert_array_equal(
        lanes(body, ["vector<4xi32>", "i32"], "vector<4xi32>", [x, i]), want
    )


@pytest.mark.parametrize("t", ["vector<4xf32>", "vector<8xbf16>"])
def test_broadcast(t: str) -> None:
    e, n = element(t)
    x = data(e)
    got = lanes(f"%r = vector.broadcast %x0 : {e} to {t}", [e], t, [x])
    np.testing.assert_array_equal(got, np.repeat(x, n, 1))


def test_to_elements() -> None:
    x = data("vector<2xi32>")
    body = "%e:2 = vector.to_elements %x0 : vector<2xi32>\n%r = arith.subi %e#0, %e#1 : i32"
    np.testing.assert_array_equal(
        lanes(body, ["vector<2xi32>"], "i32", [x])[:, 0], x[:, 0] - x[:, 1]
    )


def test_shuffle_and_slices() -> None:
    t = "vector<4xi32>"
    x, y = data(t), data(t)
    body = f"%r = vector.shuffle %x0, %x1 [0, 5, 2, 7] : {t}, {t}"
    want = np.stack([x[:, 0], y[:, 1], x[:, 2], y[:, 3]], 1)
    np.testing.assert_array_equal(lanes(body, [t, t], t, [x, y]), want)
    body = f"%r = llvm.shufflevector %x0, %x1 [0, 5, 2, 7] : {t}"
    np.testing.assert_array_equal(lanes(body, [t, t], t, [x, y]), want)
    body = f"%s = vector.extract_strided_slice %x0 {{offsets = [1], sizes = [2], strides = [1]}} : {t} to vector<2xi32>\n"
    body += f"%r = vector.insert_strided_slice %s, %x1 {{offsets = [2], strides = [1]}} : vector<2xi32> into {t}"
    want = np.concatenate([y[:, :2], x[:, 1:3]], 1)
    np.testing.assert_array_equal(lanes(body, [t, t], t, [x, y]), want)


def test_shape_cast_keeps_order() -> None:
    x = data("vector<4xi32>")
    body = "%m = vector.shape_cast %x0 : vector<4xi32> to vector<2x2xi32>\n"
    body += "%r = vector.shape_cast %m : vector<2x2xi32> to vector<4xi32>"
    np.testing.assert_array_equal(lanes(body, ["vector<4xi32>"], "vector<4xi32>", [x]), x)


REDUCTIONS = {
    "add": lambda x: ((x[:, 0] + x[:, 1]) + x[:, 2]) + x[:, 3], "maximumf": lambda x: x.max(1),
    "mul": lambda x: ((x[:, 0] * x[:, 1]) * x[:, 2]) * x[:, 3], "minnumf": lambda x: x.min(1),
}  # fmt: skip


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduction_in_order(kind: str) -> None:
    x = data("vector<4xf32>")
    got = lanes(
        f"%r = vector.reduction <{kind}>, %x0 : vector<4xf32> into f32",
        ["vector<4xf32>"],
        "f32",
        [x],
    )
    np.testing.assert_array_equal(got[:, 0], REDUCTIONS[kind](x))


def test_integer_reduction() -> None:
    x = data("vector<4xi32>")
    got = lanes(
        "%r = vector.reduction <maxsi>, %x0 : vector<4xi32> into i32", ["vector<4xi32>"], "i32", [x]
    )
    np.testing.assert_array_equal(got[:, 0], x.max(1))


BITCASTS = [("vector<2xi32>", "vector<4xbf16>"), ("vector<4xi8>", "vector<1xi32>"), ("vector<2xf32>", "vector<2xi32>"),
            ("vector<8xbf16>", "vector<4xi32>")]  # fmt: skip


@pytest.mark.parametrize(("source", "target"), BITCASTS)
def test_bitcast_keeps_bytes(source: str, target: str) -> None:
    x = data(source)
    got = lanes(f"%r = vector.bitcast %x0 : {source} to {target}", [source], target, [x])
    assert got.tobytes() == x.tobytes()


def test_structs() -> None:
    x, y = data("i32"), data("i32")
    s = "!llvm.struct<(i32, struct<(f32, i32)>)>"
    body = f"%u = llvm.mlir.undef : {s}\n%a = llvm.insertvalue %x0, %u[0] : {s}\n"
    body += f"%b = llvm.insertvalue %x1, %a[1, 1] : {s}\n%p = llvm.extractvalue %b[0] : {s}\n"
    body += f"%q = llvm.extractvalue %b[1, 1] : {s}\n%r = arith.subi %p, %q : i32"
    np.testing.assert_array_equal(lanes(body, ["i32", "i32"], "i32", [x, y]), x - y)


def test_pointer_arithmetic() -> None:
    x = data("i32")
    body = """%p = llvm.inttoptr %a0 : i64 to !llvm.ptr<1>
      %c = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr
      %q = llvm.getelementptr %c[%tid, 3] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<4 x i16>
      %i = llvm.ptrtoint %q : !llvm.ptr to i64
      %d = arith.subi %i, %a0 : i64
      %f = llvm.freeze %d : i64
      %r = arith.trunci %f : i64 to i32"""
    np.testing.assert_array_equal(lanes(body, ["i32"], "i32", [x])[:, 0], np.arange(64) * 8 + 6)


def test_hints_pass_values_through() -> None:
    x = data("i32")
    body = """%f = arith.constant false
      %z = arith.constant 0 : i32
      %p = arith.cmpi sgt, %x0, %z : i32
      %e = llvm.call_intrinsic "llvm.expect.i1"(%p, %f) : (i1, i1) -> i1
      %h = llvm.call_intrinsic "llvm.expect.i32"(%x0, %z) : (i32, i32) -> i32
      %g = llvm.intr.expect %h, %z : i32
      %u = builtin.unrealized_conversion_cast %g : i32 to i32
      %r = arith.select %e, %u, %z : i32"""
    np.testing.assert_array_equal(lanes(body, ["i32"], "i32", [x]), x)


def test_truncation_of_a_vector_packs_pairs() -> None:
    x = data("vector<4xf32>")
    got = lanes(
        "%r = arith.truncf %x0 : vector<4xf32> to vector<4xbf16>",
        ["vector<4xf32>"],
        "vector<4xbf16>",
        [x],
    )
    np.testing.assert_array_equal(got, bf16(x))
    back = lanes(
        "%r = arith.extf %x0 : vector<4xbf16> to vector<4xf32>",
        ["vector<4xbf16>"],
        "vector<4xf32>",
        [got],
    )
    np.testing.assert_array_equal(back, from_bf16(got))
