"""The checks that a policy can ask for, and what a certificate can open."""

from __future__ import annotations

from dataclasses import dataclass

PRODUCTION, EVALUATION, SIMULATION = "production", "evaluation", "simulation"
OPENS = (PRODUCTION, EVALUATION, SIMULATION)
"""What opens more opens less, too."""
SIMULATED, HARDWARE = "simulated", "hardware"
LAYER, REPLAY, FAULTS, STEPS, EVAL = CHECKS = ("layer", "replay", "faults", "steps", "eval")
PER_BUILD = (LAYER, REPLAY)
"""Checks that every build needs."""
ON_HARDWARE = {PRODUCTION: (LAYER, REPLAY, EVAL), EVALUATION: (LAYER, REPLAY), SIMULATION: ()}
"""Checks that a gate needs from the accelerator itself, by what it opens."""


@dataclass(frozen=True)
class Required:
    """A check that must have passed.

    Attributes:
        evidence: where at least, ``simulated`` or ``hardware``.
        families: input families on which every build must have passed; any one if empty.
        margin_points: of an eval, the largest loss that it must have excluded.
    """

    evidence: str
    margin_points: float | None = None
    families: tuple[str, ...] = ()
