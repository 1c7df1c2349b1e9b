"""The launches that follow a case on the same memory: what a launch must not remember.

A persistent kernel keeps mailboxes, flags, accumulators and captured metadata between launches, so
one launch shows little of it. Each launch here changes what an earlier one may have left behind:

1. ``reordered``: the next step; requests in reverse order, other accepted counts, longer contexts.
2. ``one-request``: the next step of one request alone.
3. ``padded``: all requests again; a new one in slots whose owner has gone, its state zero; the last
   one is padding, and loud.

Layers whose rows have no requests get a few rows, one, and a few again in place of all and one.
State pools are the candidate's own of the launch before. Activations are new every time.

A candidate that claims batch invariance is launched twice more on sums that depend on their order:
``among``, all rows, and ``alone``, the last request by itself, which must have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from kk3ref.kda import NULL_SLOT
from verify.candidates import Candidate, NotServed
from verify.checks.invariance import rows_alike
from verify.data import Check
from verify.inputs import Case
from verify.inputs.case import AFTER, activations, share
from verify.inputs.families import heavy_tails, loud_padding
from verify.inputs.random import Draw
from verify.launch import Launched, Storage, launch
from verify.step import Step

SEQUENCE = ("reordered", "one-request", "padded")
CARRIED = ("conv_state", "recurrent_state", "kv_cache")
_METADATA = ("state_index", "num_accepted", "block_table", "context_len")
AMONG, ALONE = "among", "alone"
RANKS_A_LAUNCH = 2
"""Ranks judged of each launch that follows; they take turns."""
_SEED_STEP = 1_000_003  # launches of one seed, and of its neighbours, draw apart


@dataclass(frozen=True)
class Followed:
    """A launch that followed.

    Attributes:
        name: of :data:`SEQUENCE`, or ``alone``.
        case: what it was.
        launched: what came of it; None if the candidate does not serve it.
        ranks: ranks whose stages are to be judged.
        checks: what was compared with the first launch.
        refusal: why the candidate does not serve it.
    """

    name: str
    case: Case
    launched: Launched | None
    ranks: frozenset[int]
    checks: tuple[Check, ...] = ()
    refusal: str = ""


def follow(
    first: Launched,
    candidate: Candidate,
    storage: Storage,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Followed]:
    """Launch the candidate again and again after a first launch, on its memory.

    A launch writes the buffers of the one before: judge each before asking for the next.

    Raises:
        CandidateError: what the candidate gave does not fit the layer.
    """
    case = first.case
    if case.step.live_rows == 0:
        return
    following = Following(case)
    pools = pools_after(case, first.taps)
    tp = len(case.contexts)
    for number, name in enumerate(SEQUENCE, 1):
        if pools is None:
            return  # malformed pools are a failure of the launch before
        ranks = frozenset((number * RANKS_A_LAUNCH + i) % tp for i in range(RANKS_A_LAUNCH))
        followed = _launch_next(
            name, following.following(name, pools), candidate, storage, ranks, progress
        )
        yield followed
        if followed.launched is None:
            return
        pools = pools_after(followed.case, followed.launched.taps)
    if getattr(candidate, "batch_invariant", False):
        yield from _invariance(case, candidate, storage, progress)


def _invariance(
    case: Case, candidate: Candidate, storage: Storage, progress: Callable[[str], None]
) -> Iterator[Followed]:
    larger = order_sensitive(case)
    among = _launch_next(AMONG, larger, candidate, storage, frozenset(), progress)
    yield among
    if among.launched is None:
        return
    kept = [{name: t.clone() for name, t in v.items()} for v in among.launched.taps]
    smaller, rows = one_alone(larger)
    alone = _launch_next(ALONE, smaller, candidate, storage, frozenset(), progress)
    if alone.launched is not None:
        written = smaller.written()
        check = rows_alike(alone.launched.taps, kept, rows, larger.step.rows, written)
        alone = replace(alone, checks=(check,))
    yield alone


def _launch_next(
    name: str,
    case: Case,
    candidate: Candidate,
    storage: Storage,
    ranks: frozenset[int],
    progress: Callable[[str], None],
) -> Followed:
    try:
        done = launch(case, candidate, storage, lambda text: progress(f"launch {name}: {text}"))
    except NotServed as refusal:
        return Followed(name, case, None, ranks, refusal=str(refusal))
    return Followed(name, case, done, ranks)


@dataclass(frozen=True)
class _Request:
    """A request of the first launch, followed through the sequence."""

    slots: Tensor | None
    pages: Tensor | None
    context: int

    def moved(self, accepted: int) -> _Request:
        """After a step of which ``accepted`` rows were kept."""
        return replace(self, context=self.context + accepted)


class Following:
    """Makes each launch's case of what the launch before it left."""

    def __init__(self, first: Case):
        self._first = first
        self._shared = first.inputs[0]
        self._live = first.step.requests - first.step.padded
        self._has_requests = any(name in self._shared for name in _METADATA)
        self._requests = [self._request(m) for m in range(self._live)]
        self._others: list[_Request] = []
        self._next_count = 1

    def _request(self, m: int) -> _Request:
        row = {name: self._shared[name][m] for name in _METADATA if name in self._shared}
        context = int(row["context_len"]) if "context_len" in row else 0
        return _Request(row.get("state_index"), row.get("block_table"), context)

    def following(self, name: str, pools: list[dict[str, Tensor]]) -> Case:
        """The case of the launch called ``name``.

        Args:
            pools: the state pools by input name that the launch before left, one mapping a rank.
        """
        number = 1 + SEQUENCE.index(name)
        if not self._has_requests:
            return self._rows(number)
        made = {"reordered": self._reordered, "one-request": self._alone, "padded": self._padded}
        requests, counts, padded = made[name]()
        self._requests = list(requests)
        width = self._first.step.width
        step = Step(len(counts), width - 1, tuple(counts), padded)
        metadata = self._metadata(requests, counts, step)
        if name == "padded":
            pools = [_cleared(values, requests[0]) for values in pools]
        return self._case(number, step, [values | metadata for values in pools])

    # -- steps with requests -------------------------------------------------------------------

    def _reordered(self) -> tuple[list[_Request], list[int], int]:
        """Counts at both ends of their range, and other ones than the row had before."""
        width, before = self._first.step.width, self._first.step.accepted
        count = len(self._requests)
        low_first = [1 if i % 2 == 0 else width for i in range(count)]
        counts = low_first if tuple(low_first) != before[:count] else low_first[1:] + low_first[:1]
        if count == 1 and counts[0] == before[0]:
            counts = [width]
        requests = [r.moved(n) for r, n in zip(reversed(self._requests), counts, strict=True)]
        self._next_count = 1 + width - counts[0]
        return requests, counts, 0

    def _alone(self) -> tuple[list[_Request], list[int], int]:
        self._others = self._requests[1:]
        return [self._requests[0].moved(self._next_count)], [self._next_count], 0

    def _padded(self) -> tuple[list[_Request], list[int], int]:
        """The last request's place goes to a new one; the one before it makes room for padding."""
        width, gone = self._first.step.width, (self._others or self._requests)[-1]
        new = replace(gone, context=0)
        kept = [self._requests[0], *self._others[:-1]] if self._others else []
        requests = [new, *(r.moved(width) for r in kept[: max(0, self._live - 2)])]
        padded = 1 if self._live > 1 else 0
        counts = [1] + [width] * (len(requests) - 1) + [1] * padded
        return requests, counts, padded

    def _metadata(
        self, requests: Sequence[_Request], counts: Sequence[int], step: Step
    ) -> dict[str, Tensor]:
        rows = len(requests)
        values: dict[str, Tensor] = {}
        if "state_index" in self._shared:
            index = torch.full((step.requests, step.width), NULL_SLOT, dtype=torch.int32)
            index[:rows] = torch.stack([r.slots for r in requests if r.slots is not None])
            values["state_index"] = index
            values["num_accepted"] = torch.tensor(list(counts), dtype=torch.int32)
        if "block_table" in self._shared:
            table = self._shared["block_table"].new_zeros(
                step.requests, self._shared["block_table"].shape[1]
            )
            table[:rows] = torch.stack([r.pages for r in requests if r.pages is not None])
            lengths = [r.context for r in requests] + [0] * step.padded
            values["block_table"] = table
            values["context_len"] = torch.tensor(lengths, dtype=torch.int32)
        return values

    # -- steps of plain rows -------------------------------------------------------------------

    def _rows(self, number: int) -> Case:
        """A few rows, one, a few again: what more rows left must not be read by fewer."""
        rows = 1 if number == 2 else _few(self._first.step.rows)
        padded = 1 if number == 3 and rows > 1 else 0
        step = Step(rows, 0, (1,) * rows, padded)
        return self._case(number, step, [{} for _ in self._first.contexts])

    def _case(self, number: int, step: Step, state: list[dict[str, Tensor]]) -> Case:
        first = self._first
        draw = Draw(first.seed + number * _SEED_STEP)
        drawn = activations(first.layer, first.contexts, step, draw)
        inputs = [a | s for a, s in zip(drawn, state, strict=True)]
        if step.padded:
            inputs = [
                loud_padding(values, c, step, draw)
                for c, values in zip(first.contexts, inputs, strict=True)
            ]
        return replace(first, inputs=tuple(share(inputs)), step=step)


