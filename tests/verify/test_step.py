"""What a step may look like, what is filled in, and every reason it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.step import MAX_ROWS, Step, UsageError


@pytest.mark.parametrize(
    ("given_", "shape"),
    [
        pytest.param({}, (2, 3), id="nothing"),
        pytest.param({"rows": 1}, (1, 0), id="one-row"),
        pytest.param({"rows": 2}, (1, 1), id="two-rows"),
        pytest.param({"rows": 4}, (1, 3), id="four-rows"),
        pytest.param({"rows": 5}, (5, 0), id="five-rows"),
        pytest.param({"rows": 6}, (3, 1), id="six-rows"),
        pytest.param({"rows": 7}, (7, 0), id="seven-rows"),
        pytest.param({"drafts": 0}, (8, 0), id="no-drafts"),
        pytest.param({"drafts": 7}, (1, 7), id="seven-drafts"),
        pytest.param({"requests": 1}, (1, 7), id="one-request"),
        pytest.param({"requests": 8}, (8, 0), id="eight-requests"),
        pytest.param({"requests": 2, "drafts": 2}, (2, 2), id="no-rows"),
        pytest.param({"rows": 6, "requests": 2}, (2, 2), id="no-drafts-given"),
        pytest.param({"rows": 6, "drafts": 1}, (3, 1), id="no-requests"),
    ],
)
def test_what_is_not_given_is_filled_in(given_: dict[str, Any], shape: tuple[int, int]) -> None:
    step = Step.resolve(**given_)
    assert (step.requests, step.drafts) == shape
    assert step.width == step.drafts + 1
    assert step.rows == step.live_rows == step.requests * step.width
    assert len(step.accepted) == step.requests
    assert all(1 <= n <= step.width for n in step.accepted)


def test_counts_depend_on_the_seed_alone() -> None:
    drawn = {Step.resolve(rows=8, drafts=3, seed=seed).accepted for seed in range(40)}
    assert len(drawn) > 8
    assert Step.resolve(seed=5) == Step.resolve(seed=5)
    assert {n for counts in drawn for n in counts} == {1, 2, 3, 4}


def test_one_count_goes_for_every_request() -> None:
    assert Step.resolve(rows=8, drafts=1, accepted=(2,)).accepted == (2, 2, 2, 2)
    assert Step.resolve(rows=4, drafts=1, accepted=(2, 1)).accepted == (2, 1)


@pytest.mark.parametrize("padded", [0, 1, 2])
def test_padded_requests_are_the_last_and_count_one_row(padded: int) -> None:
    step = Step.resolve(rows=8, drafts=3, accepted=(4, 3), padded=padded)
    assert step.accepted == ((4, 3), (4, 1), (1, 1))[padded]
    assert (step.rows, step.live_rows) == (8, 8 - 4 * padded)


@pytest.mark.parametrize(
    ("given_", "reasons"),
    [
        pytest.param({"rows": 0}, ["--rows must be in 1…8, got 0"], id="no-rows"),
        pytest.param({"rows": 9}, ["--rows must be in 1…8, got 9"], id="too-many-rows"),
        pytest.param({"rows": -4}, ["--rows must be in 1…8, got -4"], id="negative-rows"),
        pytest.param(
            {"requests": 4, "drafts": 3}, ["--rows must be in 1…8, got 16"], id="rows-by-product"
        ),
        pytest.param({"drafts": -1}, ["--drafts must be 0 or more, got -1"], id="drafts"),
        pytest.param(
            {"requests": 3}, ["--requests must divide --rows 8, got 3"], id="not-divisible"
        ),
        pytest.param(
            {"requests": -2}, ["--requests must divide --rows 8, got -2"], id="negative-requests"
        ),
        pytest.param({"requests": 0}, ["--requests must divide --rows 8, got 0"], id="no-requests"),
        pytest.param(
            {"rows": 8, "drafts": 2},
            ["--rows must be requests·(drafts + 1), got rows 8, requests 2, drafts 2"],
            id="drafts-do-not-divide",
        ),
        pytest.param(
            {"rows": 8, "requests": 2, "drafts": 1},
            ["--rows must be requests·(drafts + 1), got rows 8, requests 2, drafts 1"],
            id="product",
        ),
        pytest.param({"padded": 3}, ["--padded must be in 0…2, got 3"], id="padded"),
        pytest.param({"padded": -1}, ["--padded must be in 0…2, got -1"], id="negative-padded"),
        pytest.param(
            {"accepted": (1, 2, 3)},
            ["--accepted must give one count or one a request (2), got 3"],
            id="how-many-counts",
        ),
        pytest.param(
            {"accepted": ()},
            ["--accepted must give one count or one a request (2), got 0"],
            id="no-counts",
        ),
        pytest.param(
            {"accepted": (0, 5)}, ["--accepted counts must be in 1…4, got [0, 5]"], id="counts"
        ),
        pytest.param(
            {"requests": 3, "accepted": (2,)},
            ["--requests must divide --rows 8, got 3"],
            id="no-blame-for-what-follows",
        ),
        pytest.param(
            {"rows": 12, "drafts": 3, "padded": 4, "accepted": (9, 1)},
            [
                "--rows must be in 1…8, got 12",
                "--padded must be in 0…3, got 4",
                "--accepted must give one count or one a request (3), got 2",
                "--accepted counts must be in 1…4, got [9]",
            ],
            id="everything-at-once",
        ),
    ],
)
def test_every_reason_is_listed(given_: dict[str, Any], reasons: list[str]) -> None:
    with pytest.raises(UsageError) as error:
        Step.resolve(**given_)
    assert str(error.value).split("\n") == reasons


small = st.none() | st.integers(-3, 12)


@given(
    rows=small,
    drafts=small,
    requests=small,
    accepted=st.none() | st.lists(st.integers(-1, 10), max_size=9).map(tuple),
    padded=st.integers(-1, 9),
    seed=st.integers(0, 99),
)
def test_a_step_is_consistent_or_refused_with_reasons(
    rows: int | None,
    drafts: int | None,
    requests: int | None,
    accepted: tuple[int, ...] | None,
    padded: int,
    seed: int,
) -> None:
    try:
        step = Step.resolve(rows, drafts, requests, accepted, padded, seed)
    except UsageError as error:
        reasons = str(error).split("\n")
    else:
        reasons = []
    if reasons:
        assert all(line.startswith("--") for line in reasons)
        return
    assert 1 <= step.rows <= MAX_ROWS
    assert rows in (None, step.rows)
    assert drafts in (None, step.drafts)
    assert requests in (None, step.requests)
    assert step.padded == padded
    assert len(step.accepted) == step.requests
    assert all(1 <= n <= step.width for n in step.accepted)
    assert step.live_rows == step.rows - padded * step.width
