"""The record of a fault campaign: what was planted, what saw it, the control without a fault."""

from __future__ import annotations

from pydantic import Field

from verify.data.record import Environment, Verdict, _Model

FAULTS_SCHEMA_VERSION = 1


class PlantReport(_Model):
    """One form of a fault in one layer kind."""

    plant: str
    """what is wrong"""
    kind: str
    """layer kind it was planted in"""
    runs: int
    """default runs, one a seed (and schedule)"""
    detected: int
    """runs in which a check failed"""
    checks: dict[str, float]
    """share of the runs in which a check of that name failed"""
    cheapest: str
    """family, launch and name of the cheapest check that saw it in the most runs"""
    missed_seeds: list[int]
    """seeds of the runs in which nothing failed"""


class FaultReport(_Model):
    """A kind of fault."""

    fault: str
    """``F1`` … ``F31``, or the kernel kind and the plant's name"""
    title: str
    """one line"""
    reveals: str
    """inputs or conditions that tell it from the correct layer"""
    plants: list[PlantReport]
    """its forms in every layer kind that can show them"""
    rate: float
    """detected runs over runs"""
    verdict: Verdict
    """pass: every run saw it"""


class ControlReport(_Model):
    """Candidates without a fault: every failure is a false alarm."""

    candidates: list[str]
    """what ran"""
    seeds: int
    """seeds a case was run with"""
    cases: int
    """runs of a layer kind, family and seed"""
    launches: int
    """judged launches"""
    checks: int
    """checks that were passed or failed"""
    elements: int
    """elements compared with a bound"""
    false_alarms: int
    """cases with a failed check"""
    upper: float
    """upper limit of the share of cases with a false alarm"""
    confidence: float
    """its one-sided level"""
    largest: float
    """largest error over its bound"""
    largest_at: str
    """layer kind, family, stage and output of that error"""
    failures: list[str]
    """command of each case that failed, and what failed"""


class FaultMatrix(_Model):
    """The evidence of ``verify faults``."""

    schema_version: int = FAULTS_SCHEMA_VERSION
    """version of this schema"""
    created: str
    """UTC time, ISO 8601"""
    command: str
    """the command that makes this record again"""
    environment: Environment
    """where"""
    preset: str
    """configuration"""
    tp: int
    """tensor-parallel ranks"""
    seeds: list[int]
    """seeds of the inputs"""
    faults: list[FaultReport] = Field(default_factory=list)
    """planted in the reference"""
    kernel_faults: list[FaultReport] = Field(default_factory=list)
    """planted in kernels, simulated"""
    control: ControlReport | None = None
    """the A/A control, if it was run"""
    verdict: Verdict
    """pass: every fault was seen in every run, and no false alarm"""
    seconds: float
    """wall time"""
