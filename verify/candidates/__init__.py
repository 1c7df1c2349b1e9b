"""Candidates: what is verified."""

from verify.candidates.base import (
    Candidate,
    CandidateError,
    CandidateRun,
    Evidence,
    LayerCall,
    Provenance,
    RunOptions,
)
from verify.candidates.execute import execute
from verify.candidates.registry import BUILT_IN, load

__all__ = [
    "BUILT_IN",
    "Candidate",
    "CandidateError",
    "CandidateRun",
    "Evidence",
    "LayerCall",
    "Provenance",
    "RunOptions",
    "execute",
    "load",
]
