"""A predicted time of a fused launch from a simulated run's counts. Never a measurement.

A decode step of a few rows is bound by the bytes it moves and by hand-offs that wait for one
another, so a launch is predicted as ``bytes·us_per_byte + hand-offs·us_per_handoff``. The two
constants are solved from the two times published for vLLM's kernels on 8 × MI355X, graph-replayed,
and the counts of those builds at 8 rows. Two figures fix two constants: nothing is left to test the
model with.
"""

from __future__ import annotations

from dataclasses import dataclass

_MOVED = (
    "load_plain",
    "load_nt",
    "load_device",
    "load_system",
    "store_plain",
    "store_nt",
    "store_device",
    "store_system",
)


@dataclass(frozen=True)
class Work:
    """What one rank's launch does."""

    bytes: int
    """loaded and stored outside LDS, whatever cache serves them"""
    handoffs: int
    """longest chain of dependent hand-offs between workgroups"""

    @classmethod
    def of(cls, totals: dict[str, int], handoffs: int) -> Work:
        """From a launch's summed counts by name."""
        return cls(sum(totals[name] for name in _MOVED), handoffs)


@dataclass(frozen=True)
class CostModel:
    """Constants of the prediction."""

    us_per_byte: float
    us_per_handoff: float

    def predict_us(self, work: Work) -> float:
        """Predicted microseconds of a launch."""
        return work.bytes * self.us_per_byte + work.handoffs * self.us_per_handoff


def calibrate(first: Work, first_us: float, second: Work, second_us: float) -> CostModel:
    """The model that gives both measured times.

    Raises:
        ValueError: no model with positive constants does.
    """
    determinant = first.bytes * second.handoffs - second.bytes * first.handoffs
    if determinant == 0:
        raise ValueError("the two launches do the same work in proportion: nothing to solve")
    per_byte = (first_us * second.handoffs - second_us * first.handoffs) / determinant
    per_handoff = (first.bytes * second_us - second.bytes * first_us) / determinant
    if per_byte <= 0 or per_handoff <= 0:
        raise ValueError(
            f"the constants must be positive, got {per_byte} us a byte, {per_handoff} us a hand-off"
        )
    return CostModel(per_byte, per_handoff)
