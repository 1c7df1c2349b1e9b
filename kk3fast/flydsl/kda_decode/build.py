"""The fused KDA decode's build: what is compiled, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kk3fast.abi import Argument, ArgumentTable
from kk3fast.flydsl.build import KernelBuild

HEAD_DIMS = (32, 64, 128)
"""A thread a channel of q, k, v and the decay: four heads' widths fit a workgroup."""


@dataclass(frozen=True, kw_only=True)
class KdaDecodeBuild(KernelBuild):
    """A build for one rank's heads; one build serves every number of requests.

    Attributes:
        heads: of the rank.
        head_dim: of keys and values.
        eps: of the output norm.
        lower_bound: of the safe gate, negative; not used by the softplus gate.
        softplus_gate: the gate without a lower bound.
    """

    kernel: ClassVar[str] = "kda_decode"
    PLANTS: ClassVar[Mapping[str, str]] = {
        "no_barrier": "the recurrence reads what other waves are still writing to LDS",
        "null_slot": "padding requests read and write the null slot",
        "stale_window": "the convolution's window keeps its oldest entry and drops its newest",
        "half_norm": "the output norm's sum of squares covers half of the head",
        "neighbour_bias": "the decay's bias is always the first head's",
    }

    heads: int
    head_dim: int = 128
    eps: float = 1e-5
    lower_bound: float = -5.0
    softplus_gate: bool = False

    def problems(self) -> list[str]:
        found = []
        if self.heads < 1:
            found.append(f"heads must be at least 1, got {self.heads}")
        if self.head_dim not in HEAD_DIMS:
            found.append(f"head_dim must be one of {HEAD_DIMS}, got {self.head_dim}")
        if self.eps <= 0:
            found.append(f"eps must be positive, got {self.eps}")
        if not self.softplus_gate and self.lower_bound >= 0:
            found.append(f"lower_bound must be negative, got {self.lower_bound}")
        return found

    @property
    def channels(self) -> int:
        """Channels of each of q, k and v."""
        return self.heads * self.head_dim

    def arguments(self) -> tuple[Argument, ...]:
        channels = self.channels
        t = ArgumentTable()
        t.tensor("proj", ("requests", "rows"), "read", "projection, rows q|k|v|g|f_a|beta")
        t.scalar("proj_stride", "elements between the requests' rows of proj, a multiple of 4")
        t.tensor("g1", ("requests", channels), "read", "the decay's up projection")
        t.tensor("conv_w", (3, 4, channels), "read", "mirror of the conv weight", "float32")
        t.tensor("conv_state", ("slots", "…"), "read-write", "3 entries a channel")
        t.scalar("conv_slot_stride", "elements between slots of conv_state")
        t.scalar("conv_channel_stride", "elements between channels of conv_state")
        t.scalar("conv_entry_stride", "elements between entries of conv_state")
        shape = ("slots", self.heads, self.head_dim, self.head_dim)
        t.tensor("recurrent_state", shape, "read-write", "S[v, k], dense in a slot", "float32")
        t.scalar("state_slot_stride", "elements between slots of recurrent_state")
        t.tensor("state_index", ("requests", "columns"), "read", "slots, 0 for padding", "int32")
        t.scalar("index_stride", "elements between rows of state_index")
        t.tensor("a_log", (self.heads,), "read", "log of the decay's rate", "float32")
        t.tensor("dt_bias", (channels,), "read", "the decay's bias", "float32")
        t.tensor("norm_w", (self.head_dim,), "read", "mirror of the norm weight", "float32")
        t.tensor("core", ("requests", channels), "write", "output of the gated norm")
        t.scalar("requests", "requests, padding included")
        return tuple(t.arguments.values())

    @property
    def grid(self) -> tuple[int, int, int]:
        """Workgroups a request; a launch has them for every request (``grid_for``)."""
        return (self.heads, 1, 1)

    def grid_for(self, values: Mapping[str, Any]) -> tuple[int, int, int]:
        """Workgroups of a launch with these arguments."""
        return (self.heads * int(values["requests"]), 1, 1)

    def launcher(self) -> Any:
        from kk3fast.flydsl.kda_decode.kernel import make_launcher

        return make_launcher(self)
