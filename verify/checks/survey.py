"""A compact picture of an output's error, small enough to stand in every record, passing or not."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from verify.data import ErrorMap, Errors, RowError, UlpHistogram
from verify.data.errors import cell_code

MAP_ROWS = 16
MAP_COLUMNS = 48
WORST_ROWS = 16
SAMPLE_EVEN = 64
SAMPLE_WORST = 32
ULP_BINS = 32
_INTEGER = {torch.bfloat16: torch.int16, torch.float16: torch.int16, torch.float32: torch.int32}


@dataclass
class Survey:
    """Collects one output over the ranks."""

    _maps: list[ErrorMap] = field(default_factory=list)
    _rows: list[RowError] = field(default_factory=list)
    _sample: list[tuple[float, float]] = field(default_factory=list)
    _equal: int = 0
    _not_finite: int = 0
    _below: Tensor = field(default_factory=lambda: torch.zeros(ULP_BINS, dtype=torch.int64))
    _above: Tensor = field(default_factory=lambda: torch.zeros(ULP_BINS, dtype=torch.int64))
    _ulps: str = ""

    def values(
        self, rank: int, candidate: Tensor, oracle: Tensor, error: Tensor, bound: Tensor
    ) -> None:
        """One rank's continuous output.

        Args:
            rank: tensor-parallel rank.
            candidate: in the output's dtype.
            oracle: float64, same shape.
            error: ``|candidate - oracle|``; infinite where it cannot be formed.
            bound: derived bound of each element.
        """
        ratio = torch.where(error == 0, 0.0, error / bound)
        ratio = torch.where(ratio.isnan(), math.inf, ratio)
        self.ratios(rank, ratio)
        self._count_ulps(candidate, oracle)
        self._keep_rows(rank, oracle, error, ratio)
        self._keep_sample(error.flatten(), bound.flatten(), ratio.flatten())

    def ratios(self, rank: int, ratio: Tensor) -> None:
        """One rank's error over bound; of discrete values 0 equal, 1 a legal neighbour, inf not."""
        table = ratio.to(torch.float64).reshape(ratio.shape[0] if ratio.dim() else 1, -1)
        if not table.numel():
            return
        tall, wide = (
            math.ceil(n / most)
            for n, most in zip(table.shape, (MAP_ROWS, MAP_COLUMNS), strict=True)
        )
        pooled = torch.nn.functional.max_pool2d(table[None], (tall, wide), ceil_mode=True)[0]
        self._maps.append(
            ErrorMap(
                rank=rank,
                rows=table.shape[0],
                columns=table.shape[1],
                rows_a_cell=tall,
                columns_a_cell=wide,
                cells=["".join(f"{cell_code(v):02x}" for v in row) for row in pooled.tolist()],
            )
        )

    def differing(self, rank: int, differ: Tensor) -> None:
        """One rank's exact output: which elements differ."""
        self.ratios(rank, torch.where(differ, math.inf, 0.0))

    def _count_ulps(self, candidate: Tensor, oracle: Tensor) -> None:
        integer = _INTEGER.get(candidate.dtype)
        if integer is None:
            return
        self._ulps = str(candidate.dtype).removeprefix("torch.")
        finite = candidate.isfinite() & oracle.to(candidate.dtype).isfinite()
        self._not_finite += int((~finite).sum())
        distance = _order(candidate, integer) - _order(oracle.to(candidate.dtype), integer)
        distance = distance[finite]
        self._equal += int((distance == 0).sum())
        for counts, side in ((self._below, -distance), (self._above, distance)):
            side = side[side > 0]
            bins = side.to(torch.float64).log2().ceil().long().clamp(max=ULP_BINS - 1)
            counts += torch.bincount(bins, minlength=ULP_BINS)

    def _keep_rows(self, rank: int, oracle: Tensor, error: Tensor, ratio: Tensor) -> None:
        finite = torch.where(oracle.isfinite(), oracle, 0.0)
        size, loss = (t.reshape(t.shape[0], -1).norm(dim=1) for t in (finite, error))
        relative = torch.where(loss == 0, 0.0, loss / size)
        peak = ratio.reshape(ratio.shape[0], -1).amax(dim=1)
        for row in relative.nan_to_num(nan=math.inf).argsort(descending=True)[:WORST_ROWS].tolist():
            found = RowError(
                row=row,
                rank=rank,
                rel_l2=float(relative[row]),
                max_over_bound=float(peak[row]),
            )
            self._rows.append(found)
        self._rows.sort(key=lambda r: (-r.rel_l2, r.rank, r.row))
        del self._rows[WORST_ROWS:]

    def _keep_sample(self, error: Tensor, bound: Tensor, ratio: Tensor) -> None:
        usable = torch.nonzero(bound.isfinite() & error.isfinite() & (bound > 0)).flatten()
        if not usable.numel():
            return
        even = usable[:: max(1, usable.numel() // SAMPLE_EVEN)][:SAMPLE_EVEN]
        worst = usable[ratio[usable].topk(min(SAMPLE_WORST, usable.numel())).indices]
        for at in torch.cat([worst, even]).unique().tolist():
            self._sample.append((_short(float(bound[at])), _short(float(error[at]))))

    def errors(self) -> Errors | None:
        """What was collected, or None if nothing was."""
        if not self._maps:
            return None
        return Errors(
            maps=self._maps,
            ulps=self._histogram() if self._ulps else None,
            worst_rows=self._rows,
            sample=_thin(self._sample),
        )

    def _histogram(self) -> UlpHistogram:
        used = torch.nonzero(self._below + self._above).flatten()
        count = int(used[-1]) + 1 if used.numel() else 0
        return UlpHistogram(
            dtype=self._ulps,
            equal=self._equal,
            below=self._below[:count].tolist(),
            above=self._above[:count].tolist(),
            not_finite=self._not_finite,
        )


def _order(values: Tensor, integer: torch.dtype) -> Tensor:
    """Floating-point values as integers in the order of their values; -0 equals +0."""
    bits = values.contiguous().view(integer).long()
    lowest = torch.iinfo(integer).min
    return torch.where(bits < 0, lowest - bits, bits)


def _short(value: float) -> float:
    return float(f"{value:.3g}")


def _thin(sample: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most a rank's worth of points: the nearest to their bounds, and every n-th of the rest."""
    ranked = sorted(sample, key=lambda point: -point[1] / point[0])
    worst, rest = ranked[:SAMPLE_WORST], ranked[SAMPLE_WORST:]
    return worst + rest[:: max(1, math.ceil(len(rest) / SAMPLE_EVEN))]
