# ruff: noqa: E501  (MLIR text)
"""FlyDSL's usual example kernels, in our words, against torch; hand-offs between workgroups and ranks."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("kk3fast.compile")
import kk3fast_sim_kernels as kernels

from kk3fast.sim import Schedule, Simulator

SCHEDULES = [
    Schedule(),
    Schedule("reverse"),
    Schedule("random", seed=1),
    Schedule("random", seed=2, quantum=2),
]
IDS = ["forward", "reverse", "random1", "random2"]


def layout(t: torch.Tensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(t.shape), tuple(t.stride()[:-1])


def run_tensors(text: str, tensors: list[torch.Tensor], grid: tuple[int, ...], block: int) -> None:
    sim = Simulator()
    args: list[object] = []
    for i, t in enumerate(tensors):
        args += [sim.region(f"t{i}", t), layout(t)]
    sim.launch(text, grid, args, block=(block,))
    sim.run(timeout_s=60)


def test_vector_add_of_a_ragged_matrix() -> None:
    x, y, out = torch.randn(100, 1000), torch.randn(100, 1000), torch.zeros(100, 1000)
    run_tensors(kernels.vector_add(x, y, out), [x, y, out], (13, 16), 128)
    assert torch.equal(out, x + y)


def test_tiled_copy() -> None:
    x, out = torch.randn(64, 64), torch.zeros(64, 64)
    run_tensors(kernels.tiled_copy(x, out), [x, out], (8,), 128)
    assert torch.equal(out, x)


def test_tiled_mma() -> None:
    a, b, c = torch.randn(64, 8), torch.randn(64, 8), torch.zeros(64, 64)
    run_tensors(kernels.tiled_mma(a, b, c), [a, b, c], (1,), 256)
    want = torch.zeros(64, 64)
    for k in range(8):  # the documented order: products added in order of k
        want = want + a[:, k : k + 1] * b[:, k][None]
    torch.testing.assert_close(c, want, rtol=1e-6, atol=1e-6)


def test_gather_scatter() -> None:
    x, out = torch.arange(1024, dtype=torch.int32) * 3, torch.zeros(1024, dtype=torch.int32)
    source, target = (torch.randperm(1024).int() for _ in range(2))
    sim = Simulator()
    regions = [
        sim.region(n, t)
        for n, t in (("x", x), ("source", source), ("target", target), ("out", out))
    ]
    sim.launch(kernels.gather_scatter(), (4,), [*regions, 0])
    sim.run()
    want = torch.zeros_like(out)
    want[target.long()] = x[source.long()]
    assert torch.equal(out, want)


def test_wave_collectives() -> None:
    x, out = (
        torch.randint(-1000, 1000, (256,), dtype=torch.int32),
        torch.zeros(256, 4, dtype=torch.int32),
    )
    sim = Simulator()
    sim.launch(
        kernels.wave_collectives(), (1,), [sim.region("x", x), sim.region("out", out), 0, 0, 0]
    )
    sim.run()
    waves = x.view(4, 64)
    rows = [waves.sum(1), waves.max(1).values, waves[:, 0], (waves & 1).sum(1)]
    want = torch.stack([r.int() for r in rows], 1).repeat_interleave(64, 0)
    assert torch.equal(out, want)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=IDS)
@pytest.mark.parametrize("kind", ["flag", "mailbox"])
def test_handoff_between_workgroups(kind: str, schedule: Schedule) -> None:
    text = kernels.flag_handoff() if kind == "flag" else kernels.mailbox_handoff()
    box, flags, out = (torch.zeros(1024, dtype=torch.int32) for _ in range(3))
    sim = Simulator(schedule)
    sim.launch(
        text,
        (2,),
        [sim.region("box", box), sim.region("flags", flags), sim.region("out", out), 0, 0],
    )
    result = sim.run()
    assert torch.equal(out[:512], torch.arange(1, 513, dtype=torch.int32))
    assert result.longest_chain == 1


@pytest.mark.parametrize("schedule", SCHEDULES, ids=IDS)
def test_mailbox_between_ranks(schedule: Schedule) -> None:
    text = kernels.mailbox_handoff(scope=kernels.SYSTEM, ranks=True)
    box, out = torch.zeros(1024, dtype=torch.int32), torch.zeros(512, dtype=torch.int32)
    sim = Simulator(schedule, sanitize=True)
    shared, mine = sim.region("box", box, rank=1), sim.region("out", out, rank=1)
    for rank in (0, 1):
        sim.launch(text, (1,), [shared, 0, mine, 0, rank], rank=rank)
    result = sim.run()
    assert torch.equal(out, torch.arange(1, 513, dtype=torch.int32))
    assert result.findings == []


def test_launches_of_one_rank_run_in_order() -> None:
    x = torch.arange(1024, dtype=torch.int32)
    middle, out = torch.zeros_like(x), torch.zeros_like(x)
    index = torch.arange(1024, dtype=torch.int32)
    text = kernels.gather_scatter()
    sim = Simulator(Schedule("random", seed=3), sanitize=True)
    a, b, c, i = (
        sim.region(n, t) for n, t in (("x", x), ("middle", middle), ("out", out), ("index", index))
    )
    sim.launch(text, (4,), [a, i, i, b, 0])
    sim.launch(text, (4,), [b, i, i, c, 0])
    assert sim.run().findings == []
    assert torch.equal(out, x)
