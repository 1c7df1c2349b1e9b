"""K2's build parameters, arguments and mailbox regions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kk3fast.abi import Argument, ArgumentTable
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.geometry import WAVES
from kk3fast.flydsl.layout import Region, lay_out, lay_out_peer

MAX_ROWS = 8
MAX_PICKS = 128
"""rows times picks a row"""
BLOCK = 32
"""columns that share an MXFP4 scale"""
HIDDEN_PAIRS = 6
"""pairs of a block of an expert's hidden row: 4 words of elements, the scale, nothing"""


@dataclass(frozen=True, kw_only=True)
class K2Build(KernelBuild):
    """One build of K2.

    Attributes:
        rows: rows of the step, 1 … 8.
        blocks: AttnRes blocks that the read sees, the layer's own included.
        reset: the prefix restarts at the attention output (a block-write layer).
        ranks: of the tensor-parallel group, 1 … 8.
        hidden, core, experts, picks, latent: width, o_proj's input on a rank, experts of the
            model, picks a row, latent width.
        routed, shared: a rank's intermediate widths of an expert and of the shared experts.
        eps: of every norm.
        beta, linear_beta: of SiTU.
    """

    kernel: ClassVar[str] = "k2"
    PLANTS: ClassVar[Mapping[str, str]] = {
        "x_not_drained": "x is announced before its stores have landed",
        "partial_wrong_scope": "o_proj's partials are pushed with device scope",
        "own_partial_only": "the latent all-reduce takes the rank's own partial for every rank's",
        "next_picks_weight": "an expert's output is weighted with the next pick's weight",
        "missing_barrier": "an expert's partial sums in LDS are read without a barrier",
    }

    rows: int
    blocks: int
    ranks: int
    hidden: int
    core: int
    experts: int
    picks: int
    latent: int
    routed: int
    shared: int
    reset: bool = False
    eps: float = 1e-5
    beta: float = 4.0
    linear_beta: float = 25.0

    def problems(self) -> list[str]:
        found = []
        if not 1 <= self.rows <= MAX_ROWS:
            found.append(f"rows must be 1 to {MAX_ROWS}, got {self.rows}")
        if not 1 <= self.ranks <= WAVES:
            return [*found, f"ranks must be 1 to {WAVES}, got {self.ranks}"]
        if self.blocks < 0:
            found.append(f"blocks must not be negative, got {self.blocks}")
        multiples = {
            "hidden": math.lcm(32, 8 * self.ranks),
            "core": 32,
            "experts": 4 * self.ranks,
            "picks": 4,
            "latent": math.lcm(128, 8 * self.ranks),
            "routed": BLOCK,
            "shared": 32,
        }
        for name, step in multiples.items():
            value = getattr(self, name)
            if value < 1 or value % step:
                found.append(f"{name} must be a multiple of {step}, got {value}")
        if self.picks > min(16, self.experts):
            found.append(f"picks must be at most {min(16, self.experts)}, got {self.picks}")
        return found

    @property
    def up_rows(self) -> int:
        """Hidden columns that a rank owns."""
        return self.hidden // self.ranks

    @property
    def row_words(self) -> int:
        """Words of a quantised latent row: elements, scales, and one more if that is odd."""
        words = self.latent // 8 + self.latent // 128
        return words + words % 2

    def scratch(self) -> dict[str, Region]:
        pairs = {
            "x_ready": self.rows,
            "picks": self.rows * self.picks * 2,
            "latent_mx": self.rows * self.row_words,
            "hidden_mx": self.rows * self.picks * self.routed // BLOCK * HIDDEN_PAIRS,
            "shared": self.rows * self.shared // 2,
            "norm": self.rows * self.latent // 2,
        }
        plain = {"x": self.rows * self.hidden * 2, "gate_up": self.rows * self.shared * 4}
        return lay_out(pairs, plain)

    def peer(self) -> dict[str, Region]:
        """The same for every width, so that a step's launches agree on where the halves begin."""
        pairs = {
            "attention": self.ranks * MAX_ROWS * self.hidden // 2,
            "logits": MAX_ROWS * self.experts,
            "latent": MAX_ROWS * self.latent // 2,
            "routed": self.ranks * MAX_ROWS * self.latent // 2,
            "output": self.ranks * MAX_ROWS * self.hidden // 2,
        }
        return lay_out_peer(pairs, first=1 + len(self.scratch()))

    def arguments(self) -> tuple[Argument, ...]:
        table = ArgumentTable()
        rows, hidden, latent = self.rows, self.hidden, self.latent
        table.tensor("prefix", (rows, hidden), "read-write", "running AttnRes sum")
        table.tensor("core", (rows, self.core), "read", "o_proj's input")
        table.tensor("blocks", (rows, "blocks", hidden), "read", "AttnRes blocks")
        table.scalar("block_row_stride", "elements between rows of blocks")
        table.scalar("block_stride", "elements between blocks of a row")
        table.tensor("mlp_norm", (hidden,), "read", "norm weight of the AttnRes sources")
        table.tensor("mlp_query", (hidden,), "read", "AttnRes query")
        table.tensor("post_norm", (hidden,), "read", "norm weight of the MLP's input")
        table.tensor("w_o", (hidden, self.core), "read", "output projection")
        table.tensor("w_gate", (self.experts, hidden), "read", "router, all ranks' rows")
        table.tensor("router_bias", (self.experts,), "read", "selection bias", "float32")
        table.tensor("w_ld", (latent, hidden), "read", "latent down projection, all ranks' rows")
        table.tensor("w_sgu", (2 * self.shared, hidden), "read", "shared experts gate | up")
        table.tensor("w_sd", (hidden, self.shared), "read", "shared experts down")
        sizes = self.expert_bytes
        for name, meaning in (
            ("w13", "MXFP4 gate | up, shuffled"),
            ("w13_scales", "E8M0 scales of w13, shuffled"),
            ("w2", "MXFP4 down, shuffled"),
            ("w2_scales", "E8M0 scales of w2, shuffled"),
        ):
            table.tensor(name, (self.experts, sizes[name]), "read", meaning, "uint8")
        table.tensor("latent_norm", (latent,), "read", "latent norm weight")
        table.tensor("w_up", (self.up_rows, latent), "read", "the rank's rows of the up projection")
        table.tensor("out", (rows, hidden), "write", "the layer's MoE output")
        table.tensor("scratch", ("bytes",), "read-write", "hand-offs on this GPU", "uint8")
        table.tensor("epoch", (1,), "read", "step counter", "int32")
        table.scalar("slot", "launch of the step, 0 to 255")
        table.tensor("health", ("words",), "read-write", "given-up waits", "int32")
        table.tensor("alarm", (1,), "write", "this rank's word on the output rank", "int32")
        table.tensor("peers", (self.ranks,), "read", "every rank's peer buffer", "int64")
        table.scalar("rank", "this rank")
        return tuple(table.arguments.values())

    @property
    def expert_bytes(self) -> dict[str, int]:
        """Bytes an expert has in each of the four routed tensors, padding included."""

        def scales(rows: int, depth: int) -> int:
            return -(-rows // 32) * 32 * -(-depth // (8 * BLOCK)) * 8

        return {
            "w13": 2 * self.routed * self.latent // 2,
            "w13_scales": scales(2 * self.routed, self.latent),
            "w2": self.latent * self.routed // 2,
            "w2_scales": scales(self.latent, self.routed),
        }

    def launcher(self) -> Any:
        from kk3fast.flydsl.k2.kernel import launcher

        return launcher(self)
