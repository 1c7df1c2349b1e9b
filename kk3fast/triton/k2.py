"""K2: one rank's launches from the attention core to the MoE output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from kk3fast.triton import launches
from kk3fast.triton.collect import all_reduce_kernel, latent_reduce_kernel, route_kernel
from kk3fast.triton.expert_table import ExpertTable
from kk3fast.triton.experts import experts_down_kernel, experts_up_kernel
from kk3fast.triton.launches import Built, Parts
from kk3fast.triton.mxfp4 import padded_groups
from kk3fast.triton.peers import Peers, SlotLayout
from kk3fast.triton.tail import up_add_kernel
from kk3fast.triton.target import NEXT_POWER, Target, launch
from kk3fast.triton.tuning import K2Tiles
from kk3ref.config import K3Config
from kk3ref.stages import RankContext

Named = Mapping[str, Tensor]
_BF16, _FP32, _UINT8 = torch.bfloat16, torch.float32, torch.uint8


def slot_layout(config: K3Config, tp: int, rows: int) -> SlotLayout:
    """The hand-overs of K2 and their sizes for a step of ``rows`` rows."""
    hidden, latent = config.hidden_size, config.routed_expert_hidden_size
    return SlotLayout(
        (
            ("attention", rows * hidden // 2),
            ("logits", rows * config.num_experts // tp),
            ("latent", rows * latent // tp // 2),
            ("experts", rows * latent // 2),
            ("output", rows * hidden // 2),
        ),
        tp,
    )


class K2:
    """Output projection, AttnRes read and the latent MoE of one rank, with its collectives inside.

    The launches are in two halves, so that a caller may bring the picked experts in between
    (:class:`ExpertTable`); with all experts there the halves follow each other.

    Args:
        context: the rank's weights, on the device.
        target: see :func:`kk3fast.triton.target.target_of`; launches are never overlapped.
        peers: the rank's view of the group, made with :func:`slot_layout`.
        rows: rows of a step.
        moe_only: from the MoE's input ``x`` on (the layer ``moe``).
    """

    def __init__(
        self,
        context: RankContext,
        target: Target,
        peers: Peers,
        rows: int,
        tiles: K2Tiles | None = None,
        moe_only: bool = False,
        experts: ExpertTable | None = None,
    ):
        # Launches that overlap cost K2 five per cent: its kernels crowd each other out.
        self.target = replace(target, pdl=False)
        self.c, self.peers, self.rows = context, peers, rows
        self.tiles = tiles or K2Tiles()
        self.moe_only = moe_only
        self.built: Built = []
        if self.tiles.down_rows < 32:
            raise ValueError(f"down_rows must be at least 32, got {self.tiles.down_rows}")
        device = context.w_gate.device
        self.experts = experts or ExpertTable(context, device)
        c, s = context.config, context.shapes
        first, last = context.rank * s.router_rows, (context.rank + 1) * s.router_rows
        low, high = context.rank * s.latent_rows, (context.rank + 1) * s.latent_rows
        # One matrix for everything that reads x: router and latent rows of this rank, shared rows.
        self.w_x = torch.cat([context.w_gate[first:last], context.w_ld[low:high], context.w_sgu])
        self._groups = padded_groups(c.routed_expert_hidden_size)
        self._h_groups = padded_groups(s.expert_intermediate)
        picks = rows * c.num_experts_per_token

        def zeros(*shape: int, dtype: torch.dtype = torch.int32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        self._x = zeros(rows, 16, self._groups)
        self._h = zeros(picks, 16, self._h_groups)
        self._y = zeros(picks, c.routed_expert_hidden_size, dtype=_FP32)
        self._own_logits = zeros(rows, s.router_rows, dtype=_FP32)
        self._own_lat = zeros(rows, s.latent_rows, dtype=_BF16)
        self._slots = zeros(rows, c.num_experts_per_token)
        self._arrived = zeros(rows, c.routed_expert_hidden_size // 32)

    def taps(self) -> dict[str, Tensor]:
        """Unwritten tensors for every inner tap."""
        c, s, rows = self.c.config, self.c.shapes, self.rows
        latent, k, half = (
            c.routed_expert_hidden_size,
            c.num_experts_per_token,
            s.expert_intermediate,
        )
        shapes: dict[str, tuple[tuple[int, ...], torch.dtype]] = {
            "o_partial": ((rows, c.hidden_size), _BF16),
            "attn_out": ((rows, c.hidden_size), _BF16),
            "x": ((rows, c.hidden_size), _BF16),
            "logits": ((rows, c.num_experts), _FP32),
            "ids": ((rows, k), torch.int32),
            "pick_weights": ((rows, k), _FP32),
            "lat": ((rows, latent), _BF16),
            "lat_codes": ((rows, latent // 2), _UINT8),
            "lat_scales": ((rows, latent // 32), _UINT8),
            "h_codes": ((rows, k, half // 2), _UINT8),
            "h_scales": ((rows, k, half // 32), _UINT8),
            "moe_partial": ((rows, latent), _BF16),
            "lat_sum": ((rows, latent), _BF16),
            "ln": ((rows, latent), _BF16),
            "gu": ((rows, 2 * s.shared_intermediate), _BF16),
            "sh": ((rows, s.shared_intermediate), _BF16),
            "sd": ((rows, c.hidden_size), _BF16),
            "final": ((rows, c.hidden_size), _BF16),
        }
        skipped = ("o_partial", "attn_out", "x") if self.moe_only else ()
        device = self.w_x.device
        return {
            name: torch.empty(shape, dtype=dtype, device=device)
            for name, (shape, dtype) in shapes.items()
            if name not in skipped
        }

    def __call__(self, inputs: Named, buffers: Named, taps: Named | None = None) -> Named:
        """Run all launches; every expert must be there. See :meth:`K1.__call__`."""
        if not self.experts.resident:
            raise RuntimeError("K2 in one go needs every expert on the device")
        given = dict(self.taps() if taps is None else taps) | dict(buffers)
        for step in (*self.first_half(inputs, given), *self.second_half(given)):
            self.built.append(step())
        return given

    def bring_experts(self, t: Named) -> None:
        """Have the picked experts there, between the halves.

        The routing looked up places before they were there; where experts were brought, the places
        are looked up again.
        """
        if self.experts.resident:
            return
        self.experts.ensure(t["ids"].flatten().tolist())
        self._slots.copy_(self.experts.slot_of[t["ids"].long()])

    # -- launches ------------------------------------------------------------------------------

    def first_half(self, inputs: Named, t: dict[str, Tensor]) -> list[Callable[[], Any]]:
        """Launches up to the routing."""
        self.built = []
        x = inputs["x"] if self.moe_only else t["x"]
        before: list[Callable[[], Any]] = [
            lambda: self._o_proj(inputs["core"], t),
            lambda: self._attention_out(inputs, t),
            lambda: self._read(inputs["blocks"], t),
        ]
        after: list[Callable[[], Any]] = [lambda: self._from_x(x, t), lambda: self._route(t)]
        return after if self.moe_only else before + after

    def second_half(self, t: dict[str, Tensor]) -> list[Callable[[], Any]]:
        """Launches after it."""
        return [
            lambda: self._shared_down(t),
            lambda: self._experts_up(t),
            lambda: self._experts_down(t),
            lambda: self._latent_reduce(t),
            lambda: self._up_add(t),
            lambda: self._reduce(t["out"], None, None, 0, "output"),
        ]

    def _o_proj(self, core: Tensor, t: dict[str, Tensor]) -> Any:
        parts = Parts((t["o_partial"],), 1, "attention")
        return launches.linear(self.target, core, self.c.w_o, parts, self.tiles.o_proj, self.peers)

    def _attention_out(self, inputs: Named, t: dict[str, Tensor]) -> Any:
        mode = 2 if self.c.layer.writes_block else 1
        return self._reduce(t["attn_out"], inputs["prefix"], t["prefix_after"], mode, "attention")

    def _read(self, blocks: Tensor, t: dict[str, Tensor]) -> Any:
        c = self.c
        return launches.attn_res(
            self.target,
            t["prefix_after"],
            None,
            None,
            blocks,
            c.layer.num_blocks + c.layer.writes_block,
            (c.mlp_res_norm_w, c.mlp_res_q, c.post_norm_w),
            t["x"],
            c.eps,
            -1,
            self.tiles.attn_warps,
        )

    def _from_x(self, x: Tensor, t: dict[str, Tensor]) -> Any:
        parts = Parts((self._own_logits, self._own_lat, t["gu"]), 2, "logits")
        return launches.linear(self.target, x, self.w_x, parts, self.tiles.x_proj, self.peers)

    def _route(self, t: dict[str, Tensor]) -> Any:
        c, peers = self.c.config, self.peers
        number, logit_offset, logit_words = peers.layout.place("logits")
        _, lat_offset, lat_words = peers.layout.place("latent")
        latent = c.routed_expert_hidden_size
        groups = min(16, NEXT_POWER(latent // 32))
        chunk = min(64, NEXT_POWER(c.num_experts))
        chunks = -(-c.num_experts // chunk)
        return launch(
            route_kernel,
            (chunks + 1 + -(-(latent // 32) // groups), self.rows),
            t["logits"],
            self.c.router_bias,
            t["ids"],
            self._slots,
            self.experts.slot_of,
            t["lat"],
            t["lat_codes"],
            t["lat_scales"],
            self._x.view(torch.float16),
            t["gu"],
            t["sh"],
            peers.box,
            peers.epoch,
            peers.health,
            peers.limit,
            c.activation_situ_beta,
            c.activation_situ_linear_beta,
            target=self.target,
            warps=4,
            E=c.num_experts,
            EP=NEXT_POWER(c.num_experts),
            CHUNK=chunk,
            CHUNKS=chunks,
            FIRST=min(chunk, NEXT_POWER(c.num_experts_per_token)),
            PICKS=c.num_experts_per_token,
            WIDTH=latent,
            GP=groups,
            X_GROUPS=self._groups,
            SHARED=self.c.shapes.shared_intermediate,
            SHARED_WIDE=NEXT_POWER(self.c.shapes.shared_intermediate),
            SLOT_NUMBER=number,
            LOGIT_OFFSET=logit_offset,
            LOGIT_WORDS=logit_words,
            LAT_OFFSET=lat_offset,
            LAT_WORDS=lat_words,
            PARITY_WORDS=peers.layout.words,
            TP=peers.tp,
            CLOCK=self.target.clock,
            PDL=self.target.pdl,
        )

    def _shared_down(self, t: dict[str, Tensor]) -> Any:
        parts, tiles = Parts((t["sd"],)), self.tiles.shared_down
        return launches.linear(self.target, t["sh"], self.c.w_sd, parts, tiles)

    def _experts_up(self, t: dict[str, Tensor]) -> Any:
        c, half = self.c.config, self.c.shapes.expert_intermediate
        table = self.experts.w13
        assert table is not None
        groups = self._groups
        return launch(
            experts_up_kernel,
            (half // 32, self.rows * c.num_experts_per_token),
            self._x,
            t["lat_scales"],
            self._slots,
            t["ids"],
            t["logits"],
            t["pick_weights"],
            c.routed_scaling_factor,
            table.words,
            table.scales,
            t["h_codes"],
            t["h_scales"],
            self._h.view(torch.float16),
            c.activation_situ_beta,
            c.activation_situ_linear_beta,
            self.peers.epoch,
            target=self.target,
            warps=self.tiles.expert_warps,
            BUMP=True,
            E=c.num_experts,
            PICKS=c.num_experts_per_token,
            HALF=half,
            GROUPS=groups,
            X_GROUPS=c.routed_expert_hidden_size // 32,
            H_GROUPS=self._h_groups,
            BG=_groups_at_once(groups, self.tiles.expert_groups),
            STAGES=self.tiles.expert_stages,
            PLAIN=table.plain,
            PTX=self.target.ptx,
            PDL=self.target.pdl,
        )

    def _experts_down(self, t: dict[str, Tensor]) -> Any:
        c, peers = self.c.config, self.peers
        latent = c.routed_expert_hidden_size
        rows = self.tiles.down_rows
        while latent % rows:
            rows //= 2
        number, offset, words = peers.layout.place("experts")
        table = self.experts.w2
        assert table is not None
        return launch(
            experts_down_kernel,
            (latent // rows, self.rows * c.num_experts_per_token),
            self._h,
            t["h_scales"],
            self._slots,
            t["pick_weights"],
            table.words,
            table.scales,
            self._y,
            self._arrived,
            t["moe_partial"],
            peers.epoch,
            peers.table,
            peers.rank,
            target=self.target,
            warps=self.tiles.down_warps,
            PICKS=c.num_experts_per_token,
            N=latent,
            GROUPS=self._h_groups,
            X_GROUPS=self.c.shapes.expert_intermediate // 32,
            BN=rows,
            BG=_groups_at_once(self._h_groups, self.tiles.down_groups),
            PUSH=True,
            SLOT_NUMBER=number,
            OFFSET=offset,
            WORDS=words,
            PARITY_WORDS=peers.layout.words,
            TP=peers.tp,
            PLAIN=table.plain,
            PTX=self.target.ptx,
            PDL=self.target.pdl,
        )

    def _latent_reduce(self, t: dict[str, Tensor]) -> Any:
        peers, latent = self.peers, self.c.config.routed_expert_hidden_size
        number, offset, words = peers.layout.place("experts")
        return launch(
            latent_reduce_kernel,
            (self.rows,),
            t["lat_sum"],
            self.c.ln_w,
            t["ln"],
            peers.box,
            peers.epoch,
            peers.health,
            peers.limit,
            target=self.target,
            warps=self.tiles.latent_warps,
            WIDTH=latent,
            WIDE=NEXT_POWER(latent // 2),
            EPS=self.c.eps,
            SLOT_NUMBER=number,
            OFFSET=offset,
            WORDS=words,
            PARITY_WORDS=peers.layout.words,
            TP=peers.tp,
            CLOCK=self.target.clock,
            PDL=self.target.pdl,
        )

    def _up_add(self, t: dict[str, Tensor]) -> Any:
        c, s, peers = self.c.config, self.c.shapes, self.peers
        latent, hidden = c.routed_expert_hidden_size, c.hidden_size
        tiles = self.tiles.up.fit(latent)
        if s.up_rows % tiles.bn:
            raise ValueError(f"up.bn must divide the {s.up_rows} own columns, got {tiles.bn}")
        # Columns without a product are passed on in wider parts.
        wide = min(128, s.up_rows & -s.up_rows)
        number, offset, words = peers.layout.place("output")
        return launch(
            up_add_kernel,
            (s.up_rows // tiles.bn + (hidden - s.up_rows) // wide,),
            t["ln"],
            self.c.w_up,
            t["sd"],
            t["final"],
            self.rows,
            peers.epoch,
            peers.table,
            peers.rank,
            self.c.rank * s.up_rows,
            target=self.target,
            warps=tiles.warps,
            stages=tiles.stages,
            LATENT=latent,
            OWN_ROWS=s.up_rows,
            HIDDEN=hidden,
            BN=tiles.bn,
            WIDE=wide,
            BK=tiles.bk,
            EVEN=latent % tiles.bk == 0,
            SLOT_NUMBER=number,
            OFFSET=offset,
            WORDS=words,
            PARITY_WORDS=peers.layout.words,
            TP=peers.tp,
            PREFETCH=tiles.prefetch if self.target.pdl else 0,
            PDL=self.target.pdl,
        )

    def _reduce(
        self, out: Tensor, prefix: Tensor | None, after: Tensor | None, mode: int, slot: str
    ) -> Any:
        peers, hidden = self.peers, self.c.config.hidden_size
        number, offset, words = peers.layout.place(slot)
        block = min(self.tiles.reduce_words, NEXT_POWER(hidden // 2))
        return launch(
            all_reduce_kernel,
            (-(-hidden // 2 // block), self.rows),
            out,
            out if prefix is None else prefix,
            out if after is None else after,
            peers.box,
            peers.epoch,
            peers.health,
            peers.limit,
            target=self.target,
            warps=4,
            HIDDEN=hidden,
            BLOCK=block,
            PREFIX=mode,
            SLOT_NUMBER=number,
            OFFSET=offset,
            WORDS=words,
            PARITY_WORDS=peers.layout.words,
            TP=peers.tp,
            CLOCK=self.target.clock,
            PDL=self.target.pdl,
        )


def _groups_at_once(groups: int, wanted: int) -> int:
    """The most groups, a power of two of at least four, that divide a row and are not too many."""
    size = 4
    while size * 2 <= wanted and groups % (size * 2) == 0:
        size *= 2
    return size
