"""The A/A control: counts, exact limits, and that a false alarm is one."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from verify.faults.control import run_control, upper_limit


def control(candidates: list[str], kinds: list[str], workers: int = 1):  # type: ignore[no-untyped-def]
    return run_control(candidates, kinds, "tiny", 8, range(2), workers, lambda _: None)


def test_the_reference_raises_no_alarm() -> None:
    report = control(["contract", "baseline"], ["attn_res", "dense-mlp"])
    assert report.false_alarms == 0
    assert report.seeds == 2
    assert report.cases > 20
    assert report.launches > report.cases
    assert report.checks > 10 * report.cases
    assert report.elements > 100_000
    assert 0.9 < report.largest <= 1.0
    assert report.upper == pytest.approx(1 - 0.05 ** (1 / report.cases))


def test_processes_change_nothing() -> None:
    assert control(["contract"], ["attn_res"], 2) == control(["contract"], ["attn_res"])


def test_a_false_alarm_is_counted_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the bound is a tenth of what rounding costs."""
    monkeypatch.setattr(
        "verify.bounds.value.Bounded.total",
        lambda self: sum((e.expand(self.shape) for e in self.errors.values()), self.value * 0) / 10,
    )
    report = control(["contract"], ["attn_res"])
    assert report.false_alarms == report.cases
    assert report.upper == 1.0
    assert report.failures[0].startswith("python -m verify layer attn_res --preset tiny")
    assert "first bound" in report.failures[0]


@pytest.mark.parametrize(("found", "n"), [(0, 300), (1, 300), (7, 20), (0, 1)])
def test_at_the_upper_limit_so_few_are_found_in_one_of_twenty(found: int, n: int) -> None:
    assert binom.cdf(found, n, upper_limit(found, n)) == pytest.approx(0.05)


def test_the_rule_of_three() -> None:
    assert upper_limit(0, 1000) == pytest.approx(3 / 1000, rel=5e-3)
    assert upper_limit(3, 3) == 1.0
