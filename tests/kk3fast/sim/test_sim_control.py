"""Structured control flow with lane masks against a lane-by-lane model in Python."""

from __future__ import annotations

import numpy as np
import pytest
from kk3fast_sim_mlir import lanes

from kk3fast.sim.codegen import control

RNG = np.random.default_rng(11)
TESTED = {"scf.if", "scf.for", "scf.while"}


@pytest.fixture(params=[10**6, 1], ids=["inline", "outlined"], autouse=True)
def outlining(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "OUTLINE_OPS", request.param)


def numbers(low: int, high: int) -> np.ndarray:
    return RNG.integers(low, high, (64, 1)).astype(np.int32)


NESTED = """%zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %c = arith.cmpi slt, %x0, %ten : i32
  %r = scf.if %c -> (i32) {
    %d = arith.cmpi slt, %x1, %zero : i32
    %in = scf.if %d -> (i32) {
      %a = arith.subi %x0, %x1 : i32
      scf.yield %a : i32
    } else {
      %b = arith.addi %x0, %x1 : i32
      scf.yield %b : i32
    }
    scf.yield %in : i32
  } else {
    %m = arith.muli %x0, %x1 : i32
    scf.yield %m : i32
  }"""


@pytest.mark.parametrize("uniform", [False, True], ids=["divergent", "uniform"])
def test_nested_if(uniform: bool) -> None:
    x, y = numbers(0, 20), numbers(-9, 9)
    a, b = (np.repeat(v[:1], 64, 0) if uniform else v for v in (x, y))
    want = np.where(a < 10, np.where(b < 0, a - b, a + b), a * b)
    np.testing.assert_array_equal(
        lanes(
            NESTED.replace("%zero =", "%zero2 =", 1).replace(", %zero :", ", %zero2 :"),
            ["i32", "i32"],
            "i32",
            [x, y],
            uniform=uniform,
        ),
        want,
    )


FOR = """%lo = arith.constant 1 : i32
  %st = arith.constant 2 : i32
  %init = arith.constant 0 : i32
  %r = scf.for %i = %lo to %x0 step %st iter_args(%s = %init) -> (i32) : i32 {
    %t = arith.muli %i, %x1 : i32
    %n = arith.addi %s, %t : i32
    scf.yield %n : i32
  }"""


@pytest.mark.parametrize("uniform", [False, True], ids=["divergent", "uniform"])
def test_for_with_a_bound_a_lane(uniform: bool) -> None:
    n, k = numbers(0, 30), numbers(-5, 5)
    a, b = (np.repeat(v[:1], 64, 0) if uniform else v for v in (n, k))
    want = np.array(
        [
            [sum(i * int(y) for i in range(1, int(x), 2))]
            for x, y in zip(a[:, 0], b[:, 0], strict=True)
        ]
    )
    np.testing.assert_array_equal(lanes(FOR, ["i32", "i32"], "i32", [n, k], uniform=uniform), want)


WHILE = """%one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %nought = arith.constant 0 : i32
  %w:2 = scf.while (%v = %x0, %n = %nought) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi ne, %v, %one : i32
    scf.condition(%c) %v, %n : i32, i32
  } do {
  ^bb0(%v: i32, %n: i32):
    %bit = arith.andi %v, %one : i32
    %odd = arith.cmpi eq, %bit, %one : i32
    %next = scf.if %odd -> (i32) {
      %t = arith.muli %v, %three : i32
      %u = arith.addi %t, %one : i32
      scf.yield %u : i32
    } else {
      %h = arith.divui %v, %two : i32
      scf.yield %h : i32
    }
    %m = arith.addi %n, %one : i32
    scf.yield %next, %m : i32, i32
  }
  %r = arith.addi %w#0, %w#1 : i32"""


def collatz(x: int) -> int:
    n = 0
    while x != 1:
        x, n = (3 * x + 1 if x % 2 else x // 2), n + 1
    return 1 + n


@pytest.mark.parametrize("uniform", [False, True], ids=["divergent", "uniform"])
def test_while_ends_a_lane_at_a_time(uniform: bool) -> None:
    x = numbers(1, 60)
    source = np.repeat(x[:1], 64, 0) if uniform else x
    want = np.array([[collatz(int(v))] for v in source[:, 0]])
    np.testing.assert_array_equal(lanes(WHILE, ["i32"], "i32", [x], uniform=uniform), want)


def test_uniform_values_leave_a_divergent_loop_as_they_were() -> None:
    body = """%none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %r = scf.for %i = %none to %x0 step %one iter_args(%s = %none) -> (i32) : i32 {
        %n = arith.addi %s, %one : i32
        scf.yield %n : i32
      }"""
    n = numbers(0, 9)
    np.testing.assert_array_equal(lanes(body, ["i32"], "i32", [n]), n)


def test_vectors_and_conditions_are_merged() -> None:
    body = """%none = arith.constant 0 : i32
      %p = arith.cmpi sgt, %x0, %none : i32
      %v, %q = scf.if %p -> (vector<4xbf16>, i1) {
        %f = arith.constant dense<1.0> : vector<4xbf16>
        %t = arith.constant true
        scf.yield %f, %t : vector<4xbf16>, i1
      } else {
        %g = arith.constant dense<2.0> : vector<4xbf16>
        %u = arith.constant false
        scf.yield %g, %u : vector<4xbf16>, i1
      }
      %h = arith.constant dense<4.0> : vector<4xbf16>
      %r = arith.select %q, %v, %h : vector<4xbf16>"""
    x = numbers(-3, 3)
    got = lanes(body, ["i32"], "vector<4xbf16>", [x])
    np.testing.assert_array_equal(got, np.repeat(np.where(x > 0, 0x3F80, 0x4080), 4, 1))
