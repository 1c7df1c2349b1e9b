"""Records: what a run writes and everything later reads."""

from verify.data.errors import ErrorMap, Errors, RowError, UlpHistogram
from verify.data.record import (
    SCHEMA_VERSION,
    Build,
    CandidateInfo,
    Check,
    Environment,
    LaunchReport,
    Metrics,
    OutputReport,
    Record,
    Simulation,
    StageReport,
    StepInfo,
    Verdict,
    Worst,
    worst_verdict,
)

__all__ = [
    "SCHEMA_VERSION",
    "Build",
    "CandidateInfo",
    "Check",
    "Environment",
    "ErrorMap",
    "Errors",
    "LaunchReport",
    "Metrics",
    "OutputReport",
    "Record",
    "RowError",
    "Simulation",
    "StageReport",
    "StepInfo",
    "UlpHistogram",
    "Verdict",
    "Worst",
    "worst_verdict",
]
