"""One verdict on all ranks: a rank that refused alone would leave the others in a collective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch.distributed as dist

from kk3fast.runtime.agreement import exchange
from kk3fast.serve.settings import Refused

Reasons = Sequence[tuple[str, str]]
_MOST = 200  # reasons sent; a refusal of every layer says the same of each


@dataclass(frozen=True)
class Opinion:
    """What one rank found."""

    outcome: str
    """what it would do, as text: it must be the same on every rank"""
    reasons: tuple[tuple[str, str], ...] = ()
    """why it refuses, as (code, sentence); empty if it does not"""


def agree(opinion: Opinion, backend: str, group: dist.ProcessGroup | None) -> None:
    """Exchange opinions; every rank of the group calls it at the same point.

    Args:
        group: a CPU group (gloo); one process without torch.distributed agrees with itself.

    Raises:
        Refused: on every rank alike, if any refused or their outcomes differ; lists the reasons of
            all ranks, each once with the ranks that gave it.
    """
    sent = Opinion(opinion.outcome, opinion.reasons[:_MOST])
    opinions: list[Opinion] = exchange(sent, group)
    reasons = _by_rank(opinions)
    outcomes = list(dict.fromkeys(o.outcome for o in opinions))
    if not reasons and len(outcomes) > 1:
        said = "; ".join(
            f"ranks {[r for r, o in enumerate(opinions) if o.outcome == outcome]}: {outcome}"
            for outcome in outcomes
        )
        reasons = [("agreement", f"the ranks must be set up alike, got {said}")]
    if reasons:
        raise Refused(backend, reasons)


def _by_rank(opinions: Sequence[Opinion]) -> list[tuple[str, str]]:
    ranks: dict[tuple[str, str], list[int]] = {}
    for rank, opinion in enumerate(opinions):
        for reason in opinion.reasons:
            ranks.setdefault(reason, []).append(rank)
    if len(opinions) == 1:
        return list(ranks)
    return [
        (code, sentence if len(who) == len(opinions) else f"ranks {who}: {sentence}")
        for (code, sentence), who in ranks.items()
    ]
