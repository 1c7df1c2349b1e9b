"""One merged record of all items."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from verify.data import Environment, Record, Verdict, worst_verdict
from verify.run import failures
from verify.sweep.work import Result

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class Row(_Model):
    """One item."""

    key: str
    """names the result"""
    command: str
    """repeats it"""
    layer: str
    """layer kind; empty if the run could not be made"""
    layer_index: int | None
    """0-based decoder layer"""
    family: str
    """input family"""
    rows: int | None
    """rows of the step"""
    drafts: int | None
    """speculative tokens a request"""
    seed: int | None
    """seed of the inputs"""
    candidate: str
    """candidate"""
    builds: list[str]
    """kernel-IR digests of compiled kernels"""
    verdict: Verdict
    """outcome"""
    max_over_bound: float
    """largest error over its bound"""
    at: str
    """where"""
    flips: int
    """discrete values that differ within the oracle's margin"""
    failed: list[str]
    """failed checks by place, or why the run could not be made"""
    attempts: int
    """how often it was begun"""
    worker: str
    """host and process"""
    seconds: float
    """wall time"""


class SweepRecord(_Model):
    """Every item once."""

    schema_version: int = SCHEMA_VERSION
    """version of this schema"""
    created: str
    """UTC time, ISO 8601"""
    command: str
    """the command that makes this record, or goes on with it"""
    environment: Environment
    """where it was merged"""
    code: str
    """digest of the code that ran"""
    items: int
    """items of the matrix"""
    counts: dict[str, int]
    """items by verdict"""
    reused: int
    """items that an earlier sweep had finished"""
    retried: int
    """items that were begun more than once"""
    rows: list[Row]
    """in the order of the matrix"""
    hardware: Verdict = Verdict.NOT_CHECKED
    """verdict on the target accelerator; never ``pass`` for a run elsewhere"""
    verdict: Verdict
    """worst of the rows"""
    seconds: float
    """wall time of this run of the sweep"""


def row_of(result: Result) -> Row:
    """An item's line."""
    record = result.record
    if record is None:
        return Row(
            key=result.key,
            command=" ".join(("python -m verify layer", *result.words)),
            layer=result.words[0],
            layer_index=None,
            family="",
            rows=None,
            drafts=None,
            seed=None,
            candidate=_after(result.words, "--candidate"),
            builds=[],
            verdict=Verdict.NOT_CHECKED,
            max_over_bound=0.0,
            at="",
            flips=0,
            failed=[result.error],
            attempts=result.attempts,
            worker=result.worker,
            seconds=result.seconds,
        )
    peak, at, flips = _peak(record)
    failed = [f"{where}: {check.name}" for where, check in failures(record)]
    failed += [f"vacuous: {v.fault} in {v.stage}" for v in record.vacuity if not v.seen]
    return Row(
        key=result.key,
        command=record.command,
        layer=record.layer,
        layer_index=record.layer_index,
        family=record.family,
        rows=record.step.rows,
        drafts=record.step.drafts,
        seed=record.seed,
        candidate=record.candidate.name,
        builds=[build.ir_sha256 for build in record.builds],
        verdict=record.verdict,
        max_over_bound=peak,
        at=at,
        flips=flips,
        failed=failed,
        attempts=result.attempts,
        worker=result.worker,
        seconds=result.seconds,
    )


def merged_verdict(rows: Iterable[Row]) -> Verdict:
    """The worst."""
    return worst_verdict(row.verdict for row in rows)


def _peak(record: Record) -> tuple[float, str, int]:
    peak, at, flips = 0.0, "", 0.0
    for report in record.stages:
        for output in report.outputs:
            flips += sum(c.value or 0 for c in output.checks if c.name == "flips")
            if output.metrics and output.metrics.max_over_bound >= peak:
                peak, at = output.metrics.max_over_bound, f"{report.stage}.{output.output}"
    return peak, at, int(flips)


def _after(words: list[str], option: str) -> str:
    return words[words.index(option) + 1] if option in words else ""
