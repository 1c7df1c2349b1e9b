"""The contract with every row on its own: what a row gives does not depend on the batch.

A library may sum in another order, and take another ``exp``, where a tensor has another size. Here
each stage runs on one row at a time, or one request where it reads state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import Layer, RankContext, Stage, run_layer
from verify.candidates.base import LayerCall

_BY_REQUEST = ("state_index", "num_accepted", "block_table", "context_len")
_POOLS = {"conv_state", "recurrent_state", "kv_cache", "kv_cache_after"}


class RowwiseCandidate:
    """The contract row by row."""

    name = "rowwise"
    description = "kk3ref under the contract precision, one row or request at a time"
    batch_invariant = True

    def available(self) -> tuple[bool, str]:
        return True, "pure PyTorch"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        values = run_layer(by_rows(call.layer), CONTRACT, call.contexts, call.inputs)
        names = {tap.name for tap in call.layer.taps}
        return [{name: t for name, t in v.items() if name in names} for v in values]


def by_rows(layer: Layer) -> Layer:
    """The layer with each of its stages run row by row."""
    return replace(layer, stages=tuple(stage_by_rows(s) for s in layer.stages))


def stage_by_rows(s: Stage) -> Stage:
    """The stage run on one row, or one request, at a time; pools go from one to the next."""

    def run(p: Precision, c: RankContext, *inputs: Any) -> Any:
        values = dict(zip(s.inputs, inputs, strict=True))
        requests = next((values[n].shape[0] for n in _BY_REQUEST if n in values), None)
        rows = _rows(values)
        count = rows if requests is None else requests
        parts = []
        for i in range(count):
            outputs = s(p, c, {n: _part(n, v, i, count, rows) for n, v in values.items()})
            values |= {n.removesuffix("_after"): outputs[n] for n in outputs if _is_pool(n)}
            parts.append(outputs)
        whole = {
            n: t if _is_pool(n) else torch.cat([q[n] for q in parts]) for n, t in parts[-1].items()
        }
        result = tuple(whole[tap.name] for tap in s.outputs)
        return result if len(result) > 1 else result[0]

    return replace(s, run=run)


def _is_pool(name: str) -> bool:
    return name.removesuffix("_after") in _POOLS


def _rows(values: Mapping[str, Any]) -> int:
    """Rows of a stage's inputs: of the first that is neither a pool nor of requests."""
    name = next(n for n in values if n not in _BY_REQUEST and n not in _POOLS)
    first = values[name]
    return len(first[0] if isinstance(first, list) else first)


def _part(name: str, value: Any, i: int, count: int, rows: int) -> Any:
    if name in _POOLS:
        return value
    if isinstance(value, list):
        return [_part(name, v, i, count, rows) for v in value]
    width = 1 if name in _BY_REQUEST else rows // count
    return value[i * width : (i + 1) * width].clone()
