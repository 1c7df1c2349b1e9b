"""The small picture of an output's error."""

from __future__ import annotations

import math

import pytest
import torch

from reports.frames import map_cells
from verify.checks.survey import MAP_COLUMNS, MAP_ROWS, Survey
from verify.data.errors import AT_BOUND, OVER, cell_code


@pytest.mark.parametrize("ratio", [1e-3, 0.02, 0.5, 0.999, 1.0, 1.0001, 3.0, 100.0])
def test_a_cell_keeps_the_ratio_and_never_its_side_of_the_bound(ratio: float) -> None:
    code = cell_code(ratio)
    assert (code >= OVER) == (ratio > 1)
    assert 2 ** ((code - AT_BOUND) / 12) == pytest.approx(ratio, rel=0.062)


@pytest.mark.parametrize(
    ("ratio", "code"), [(0.0, 0), (1e-30, 1), (1.0, AT_BOUND), (1e9, 255), (math.inf, 255)]
)
def test_cells_at_the_ends(ratio: float, code: int) -> None:
    assert cell_code(ratio) == code
    assert cell_code(math.nan) == 255


def test_the_reader_gives_back_what_was_written() -> None:
    survey = Survey()
    ratio = torch.zeros(3, 2, 70)
    ratio[1, 1, 69], ratio[2, 0, 0] = math.inf, 0.25
    survey.ratios(5, ratio)
    errors = survey.errors()
    assert errors is not None
    (found,) = errors.maps
    cells = map_cells(found.model_dump())
    assert (found.rank, found.rows, found.columns, found.columns_a_cell) == (5, 3, 140, 3)
    assert cells[1, 139 // 3] == math.inf
    assert cells[2, 0] == pytest.approx(0.25)
    assert (cells > 0).sum() == 2


def test_a_large_tensor_gives_a_small_map_that_misses_nothing() -> None:
    survey = Survey()
    ratio = torch.zeros(100, 1000)
    ratio[99, 999] = 2.0
    survey.ratios(0, ratio)
    errors = survey.errors()
    assert errors is not None
    cells = map_cells(errors.maps[0].model_dump())
    assert cells.shape[0] <= MAP_ROWS
    assert cells.shape[1] <= MAP_COLUMNS
    assert cells[-1, -1] == pytest.approx(2.0)


def test_ulps_have_a_side() -> None:
    survey = Survey()
    oracle = torch.tensor([[1.0, 1.0, 1.0, -1.0, 0.0, 1.0]], dtype=torch.float64)
    one = 2.0**-7  # spacing of bf16 above 1
    steps = [1.0, 1 + one, 1 + 3 * one, -1 - one, -0.0, math.inf]
    candidate = torch.tensor([steps], dtype=torch.bfloat16)
    error = (candidate.double() - oracle).abs()
    survey.values(0, candidate, oracle, error, torch.full_like(error, one))
    errors = survey.errors()
    assert errors is not None
    assert errors.ulps is not None
    assert errors.ulps.equal == 2
    assert errors.ulps.above == [1, 0, 1]
    assert errors.ulps.below == [1, 0, 0]
    assert errors.ulps.not_finite == 1


def test_the_worst_row_comes_first_and_worst_elements_are_sampled() -> None:
    survey = Survey()
    oracle = torch.ones(40, 30, dtype=torch.float64)
    for rank in range(2):
        candidate = oracle.clone()
        candidate[7, 3] += 0.5 * (rank + 1)
        error = (candidate - oracle).abs()
        bound = torch.full_like(error, 0.1)
        survey.values(rank, candidate.float(), oracle, error, bound)
    errors = survey.errors()
    assert errors is not None
    assert (errors.worst_rows[0].rank, errors.worst_rows[0].row) == (1, 7)
    assert errors.worst_rows[0].max_over_bound == pytest.approx(10.0)
    assert errors.sample[0] == (0.1, 1.0)
    assert len(errors.sample) < 200
