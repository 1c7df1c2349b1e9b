"""A candidate whose state drifts: every row's state is truncated where it should be rounded.

One step of it is inside every bound of a single operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from kk3ref.kda import NULL_SLOT, delta_step
from kk3ref.precision import ORACLE
from kk3ref.stages import RankContext
from verify.candidates.base import StageFunction


def truncated(x: Tensor) -> Tensor:
    """fp64 to fp32 towards zero."""
    near = x.to(torch.float32)
    beyond = near.double().abs() > x.abs()
    return torch.where(beyond, torch.nextafter(near, torch.zeros(())), near)


class Drifting:
    """The recurrence in fp64, its state truncated to fp32 after every row."""

    name = description = "drifting"

    def available(self) -> tuple[bool, str]:
        return True, ""

    def stage(self, name: str) -> StageFunction | None:
        return self.recurrence if name == "recurrence" else None

    def recurrence(self, c: RankContext, inputs: Mapping[str, Any]) -> Mapping[str, Tensor]:
        index, accepted = inputs["state_index"].long(), inputs["num_accepted"].long()
        requests, rows = index.shape
        heads, dim = inputs["q"].shape[1:]
        shape = (requests, rows, heads, dim)
        q, k, decay = (inputs[n].double().reshape(shape) for n in ("q", "k", "decay"))
        v = inputs["conv"][:, 2 * heads * dim :].double().reshape(shape)
        beta = inputs["beta"].double().reshape(requests, rows, heads)
        pool = inputs["recurrent_state"].clone()
        start = index.gather(1, accepted[:, None] - 1)[:, 0]
        state = torch.where((start != NULL_SLOT)[:, None, None, None], pool[start].double(), 0.0)
        outputs = []
        for j in range(rows):
            o, state = delta_step(ORACLE, state, q[:, j], k[:, j], v[:, j], decay[:, j], beta[:, j])
            kept = truncated(state)
            state = kept.double()
            outputs.append(o)
            live = index[:, j] != NULL_SLOT
            pool[index[live, j]] = kept[live]
        o = torch.stack(outputs, 1).to(torch.bfloat16).reshape(-1, heads, dim)
        return {"o": o, "recurrent_state_after": pool}


def make() -> Drifting:
    return Drifting()
