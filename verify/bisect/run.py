"""Bisect a failing record."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from verify.bisect.divergence import LAYER_CHECKS, Divergence, first_divergence
from verify.bisect.look import look
from verify.bisect.shrink import pinned, shrink
from verify.candidates import Provenance
from verify.data import Record, Verdict
from verify.plan import Planned, plan, plan_arguments, words_of
from verify.step import UsageError

Progress = Callable[[str], None]


class Origin(BaseModel):
    """The last store to the first diverging element, in the simulator."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    kernel: str
    """symbol"""
    rank: int
    """whose launch"""
    workgroup: tuple[int, int, int]
    """index in the grid"""
    wave: int
    """wave in the workgroup"""
    source: str
    """source line, and what called it"""


class BisectReport(BaseModel):
    """What was found."""

    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )

    record: str
    """the record that was read"""
    recorded: Divergence | None
    """first divergence in the record"""
    found: Divergence | None
    """first divergence when run again"""
    smallest: Divergence | None
    """first divergence of the smallest run"""
    origin: Origin | None
    """for a simulated kernel: who stored the diverging element"""
    origin_note: str
    """why there is no origin"""
    smaller: list[str]
    """what was made smaller, in order"""
    command: str
    """repeats the smallest run"""
    notes: list[str]
    """what differs from when the record was made"""
    verdict: Verdict
    """``fail``: taken apart; ``pass``: nothing fails; ``not_checked``: it did not come back"""


def bisect(
    path: Path,
    record: Record,
    folder: Path,
    *,
    small: bool = True,
    seconds: float = 300.0,
    progress: Progress = lambda _: None,
) -> BisectReport:
    """Run a record again, find its first divergence, make the run small, and name its origin.

    Args:
        path, record: the record and where it was read.
        folder: where configurations of smaller models are written.
        small: look for a smaller run.
        seconds: begin no smaller run after that.

    Raises:
        UsageError: the record's command cannot be run here.
    """
    recorded = first_divergence(record.stages, record.layer_checks)
    (planned,) = _one(plan(words_of(record.command)))
    notes = _changed(record, planned)
    progress("running again")
    first = look(planned)
    found = first.divergence
    if found is None or not found.same_place(recorded):
        if recorded is not None and found is None:
            notes.append(
                "the recorded failure did not come back: the candidate or the code has changed, "
                "or it does not repeat itself (see python -m verify replay)"
            )
        elif recorded is not None:
            notes.append("it now fails in another place than recorded")
    if found is None:
        verdict = Verdict.PASS if recorded is None else Verdict.NOT_CHECKED
        return BisectReport(
            record=str(path),
            recorded=recorded,
            found=None,
            smallest=None,
            origin=None,
            origin_note="nothing fails",
            smaller=[],
            command=planned.command,
            notes=notes,
            verdict=verdict,
        )
    target: Divergence = found
    narrowed = _only_stage(planned, target)
    done: list[str] = []
    if small:
        narrowed, done = shrink(
            narrowed,
            lambda p: target.same_place(look(p).divergence),
            folder,
            seconds=seconds,
            progress=progress,
        )
    progress("tracing")
    last = look(narrowed, trace=True)
    smallest = last.divergence
    origin, why = _origin(last.candidate, smallest)
    return BisectReport(
        record=str(path),
        recorded=recorded,
        found=found,
        smallest=smallest,
        origin=origin,
        origin_note=why,
        smaller=done,
        command=narrowed.command,
        notes=notes,
        verdict=Verdict.FAIL if smallest is not None else Verdict.NOT_CHECKED,
    )


def _one(runs: list[Planned]) -> list[Planned]:
    if len(runs) != 1:
        raise UsageError(f"the record's command must name one run, got {len(runs)}")
    return runs


def _only_stage(planned: Planned, target: Divergence) -> Planned:
    """The run with everything written out, judged at the diverging stage alone."""
    given = copy(pinned(planned))
    given.stage = None if target.stage == LAYER_CHECKS else [target.stage]
    return plan_arguments(given)[0]


def _changed(record: Record, planned: Planned) -> list[str]:
    notes = []
    _, info = planned.candidate()
    if record.candidate.source_digest != info.source_digest:
        notes.append("the candidate's source is not the recorded one")
    if record.config_digest != planned.source.config.digest():
        notes.append("the configuration is not the recorded one")
    if record.weights != planned.source.identity:
        notes.append("the weights are not the recorded ones")
    return notes


def _origin(candidate: object, divergence: Divergence | None) -> tuple[Origin | None, str]:
    ask: Callable[[int, str, tuple[int, ...]], Provenance | None] | None
    ask = getattr(candidate, "provenance", None)
    if ask is None:
        return None, "the candidate is no simulated kernel that keeps the origin of its values"
    if divergence is None or divergence.rank is None or divergence.index is None:
        return None, "the failure names no element"
    found = ask(divergence.rank, divergence.output, tuple(divergence.index))
    if found is None:
        return None, "no kernel stored the element: it is as it was before the launch"
    return (
        Origin(
            kernel=found.kernel,
            rank=found.rank,
            workgroup=found.block,
            wave=found.wave,
            source=found.where,
        ),
        "",
    )
