"""What a candidate is: something that runs a fused layer, or single stages of one.

See ``docs/candidates.md`` for the template. A candidate answers ``available() -> (ok, reason)`` and
has **one** of

* ``run(call) -> list of {tap name: tensor}``, one mapping a rank: a whole layer. It may work in
  place on ``call.buffers`` and return only the taps it exposes; outputs and state pools it does not
  return are read from the buffers it was given. It may also have ``evidence()``, called after it;
  and, of a simulated kernel, ``trace()``, called before a run whose values' origin will be asked
  for, and ``provenance(rank, tap, index) -> Provenance or None``, called after it;
  ``batch_invariant = True`` says that a row gives the same bits alone and among others: checked.
* ``stage(name) -> function or None``: single stages, called as ``function(context, inputs)`` with
  named tensors of one rank (lists of tensors in rank order for a collective stage), giving a
  mapping of the stage's outputs by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from torch import Tensor

from kk3ref.stages import Layer, RankContext
from verify.data import Build, Check, Simulation

if TYPE_CHECKING:
    from verify.ranks import Ranks

NO_PLANT = "none"
"""The ``plant`` of a kernel as it is."""

StageFunction = Callable[[RankContext, Mapping[str, Any]], Mapping[str, Tensor]]


class CandidateError(RuntimeError):
    """The candidate broke the protocol; the message lists every problem."""


class NotServed(CandidateError):
    """The candidate is not made for this step or storage; the message says which it serves."""


def _keep(rank: int) -> None:
    """Nothing is taken back."""


@dataclass(frozen=True)
class LayerCall:
    """One launch of a whole layer on all ranks.

    Attributes:
        layer: names of stages, inputs and outputs.
        contexts: weights, shapes and options, one a rank.
        inputs: named input tensors, one mapping a rank; not to be written.
        buffers: one mapping a rank: every layer output under its tap name, NaN-filled, and every
            state pool under its tap name (``…_after``) holding the state *before* the step, to be
            updated in place. All lie between guard bands.
        returned: may be called with a rank when its launch has ended (on hardware: in the order of
            its stream), while other ranks still run. What that rank was given is then overwritten,
            as its next launch would. Called for every rank in any case, before results are read.
        ranks: where each rank has a process of its own, the group; this process launches its own
            rank, and the memory of the others is a copy on the CPU. Only for candidates that say
            ``processes = True``.
    """

    layer: Layer
    contexts: Sequence[RankContext]
    inputs: Sequence[Mapping[str, Tensor]]
    buffers: Sequence[Mapping[str, Tensor]]
    returned: Callable[[int], None] = _keep
    ranks: Ranks | None = None


@dataclass(frozen=True)
class Evidence:
    """What a candidate knows of its own run besides tensors.

    Attributes:
        checks: judged by the candidate's runner (health words, faults); join the layer's checks.
        builds: compiled kernels it ran.
        simulation: how they were simulated.
        hardware: the accelerator they ran on, if they ran on the one they are made for.
    """

    checks: tuple[Check, ...] = ()
    builds: tuple[Build, ...] = ()
    simulation: Simulation | None = None
    hardware: str | None = None


@dataclass(frozen=True)
class Provenance:
    """Where a simulated kernel's value comes from: the last store to it.

    Attributes:
        kernel: symbol.
        rank: whose launch.
        block: workgroup in its grid.
        wave: wave in the workgroup.
        where: source line.
    """

    kernel: str
    rank: int
    block: tuple[int, int, int]
    wave: int
    where: str


@dataclass(frozen=True)
class RunOptions:
    """How compiled kernels are simulated where there is no hardware.

    Attributes:
        order: ``forward``, ``reverse`` or ``random`` order of workgroups.
        schedule_seed: of a random order.
        mfma_order: model of a matrix unit's summation order.
        sanitize: follow scopes, waits and barriers, and report races.
        build: further parameters of our kernels' builds by name (``workgroups``).
        plant: a fault built into the kernel for a test, by the name its module gives it.
    """

    order: Literal["forward", "reverse", "random"] = "forward"
    schedule_seed: int = 0
    mfma_order: str = "sequential"
    sanitize: bool = False
    build: tuple[tuple[str, int | str], ...] = ()
    plant: str = NO_PLANT


@dataclass(frozen=True)
class CandidateRun:
    """What a candidate gave.

    Attributes:
        taps: everything it exposes by name, one mapping a rank.
        stood_in: stages the contract reference computed because the candidate has no function.
        evidence: what the candidate knows of its own run.
    """

    taps: list[dict[str, Tensor]]
    stood_in: frozenset[str] = field(default_factory=frozenset)
    evidence: Evidence = field(default_factory=Evidence)


class Candidate(Protocol):
    """The part every candidate has."""

    name: str
    description: str

    def available(self) -> tuple[bool, str]:
        """Whether it can run here, and why not."""
        ...


class LayerCandidate(Candidate, Protocol):
    """A candidate that runs whole layers."""

    def run(self, call: LayerCall) -> Sequence[Mapping[str, Tensor]]:
        """Run the layer once on all ranks."""
        ...


class StageCandidate(Candidate, Protocol):
    """A candidate that has functions for some stages."""

    def stage(self, name: str) -> StageFunction | None:
        """The function of a stage, or None."""
        ...
