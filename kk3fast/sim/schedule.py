"""Which workgroup and wave runs when: a deterministic schedule, and what goes wrong in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

TICKS_PER_SECOND = 100_000_000
"""The virtual clock runs at 100 MHz, as ``s_memrealtime`` does."""


@dataclass(frozen=True)
class Stall:
    """A workgroup (or, with ``block=None``, a rank) that does nothing before tick ``until``."""

    rank: int
    until: int
    block: int | None = None


@dataclass(frozen=True)
class Kill:
    """A workgroup (or a whole rank) that stops for ever at tick ``at``."""

    rank: int
    block: int | None = None
    at: int = 0


@dataclass(frozen=True)
class Starve:
    """A workgroup that runs in one round of ``every`` only (and when nobody else can go on)."""

    rank: int
    block: int
    every: int = 64


@dataclass(frozen=True)
class Schedule:
    """How waves are interleaved.

    ``order``: ``forward`` (workgroup 0 first, waves in order), ``reverse``, or ``random``
    (workgroups shuffled every round, first wave and time slice drawn at random, from ``seed``).
    ``quantum`` is how many loop iterations a wave may run before others get their turn. ``tick`` is
    how many clock ticks (10 ns) a round takes; while nobody makes progress the clock runs faster
    and faster. ``delays`` maps a rank to the tick at which its launches may start.
    """

    order: Literal["forward", "reverse", "random"] = "forward"
    seed: int = 0
    quantum: int = 256
    tick: int = 100
    delays: dict[int, int] = field(default_factory=dict)
    stalls: tuple[Stall, ...] = ()
    kills: tuple[Kill, ...] = ()
    starved: tuple[Starve, ...] = ()

    def __post_init__(self) -> None:
        wrong = []
        if self.order not in ("forward", "reverse", "random"):
            wrong.append(f"order must be forward, reverse or random, got {self.order!r}")
        if not 1 <= self.quantum < 2**31:
            wrong.append(f"quantum must be 1 … 2^31 - 1, got {self.quantum}")
        if self.tick < 1:
            wrong.append(f"tick must be at least 1, got {self.tick}")
        wrong += [
            f"starved block {s.block}: every must be at least 2"
            for s in self.starved
            if s.every < 2
        ]
        if wrong:
            raise ValueError("schedule: " + "; ".join(wrong))

    def describe(self) -> str:
        """One line that reproduces the schedule."""
        text = f"order={self.order} seed={self.seed} quantum={self.quantum} tick={self.tick}"
        for name in ("delays", "stalls", "kills", "starved"):
            value = getattr(self, name)
            if value:
                text += f" {name}={value}"
        return text
