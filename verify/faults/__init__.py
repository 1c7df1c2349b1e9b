"""Planted faults: what they are, candidates that have them, and what the checks see of them."""
