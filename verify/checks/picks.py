"""Top-k picks: exact, but where the oracle's margin is below the bound a neighbour may be taken."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from verify.bounds import PickScores
from verify.checks.elements import Where, shares
from verify.checks.survey import Survey
from verify.data import Check


@dataclass
class Picks:
    """Collects expert ids over the ranks."""

    flips: int = 0
    out_of_range: bool = False
    unbounded: int = 0
    messages: list[str] = field(default_factory=list)
    survey: Survey = field(default_factory=Survey)

    def add(self, where: Where, expected: PickScores, ids: Tensor) -> None:
        """Judge one rank's ids ``[S, k]``.

        A pick is legal if no expert that is still free scores higher by more than both errors, and
        among equal scores (equal logits and bias) it is the lowest id.
        """
        scores = expected.scores.value.nan_to_num(nan=-math.inf, neginf=-math.inf)
        # A NaN ranks last whatever its error.
        error = torch.where(expected.scores.value.isnan(), 0.0, expected.scores.total())
        self.unbounded += int(error.isinf().sum())
        count, experts = scores.shape
        ids = ids.long()
        if ids.shape != (count, expected.k):
            shape = tuple(ids.shape)
            self.messages.append(
                f"stage {where.stage}, output {where.output}, rank {where.rank}: "
                f"shape must be {(count, expected.k)}, got {shape}"
            )
            return
        ranked = scores.sort(dim=-1, descending=True, stable=True).indices[:, : expected.k]
        self.flips += int((ids != ranked).sum())
        ratio = (ids != ranked).to(torch.float64)
        free = torch.ones(count, experts, dtype=torch.bool)
        number = torch.arange(experts)
        for k in range(expected.k):
            pick = ids[:, k]
            valid = (pick >= 0) & (pick < experts)
            self.out_of_range |= not bool(valid.all())
            at = pick.clamp(0, experts - 1)[:, None]
            valid &= free.gather(1, at)[:, 0]
            score, loss = scores.gather(1, at), error.gather(1, at)
            higher = scores - error > score + loss
            tie = (scores == score) & (number < at)
            better = free & (higher | tie) & (number != at)
            for row in torch.nonzero(~valid | better.any(1)).flatten().tolist():
                ratio[row, k] = math.inf
                self._explain(
                    where, expected, row, k, int(pick[row]), better[row], bool(valid[row])
                )
            free = free.scatter(1, at, False)
        self.survey.ratios(where.rank, ratio)

    def _explain(
        self,
        where: Where,
        expected: PickScores,
        row: int,
        k: int,
        pick: int,
        better: Tensor,
        valid: bool,
    ) -> None:
        if not valid:
            self.messages.append(f"{where.at([row, k])}: id {pick} is out of range or repeated")
            return
        other = int(torch.where(better, expected.scores.value[row], -math.inf).argmax())
        point = next(iter(shares(expected.scores, [row, pick])), "none")
        a, b = (float(expected.scores.value[row, e]) for e in (pick, other))
        margin = float(expected.scores.total()[row, [pick, other]].sum())
        self.messages.append(
            f"{where.at([row, k])}: picked expert {pick} (score {a:.9g}), must be {other} "
            f"(score {b:.9g}): the difference is above the bound {margin:.3e} "
            f"or a tie that goes to the lower id; rounding point {point}"
        )

    def checks(self) -> list[Check]:
        """The pick criterion, and how often the oracle's neighbour was taken."""
        checks = [Check.none_of("picks", self.messages)]
        if self.unbounded:
            checks.append(Check.unbounded(self.unbounded, "scores: any pick of theirs is legal"))
        if self.flips and not self.messages:
            checks.append(Check.flips(self.flips, "picks"))
        return checks
