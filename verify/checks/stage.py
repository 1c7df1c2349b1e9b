"""Judge one stage of a candidate on the candidate's own inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kk3ref.precision import BASELINE, CONTRACT
from kk3ref.stages import Kind, Layer, RankContext, Scope, Stage, Tap
from verify.bounds import Bounded, BoundPolicy, CodePool, CodeRange, PickScores
from verify.checks.codes import Codes
from verify.checks.continuous import Continuous
from verify.checks.elements import Where
from verify.checks.exact import Exact
from verify.checks.form import Form
from verify.checks.picks import Picks
from verify.checks.resolve import NotExposed, Resolver
from verify.data import Check, OutputReport, StageReport, Verdict, worst_verdict

Collector = Exact | Continuous | Picks | Codes


class Judge:
    """Judges the stages of one candidate run, one after the other, on some or all ranks.

    Attributes:
        failing: tensors of failing outputs, by ``stage.output`` and ``rankN.what``.
        unusable: outputs found that no stage can be computed with.
    """

    def __init__(
        self,
        layer: Layer,
        contexts: Sequence[RankContext],
        inputs: Sequence[Mapping[str, Tensor]],
        taps: Sequence[Mapping[str, Tensor]],
        stood_in: frozenset[str] = frozenset(),
        live_rows: int | None = None,
        ranks: frozenset[int] | None = None,
    ):
        self._taps = taps
        self._ranks = [r for r in range(len(taps)) if ranks is None or r in ranks]
        self._stood_in = stood_in
        self._live_rows = live_rows
        self._bound, self._baseline, self._contract = (
            Resolver(layer, policy, contexts, inputs, taps)
            for policy in (BoundPolicy(), BASELINE, CONTRACT)
        )
        self.failing: dict[str, dict[str, Tensor]] = {}
        self._covered: dict[str, str] = {}
        self.unusable: set[str] = set()

    def stage(self, s: Stage) -> StageReport:
        """Judge every output of a stage on every rank."""
        if s.name in self._stood_in:
            reason = "the candidate has no function for this stage; the contract stood in"
            return self._unjudged(s, reason)
        unusable = sorted(self._bound.reads(s) & self.unusable)
        if unusable:
            return self._unjudged(s, f"its input {', '.join(unusable)} cannot be computed with")
        merged = self._bound.merged(s)
        verdicts = _StageVerdicts(s, fixed=self._bound.fixes(s), ranks=len(self._ranks))
        try:
            for rank in self._ranks:
                if any(tap.name in self._taps[rank] for tap in s.outputs):
                    self._rank(s, rank, verdicts)
        except NotExposed as missing:
            return self._unjudged(s, f"its input {missing} is not exposed by the candidate")
        if any(self._bound.exposed(tap.name) for tap in s.outputs):
            self._covered.update(dict.fromkeys(merged, s.name))
        note = f"judged through {', '.join(merged)}" if merged else ""
        self.unusable |= verdicts.unusable()
        outputs = verdicts.reports()
        return StageReport(
            stage=s.name,
            scope=s.scope.value,
            verdict=worst_verdict(report.verdict for report in outputs),
            outputs=outputs,
            note=note,
        )

    def covered_by(self, output: str) -> str | None:
        """The later stage an unexposed output was judged together with."""
        return self._covered.get(output)

    def _rank(self, s: Stage, rank: int, verdicts: _StageVerdicts) -> None:
        values = self._taps[rank]
        bound = self._bound.outputs(s, rank)
        for tap in s.outputs:
            value = values.get(tap.name)
            if value is None:
                continue
            if verdicts.seen(tap, bound[tap.name], value):
                continue
            where = Where(s.name, tap.name, rank)
            partner = next((t.name for t in s.outputs if t.kind is Kind.MX_SCALES), "")
            contract = baseline = None
            if verdicts.is_exact(tap):
                contract = self._contract.outputs(s, rank)[tap.name]
            elif not isinstance(bound[tap.name], (PickScores, CodeRange, CodePool)):
                baseline = self._baseline.outputs(s, rank)[tap.name]
            live = self._live_rows if tap.free_padding else None
            failed = verdicts.add(
                tap, where, bound[tap.name], value, contract, baseline, values.get(partner), live
            )
            if failed:
                self._keep(s, tap, rank, value, bound[tap.name], contract)
        for resolver in (self._bound, self._baseline, self._contract):
            resolver.forget(s, rank)

    def _keep(
        self, s: Stage, tap: Tap, rank: int, value: Tensor, bound: Any, contract: Tensor | None
    ) -> None:
        if isinstance(bound, CodePool):
            value, bound = value.reshape(bound.before.shape)[bound.index], bound.codes
        carried = {PickScores: "scores", CodeRange: "values"}.get(type(bound))
        bounded = getattr(bound, carried) if carried else bound
        kept = {"candidate": value}
        if isinstance(bounded, Bounded):
            kept |= {"oracle": bounded.value, "bound": bounded.total()}
        if contract is not None:
            kept["contract"] = contract
        tensors = self.failing.setdefault(f"{s.name}.{tap.name}", {})
        for name, tensor in kept.items():
            tensors[f"rank{rank}.{name}"] = tensor.detach().clone().contiguous()

    def _unjudged(self, s: Stage, reason: str) -> StageReport:
        outputs = [_not_checked(tap, reason) for tap in s.outputs]
        return StageReport(
            stage=s.name, scope=s.scope.value, verdict=Verdict.NOT_CHECKED, outputs=outputs
        )


class _StageVerdicts:
    """The collectors of a stage's outputs."""

    def __init__(self, s: Stage, fixed: bool, ranks: int):
        self._stage = s
        self._ranks = ranks
        self._fixed = fixed
        self._forms: dict[str, Form] = {}
        self._collectors: dict[str, Collector] = {}
        self._last: dict[str, tuple[Any, Tensor]] = {}

    def is_exact(self, tap: Tap) -> bool:
        """Exact, unless values that may round differently had to be computed on the way."""
        return tap.kind is Kind.EXACT and self._fixed

    def seen(self, tap: Tap, bound: Any, value: Tensor) -> bool:
        """Whether this very pair was judged on the rank before (a shared, replicated value)."""
        self._forms.setdefault(tap.name, Form(tap.dtype)).ranks += 1
        if self._stage.scope is Scope.RANK:
            return False
        last = self._last.get(tap.name)
        self._last[tap.name] = (bound, value)
        return last is not None and last[0] is bound and last[1] is value

    def add(
        self,
        tap: Tap,
        where: Where,
        bound: Any,
        value: Tensor,
        contract: Tensor | None,
        baseline: Tensor | None,
        scales: Tensor | None,
        live_rows: int | None,
    ) -> bool:
        """Judge one rank's output; returns whether it failed.

        Args:
            live_rows: rows that are judged, if those of padding may hold anything finite.
        """
        form = self._forms[tap.name]
        shape = torch.Size(bound.shape)
        oracle = bound.value if isinstance(bound, Bounded) else None
        if not form.add(where, shape, value, oracle):
            return True
        if contract is not None:
            exact = self._collectors.setdefault(tap.name, Exact())
            assert isinstance(exact, Exact)
            before = exact.differing
            exact.add(where, contract, bound, value)
            return exact.differing > before
        if isinstance(bound, PickScores):
            picks = self._collectors.setdefault(tap.name, Picks())
            assert isinstance(picks, Picks)
            before = len(picks.messages)
            picks.add(where, bound, value)
            return len(picks.messages) > before
        if isinstance(bound, (CodeRange, CodePool)):
            codes = self._collectors.setdefault(tap.name, Codes())
            assert isinstance(codes, Codes)
            before = codes.wrong
            codes.add(where, bound, value, scales)
            return codes.wrong > before
        if live_rows is not None:
            if live_rows == 0:
                return False
            bound, value = bound[:live_rows], value[:live_rows]
            baseline = None if baseline is None else baseline[:live_rows]
        continuous = self._collectors.setdefault(tap.name, Continuous(tap.dtype))
        assert isinstance(continuous, Continuous)
        before = continuous.failures
        continuous.add(where, bound, value)
        if baseline is not None:
            continuous.add_baseline(bound, baseline)
        return continuous.failures > before

    def unusable(self) -> set[str]:
        """Outputs no later stage can be computed with: malformed ones, ids of no expert."""
        wrong = {name for name, form in self._forms.items() if form.wrong}
        picks = {n for n, c in self._collectors.items() if isinstance(c, Picks) and c.out_of_range}
        return wrong | picks

    def reports(self) -> list[OutputReport]:
        """One report an output, in the stage's order."""
        return [self._report(tap) for tap in self._stage.outputs]

    def _report(self, tap: Tap) -> OutputReport:
        form = self._forms.get(tap.name)
        if form is None:
            return _not_checked(tap, "not exposed by the candidate")
        checks = form.checks()
        if form.ranks < self._ranks:
            checks.append(
                Check(
                    name="exposed",
                    verdict=Verdict.NOT_CHECKED,
                    message=f"exposed on {form.ranks} of {self._ranks} ranks",
                )
            )
        collector = self._collectors.get(tap.name)
        if collector is not None:
            checks += collector.checks()
        continuous = collector if isinstance(collector, Continuous) else None
        return OutputReport(
            output=tap.name,
            kind=tap.kind.value,
            verdict=worst_verdict(check.verdict for check in checks),
            checks=checks,
            elements=form.elements,
            metrics=continuous.metrics() if continuous else None,
            worst=continuous.worst if continuous else None,
            errors=collector.survey.errors() if collector else None,
        )


def _not_checked(tap: Tap, reason: str) -> OutputReport:
    check = Check(name="exposed", verdict=Verdict.NOT_CHECKED, message=reason)
    return OutputReport(
        output=tap.name, kind=tap.kind.value, verdict=Verdict.NOT_CHECKED, checks=[check]
    )
