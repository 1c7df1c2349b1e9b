"""The faults F1 to F31 a verifier of these layers must see, each in one or more forms.

They are kinds of bugs that public reports of 2025 and 2026 describe for this family of kernels: the
gated delta rule, MLA, MXFP4 experts, all-reduces inside a kernel, graph replay.
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.faults import anywhere, collective, kda, mla, moe
from verify.faults.plant import Plant


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        id: ``F1`` … ``F31``.
        title: what is wrong.
        reveals: inputs that tell it from the correct layer.
        plants: its forms.
    """

    id: str
    title: str
    reveals: str
    plants: tuple[Plant, ...]


FAULTS = {
    fault.id: fault
    for fault in (
        Fault(
            "F1",
            "state committed after the last row",
            "fewer accepted rows than the step has; the next step starts from them",
            (kda.COMMITTED_AFTER_LAST,),
        ),
        Fault(
            "F2",
            "convolution window not rolled back",
            "fewer accepted rows than the step has",
            (kda.WINDOW_NOT_ROLLED_BACK,),
        ),
        Fault("F3", "accepted count clamped", "four accepted rows or more", (kda.CLAMPED,)),
        Fault("F4", "no draft taken for all", "one accepted row", (kda.NONE_AS_ALL,)),
        Fault(
            "F5",
            "counts in the order of before",
            "requests in another order, with other counts",
            (kda.OLD_ORDER,),
        ),
        Fault(
            "F6",
            "padding writes a live slot",
            "a padding request; all slots compared",
            (kda.NEIGHBOUR_WRITTEN, kda.LAST_WRITTEN, mla.LAST_PAGE),
        ),
        Fault(
            "F7",
            "padding rows unwritten",
            "poisoned outputs and a padding request",
            (anywhere.PADDING_UNWRITTEN,),
        ),
        Fault("F8", "state inherited by slot", "a new request in a used slot", (kda.INHERITED,)),
        Fault("F9", "state transposed", "the state compared, not only outputs", (kda.TRANSPOSED,)),
        Fault(
            "F10",
            "exp2 of the gate",
            "a random state (a zero state hides it)",
            (kda.BINARY_GATE, kda.BINARY_DECAY),
        ),
        Fault("F11", "softplus gate", "a random state", (kda.SOFTPLUS_GATE,)),
        Fault(
            "F12",
            "wrong output gate",
            "one row",
            (kda.SILU_GATE, kda.GATE_FIRST),
        ),
        Fault(
            "F13",
            "empty context shard gives NaN",
            "a context shorter than the ranks are many",
            (mla.EMPTY_SHARD,),
        ),
        Fault(
            "F14",
            "fp8 cache decoded wrongly",
            "a scale other than 1; any bytes",
            (mla.UNSCALED, mla.OTHER_FORMAT),
        ),
        Fault(
            "F15",
            "cache offset wraps at 32 bits",
            "a page that lies past 2³¹ elements",
            (mla.WRAPPED_OFFSET,),
        ),
        Fault(
            "F16",
            "split reduction takes what is not there",
            "a short context beside a long one; a second launch",
            (mla.UNMASKED, mla.STALE_SPLIT),
        ),
        Fault(
            "F17",
            "E8M0 scale of another block",
            "blocks with different scales",
            (moe.NEXT_BLOCK, moe.LAST_BLOCK),
        ),
        Fault(
            "F18",
            "activation scale rounded down",
            "blocks whose maximum is no power of two times 6",
            (moe.FLOOR_SCALE,),
        ),
        Fault(
            "F19",
            "gate and up layout by size",
            "one row, and several",
            (moe.SMALL_LAYOUT, moe.LARGE_LAYOUT),
        ),
        Fault(
            "F20",
            "selection bias misused",
            "biases around 7",
            (moe.BIASED_WEIGHTS, moe.BF16_BIAS),
        ),
        Fault("F21", "ties of the router", "equal scores", (moe.HIGHER_ID, moe.REPEATED_ID)),
        Fault(
            "F22",
            "routed scaling factor misapplied",
            "any, where it is not 1 (here as if it were 2.5)",
            (moe.SHARED_SCALED, moe.SCALED_TWICE),
        ),
        Fault("F23", "padding's amax leaks", "a loud last row", (moe.LEAKING_AMAX,)),
        Fault(
            "F24",
            "block bank overwritten",
            "the whole bank compared, on a block-write layer and on another",
            (anywhere.LAST_BLOCK_OVERWRITTEN, anywhere.BLOCK_EARLY),
        ),
        Fault(
            "F25",
            "flag constant over launches",
            "a second launch with other inputs, a delayed rank",
            (collective.CONSTANT_FLAG,),
        ),
        Fault(
            "F26",
            "no exit barrier",
            "a rank's memory overwritten as soon as it returns",
            (collective.NO_EXIT_WAIT,),
        ),
        Fault(
            "F27",
            "mailbox cleanup of the wrong epoch or size",
            "launches of more, fewer, and more rows",
            (collective.NEXT_CLEARED, collective.SIZE_OF_NOW),
        ),
        Fault("F28", "accumulator not zeroed", "a second launch", (anywhere.NOT_ZEROED,)),
        Fault(
            "F29",
            "metadata frozen at capture",
            "a second launch with other slots, counts and lengths",
            (anywhere.FROZEN_SLOTS, anywhere.FROZEN_COUNTS, anywhere.FROZEN_SPLITS),
        ),
        Fault("F30", "last tile stale", "values that differ along a sum", (anywhere.STALE_TILE,)),
        Fault(
            "F31",
            "splits by the batch's rows",
            "a row alone and among others, bit for bit",
            (anywhere.SPLIT_BY_ROWS,),
        ),
    )
}
