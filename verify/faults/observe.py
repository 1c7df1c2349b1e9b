"""What the default checks see of a candidate: the failed ones of a job, first launch and others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from kk3ref.stages import Layer
from verify.candidates import Candidate
from verify.data import Check, StageReport, Verdict
from verify.inputs import Case
from verify.launch import Launched, Storage, check_layer, judge_launch, launch
from verify.memory import same_bits
from verify.sequence import follow

FIRST = "first"
"""Name of a job's first launch."""


@dataclass(frozen=True)
class Seen:
    """One launch of a candidate and what failed in it.

    Attributes:
        launch: ``first``, or the name of a launch that followed.
        stages: reports of the stages that were judged.
        checks: the layer's checks.
        taps, inputs: its tensors, one mapping a rank.
    """

    launch: str
    stages: list[StageReport]
    checks: list[Check]
    taps: Sequence[Mapping[str, Tensor]]
    inputs: Sequence[Mapping[str, Tensor]]

    @property
    def failed(self) -> list[str]:
        """Names of failed checks."""
        return sorted({check.name for check in self.every if check.verdict is Verdict.FAIL})

    @property
    def every(self) -> list[Check]:
        """Every check."""
        inner = [c for s in self.stages for output in s.outputs for c in output.checks]
        return inner + self.checks


def observe(
    case: Case,
    candidate: Candidate,
    sequence: bool,
    clean: Sequence[Seen] = (),
    touched: frozenset[str] | None = None,
) -> Iterator[Seen]:
    """Run the candidate and judge its launches, one after the other.

    Args:
        sequence: whether launches follow on the same memory.
        clean: launches of a candidate without a fault on the same case: stages whose tensors are
            bit-equal to its are not judged again.
        touched: of the others, those that are not the reference's own (all if None).
    """
    storage = Storage()
    first = launch(case, candidate, storage, lambda _: None)
    yield _seen(FIRST, first, None, (), clean[:1], touched)
    if not sequence:
        return
    for number, followed in enumerate(follow(first, candidate, storage), 1):
        if followed.launched is not None:
            yield _seen(
                followed.name,
                followed.launched,
                followed.ranks,
                followed.checks,
                clean[number : number + 1],
                touched,
            )


def _seen(
    name: str,
    done: Launched,
    ranks: frozenset[int] | None,
    checks: Sequence[Check],
    clean: Sequence[Seen],
    touched: frozenset[str] | None,
) -> Seen:
    stages: list[StageReport] = []
    only = _changed(done.case.layer, done, clean[0]) if clean else None
    if only is not None and touched is not None:
        only &= touched
    if ranks != frozenset() and only != frozenset():
        stages, _ = judge_launch(done, lambda _: None, only, ranks)
    return Seen(name, stages, [*check_layer(done), *checks], done.taps, done.case.inputs)


def _changed(layer: Layer, done: Launched, clean: Seen) -> frozenset[str]:
    """Stages of which an input or output differs from the clean run's."""
    differ: set[str] = set()
    for mine, theirs in ((done.taps, clean.taps), (done.case.inputs, clean.inputs)):
        for a, b in zip(mine, theirs, strict=True):
            for name in a.keys() & b.keys():
                if name not in differ and not _same(a[name], b[name]):
                    differ.add(name)
    return frozenset(
        s.name for s in layer.stages if differ & {*s.inputs, *(tap.name for tap in s.outputs)}
    )


def _same(a: Tensor, b: Tensor) -> bool:
    if a is b:
        return True
    return a.shape == b.shape and a.dtype == b.dtype and bool(same_bits(a, b).all())
