"""What a set of records says about switching the fast path on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.records import Item

ORDER = ("fail", "not_checked", "pass")


@dataclass(frozen=True)
class Gate:
    """The state of the gate, and why.

    Attributes:
        open: whether nothing in the records speaks against switching on.
        reasons: what keeps it shut.
        verdict: worst verdict of all records; empty if none judges anything.
    """

    open: bool
    reasons: list[str]
    verdict: str


def gate(items: Sequence[Item]) -> Gate:
    """Shut by default: it opens only on passes, on the target hardware, of layers."""
    verdicts = [item.verdict for item in items if item.verdict]
    reasons = [f"{item.name}: failed" for item in items if item.verdict == "fail"]
    reasons += [
        f"{item.name}: not everything could be checked"
        for item in items
        if item.verdict == "not_checked"
    ]
    judged = [item for item in items if item.kind in ("layer", "replay", "sweep", "steps")]
    if not any(item.kind in ("layer", "sweep") for item in judged):
        reasons.append("no layer was verified in these records")
    elsewhere = [item for item in judged if item.data.get("hardware") != "pass"]
    if elsewhere:
        reasons.append(
            f"hardware (gfx950) not checked: {len(elsewhere)} of {len(judged)} records of "
            "layers, replays and steps were made elsewhere"
        )
    verdict = next((v for v in ORDER if v in verdicts), "")
    return Gate(not reasons, reasons, verdict)
