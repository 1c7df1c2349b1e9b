"""Which steps are served: every case that is not, and what is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kk3fast.runtime import FFN, WHOLE, Step, StepFacts, Stock, Verify, layer_kinds, why_stock
from kk3fast.runtime.planning import Caches
from kk3ref.presets import preset

GOOD = Verify(spec_masks=True, prefills=0, decodes=0, verifies=2, rows=4, uniform_rows=4)
STEP = StepFacts(rows=8, verify=GOOD)


def test_a_step_of_whole_uniform_verifies_is_served() -> None:
    assert why_stock(STEP, (4, 8)) is None
    assert why_stock(StepFacts(rows=4, verify=replace(GOOD, verifies=1)), (4, 8)) is None


@pytest.mark.parametrize(
    ("why", "change"),
    [
        (Stock.PIPELINE, {"pipeline_input": True}),
        (Stock.NO_CACHE, {"cache_bound": False}),
        (Stock.NO_CONTEXT, {"context": False}),
        (Stock.PIECEWISE, {"piecewise": True}),
        (Stock.NO_METADATA, {"verify": None}),
        (Stock.WIDTH, {"rows": 6}),
        (Stock.NOT_VERIFY, {"verify": replace(GOOD, spec_masks=False)}),
        (Stock.NOT_DECODE, {"verify": replace(GOOD, prefills=1)}),
        (Stock.NOT_DECODE, {"verify": replace(GOOD, decodes=1)}),
        (Stock.NOT_DECODE, {"verify": replace(GOOD, verifies=0)}),
        (Stock.NOT_UNIFORM, {"verify": replace(GOOD, uniform_rows=0)}),
        (Stock.NOT_UNIFORM, {"verify": replace(GOOD, verifies=1)}),
    ],
)
def test_every_other_step_runs_the_stock_layers(why: Stock, change: dict[str, Any]) -> None:
    assert why_stock(replace(STEP, **change), (4, 8)) is why


def test_profiling_and_warm_up_are_no_steps_of_a_request() -> None:
    none = {Stock.NO_CACHE, Stock.NO_CONTEXT, Stock.NO_METADATA}
    assert {why for why in Stock if not why.of_a_request} == none


def test_a_step_gives_the_layers_callable() -> None:
    seen = []
    step = Step(8, {}, {3: lambda *given: seen.append(given)})
    assert step.layer(0) is None
    kernel = step.layer(3)
    assert kernel is not None
    kernel("positions", "prefix", "blocks", "delta")
    assert seen == [(step, "positions", "prefix", "blocks", "delta")]


def test_layers_of_the_production_model() -> None:
    kinds = layer_kinds(preset("production"))
    assert len(kinds) == 92
    assert sum(kind == WHOLE for kind in kinds.values()) == 68
    assert [i for i, kind in kinds.items() if kind == FFN][-2:] == [91, 92]
    assert 0 not in kinds


def test_caches_that_were_re_bound_are_an_error() -> None:
    bound: list[int | None] = [None]
    caches = Caches(lambda: bound[0])
    caches.prepared()
    assert not caches.bound
    bound[0] = 1
    caches.prepared()
    assert caches.bound
    caches.check()
    bound[0] = 2
    with pytest.raises(RuntimeError, match="prepare_kv"):
        caches.check()
    caches.forget()
    assert not caches.bound
