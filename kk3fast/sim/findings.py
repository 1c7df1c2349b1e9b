"""What a run found: faults that end it, and findings of the sanitizer."""

from __future__ import annotations

from dataclasses import dataclass

from kk3fast.sim.ir import Location

KINDS: dict[int, tuple[str, bool, str]] = {
    1: ("out_of_bounds", True, "access past the end of the region"),
    2: ("no_region", True, "access to an address that belongs to no region"),
    3: ("misaligned", True, "misaligned access"),
    4: ("uninitialised_lds", True, "read of LDS nobody wrote"),
    5: ("uninitialised_memory", True, "read of memory nobody wrote"),
    6: ("uninitialised_private", True, "read of private memory its lane never wrote"),
    7: ("read_only", True, "store to a read-only region"),
    8: ("divergent_barrier", True, "barrier reached by some lanes of a wave only"),
    9: ("barrier_ended", True, "barrier that a wave which has ended can never reach"),
    10: ("deadlock", True, "wait that nobody can end"),
    11: ("stack", True, "the simulator's stack of a wave overflowed (raise stack_bytes)"),
    12: (
        "unordered_read",
        False,
        "plain read of data another workgroup wrote, with no ordering edge",
    ),
    13: (
        "flag_overtakes_data",
        False,
        "the observed flag was stored before its data had been drained",
    ),
    14: ("wrong_scope_load", False, "load whose cache scope does not reach the writer"),
    15: ("wrong_scope_store", False, "store whose cache scope does not reach the reader"),
    16: ("lds_race", False, "LDS accesses of two waves with no barrier between them"),
    17: ("slot_reused", False, "slot overwritten while a reader may still read it"),
    18: ("stale_line", False, "plain load served from a line the reader's L2 already held"),
}
"""Number -> (name, whether it is an error of the run, what it means)."""
NAMES = {name: number for number, (name, _, _) in KINDS.items()}


@dataclass(frozen=True)
class Finding:
    """One finding, with both places where two accesses are involved.

    ``block`` is the workgroup's index in its grid, ``wave`` and ``lane`` within it, ``address`` a
    text such as ``scratch + 0x40``, ``tick`` the virtual clock (10 ns), ``count`` how often it was
    seen.
    """

    kind: str
    kernel: str
    where: Location
    rank: int
    block: tuple[int, int, int]
    wave: int
    lane: int
    address: str
    tick: int
    count: int
    detail: str
    other: Location | None = None
    other_rank: int = -1
    other_block: tuple[int, int, int] | None = None
    schedule: str = ""

    @property
    def fatal(self) -> bool:
        """Whether it is an error of the run rather than a finding of the sanitizer."""
        return KINDS[NAMES[self.kind]][1]

    def __str__(self) -> str:
        number = NAMES[self.kind]
        who = f"rank {self.rank} block {self.block} wave {self.wave}"
        if self.lane >= 0:
            who += f" lane {self.lane}"
        text = f"{self.kind}: {KINDS[number][2]}\n  {self.kernel}, {who}"
        text += f", tick {self.tick}, seen {self.count}×"
        text += f"\n  at {self.where}"
        if self.address:
            text += f"\n  address {self.address}"
        if self.detail:
            text += f"\n  {self.detail}"
        if self.other is not None:
            text += (
                f"\n  other access: rank {self.other_rank} block {self.other_block} at {self.other}"
            )
        return text + (f"\n  schedule: {self.schedule}" if self.schedule else "")


class SimulationError(RuntimeError):
    """A run ended with faults; ``findings`` holds them all."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        super().__init__("\n".join(map(str, findings)))


class SimulationTimeout(RuntimeError):
    """A run took longer than the wall-clock seconds it was given."""
