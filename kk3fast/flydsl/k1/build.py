"""K1's build parameters, arguments and mailbox regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kk3fast.abi import Argument, ArgumentTable
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layout import Region, lay_out

CONV_WIDTH = 4
_PASS_ROWS = 16  # value rows of the state that 512 threads hold at head_dim 128


@dataclass(frozen=True, kw_only=True)
class K1Build(KernelBuild):
    """One build of K1.

    Attributes:
        rows: rows of the step, 1 … 8.
        query_rows: rows a request brings (drafts + 1); divides ``rows``.
        blocks: valid AttnRes blocks, 0 … 8.
        write_index: the block this layer writes, or -1.
        hidden, heads, head_dim, in_rows: sizes of a rank; ``in_rows`` is padded to 16.
        state_entries: entries a channel of the conv state holds.
        eps, out_eps, norm_eps: of the AttnRes sources, the input norm and the output norm.
        safe_gate: the lower-bound gate; else the softplus gate.
        lower_bound: of the safe gate.
    """

    kernel: ClassVar[str] = "k1"
    PLANTS: ClassVar[Mapping[str, str]] = {
        "x_not_announced": "the projection does not wait for the rows of x",
        "x_not_drained": "x is announced before its stores have landed",
        "x_wrong_scope": "x is stored with a plain store: other XCDs may read an older line",
        "proj_stale_tag": "the projection is handed over with the tag of the step before",
        "norm_before_exchange": "the output norm divides by this workgroup's own sum of squares only",
        "missing_barrier": "the partial sums in LDS are read without a barrier",
    }

    rows: int
    query_rows: int
    blocks: int
    hidden: int
    heads: int
    head_dim: int
    in_rows: int
    state_entries: int
    write_index: int = -1
    eps: float = 1e-5
    out_eps: float = 1e-5
    norm_eps: float = 1e-5
    safe_gate: bool = True
    lower_bound: float = -5.0

    def problems(self) -> list[str]:
        found = []
        if not 1 <= self.rows <= 8:
            found.append(f"rows must be 1 to 8, got {self.rows}")
        if self.query_rows < 1 or self.rows % self.query_rows:
            found.append(f"query_rows must divide rows ({self.rows}), got {self.query_rows}")
        if self.blocks < 0:
            found.append(f"blocks must not be negative, got {self.blocks}")
        if self.hidden % 32:
            found.append(f"hidden must be a multiple of 32, got {self.hidden}")
        if self.head_dim not in (32, 64, 128):
            found.append(f"head_dim must be 32, 64 or 128, got {self.head_dim}")
        least = 4 * self.channels + self.head_dim + self.heads
        if self.in_rows < least or self.in_rows % 16:
            found.append(f"in_rows must be a multiple of 16 of at least {least}, got {self.in_rows}")
        if self.state_entries < self.query_rows + CONV_WIDTH - 2:
            least = self.query_rows + CONV_WIDTH - 2
            found.append(f"state_entries must be at least {least}, got {self.state_entries}")
        return found

    @property
    def requests(self) -> int:
        """Requests of the step."""
        return self.rows // self.query_rows

    @property
    def channels(self) -> int:
        """Width of q, of k, of v and of ``core``."""
        return self.heads * self.head_dim

    @property
    def chunks(self) -> int:
        """Workgroups that share a head's state: as many as there are, so that each has one task."""
        chunks = 1
        while (
            self.requests * self.heads * chunks * 2 <= self.workgroups
            and self.head_dim // (chunks * 2) >= _PASS_ROWS
        ):
            chunks *= 2
        return chunks

    @property
    def value_rows(self) -> int:
        """Rows of a head's state a task holds."""
        return self.head_dim // self.chunks

    @property
    def first_gate(self) -> int:
        """Projection row of the output gate."""
        return 3 * self.channels

    @property
    def first_f_a(self) -> int:
        """Projection row of f_a."""
        return 4 * self.channels

    @property
    def first_beta(self) -> int:
        """Projection row of beta."""
        return 4 * self.channels + self.head_dim

    def scratch(self) -> dict[str, Region]:
        pairs = {
            "x_ready": self.rows,
            "proj": self.rows * self.in_rows // 2,
            "o_square": self.rows * self.heads * self.chunks,
        }
        return lay_out(pairs, {"x": self.rows * self.hidden * 2})

    def arguments(self) -> tuple[Argument, ...]:
        table = ArgumentTable()
        rows, hidden, channels = self.rows, self.hidden, self.channels
        table.tensor("prefix", (rows, hidden), "read-write", "running AttnRes sum")
        table.tensor("delta", (rows, hidden), "read", "last layer's output, not yet added")
        access = "read-write" if self.write_index >= 0 else "read"
        table.tensor("blocks", (rows, "blocks", hidden), access, "AttnRes blocks")  # type: ignore[arg-type]
        table.scalar("block_row_stride", "elements between rows of blocks")
        table.scalar("block_stride", "elements between blocks of a row")
        table.tensor("attn_norm", (hidden,), "read", "norm weight of the AttnRes sources")
        table.tensor("attn_query", (hidden,), "read", "AttnRes query")
        table.tensor("input_norm", (hidden,), "read", "norm weight of the attention's input")
        table.tensor("w_in", (self.in_rows, hidden), "read", "projection q|k|v|g|f_a|beta")
        table.tensor("w_fb", (channels, self.head_dim), "read", "second decay projection")
        table.tensor("conv_w", (3 * channels, CONV_WIDTH), "read", "short convolution", "float32")
        table.tensor("conv_state", ("slots", "…", "…"), "read-write", "conv windows")
        table.scalar("conv_slot_stride", "elements between slots of conv_state")
        table.scalar("conv_channel_stride", "elements between channels of conv_state")
        table.scalar("conv_entry_stride", "elements between entries of conv_state")
        table.tensor("a_log", (self.heads,), "read", "log of the decay rate", "float32")
        table.tensor("dt_bias", (channels,), "read", "decay bias", "float32")
        table.tensor("o_norm", (self.head_dim,), "read", "output norm weight")
        shape = ("slots", self.heads, self.head_dim, self.head_dim)
        table.tensor("state", shape, "read-write", "recurrent state [slot, head, v, k]", "float32")
        table.scalar("state_slot_stride", "elements between slots of state")
        slots = (self.requests, self.query_rows)
        table.tensor("state_index", slots, "read", "state slot of each row", "int32")
        table.scalar("state_index_stride", "elements between requests of state_index")
        table.tensor("accepted", (self.requests,), "read", "accepted rows, 1 …", "int32")
        table.tensor("core", (rows, channels), "write", "gated attention output")
        table.tensor("scratch", ("bytes",), "read-write", "hand-offs on this GPU", "uint8")
        table.tensor("epoch", (1,), "read", "step counter", "int32")
        table.scalar("slot", "launch of the step, 0 to 255")
        table.tensor("health", ("words",), "read-write", "given-up waits", "int32")
        table.tensor("alarm", (1,), "write", "this rank's word on the output rank", "int32")
        return tuple(table.arguments.values())

    def launcher(self) -> Any:
        from kk3fast.flydsl.k1.kernel import launcher

        return launcher(self)
