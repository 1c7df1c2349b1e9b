"""Where the hardware's rounding is not known for certain: the models, and their alternatives.

Addition, multiplication, division, square root (``math.sqrt``), fused multiply-add, and the
conversions to and from bf16, f16 and fp4 are exact (round to nearest even); they are not models.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

TABLE: dict[str, dict[str, str]] = {
    "mfma_order": {
        "sequential": "C first, then the products in order of k, each sum rounded to fp32",
        "pairwise": "products summed as a binary tree over k, each sum rounded to fp32, then C",
        "fused": "products and C summed in fp64, rounded to fp32 once",
    },
    "mfma_denormals": {
        "keep": "denormal bf16/f16/fp32 inputs and results are kept",
        "flush": "denormal bf16/f16/fp32 inputs and fp32 results become zero of the same sign",
    },
    "transcendental_rounding": {
        "nearest": "rcp, rsq, sqrt, exp2 and log2 instructions return the nearest fp32",
        "down": "… the neighbour towards zero",
        "up": "… the neighbour away from zero",
    },
    "transcendental_denormals": {
        "flush": "denormal inputs and results of those instructions become zero of the same sign",
        "keep": "denormal inputs and results are kept",
    },
    "fp8_overflow": {
        "saturate": "conversion to fp8/bf8 beyond the largest finite value gives that value",
        "nan": "… gives NaN (e4m3) or infinity (e5m2)",
    },
}
"""Model -> alternative -> what it does. The first alternative is the default."""


@dataclass(frozen=True)
class Models:
    """One choice a row of ``TABLE``.

    A scaled (MX) MFMA sums each 32-element block exactly, rounds it to fp32, scales it, and adds
    the blocks and C in the chosen order. ``fused`` keeps the block sums in fp64 too.
    """

    mfma_order: str = "sequential"
    mfma_denormals: str = "keep"
    transcendental_rounding: str = "nearest"
    transcendental_denormals: str = "flush"
    fp8_overflow: str = "saturate"

    def __post_init__(self) -> None:
        wrong = []
        for f in fields(self):
            value = getattr(self, f.name)
            if value not in TABLE[f.name]:
                wrong.append(f"{f.name} must be one of {', '.join(TABLE[f.name])}, got {value!r}")
        if wrong:
            raise ValueError("models: " + "; ".join(wrong))

    def number(self, name: str) -> int:
        """The runtime's number of a choice."""
        order = list(TABLE[name])
        if name == "transcendental_denormals":  # the runtime counts keep as 0
            order = ["keep", "flush"]
        return order.index(getattr(self, name))
