"""Other steps of the captured shape: what a replay must follow, one thing or all at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from kk3ref.kda import NULL_SLOT
from verify.inputs import Case
from verify.step import Step

POOLS = ("conv_state", "recurrent_state", "kv_cache")
LENGTHS = ("context_len", "block_table")
BY_REQUEST = ("state_index", "num_accepted", *LENGTHS)


@dataclass(frozen=True)
class Variant:
    """A step to replay.

    Attributes:
        name: what was changed.
        case: the step.
        judge: whether it is judged against the reference's bounds too.
    """

    name: str
    case: Case
    judge: bool = False


def variants(case: Case, other: Case) -> list[Variant]:
    """Steps of the same shape.

    Args:
        case: the captured step.
        other: a case of the same shape drawn with another seed: what is changed is taken from it.
    """
    names = set(case.inputs[0])
    fixed = (*POOLS, *BY_REQUEST)
    made = [Variant("inputs", _mixed(case, other, lambda n: n not in fixed))]
    if "state_index" in names:
        made.append(Variant("slots", _mixed(case, other, lambda n: n == "state_index")))
    if "num_accepted" in names and case.step.drafts:
        made.append(Variant("accepted", _mixed(case, _accepted(other), _is("num_accepted"))))
    if "context_len" in names:
        longer = _mixed(case, other, lambda n: n in LENGTHS)
        made.append(Variant("lengths", longer))
    made.append(Variant("everything", _accepted(other), judge=True))
    live = case.step.requests - case.step.padded
    if live > 1 and names & set(BY_REQUEST):
        made.append(Variant("padded", padded(other, live - 1), judge=True))
    return made


def _is(wanted: str) -> Callable[[str], bool]:
    return lambda name: name == wanted


def _mixed(case: Case, other: Case, take: Callable[[str], bool]) -> Case:
    inputs = tuple(
        {name: theirs[name] if take(name) else t for name, t in mine.items()}
        for mine, theirs in zip(case.inputs, other.inputs, strict=True)
    )
    accepted = other.step.accepted if take("num_accepted") else case.step.accepted
    return replace(case, inputs=inputs, step=replace(case.step, accepted=accepted))


def _accepted(case: Case) -> Case:
    """The case with every request's accepted count changed (where it has one and may)."""
    step = case.step
    if "num_accepted" not in case.inputs[0]:
        return case
    live = step.requests - step.padded
    counts = tuple(n % step.width + 1 if m < live else n for m, n in enumerate(step.accepted))
    return _with(case, {"num_accepted": torch.tensor(counts, dtype=torch.int32)}, counts)


def padded(case: Case, first: int) -> Case:
    """The requests from ``first`` on made padding, as a graph's replay with fewer requests has it:
    null slot, null page, no context, one accepted row."""
    step, inputs = case.step, case.inputs[0]
    changed = {}
    for name, value in (("state_index", NULL_SLOT), ("num_accepted", 1)):
        if name in inputs:
            changed[name] = inputs[name].clone()
            changed[name][first:] = value
    for name in LENGTHS:
        if name in inputs:
            changed[name] = inputs[name].clone()
            changed[name][first:] = 0
    count = step.requests - first
    accepted = (*step.accepted[:first], *(1,) * count)
    made = _with(case, changed, accepted)
    return replace(made, step=replace(made.step, padded=count))


def alone(case: Case, request: int) -> Case:
    """One request of a step by itself; of a layer without state, one row (``request`` is its
    number)."""
    step = case.step
    stateless = not set(case.inputs[0]) & set(BY_REQUEST)
    rows = slice(request, request + 1) if stateless else _rows(step, request)
    inputs = tuple(
        {name: _part(name, t, rows, request) for name, t in values.items()}
        for values in case.inputs
    )
    single = Step(1, 0, (1,)) if stateless else Step(1, step.drafts, (step.accepted[request],))
    return replace(case, inputs=inputs, step=single)


def rows_of(case: Case, request: int) -> slice:
    """The rows of the full step that :func:`alone` takes."""
    if not set(case.inputs[0]) & set(BY_REQUEST):
        return slice(request, request + 1)
    return _rows(case.step, request)


def _rows(step: Step, request: int) -> slice:
    return slice(request * step.width, (request + 1) * step.width)


def _part(name: str, tensor: Tensor, rows: slice, request: int) -> Tensor:
    if name in POOLS:
        return tensor
    if name in BY_REQUEST:
        return tensor[request : request + 1]
    return tensor[rows]


def _with(case: Case, changed: Mapping[str, Tensor], accepted: tuple[int, ...]) -> Case:
    inputs = tuple({**values, **changed} for values in case.inputs)
    return replace(case, inputs=inputs, step=replace(case.step, accepted=accepted))
