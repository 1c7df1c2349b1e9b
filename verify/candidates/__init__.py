"""Candidates: what is verified."""

from verify.candidates.base import Candidate, CandidateRun, LayerCall
from verify.candidates.execute import CandidateError, execute
from verify.candidates.registry import BUILT_IN, load

__all__ = [
    "BUILT_IN",
    "Candidate",
    "CandidateError",
    "CandidateRun",
    "LayerCall",
    "execute",
    "load",
]
