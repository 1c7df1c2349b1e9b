"""Candidates: what is verified."""

from verify.candidates.base import (
    NO_PLANT,
    Candidate,
    CandidateError,
    CandidateRun,
    Evidence,
    LayerCall,
    NotServed,
    Provenance,
    RunOptions,
)
from verify.candidates.execute import execute
from verify.candidates.registry import BUILT_IN, KERNELS, chosen, load

__all__ = [
    "BUILT_IN",
    "KERNELS",
    "NO_PLANT",
    "Candidate",
    "CandidateError",
    "CandidateRun",
    "Evidence",
    "LayerCall",
    "NotServed",
    "Provenance",
    "RunOptions",
    "chosen",
    "execute",
    "load",
]
