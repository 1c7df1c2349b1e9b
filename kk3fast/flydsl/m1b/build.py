"""M1b's build parameters and arguments. No hand-off: what it reads, earlier launches wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kk3fast.abi import Argument, ArgumentTable
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layout import Region, lay_out, shifted

BLOCK = 32


@dataclass(frozen=True, kw_only=True)
class M1bBuild(KernelBuild):
    """One build of M1b.

    Attributes:
        rows: rows of the step, 1 … 8.
        heads, latent, value_dim: sizes of a rank.
        mxfp4: W_UV and the latent output in MXFP4, else bf16.
        scratch_offset: bytes of scratch before this kernel's: what the launches before left there
            stays readable, and no value is ever taken for a tag.
    """

    kernel: ClassVar[str] = "m1b"
    PLANTS: ClassVar[Mapping[str, str]] = {
        "sums_missing_barrier": "the partial sums in LDS are read without a barrier",
        "gate_without_sigmoid": "the gate is applied without its sigmoid",
        "last_depth_step_skipped": "the last 32 latent columns are left out of the sums",
        "scale_byte_off": "MXFP4: the other 16 rows' weight scales are used",
    }

    rows: int
    heads: int
    latent: int
    value_dim: int
    mxfp4: bool = False

    scratch_offset: int = 0

    def problems(self) -> list[str]:
        found = []
        if self.scratch_offset < 0 or self.scratch_offset % 128:
            found.append(f"scratch_offset must be a multiple of 128, got {self.scratch_offset}")
        if not 1 <= self.rows <= 8:
            found.append(f"rows must be 1 to 8, got {self.rows}")
        if self.heads < 1:
            found.append(f"heads must be positive, got {self.heads}")
        for name, step in (("latent", 32), ("value_dim", 32 if self.mxfp4 else 16)):
            value = getattr(self, name)
            if value < step or value % step:
                found.append(f"{name} must be a positive multiple of {step}, got {value}")
        return found

    @property
    def value_cols(self) -> int:
        """Width of ``core``."""
        return self.heads * self.value_dim

    def scratch(self) -> dict[str, Region]:
        blocks = self.heads * (self.latent // BLOCK)
        plain = {"attn": self.rows * self.value_cols * 2}
        if self.mxfp4:
            codes = self.rows * blocks * (BLOCK // 2)
            plain |= {"o_codes": codes, "o_scales": self.rows * blocks * 4}
        return shifted(lay_out({}, plain), self.scratch_offset)

    def arguments(self) -> tuple[Argument, ...]:
        table = ArgumentTable()
        rows = self.rows
        table.tensor("o_lat", (rows, self.heads, self.latent), "read", "attention, latent")
        shape, dtype = (self.heads, self.value_dim, self.latent), "bfloat16"
        if self.mxfp4:
            shape, dtype = (self.heads, self.value_dim, self.latent // 2), "uint8"
        meaning = "W_UV [h, v, c]; MXFP4: shuffled codes of [h·v, c]"
        table.tensor("w_uv", shape, "read", meaning, dtype)
        table.tensor("w_uv_scales", ("bytes",), "read", "shuffled scales; bf16: unused", "uint8")
        table.tensor("gate", (rows, self.value_cols), "read", "output gate before its sigmoid")
        table.tensor("core", (rows, self.value_cols), "write", "gated attention output")
        table.tensor("scratch", ("bytes",), "read-write", "inner values", "uint8")
        return tuple(table.arguments.values())

    def launcher(self) -> Any:
        from kk3fast.flydsl.m1b.kernel import launcher

        return launcher(self)
