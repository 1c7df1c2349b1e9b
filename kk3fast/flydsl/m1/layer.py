"""M1 on the reference's named tensors: three launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from kk3fast.flydsl.m1.arguments import attention_slot, first_slot, m1_builds, m1_values
from kk3fast.flydsl.m1.taps import m1_taps
from kk3fast.flydsl.run.layer import Tensors
from kk3fast.flydsl.run.memory import WordReader
from kk3fast.flydsl.run.values import KernelLaunch
from kk3ref.stages import RankContext


class M1Layer:
    """The MLA layer's attention up to the gate: M1a, M1c, M1b."""

    name = "m1"

    def launches(
        self,
        contexts: Sequence[RankContext],
        inputs: Sequence[Tensors],
        buffers: Sequence[Tensors],
        options: Mapping[str, Any],
    ) -> list[KernelLaunch]:
        """Three launches; see :class:`kk3fast.flydsl.run.layer.FusedLayer`."""
        builds = m1_builds(contexts[0], inputs[0], options)
        ranks = zip(contexts, inputs, buffers, strict=True)
        values = [m1_values(*rank, builds) for rank in ranks]
        later = attention_slot(contexts[0])
        slots = (first_slot(contexts[0]), later, later)
        return [
            KernelLaunch(build, [rank[i] for rank in values], slot)
            for i, (build, slot) in enumerate(zip(builds, slots, strict=True))
        ]

    def taps(
        self, launches: Sequence[KernelLaunch], memory: WordReader, rank: int
    ) -> dict[str, Tensor]:
        """Every inner tap."""
        return m1_taps(launches, memory, rank)
