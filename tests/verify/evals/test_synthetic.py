"""kk3's own questions have the answers they say."""

from __future__ import annotations

import re

import pytest

from verify.evals.synthetic import arithmetic, needles


def test_every_problem_is_worked_out_right() -> None:
    found = arithmetic(300)
    for problem in found:
        *steps, last = problem["answer"].split("\n")
        start = re.search(r"has (\d+)", problem["question"])
        assert start
        total = int(start[1])
        for step in steps:
            left, _, right = step.partition(" = ")
            assert int(left.split()[0]) == total
            total = eval(left)
            assert total == int(right) > 0
        assert last == f"#### {total}"
    assert len({p["question"] for p in found}) == 300


@pytest.mark.parametrize("keys", [1, 8])
def test_the_needle_is_there_once_and_alone_under_its_label(keys: int) -> None:
    for document in needles(20, 300, keys):
        text = document["context"]
        assert text.count(document["label"]) == 1
        assert f"code of {document['label']} is {document['answer']}." in text
        assert text.count("locker code") == keys
        assert 300 <= len(text.split()) < 320


def test_a_seed_repeats_and_another_does_not() -> None:
    assert arithmetic(5, 1) == arithmetic(5, 1) != arithmetic(5, 2)
    assert needles(2, 50, 1, 1) == needles(2, 50, 1, 1) != needles(2, 50, 1, 2)
