"""A candidate that is launched again and again over the same memory.

A candidate may have ``bind(call) -> Launch``: it is given static memory once (``call.inputs`` and
``call.buffers``, whose contents change between launches and whose addresses do not) and returns
something to call. ``launch()`` runs one step on what the memory holds **now**: it reads accepted
counts, slots and lengths from it, updates the state pools in ``call.buffers`` in place, and writes
every output. Scratch, mailboxes, flags and epoch counters belong to the ``Launch`` and live as long
as it does. A compiled kernel, one on a GPU and one on the simulator all fit this.

Candidates without ``bind`` are adapted: their ``run`` or ``stage`` is called anew over the same
memory, which shows less; the mode says so.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from kk3ref.stages import Role
from verify.candidates import Candidate, Evidence, LayerCall, execute

Taps = list[dict[str, Tensor]]


class Mode(str, enum.Enum):
    """How launches are repeated."""

    GRAPH = "graph replay"
    """one captured CUDA or HIP graph"""
    PIECEWISE = "piecewise graph replay"
    """a captured graph a stage and rank; what cannot be captured is called eagerly in between"""
    BOUND = "bound replay"
    """a bound launch called again over the same memory; nothing is captured"""
    SIMULATED = "simulated replay"
    """compiled kernels launched on the simulator over memory that is kept between launches"""
    EAGER = "eager replay"
    """the candidate is called anew over the same memory; nothing is captured"""


@runtime_checkable
class Launch(Protocol):
    """One step bound to static memory.

    Optional attributes: ``mode`` (a :class:`Mode`; ``SIMULATED`` for a simulated kernel),
    ``notes`` (list of str), ``evidence()`` (an :class:`Evidence` of the last launch), ``idle()``
    (called before the first launch after an idle period: a simulated launch lets ranks start late
    there), ``wait()`` (what the host does before a launch, so that a captured one does it, too),
    ``problems()`` (given-up waits and alarms so far, in words).
    """

    def __call__(self) -> None:
        """Run one step on what the memory holds."""
        ...

    def taps(self) -> Sequence[Mapping[str, Tensor]]:
        """Inner values the last launch exposes by tap name, one mapping a rank."""
        ...


@runtime_checkable
class Replayable(Protocol):
    """A candidate that can be bound. ``batch_invariant = True`` on it declares that a request gives
    the same bits alone and among others."""

    def bind(self, call: LayerCall) -> Launch:
        """Bind the step to static memory."""
        ...


class EagerLaunch:
    """A candidate's ``run`` or ``stage`` called over the same memory.

    Args:
        place: the context that calls run in (a device's, for reference code on a GPU).
    """

    mode = Mode.EAGER

    def __init__(
        self,
        candidate: Candidate,
        call: LayerCall,
        place: Callable[[], AbstractContextManager[object]] = nullcontext,
    ):
        self._candidate = candidate
        self._call = call
        self._place = place
        self._taps: Taps = []
        self._evidence = Evidence()
        self.notes = ["the candidate has no bind(call): it was called anew over the same memory"]

    def __call__(self) -> None:
        with self._place(), torch.no_grad():
            run = execute(self._candidate, self._call, lambda _: None)
            keep_results(self._call, run.taps)
        self._taps, self._evidence = run.taps, run.evidence

    def taps(self) -> Sequence[Mapping[str, Tensor]]:
        return self._taps

    def evidence(self) -> Evidence:
        """What the candidate knows of its last run."""
        return self._evidence


def keep_results(call: LayerCall, taps: Sequence[Mapping[str, Tensor]]) -> None:
    """Write outputs and pools that a functional candidate returned into the static buffers."""
    for buffers, values in zip(call.buffers, taps, strict=True):
        for name, buffer in buffers.items():
            if name in values and values[name] is not buffer:
                buffer.copy_(values[name])


def mode_of(launch: Launch) -> Mode:
    """How a launch is repeated."""
    return Mode(getattr(launch, "mode", Mode.BOUND))


def bind(
    candidate: Candidate,
    call: LayerCall,
    place: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Launch:
    """The candidate bound to static memory, by its own ``bind`` or called eagerly."""
    if isinstance(candidate, Replayable):
        return candidate.bind(call)
    return EagerLaunch(candidate, call, place)


def all_taps(call: LayerCall, launch: Launch) -> Taps:
    """Everything a launch left: its inner values, the outputs and the pools, copied."""
    taps = []
    for buffers, inner in zip(call.buffers, launch.taps() or [{}] * len(call.buffers), strict=True):
        values = {name: t for name, t in inner.items() if name not in buffers}
        taps.append({name: t.clone() for name, t in {**values, **buffers}.items()})
    if call.ranks is not None:  # one rank's lie on its device, the others' do not
        return [{name: t.cpu() for name, t in values.items()} for values in taps]
    return taps


def outputs_of(call: LayerCall) -> list[str]:
    """Names of the layer's results and pools."""
    return [name for name, role in call.layer.roles.items() if role is not Role.TAP]
