"""The fused KDA decode on the reference's named tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from kk3fast.flydsl.kda_decode.arguments import decode_build, decode_values
from kk3fast.flydsl.kda_decode.mirrors import make_mirrors
from kk3fast.flydsl.run.layer import Tensors
from kk3fast.flydsl.run.memory import WordReader
from kk3fast.flydsl.run.values import KernelLaunch
from kk3ref.stages import RankContext


class KdaDecodeLayer:
    """The KDA layer from its projection to the gated norm, one row a request."""

    name = "kda-decode"

    def launches(
        self,
        contexts: Sequence[RankContext],
        inputs: Sequence[Tensors],
        buffers: Sequence[Tensors],
        options: Mapping[str, Any],
    ) -> list[KernelLaunch]:
        """One launch; see :class:`kk3fast.flydsl.run.layer.FusedLayer`."""
        build = decode_build(contexts[0], inputs[0]["state_index"].shape[1], options)
        values = [
            decode_values(
                proj=given["proj"],
                g1=given["g1"],
                mirrors=make_mirrors(c.weights["conv_w"], c.weights["o_norm_w"]),
                a_log=c.weights["a_log"],
                dt_bias=c.weights["dt_bias"],
                conv_state=own["conv_state_after"],
                recurrent_state=own["recurrent_state_after"],
                state_index=given["state_index"],
                core=own["core"],
                conv_dim_first=c.options.conv_dim_first,
            )
            for c, given, own in zip(contexts, inputs, buffers, strict=True)
        ]
        return [KernelLaunch(build, values, contexts[0].layer.index)]

    def taps(
        self, launches: Sequence[KernelLaunch], memory: WordReader, rank: int
    ) -> dict[str, Tensor]:
        """None: nothing leaves a workgroup but outputs and states."""
        return {}
