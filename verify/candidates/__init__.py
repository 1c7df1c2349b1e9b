"""Candidates: what is verified."""

from verify.candidates.base import (
    Candidate,
    CandidateError,
    CandidateRun,
    Evidence,
    LayerCall,
    RunOptions,
)
from verify.candidates.execute import execute
from verify.candidates.registry import BUILT_IN, KERNELS, chosen, load

__all__ = [
    "BUILT_IN",
    "KERNELS",
    "Candidate",
    "CandidateError",
    "CandidateRun",
    "Evidence",
    "LayerCall",
    "RunOptions",
    "chosen",
    "execute",
    "load",
]
