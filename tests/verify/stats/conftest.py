"""Settings and helpers of the statistics tests."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

Draw = Callable[..., tuple[np.ndarray, np.ndarray]]


@pytest.fixture
def draw_counts() -> Draw:
    """``draw_counts(n, discordance, difference, runs)``: b and c of simulated evals, seeded."""

    def draw(
        n: int, discordance: float, difference: float, runs: int
    ) -> tuple[np.ndarray, np.ndarray]:
        off, on = (discordance - difference) / 2, (discordance + difference) / 2
        drawn = np.random.default_rng(0).multinomial(n, [off, on, 1 - off - on], runs)
        return drawn[:, 0], drawn[:, 1]

    return draw


@pytest.fixture(scope="session")
def monte_carlo_error() -> Callable[[float, int], float]:
    """Four standard errors of a simulated share: a seed that passes is no stroke of luck."""

    def error(share: float, runs: int) -> float:
        return 4 * math.sqrt(share * (1 - share) / runs)

    return error
