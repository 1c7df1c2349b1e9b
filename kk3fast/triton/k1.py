"""K1 and the fused KDA decode: one rank's launches."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from kk3fast.triton import launches
from kk3fast.triton.launches import Built, Parts
from kk3fast.triton.target import Target
from kk3fast.triton.tuning import DecodeTiles, K1Tiles
from kk3ref.stages import RankContext

Named = Mapping[str, Tensor]
_BF16, _FP32 = torch.bfloat16, torch.float32


class K1:
    """AttnRes read, input projection, KDA up to the gated norm, in three launches.

    Args:
        context: the rank's weights, on the device.
        target: see :func:`kk3fast.triton.target.target_of`.
        tiles: tile sizes.
    """

    def __init__(self, context: RankContext, target: Target, tiles: K1Tiles | None = None):
        self.c = context
        self.target = target
        self.tiles = tiles or K1Tiles()
        self.built: Built = []
        self._arrived: dict[int, Tensor] = {}

    def taps(self, rows: int) -> dict[str, Tensor]:
        """Unwritten tensors for every inner tap of a step of ``rows`` rows."""
        s, d = self.c.shapes, self.c.config
        like = self.c.w_in.new_empty
        heads, inner = s.kda_heads, s.kda_channels
        taps = {
            "x": like(rows, d.hidden_size),
            "proj": like(rows, s.in_proj_rows_padded),
            "g1": like(rows, inner),
        }
        return taps | _kda_taps(self.c, rows, heads, inner)

    def __call__(self, inputs: Named, buffers: Named, taps: Named | None = None) -> Named:
        """Run; ``buffers`` holds the outputs and the pools, which are updated in place.

        Returns:
            every tap by name.
        """
        c, t = self.c, self.tiles
        rows = inputs["prefix"].shape[0]
        given = dict(self.taps(rows) if taps is None else taps) | dict(buffers)
        write = -1 if c.layer.block_index is None else c.layer.block_index
        index = inputs["state_index"]
        self.built = [
            launches.attn_res(
                self.target,
                inputs["prefix"],
                inputs["delta"],
                given["prefix_after"],
                given["blocks_after"],
                c.layer.num_blocks,
                (c.attn_res_norm_w, c.attn_res_q, c.input_norm_w),
                given["x"],
                c.eps,
                write,
                t.attn_warps,
            ),
            launches.linear(self.target, given["x"], c.w_in, Parts((given["proj"],)), t.in_proj),
            launches.kda(
                self.target,
                c,
                given,
                given["proj"],
                index,
                inputs["num_accepted"],
                _arrivals(self._arrived, index, c.shapes.kda_heads),
                t.split,
                t.kda_warps,
            ),
        ]
        return given


class KdaDecode:
    """Convolution, recurrence and gated norm in one launch, from a given projection and ``g1``."""

    def __init__(self, context: RankContext, target: Target, tiles: DecodeTiles | None = None):
        self.c = context
        self.target = target
        self.tiles = tiles or DecodeTiles()
        self.built: Built = []
        self._arrived: dict[int, Tensor] = {}

    def taps(self, rows: int) -> dict[str, Tensor]:
        """See :meth:`K1.taps`."""
        return _kda_taps(self.c, rows, self.c.shapes.kda_heads, self.c.shapes.kda_channels)

    def __call__(self, inputs: Named, buffers: Named, taps: Named | None = None) -> Named:
        """See :meth:`K1.__call__`."""
        rows = inputs["proj"].shape[0]
        given = dict(self.taps(rows) if taps is None else taps) | dict(buffers)
        index = inputs["state_index"]
        arrived = _arrivals(self._arrived, index, self.c.shapes.kda_heads)
        self.built = [
            launches.kda(
                self.target,
                self.c,
                given,
                inputs["proj"],
                index,
                inputs["num_accepted"],
                arrived,
                self.tiles.split,
                self.tiles.warps,
                inputs["g1"],
            )
        ]
        return given


def _kda_taps(c: RankContext, rows: int, heads: int, inner: int) -> dict[str, Tensor]:
    like, d = c.conv_w.new_empty, c.config.kda_head_dim
    wide = {n: like(rows, heads, d, dtype=_FP32) for n in ("q", "k", "decay")}
    return wide | {
        "conv": like(rows, 3 * inner, dtype=_BF16),
        "beta": like(rows, heads, dtype=_FP32),
        "o": like(rows, heads, d, dtype=_BF16),
    }


def _arrivals(kept: dict[int, Tensor], index: Tensor, heads: int) -> Tensor:
    """Counters that are zero between launches, made once a number of requests."""
    requests = index.shape[0]
    if requests not in kept:
        kept[requests] = torch.zeros(requests, heads, dtype=torch.int32, device=index.device)
    return kept[requests]
