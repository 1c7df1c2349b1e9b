"""Derived error bounds: the reference run with error-carrying values."""

from verify.bounds.policy import BoundPolicy, magnitude
from verify.bounds.value import Bounded, CodePool, CodeRange, PickScores

__all__ = ["BoundPolicy", "Bounded", "CodePool", "CodeRange", "PickScores", "magnitude"]
