"""Results that ``vllm bench serve --save-result`` wrote."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from verify.bench.serve_record import ServeRun

DRAFT_KEYS = ("drafts", "num_speculative_tokens")
"""Names under which ``--metadata drafts=7`` may have put the speculative tokens."""


def read_results(
    off: Sequence[Path], on: Sequence[Path], drafts: int | None = None
) -> dict[tuple[int, int], list[ServeRun]]:
    """Runs by (concurrency, drafts).

    The i-th file off and the i-th file on of a point form a pair.

    Args:
        drafts: speculative tokens of files that do not say.

    Raises:
        ValueError: a file is not such a result, or the sides' files do not pair; every reason.
    """
    problems: list[str] = []
    points: dict[tuple[int, int], list[ServeRun]] = defaultdict(list)
    for side, paths in (("off", off), ("on", on)):
        count: dict[tuple[int, int], int] = defaultdict(int)
        for path in paths:
            try:
                data = json.loads(path.read_text())
                point = (int(data.get("max_concurrency") or 0), _drafts(data, drafts))
                points[point].append(_run(data, side, count[point]))  # type: ignore[arg-type]
                count[point] += 1
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                text = f"{type(error).__name__}: {error}"
                problems.append(f"{path} must be a result of vllm bench serve: {text}")
    for (concurrency, k), runs in points.items():
        sides = [sum(run.side == side for run in runs) for side in ("off", "on")]
        if sides[0] != sides[1]:
            problems.append(
                f"concurrency {concurrency}, {k} drafts: as many files off as on, got {sides}"
            )
    if problems:
        raise ValueError("\n".join(problems))
    return dict(points)


def _drafts(data: dict[str, Any], given: int | None) -> int:
    for key in DRAFT_KEYS:
        if data.get(key) is not None:
            return int(data[key])
    if given is None:
        raise ValueError("drafts must be in the file (--metadata drafts=K) or given by --drafts")
    return given


def _run(data: dict[str, Any], side: Literal["off", "on"], place: int) -> ServeRun:
    p50, p90 = float(data["median_tpot_ms"]), data.get("p90_tpot_ms")
    lengths, gaps = data.get("output_lens"), data.get("itls")
    if p90 is None and lengths and gaps:
        tpots = [
            1e3 * sum(gap) / (n - 1) for n, gap in zip(lengths, gaps, strict=True) if n > 1 and gap
        ]
        p90 = float(np.percentile(tpots, 90)) if tpots else None
    completed = int(data["completed"])
    return ServeRun(
        side=side,
        seed=place,
        place=-1,
        requests=completed,
        failed=int(data.get("failed") or int(data.get("num_prompts", completed)) - completed),
        output_tokens=int(data["total_output_tokens"]),
        seconds=float(data["duration"]),
        tpot_p50_ms=p50,
        tpot_p90_ms=None if p90 is None else float(p90),
        ttft_p50_ms=float(data["median_ttft_ms"]) if "median_ttft_ms" in data else None,
        output_tokens_per_s=float(data["output_throughput"]),
    )
