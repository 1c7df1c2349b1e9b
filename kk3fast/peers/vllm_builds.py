"""Naming one build of vLLM's two Kimi-K3 kernels, and listing the builds a deployment compiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from kk3fast.compile.errors import CompileError
from kk3fast.compile.identity import Parameters, parameters_of

MAX_ROWS = 8
MAX_BLOCKS = 8


@dataclass(frozen=True)
class VllmBuild:
    """One build of K1 (``kda_pre``) or K2 (``layer_post``); an impossible one: ``CompileError``."""

    kernel: Literal["k1", "k2"]
    rows: int
    """Token rows of a step, 1..8."""
    nblocks: int
    """AttnRes block sources beside the running prefix."""
    query_rows: int = 0
    """K1: rows of one request; it divides ``rows``."""
    write_index: int = -1
    """K1: block that takes the updated prefix (a block-write layer), else -1."""
    reset: bool = False
    """K2: the prefix restarts at the attention's output (a block-write layer)."""
    fault_rank: int = -1
    """K2's test hook: CTA 0 of this rank stalls once (-1: nobody) …"""
    fault_epoch: int = 0
    """… at this step epoch …"""
    fault_layer: int = 0
    """… in this launch slot …"""
    fault_ticks: int = 0
    """… for so many 100 MHz ticks."""

    def __post_init__(self) -> None:
        reasons = list(self._wrong())
        if reasons:
            raise CompileError(f"no such build {self}: " + "; ".join(reasons))

    def _wrong(self) -> Iterator[str]:
        if self.kernel not in ("k1", "k2"):
            yield f"kernel must be k1 or k2, got {self.kernel!r}"
        if not 1 <= self.rows <= MAX_ROWS:
            yield f"rows must be 1..{MAX_ROWS}, got {self.rows}"
        if not 1 <= self.nblocks <= MAX_BLOCKS:
            yield f"nblocks must be 1..{MAX_BLOCKS}, got {self.nblocks}"
        if self.kernel == "k1":
            if self.query_rows < 1 or self.rows % self.query_rows:
                yield f"query_rows must divide rows ({self.rows}), got {self.query_rows}"
            if not -1 <= self.write_index < MAX_BLOCKS:
                yield f"write_index must be -1..{MAX_BLOCKS - 1}, got {self.write_index}"
        k2_only = ("reset", "fault_rank", "fault_epoch", "fault_layer", "fault_ticks")
        foreign = k2_only if self.kernel == "k1" else ("query_rows", "write_index")
        defaults = {f.name: f.default for f in fields(self)}
        for name in foreign:
            if getattr(self, name) != defaults[name]:
                yield f"{name} is not a parameter of {self.kernel}, got {getattr(self, name)!r}"

    @property
    def requests(self) -> int:
        """K1: requests in a step."""
        return self.rows // self.query_rows if self.query_rows else 0

    @property
    def state_len(self) -> int:
        """K1: entries a channel of the conv state keeps, 3 + speculative tokens."""
        return 2 + self.query_rows

    @property
    def parameters(self) -> Parameters:
        """Every field, as build parameters."""
        return parameters_of(asdict(self))

    def peer_fields(self) -> dict[str, Any]:
        """The fields of vLLM's own build key (``KdaPreBuild`` / ``K2Build``) this build sets."""
        if self.kernel == "k1":
            return {
                "tokens": self.rows,
                "qlen": self.query_rows,
                "nblocks": self.nblocks,
                "delta": True,  # only a model's very first layer has none
                "state_len": self.state_len,
                "write_idx": self.write_index,
            }
        names = ("fault_rank", "fault_epoch", "fault_layer", "fault_ticks")
        faults = {name: getattr(self, name) for name in names}
        return {"tokens": self.rows, "nblocks": self.nblocks, "reset": self.reset, **faults}


def production_builds(rows: int, query_rows: int, blocks: int = MAX_BLOCKS) -> list[VllmBuild]:
    """What a deployment compiles for one width: every block count, and the block-write layers.

    15 builds of K1 and 15 of K2 at 8 blocks.
    """
    counts, writes = range(1, blocks + 1), range(1, blocks)
    k1 = [VllmBuild("k1", rows, n, query_rows) for n in counts]
    k1 += [VllmBuild("k1", rows, n, query_rows, write_index=n) for n in writes]
    k2 = [VllmBuild("k2", rows, n) for n in counts]
    k2 += [VllmBuild("k2", rows, n + 1, reset=True) for n in writes]
    return k1 + k2


def widths(query_rows: int) -> list[int]:
    """The row counts served at ``query_rows`` rows a request: whole requests, at most 8 rows."""
    return list(range(query_rows, MAX_ROWS + 1, query_rows))
