"""Make a failing run smaller while it fails in the same place.

Every move gives smaller command lines, the smallest first; the first one that still fails is kept.
Moves go round until none helps.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path

from kk3ref.config import ConfigError, K3Config
from kk3ref.presets import PRESETS
from verify.data.store import write_atomic
from verify.layers import LAYERS
from verify.plan import Planned, plan_arguments
from verify.step import UsageError

Progress = Callable[[str], None]
Move = Callable[[Planned, Path], Iterator[argparse.Namespace]]
_MODELS = ("tiny", "small", "production")


def shrink(
    planned: Planned,
    fails: Callable[[Planned], bool],
    folder: Path,
    *,
    seconds: float = 300.0,
    progress: Progress = lambda _: None,
) -> tuple[Planned, list[str]]:
    """The smallest run found that ``fails``.

    Args:
        fails: whether a run shows the failure in question; what raises does not.
        folder: where a smaller model's ``config.json`` is written (experts cannot be taken away on
            the command line).
        seconds: begin no run after that.

    Returns:
        the run, and what was made smaller in words.
    """
    end = time.monotonic() + seconds
    tried: set[str] = set()
    done: list[str] = []
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for name, move in MOVES.items():
            for given in move(planned, folder):
                smaller = _resolved(given)
                if smaller is None or smaller.command in tried:
                    continue
                tried.add(smaller.command)
                if time.monotonic() > end:
                    break
                progress(f"smaller: {name}: {_described(smaller)}")
                if _fails(smaller, fails):
                    done.append(f"{name}: {_described(smaller)}")
                    planned, changed = smaller, True
                    break
    return planned, done


def _resolved(given: argparse.Namespace) -> Planned | None:
    try:
        (planned,) = plan_arguments(given)
    except (UsageError, ConfigError, ValueError):
        return None
    return planned


def _fails(planned: Planned, fails: Callable[[Planned], bool]) -> bool:
    try:
        return fails(planned)
    except Exception:  # a candidate may raise anything at shapes it was not made for
        return False


def _described(planned: Planned) -> str:
    step, config = planned.job.step, planned.source.config
    text = f"{planned.arguments.tp} ranks, {step.requests}×{step.width} rows, "
    text += f"layer {planned.job.index}, {config.num_experts} experts"
    return text + (f", {step.padded} padded" if step.padded else "")


def pinned(planned: Planned) -> argparse.Namespace:
    """The run's own command line with everything that was resolved written out."""
    given = copy(planned.arguments)
    step = planned.job.step
    given.layer, given.index, given.family = (
        planned.job.kind,
        planned.job.index,
        [planned.job.family],
    )
    given.rows, given.drafts, given.requests = step.rows, step.drafts, None
    given.accepted, given.padded = ",".join(map(str, step.accepted)), step.padded
    return given


def _model(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    """A smaller preset: the layer of the same kind and role."""
    if planned.arguments.checkpoint or planned.arguments.config:
        return
    now = planned.arguments.preset or "production"
    writes = planned.source.config.layer(planned.job.index).writes_block
    for name in _MODELS[: _MODELS.index(now)]:
        given = pinned(planned)
        given.preset = name
        config = PRESETS[name]
        alike = [
            i
            for i in LAYERS[planned.job.kind].indices(config)
            if config.layer(i).writes_block == writes
        ]
        if alike:
            given.index = alike[-1]
            yield given


def _ranks(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    for tp in (1, 2, 4):
        if tp < planned.arguments.tp:
            given = pinned(planned)
            given.dcp = tp if given.dcp > 1 else 1
            given.tp = tp
            yield given


def _requests(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    step = planned.job.step
    live = step.requests - step.padded
    for count in range(1, step.requests):
        for padded in sorted({0, min(step.padded, count)}):
            starts = range(live) if count == 1 and not padded else (0,)
            for first in starts:
                given = pinned(planned)
                counts = [*step.accepted[first:], *step.accepted][:count]
                given.rows, given.accepted = count * step.width, ",".join(map(str, counts))
                given.padded = padded
                yield given


def _padding(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    for padded in range(planned.job.step.padded):
        given = pinned(planned)
        given.padded = padded
        yield given


def _drafts(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    step = planned.job.step
    for drafts in range(step.drafts):
        given = pinned(planned)
        given.drafts, given.rows = drafts, step.requests * (drafts + 1)
        given.accepted = ",".join(str(min(n, drafts + 1)) for n in step.accepted)
        yield given


def _counts(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    if any(n > 1 for n in planned.job.step.accepted):
        given = pinned(planned)
        given.accepted = "1"
        yield given


def _blocks(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    """A layer of the same kind with fewer AttnRes blocks."""
    config = planned.source.config
    here = config.layer(planned.job.index)
    fewer = [
        config.layer(i)
        for i in LAYERS[planned.job.kind].indices(config)
        if config.layer(i).num_blocks < here.num_blocks
    ]
    seen = set()
    for info in sorted(fewer, key=lambda i: (i.num_blocks, i.writes_block != here.writes_block)):
        if info.num_blocks not in seen:
            seen.add(info.num_blocks)
            given = pinned(planned)
            given.index = info.index
            yield given


def _experts(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    """Fewer picks a row, and fewer experts, of a synthetic model."""
    if planned.arguments.checkpoint or not any(s.name == "route" for s in planned.job.layer.stages):
        return
    config = planned.source.config
    now = (config.num_experts_per_token, config.num_experts)
    sizes = [(k, e) for k in (1, 2, 4, now[0]) for e in (2, 4, 8, 16, now[1])]
    for picks, experts in sizes:
        if picks <= experts and picks <= now[0] and experts <= now[1] and (picks, experts) != now:
            try:
                smaller = replace(config, num_experts_per_token=picks, num_experts=experts)
            except (ConfigError, ValueError):
                continue
            given = pinned(planned)
            given.preset, given.config = None, _written(smaller, folder)
            yield given


def _written(config: K3Config, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"config-{config.digest()[:12]}.json"
    if not path.exists():
        write_atomic(path, json.dumps(config.to_hf(), indent=2) + "\n")
    return path


def _family(planned: Planned, folder: Path) -> Iterator[argparse.Namespace]:
    if planned.job.family != "normal":
        given = pinned(planned)
        given.family = ["normal"]
        yield given


MOVES: dict[str, Move] = {
    "model": _model,
    "ranks": _ranks,
    "requests": _requests,
    "padding": _padding,
    "drafts": _drafts,
    "accepted counts": _counts,
    "blocks": _blocks,
    "experts": _experts,
    "family": _family,
}
"""In the order they are tried."""
