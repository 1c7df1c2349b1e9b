# ruff: noqa: E501  (MLIR text)
"""Schedules: the same bits in any order, stalls, kills, starvation, delays, giving up, deadlock."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("kk3fast.compile")
import kk3fast_sim_kernels as kernels

from kk3fast.sim import (
    TICKS_PER_SECOND,
    Kill,
    Result,
    Schedule,
    SimulationError,
    SimulationTimeout,
    Simulator,
    Stall,
    Starve,
)


def simulate(text: str, schedule: Schedule, words: int = 1024) -> tuple[Result, list[torch.Tensor]]:
    tensors = [torch.zeros(words, dtype=torch.int32) for _ in range(3)]
    sim = Simulator(schedule)
    sim.launch(text, (2,), [*(sim.region(f"t{i}", t) for i, t in enumerate(tensors)), 0, 0])
    return sim.run(timeout_s=60), tensors


def test_seed_reproduces_a_run() -> None:
    text = kernels.flag_handoff()
    a, b = (simulate(text, Schedule("random", seed=9))[0] for _ in range(2))
    assert (a.ticks, a.switches, a.rounds) == (b.ticks, b.switches, b.rounds)
    assert "seed=9" in a.schedule.describe()
    others = {simulate(text, Schedule("random", seed=s))[0].switches for s in range(6)}
    assert len(others) > 1


def test_giving_up_takes_ten_virtual_seconds_and_little_real_time() -> None:
    text = kernels.waits_for_ever(gives_up=True)
    result, (_, health, _) = simulate(text, Schedule(kills=(Kill(0, 0),)))
    assert health[0] == 2  # late
    assert result.killed == 1
    assert 10 <= result.virtual_seconds < 13
    assert result.seconds < 5


def test_nobody_gives_up_when_all_run() -> None:
    result, (_, health, _) = simulate(kernels.waits_for_ever(gives_up=True), Schedule("reverse"))
    assert health[0] == 1
    assert result.virtual_seconds < 0.001


def test_a_stalled_workgroup_is_waited_for() -> None:
    until = 3 * TICKS_PER_SECOND
    result, (_, health, _) = simulate(
        kernels.waits_for_ever(gives_up=True), Schedule(stalls=(Stall(0, until, 0),))
    )
    assert health[0] == 1
    assert until <= result.ticks < until + TICKS_PER_SECOND // 100


def test_a_stall_longer_than_the_wait_makes_it_give_up() -> None:
    result, (_, health, _) = simulate(
        kernels.waits_for_ever(gives_up=True),
        Schedule(stalls=(Stall(0, 12 * TICKS_PER_SECOND, 0),)),
    )
    assert health[0] == 2
    assert result.killed == 0


def test_a_killed_waiter_does_not_hold_up_the_rest() -> None:
    result, (flags, health, _) = simulate(
        kernels.waits_for_ever(gives_up=False), Schedule(kills=(Kill(0, 1),))
    )
    assert flags[0] == 1
    assert health[0] == 0
    assert result.killed == 1


def test_starvation_slows_and_changes_nothing() -> None:
    text = kernels.flag_handoff()
    plain, (_, _, want) = simulate(text, Schedule())
    slow, (_, _, got) = simulate(text, Schedule(starved=(Starve(0, 0, every=64),)))
    assert torch.equal(got, want)
    assert slow.rounds >= plain.rounds


def test_delayed_rank() -> None:
    text = kernels.mailbox_handoff(scope=kernels.SYSTEM, ranks=True)
    box, out = torch.zeros(1024, dtype=torch.int32), torch.zeros(512, dtype=torch.int32)
    sim = Simulator(Schedule(delays={0: TICKS_PER_SECOND}))
    a, b = sim.region("box", box), sim.region("out", out)
    for rank in (0, 1):
        sim.launch(text, (1,), [a, 0, b, 0, rank], rank=rank)
    result = sim.run()
    assert result.ticks >= TICKS_PER_SECOND
    assert out[511] == 512


def test_deadlock_names_who_waits_and_where() -> None:
    text = kernels.waits_for_ever(gives_up=False).replace(
        "arith.constant 1 : i32", "arith.constant 1 : i32"
    )
    tensors = [torch.zeros(64, dtype=torch.int32) for _ in range(2)]
    sim = Simulator(Schedule(kills=(Kill(0, 0),)))
    sim.launch(text, (2,), [*(sim.region(f"t{i}", t) for i, t in enumerate(tensors)), 0, 0, 0])
    with pytest.raises(SimulationError) as caught:
        sim.run(timeout_s=60)
    waits = [f for f in caught.value.findings if f.detail == "sleeps in a wait"]
    assert [f.block for f in waits] == [(1, 0, 0)]
    assert "kk3fast_sim_kernels" in str(waits[0].where)


SPIN = """module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%flag: i64) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %none = arith.constant 0 : i32
      %p = llvm.inttoptr %flag : i64 to !llvm.ptr<1>
      %r = scf.while (%v = %none) : (i32) -> (i32) {
        %c = arith.cmpi eq, %v, %none : i32
        scf.condition(%c) %v : i32
      } do {
      ^bb0(%v: i32):
        %n = llvm.load %p : !llvm.ptr<1> -> i32
        scf.yield %n : i32
      }
      gpu.return
    }
  }
}"""


def test_a_spin_without_sleep_runs_into_the_time_limit() -> None:
    sim = Simulator()
    sim.launch(SPIN, (1,), [sim.region("flag", torch.zeros(1, dtype=torch.int32))])
    with pytest.raises(SimulationTimeout, match=r"1 workgroups still ran after 0\.2 s"):
        sim.run(timeout_s=0.2)


def test_a_spin_without_sleep_lets_others_run() -> None:
    flag = torch.zeros(1, dtype=torch.int32)
    setter = SPIN.replace(
        "%r = scf.while",
        "%one = arith.constant 1 : i32\n      llvm.store %one, %p : i32, !llvm.ptr<1>\n      %r = scf.while",
    )
    sim = Simulator(Schedule(quantum=8))
    region = sim.region("flag", flag)
    sim.launch(SPIN, (1,), [region], rank=0)
    sim.launch(setter, (1,), [region], rank=1)
    sim.run(timeout_s=30)
    assert flag[0] == 1


@pytest.mark.parametrize(
    "bad", [{"order": "sideways"}, {"quantum": 0}, {"tick": 0}, {"starved": (Starve(0, 0, 1),)}]
)
def test_bad_schedule_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"schedule: .* must be"):
        Schedule(**bad)  # type: ignore[arg-type]


def test_runs_of_several_threads_take_turns() -> None:
    from concurrent.futures import ThreadPoolExecutor

    text = kernels.flag_handoff()
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(simulate, text, Schedule("random", seed=s)) for s in range(8)]
        outputs = [f.result()[1][2] for f in futures]
    want = torch.arange(1, 513, dtype=torch.int32)
    assert all(torch.equal(out[:512], want) for out in outputs)
