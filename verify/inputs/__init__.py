"""Inputs of a verification: weights, activations, state pools, and the input families."""

from verify.inputs.case import Case, build_case
from verify.inputs.families import FAMILIES, Family

__all__ = ["FAMILIES", "Case", "Family", "build_case"]
