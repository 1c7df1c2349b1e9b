"""What a fused layer's kernels offer to whoever runs them on the reference's named tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from torch import Tensor

from kk3fast.flydsl.run.memory import WordReader
from kk3fast.flydsl.run.values import KernelLaunch
from kk3ref.stages import RankContext

Tensors = Mapping[str, Tensor]


class UnsupportedStep(ValueError):
    """No build serves such a step, layer or model; lists every reason."""


class FusedLayer(Protocol):
    """One layer kind."""

    name: str

    def launches(
        self,
        contexts: Sequence[RankContext],
        inputs: Sequence[Tensors],
        buffers: Sequence[Tensors],
        options: Mapping[str, Any],
    ) -> list[KernelLaunch]:
        """The launches of a step, in order.

        Args:
            contexts: weights and shapes, one a rank.
            inputs: the layer's inputs by the stages' names, one mapping a rank; not written.
            buffers: outputs, and state pools ``…_after`` that hold the state before the step.
            options: further build parameters of every kernel that has them (``workgroups``,
                ``plant``).

        Raises:
            UnsupportedStep: lists every reason.
        """
        ...

    def taps(
        self, launches: Sequence[KernelLaunch], memory: WordReader, rank: int
    ) -> dict[str, Tensor]:
        """Inner values that a finished step left in the mailbox, by the reference's tap names.

        Of a reader of places, where each lies instead.
        """
        ...