def _cleared(pools: Mapping[str, Tensor], new: _Request) -> dict[str, Tensor]:
    """The pools with a zero state for a request that starts."""
    cleared = dict(pools)
    for name in ("conv_state", "recurrent_state"):
        if name in cleared and new.slots is not None:
            cleared[name] = cleared[name].clone()
            cleared[name][int(new.slots[0])] = 0
    return cleared


def pools_after(case: Case, taps: Sequence[Mapping[str, Tensor]]) -> list[dict[str, Tensor]] | None:
    """The pools a launch left, by input name; None if one cannot be launched on again."""
    result: list[dict[str, Tensor]] = []
    for given, values in zip(case.inputs, taps, strict=True):
        carried = {}
        for name in CARRIED:
            if name not in given:
                continue
            after = values[name + AFTER]
            if after.shape != given[name].shape or after.dtype != given[name].dtype:
                return None
            carried[name] = after.clone()
        result.append(carried)
    return share(result)


def _few(rows: int) -> int:
    """A quarter, but two if there are two: rows of experts take most of a launch's time."""
    return max(min(2, rows), rows // 4)


def order_sensitive(case: Case) -> Case:
    """The case with sums that depend on their order; a few of its rows, where rows are alone."""
    step = case.step
    if not any(name in case.inputs[0] for name in _METADATA):
        rows = _few(step.rows)
        step = Step(rows, 0, (1,) * rows, 0)
    draw = Draw(case.seed)
    drawn = activations(case.layer, case.contexts, step, draw)
    inputs = [
        heavy_tails({**given, **values}, c, step, draw)
        for c, given, values in zip(case.contexts, case.inputs, drawn, strict=True)
    ]
    return replace(case, inputs=tuple(share(inputs)), step=step)


def one_alone(case: Case) -> tuple[Case, slice]:
    """The case with its last live request only (its last row, where rows have no requests).

    Returns:
        the case, and the rows it keeps.
    """
    has_requests = any(name in case.inputs[0] for name in _METADATA)
    width = case.step.width if has_requests else 1
    place = case.step.live_rows // width - 1
    rows = slice(place * width, (place + 1) * width)
    inputs = [
        {name: _part(name, t, place, rows) for name, t in values.items()} for values in case.inputs
    ]
    accepted = case.step.accepted[place : place + 1]
    return replace(case, inputs=tuple(share(inputs)), step=Step(1, width - 1, accepted)), rows


def _part(name: str, t: Tensor, request: int, rows: slice) -> Tensor:
    if name in CARRIED:
        return t
    return t[request : request + 1] if name in _METADATA else t[rows]
