"""Faults any layer can have: sums, tiles, padding, blocks, what a replay must not reuse."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from kk3ref.kda import NULL_SLOT
from kk3ref.mla import NULL_PAGE
from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import RankContext, Stage
from verify.faults.kda import NO_EPSILON, STATEFUL
from verify.faults.mla import ATTENTION
from verify.faults.plant import Memory, Outputs, Plant, Values, in_policy, on_inputs, on_outputs

PROJECTIONS = ("in_proj", "qkv_a", "o_proj", "router", "dense_up")
NORMS = ("attn_read", "mlp_read", "gated_norm", "latent_norm", "q_norm", "kv_norm")

# -- padding and blocks ----------------------------------------------------------------------------


def _unwritten(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    """Padding rows keep the poison; where rows have no requests, the last row."""
    given = m.inputs[c.rank]
    rows = next(iter(outputs.values())).shape[0]
    padding = torch.zeros(rows, dtype=torch.bool)
    for table, null in (("state_index", NULL_SLOT), ("block_table", NULL_PAGE)):
        if table in given:
            empty = given[table][:, 0] == null
            padding |= empty.repeat_interleave(rows // empty.shape[0])
            break
    else:
        padding[-1] = True
    changed = {}
    for name, t in outputs.items():
        if t.is_floating_point() and t.shape[0] == rows:
            changed[name] = t.clone()
            changed[name][padding] = math.nan
    return changed


PADDING_UNWRITTEN = Plant(
    "padding rows left unwritten",
    ("gated_norm", "up_add", "output_gate", "attn_read", "dense_down", "o_proj"),
    on_outputs(_unwritten),
)


def _last_block(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    bank = outputs["blocks_after"].clone()
    bank[:, -1] = values["prefix_after"]
    return {"blocks_after": bank}


LAST_BLOCK_OVERWRITTEN = Plant(
    "the last block overwritten by a layer that does not own it",
    ("block_write",),
    on_outputs(_last_block),
    layers=lambda c: c.layer.block_index != c.config.num_blocks - 1,
)


def _block_early(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    index = c.layer.block_index
    assert index is not None
    bank = values["blocks"].clone()
    bank[:, index - 1] = values["prefix_after"]
    return {"blocks_after": bank}


BLOCK_EARLY = Plant(
    "a block-write layer overwrites the block before its own",
    ("block_write",),
    on_outputs(_block_early),
    layers=lambda c: bool(c.layer.block_index),
)

# -- sums ------------------------------------------------------------------------------------------


class _Bf16Accumulation(Precision):
    """Partial sums of a split reduction kept in bf16."""

    def __init__(self) -> None:
        super().__init__("bf16-accumulation", torch.float32, rounds=True)

    def _contract(self, x: Tensor, w: Tensor) -> Tensor:
        k = x.shape[-1]
        step = max(1, k // 16)
        total = torch.zeros(*x.shape[:-1], w.shape[0])
        for a in range(0, k, step):
            part = x[..., a : a + step] @ w[:, a : a + step].T
            total = (total + part).to(torch.bfloat16).to(torch.float32)
        return total


class _Splits(Precision):
    """Every sum in a number of splits."""

    def __init__(self, count: int) -> None:
        super().__init__("splits", torch.float32, rounds=True)
        self.count = count

    def _contract(self, x: Tensor, w: Tensor) -> Tensor:
        parts = zip(x.tensor_split(self.count, -1), w.tensor_split(self.count, -1), strict=True)
        totals = [y @ v.T for y, v in parts]
        return torch.stack(totals).sum(0)

    def sum(self, x: Tensor, dim: int, point: str, keepdim: bool = False) -> Tensor:
        parts = [part.sum(dim, keepdim=keepdim) for part in x.tensor_split(self.count, dim)]
        return torch.stack(parts).sum(0)


def _split_by_rows(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    return s(_Splits(values[s.inputs[0]].shape[0]), c, values)


BF16_SUMS = Plant("bf16 partial sums", PROJECTIONS, in_policy(_Bf16Accumulation()))
SPLIT_BY_ROWS = Plant(
    "number of splits taken from the batch's rows",
    # Stages whose fp32 results show it; through bf16 it shows in some elements of a large layer.
    ("router", "qk_norm", "attend_shard"),
    _split_by_rows,
    by_rows=True,
)
EPSILON_DROPPED = Plant("epsilon dropped", NORMS, in_policy(NO_EPSILON))


def _stale_tile(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    name = s.inputs[0]
    x = values[name].clone()
    tile = min(32, x.shape[-1] // 2)
    x[..., -tile:] = x[..., -2 * tile : -tile]
    return s(CONTRACT, c, {**values, name: x})


STALE_TILE = Plant("the last tile of a sum read one tile stale", PROJECTIONS, _stale_tile)


def _accumulated(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    """Sums begin where the launch before ended."""
    outputs = s(CONTRACT, c, values)
    (name,) = outputs
    before = m.kept.get(("sum", s.name, c.rank))
    total = outputs[name].float()
    if before is not None:
        rows = min(len(before), len(total))
        total = torch.cat([total[:rows] + before[:rows], total[rows:]])
    m.kept[("sum", s.name, c.rank)] = total
    return {name: total.to(outputs[name].dtype)}


NOT_ZEROED = Plant("split-K accumulator not zeroed again", PROJECTIONS, _accumulated)


def relative_error(error: float, *stages: str) -> Plant:
    """Every float output off by a relative error: what a family's rounding must not hide."""

    def change(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
        return {
            n: (t.float() * (1 + error)).to(t.dtype)
            for n, t in outputs.items()
            if t.is_floating_point()
        }

    return Plant(f"{error:.0%} relative error".replace("%", " %"), stages, on_outputs(change))


# -- what a captured launch must read anew ---------------------------------------------------------


def _frozen(*names: str) -> Any:
    def change(c: RankContext, values: Values, m: Memory) -> Mapping[str, Any]:
        found = {name: values[name] for name in names if name in values}
        return {n: m.first((n, c.rank, t.shape), t.clone()) for n, t in found.items()}

    return on_inputs(change)


FROZEN_SLOTS = Plant("state slots frozen at capture", STATEFUL, _frozen("state_index"), every=True)
FROZEN_COUNTS = Plant(
    "accepted counts frozen at capture", STATEFUL, _frozen("num_accepted"), every=True, drafts=1
)
FROZEN_SPLITS = Plant("context splits frozen at capture", ATTENTION, _frozen("context_len"))
