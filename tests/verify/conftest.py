"""Small cases shared by the harness's tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.inputs import FAMILIES, Case, build_case
from verify.layers import LAYERS
from verify.step import Step

MakeCase = Callable[..., Case]


@pytest.fixture(scope="session")
def weights() -> SyntheticWeights:
    """Synthetic weights of the tiny preset."""
    return SyntheticWeights(preset("tiny"), 0)


@pytest.fixture
def make_case(weights: SyntheticWeights) -> MakeCase:
    """``make_case(kind, family=…, seed=…, tp=…, step=…, index=…, options=…)`` at preset tiny."""

    def make(
        kind: str,
        *,
        family: str = "normal",
        seed: int = 0,
        tp: int = 8,
        step: Step | None = None,
        index: int | None = None,
        options: LayerOptions | None = None,
    ) -> Case:
        choice = LAYERS[kind]
        options = FAMILIES[family].options(options or LayerOptions(), tp)
        if step is None:
            step = Step.resolve(drafts=choice.drafts, seed=seed)
        if index is None:
            index = choice.default_indices(weights.config)[0]
        layer = choice.make(options)
        return build_case(layer, weights, index, tp, step, seed, family, "tiny", options)

    return make
