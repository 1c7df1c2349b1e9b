"""Records: what a run writes and everything later reads."""

from verify.data.record import (
    SCHEMA_VERSION,
    CandidateInfo,
    Check,
    Environment,
    Metrics,
    OutputReport,
    Record,
    StageReport,
    StepInfo,
    Verdict,
    Worst,
    worst_verdict,
)

__all__ = [
    "SCHEMA_VERSION",
    "CandidateInfo",
    "Check",
    "Environment",
    "Metrics",
    "OutputReport",
    "Record",
    "StageReport",
    "StepInfo",
    "Verdict",
    "Worst",
    "worst_verdict",
]
