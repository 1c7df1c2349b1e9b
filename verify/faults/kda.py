"""Faults of the KDA layer: accepted counts, state slots, gates, the output norm."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from kk3ref.kda import NULL_SLOT
from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import RankContext, Stage
from verify.faults.plant import Memory, Outputs, Plant, Values, on_inputs, on_outputs

STATEFUL = ("conv", "recurrence")


# -- accepted counts (a count includes the row that is always kept: n = 1 is no accepted draft) --


def _counts(change: Callable[[Tensor, int], Tensor]) -> Any:
    """Counts changed by ``change(counts, rows a request)``."""
    return on_inputs(
        lambda c, values, m: {
            "num_accepted": change(values["num_accepted"], values["state_index"].shape[1])
        }
    )


def _in_old_order(c: RankContext, values: Values, m: Memory) -> Mapping[str, Any]:
    """The count of the request that stood in a row in the launch before."""
    counts, slots = values["num_accepted"], values["state_index"][:, 0].tolist()
    key = ("order", "conv" if "conv_state" in values else "recurrence", c.rank)
    before = m.swap(key, slots) or slots
    order = [slots.index(s) if s in slots else row for row, s in enumerate(before)]
    if len(order) != len(slots):
        return {}
    return {"num_accepted": counts[order]}


COMMITTED_AFTER_LAST = Plant(
    "state committed after the last row, whatever was accepted",
    STATEFUL,
    _counts(lambda n, rows: torch.full_like(n, rows)),
    every=True,
    drafts=1,
)
WINDOW_NOT_ROLLED_BACK = Plant(
    "recurrent state rolled back, convolution window not",
    ("conv",),
    _counts(lambda n, rows: torch.full_like(n, rows)),
    drafts=1,
)
CLAMPED = Plant(
    "accepted count clamped to 3",
    STATEFUL,
    _counts(lambda n, rows: n.clamp(max=3)),
    every=True,
    drafts=3,
)
NONE_AS_ALL = Plant(
    "no accepted draft taken for all of them",
    STATEFUL,
    _counts(lambda n, rows: torch.where(n == 1, rows, n)),
    every=True,
    drafts=1,
)
OLD_ORDER = Plant(
    "accepted counts read in the row order of the launch before",
    STATEFUL,
    on_inputs(_in_old_order),
    every=True,
    drafts=1,
)
STALE_START = Plant(
    "start of the recurrence not at the accepted row",
    ("recurrence",),
    _counts(lambda n, rows: torch.where(n == 1, rows, 1)),
    drafts=1,
)


# -- slots -----------------------------------------------------------------------------------------


def _padding_writes(slot: int) -> Any:
    def change(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
        if not bool((values["state_index"][:, 0] == NULL_SLOT).any()):
            return {}
        pool = outputs["recurrent_state_after"].clone()
        pool[slot] = 1.0
        return {"recurrent_state_after": pool}

    return on_outputs(change)


NEIGHBOUR_WRITTEN = Plant(
    "padding writes the slot beside the null slot", ("recurrence",), _padding_writes(1)
)
LAST_WRITTEN = Plant("padding writes the last slot", ("recurrence",), _padding_writes(-1))


def _inherits(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    """States of earlier launches held on chip by slot, in place of what the pool holds."""
    held: dict[int, Tensor] = m.kept.setdefault(("states", c.rank), {})
    given = values["recurrent_state"]
    pool = given.clone()
    for slot, state in held.items():
        pool[slot] = state
    outputs = s(CONTRACT, c, {**values, "recurrent_state": pool})
    after = outputs["recurrent_state_after"].clone()
    written = [n for n in values["state_index"].flatten().tolist() if n != NULL_SLOT]
    for slot in held.keys() - set(written):
        after[slot] = given[slot]
    held.update({slot: after[slot].clone() for slot in written})
    return {**outputs, "recurrent_state_after": after}


INHERITED = Plant(
    "a new request inherits the state its slot held before", ("recurrence",), _inherits
)


def _transposed(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    """``S[k, v]`` in memory, read back as it was written: the outputs are right."""
    mine: set[int] = m.kept.setdefault(("transposed", c.rank), set())
    pool = values["recurrent_state"].clone()
    for slot in mine:
        pool[slot] = pool[slot].transpose(-1, -2).clone()
    outputs = s(CONTRACT, c, {**values, "recurrent_state": pool})
    after = values["recurrent_state"].clone()
    written = [n for n in values["state_index"].flatten().tolist() if n != NULL_SLOT]
    for slot in written:
        after[slot] = outputs["recurrent_state_after"][slot].transpose(-1, -2)
    mine.update(written)
    return {**outputs, "recurrent_state_after": after}


TRANSPOSED = Plant("state stored transposed", ("recurrence",), _transposed)

# -- gates and the output norm ---------------------------------------------------------------------

BINARY_GATE = Plant(
    "exp2 of the gate",
    ("gates",),
    on_outputs(lambda c, values, out, m: {"decay": out["decay"] ** math.log(2)}),
)
BINARY_DECAY = Plant(
    "exp2 decay",
    ("recurrence",),
    on_inputs(lambda c, values, m: {"decay": values["decay"] ** math.log(2)}),
)


def _softplus(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    config = replace(c.config, gate_lower_bound=None)
    return s(CONTRACT, replace(c, config=config), values)


SOFTPLUS_GATE = Plant("softplus in the gate, not the bounded sigmoid", ("gates",), _softplus)


def _output_gate(c: RankContext, values: Values) -> Tensor:
    """The gate's columns of the projection, fp32: KDA's, or MLA's."""
    if "proj_a" in values:
        cfg = c.config
        first = cfg.q_lora_rank + cfg.kv_lora_rank + cfg.qk_rope_head_dim
        gate: Tensor = values["proj_a"][:, first:].float()
        return gate
    inner = c.shapes.kda_channels
    gate = values["proj"][:, 3 * inner : 4 * inner].float()
    return gate


SILU_GATE = Plant(
    "SiLU in the output gate",
    ("gated_norm", "output_gate"),
    on_outputs(
        lambda c, values, out, m: {
            "core": (out["core"].float() * _output_gate(c, values)).to(torch.bfloat16)
        }
    ),
)


def _gate_first(c: RankContext, values: Values, m: Memory) -> Mapping[str, Any]:
    """Gated before the norm: the norm's input times its own gate, the gate then open."""
    gate = torch.sigmoid(_output_gate(c, values)).reshape(values["o"].shape)
    proj = values["proj"].clone()
    inner = c.shapes.kda_channels
    proj[:, 3 * inner : 4 * inner] = 64.0  # a sigmoid of one
    return {"o": (values["o"].float() * gate).to(torch.bfloat16), "proj": proj}


GATE_FIRST = Plant("gated before the norm", ("gated_norm",), on_inputs(_gate_first))


class _NoEpsilon(Precision):
    """The epsilon of every RMS norm dropped."""

    def __init__(self) -> None:
        super().__init__("no-epsilon", torch.float32, rounds=True)

    def rms_scale(self, x: Tensor, eps: float, point: str) -> Tensor:
        return super().rms_scale(x, 0.0, point)


NO_EPSILON = _NoEpsilon()
