"""Which steps the kernels serve: one answer a step, the same on all tensor-parallel ranks."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple


class Stock(str, enum.Enum):
    """Why a step runs the stock layers."""

    PIPELINE = "pipeline stage"
    NO_CACHE = "no KV cache"
    NO_CONTEXT = "no forward context"
    PIECEWISE = "PIECEWISE graph"
    NO_METADATA = "no metadata"
    WIDTH = "width"
    NOT_VERIFY = "not spec-verify"
    NOT_DECODE = "not pure decode"
    NOT_UNIFORM = "not uniform"

    @property
    def of_a_request(self) -> bool:
        """Whether such a step is one of a request: profiling and warm-up are not."""
        return self not in (Stock.NO_CACHE, Stock.NO_CONTEXT, Stock.NO_METADATA)


@dataclass(frozen=True)
class Verify:
    """What a KDA layer's metadata says of a step.

    Attributes:
        spec_masks: whether the step has speculative sequences at all.
        prefills, decodes, verifies: requests of each kind.
        rows: state slots a verifying request has.
        uniform_rows: rows every one of them has, or 0.
    """

    spec_masks: bool
    prefills: int
    decodes: int
    verifies: int
    rows: int
    uniform_rows: int


@dataclass(frozen=True)
class StepFacts:
    """A step as it is about to run.

    Attributes:
        rows: of its hidden states.
        pipeline_input: it begins with another stage's output.
        cache_bound: ``prepare_kv`` has seen the caches.
        context: there is a forward context.
        piecewise: it runs in PIECEWISE graphs.
        verify: of its metadata; None without metadata.
    """

    rows: int
    pipeline_input: bool = False
    cache_bound: bool = True
    context: bool = True
    piecewise: bool = False
    verify: Verify | None = None


def why_stock(step: StepFacts, widths: Collection[int]) -> Stock | None:
    """Why the stock layers run a step; None if the kernels do."""
    if step.pipeline_input:
        return Stock.PIPELINE
    if not step.cache_bound:
        return Stock.NO_CACHE
    if not step.context:
        return Stock.NO_CONTEXT
    if step.piecewise:
        return Stock.PIECEWISE
    if step.verify is None:
        return Stock.NO_METADATA
    if step.rows not in widths:
        return Stock.WIDTH
    return _verified(step.verify, step.rows)


def _verified(v: Verify, rows: int) -> Stock | None:
    if not v.spec_masks:
        return Stock.NOT_VERIFY
    if v.prefills or v.decodes or v.verifies < 1:
        return Stock.NOT_DECODE
    if v.uniform_rows != v.rows or v.verifies * v.rows != rows:
        return Stock.NOT_UNIFORM
    return None


class Step(NamedTuple):
    """A planned step."""

    width: int
    """its rows"""
    attn_metadata: Mapping[str, Any]
    """by layer name"""
    kernels: Mapping[int, Callable[..., Any]]
    """by decoder layer, at this width"""

    def layer(self, index: int) -> Callable[..., Any] | None:
        """What replaces decoder layer ``index``: takes ``(positions, prefix_sum, block_residual,
        prefix_delta)``, gives ``(prefix_sum, block_residual, moe_output)``; None: the stock one."""
        kernel = self.kernels.get(index)
        return None if kernel is None else partial(kernel, self)


class Caches:
    """Whether the caches that are bound are those that were prepared.

    Args:
        key: names the caches that are bound now, by address and size; None before there are any.
    """

    def __init__(self, key: Callable[[], Any]):
        self._key = key
        self._prepared: Any = None

    @property
    def bound(self) -> bool:
        """Whether ``prepared`` was called with caches there."""
        return self._prepared is not None

    def prepared(self) -> None:
        """The caches bound now were checked."""
        self._prepared = self._key()

    def forget(self) -> None:
        """They are about to be checked again."""
        self._prepared = None

    def check(self) -> None:
        """Once a planned step.

        Raises:
            RuntimeError: others were bound since.
        """
        if self._key() != self._prepared:
            raise RuntimeError("the KV cache was re-bound without prepare_kv")
