# ruff: noqa: E501  (MLIR text)
"""Who stored a word last: workgroup, wave, rank and source line of every word a run stored to."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from kk3fast_sim_mlir import module, store

from kk3fast.sim import Simulator, Writers, compile_kernel

BODY = "%k = arith.constant 128 : i32\n%m = arith.muli %bid, %k : i32\n%at = arith.addi %m, %tid : i32\n"


def stored(text: str, out: object, *, grid: int, ranks: int = 1) -> tuple[Writers, list[int]]:
    kernel = compile_kernel(text)
    sim = Simulator(writers=True)
    addresses = []
    for rank in range(ranks):
        region = sim.region(f"out{rank}", out[rank], rank=rank)  # type: ignore[index]
        addresses.append(region.address)
        sim.launch(kernel, (grid,), [region], rank=rank)
    writers = sim.run().writers
    assert writers is not None
    return writers, addresses


def test_every_word_names_its_workgroup_and_wave() -> None:
    text = module("%out: i64", BODY + store("%at", "%out", "i32", "%at"), block=128)
    out = [np.zeros(128 * 3 + 5, np.int32) for _ in range(2)]
    writers, addresses = stored(text, out, grid=3, ranks=2)
    for rank, address in enumerate(addresses):
        for word in (0, 63, 64, 128, 300, 383):
            found = writers.at(address + 4 * word)
            assert found is not None
            assert (found.rank, found.block) == (rank, (word // 128, 0, 0))
            assert found.wave == word % 128 // 64
        assert writers.at(address + 4 * 384) is None  # nobody stored there


def test_the_last_of_two_stores_is_named_with_its_line() -> None:
    first = store("%at", "%out", "i32", "%at")
    second = "%z = arith.constant 7 : i32\n" + store("%z", "%out", "i32", "%tid")
    second = second.replace("%out_", "%again_")
    lines = module("%out: i64", BODY + first + second, block=128).splitlines()
    located = "\n".join(
        f'{line} loc("kernel.py":{i}:1)' if " = " in line and "{" not in line else line
        for i, line in enumerate(lines, 1)
    )
    number = next(i for i, line in enumerate(lines, 1) if "%z = arith" in line)
    out = [np.zeros(256, np.int32)]
    writers, (address,) = stored(located, out, grid=2)
    early, late = writers.at(address + 4 * 200), writers.at(address + 4 * 5)
    assert early is not None
    assert late is not None
    line = int(str(late.where).rsplit(":", 1)[1])
    assert line >= number > int(str(early.where).rsplit(":", 1)[1])


def test_an_element_of_a_strided_tensor_is_found_by_its_place() -> None:
    text = module("%out: i64", BODY + store("%at", "%out", "i32", "%at"), block=128)
    base = torch.zeros(4, 64, dtype=torch.int32)
    writers, _ = stored(text, [base], grid=2)
    found = writers.of(base[:, :10], (3, 9))
    assert found is not None
    assert found.block == (1, 0, 0)
    assert "block (1, 0, 0)" in str(found)
    with pytest.raises(ValueError, match="memory of a region"):
        writers.of(torch.zeros(4), (0,))


def test_without_writers_nothing_is_kept() -> None:
    text = module("%out: i64", BODY + store("%at", "%out", "i32", "%at"), block=128)
    sim = Simulator()
    sim.launch(text, (1,), [sim.region("out", np.zeros(128, np.int32))])
    assert sim.run().writers is None
