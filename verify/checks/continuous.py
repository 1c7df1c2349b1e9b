"""Continuous outputs: the derived bound, the ratio to the baseline, and figures of the error."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from verify.bounds import Bounded
from verify.checks.elements import Where, describe, unravel
from verify.checks.survey import Survey
from verify.data import Check, Metrics, Verdict, Worst

EPS = {torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10, torch.float32: 2.0**-23}
MAX_MESSAGES = 4


@dataclass
class Continuous:
    """Collects one output over the ranks."""

    dtype: torch.dtype
    worst: Worst | None = None
    over: float = 0.0
    max_error: float = 0.0
    failures: int = 0
    unbounded: int = 0
    messages: list[str] = field(default_factory=list)
    survey: Survey = field(default_factory=Survey)
    _error_square: float = 0.0
    _oracle_square: float = 0.0
    _oracle_max: float = 0.0
    _baseline_error: float | None = None
    _equal: int = 0
    _count: int = 0
    _worst_row: tuple[float, int] = (-1.0, 0)
    _first_unbounded: str = ""
    _widest: float = 0.0

    def add(self, where: Where, expected: Bounded, candidate: Tensor) -> None:
        """Compare one rank's tensor with the oracle on that rank's own inputs."""
        k = candidate.to(torch.float64)
        same = (k == expected.value) | (k.isnan() & expected.value.isnan())
        error = torch.where(same, 0.0, (k - expected.value).abs())
        error = torch.where(error.isnan(), math.inf, error)
        bound = expected.total()
        over = torch.where(error == 0, 0.0, error / bound)
        over = torch.where(over.isnan(), math.inf, over)
        flat = int(over.argmax())
        index = unravel(flat, over.shape)
        peak = float(over.flatten()[flat])
        if self.worst is None or peak > self.over:
            at = tuple(index)
            self.over = peak
            self.worst = describe(
                expected, candidate, index, where.rank, float(bound[at]), float(error[at])
            )
        bad = over > 1
        if bad.any():
            self.failures += int(bad.sum())
            if len(self.messages) < MAX_MESSAGES:
                self.messages.append(self._explain(where, expected, candidate, index, error, bound))
        unbounded = bound.isinf() & (error != 0) & ~bad
        if unbounded.any():
            self.unbounded += int(unbounded.sum())
            place = where.at(unravel(int(unbounded.flatten().int().argmax()), bound.shape))
            self._first_unbounded = self._first_unbounded or place
        self.survey.values(where.rank, candidate, expected.value, error, bound)
        self._figures(candidate, expected.value, error)
        self._widest = max(self._widest, _width(bound, expected.value))

    def _explain(
        self,
        where: Where,
        expected: Bounded,
        candidate: Tensor,
        index: list[int],
        error: Tensor,
        bound: Tensor,
    ) -> str:
        at = tuple(index)
        worst = describe(expected, candidate, index, where.rank, float(bound[at]), float(error[at]))
        return (
            f"{where.at(index)}: candidate {worst.candidate:.9g}, oracle {worst.oracle:.9g}, "
            f"error {worst.error:.3e} must be ≤ {worst.bound:.3e}; rounding point {worst.point}"
        )

    def _figures(self, candidate: Tensor, oracle: Tensor, error: Tensor) -> None:
        finite = torch.where(oracle.isfinite(), oracle, 0.0)
        self.max_error = max(self.max_error, float(error.max()))
        self._error_square += float((error**2).sum())
        self._oracle_square += float((finite**2).sum())
        self._oracle_max = max(self._oracle_max, float(finite.abs().max()))
        self._equal += int((candidate == oracle.to(candidate.dtype)).sum())
        self._count += candidate.numel()
        rows = error.reshape(error.shape[0], -1).norm(dim=1)
        scale = finite.reshape(error.shape[0], -1).norm(dim=1)
        relative = torch.where(rows == 0, 0.0, rows / scale)
        row = int(relative.argmax())
        self._worst_row = max(self._worst_row, (float(relative[row]), row))

    def add_baseline(self, expected: Bounded, baseline: Tensor) -> None:
        """What rounding alone costs, on the same inputs."""
        error = (baseline.to(torch.float64) - expected.value).abs()
        error = error[error.isfinite()]
        peak = float(error.max()) if error.numel() else 0.0
        self._baseline_error = max(self._baseline_error or 0.0, peak)

    def checks(self) -> list[Check]:
        """The derived bound and, for outputs rounded below fp32, the ratio criterion."""
        shown = "\n".join(self.messages)
        if self.failures > len(self.messages):
            shown += f"\n{self.failures} elements over their bound in all"
        verdict = Verdict.FAIL if self.failures else Verdict.PASS
        if self.unbounded and not self.failures:
            # An infinite bound holds for anything: it shows nothing, so it does not pass.
            verdict = Verdict.NOT_CHECKED
            shown = f"{self.unbounded} elements have no finite bound, first {self._first_unbounded}"
        elif self._widest > 1 and not self.failures:
            verdict = Verdict.NOT_CHECKED
            shown = (
                f"half of the bounds are above {self._widest:.1f} × the values' root mean square: "
                "they would hold for anything; expose a value between this one and its inputs"
            )
        checks = [Check(name="bound", verdict=verdict, value=self.over, limit=1.0, message=shown)]
        # In an fp32 output the order of sums is all there is: a sum in one run has many times the
        # error of a library's, which keeps as many as it likes, and both are legal.
        if self._baseline_error is not None and self.dtype != torch.float32:
            limit = 2 * (self._baseline_error + EPS[self.dtype] * self._oracle_max)
            ok = self.max_error <= limit
            checks.append(
                Check(
                    name="ratio",
                    verdict=Verdict.PASS if ok else Verdict.FAIL,
                    value=self.max_error,
                    limit=limit,
                    message=""
                    if ok
                    else f"largest error {self.max_error:.3e} must be ≤ {limit:.3e} = "
                    f"2·(baseline error {self._baseline_error:.3e} + eps·max|oracle|)",
                )
            )
        return checks

    def metrics(self) -> Metrics:
        """Figures over all ranks."""
        return Metrics(
            max_error=self.max_error,
            max_over_bound=self.over,
            nrmse=_ratio(math.sqrt(self._error_square), math.sqrt(self._oracle_square)),
            worst_row=self._worst_row[1],
            worst_row_rel_l2=max(0.0, self._worst_row[0]),
            baseline_error=self._baseline_error,
            equal_fraction=self._equal / max(1, self._count),
            bound_width=self._widest,
        )


def _width(bound: Tensor, oracle: Tensor) -> float:
    """Median bound over the root mean square of the values: above 1 the bound shows nothing."""
    touched = bound > 0
    if not touched.any():
        return 0.0
    size = oracle[touched & oracle.isfinite()].square().mean().sqrt()
    middle = bound[touched].median()
    return float(middle / size) if size > 0 else 0.0


def _ratio(a: float, b: float) -> float:
    if a == 0:
        return 0.0
    return a / b if b else math.inf
