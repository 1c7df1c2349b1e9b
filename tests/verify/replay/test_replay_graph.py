"""The logic around graphs, with a stand-in for the capture itself: no GPU is needed.

The stand-in runs the captured work again, as a graph's replay does. That real graphs capture and
replay it is not checked here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest
import torch
from torch import Tensor

from kk3ref.layers.k1 import K1
from verify.candidates.reference import contract
from verify.inputs import Case
from verify.replay import Mode, graph
from verify.replay.launch import EagerLaunch, all_taps, bind
from verify.replay.memory import StaticStep

MakeCase = Callable[..., Case]
CPU = torch.device("cpu")


class Stages:
    """The contract as single stages, without a whole-layer form."""

    name = description = "stages"

    def __init__(self, leave: str = "") -> None:
        self.leave = leave

    def available(self) -> tuple[bool, str]:
        return True, ""

    def stage(self, name: str) -> object:
        if name == self.leave:
            return None
        return graph._reference(K1.stage(name))


@pytest.fixture
def captured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Stands in for ``capture``; counts captures, refuses what synchronises in this test."""
    counts: list[int] = []

    class Graph:
        def __init__(self, work: Callable[[], None]):
            self.replay = work

    def capture(work: Callable[[], None], device: torch.device) -> Graph:
        for _ in range(graph.WARM_UP):
            work()
        counts.append(1)
        return Graph(work)

    monkeypatch.setattr(graph, "capture", capture)
    return counts


def same(a: list[dict[str, Tensor]], b: list[dict[str, Tensor]]) -> bool:
    return all(torch.equal(x[n], y[n]) for x, y in zip(a, b, strict=True) for n in x)


def test_pieces_follow_what_the_memory_holds(make_case: MakeCase, captured: list[int]) -> None:
    first, second = make_case("k1", tp=2, seed=0), make_case("k1", tp=2, seed=1)
    memory = StaticStep(first)
    pieces = graph.PiecewiseLaunch(Stages(), memory.call, CPU, nullcontext)
    assert len(captured) == 2 * len(K1.stages)  # one a stage and rank
    assert pieces.notes == [f"{len(K1.stages)} of {len(K1.stages)} stages are captured"]
    for case in (second, first):
        memory.load(case)
        pieces()
        fresh = StaticStep(case)
        launch = bind(contract(), fresh.call)
        launch()
        assert same(all_taps(memory.call, pieces), all_taps(fresh.call, launch))


def test_pieces_share_what_a_collective_stage_gives(
    make_case: MakeCase, captured: list[int]
) -> None:
    class Mlp(Stages):
        def stage(self, name: str) -> object:
            return graph._reference(case.layer.stage(name))

    case = make_case("dense-mlp", tp=2)
    memory = StaticStep(case)
    pieces = graph.PiecewiseLaunch(Mlp(), memory.call, CPU, nullcontext)
    pieces()
    assert len(captured) == 2 * 3 + 1
    first, second = (values["out"] for values in pieces.taps())
    assert first is second
    assert torch.equal(memory.call.buffers[1]["out"], first)


def test_what_cannot_be_captured_is_called_and_named(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def capture(work: Callable[[], None], device: torch.device) -> object:
        raise graph.NotCapturable("it reads a value back")

    monkeypatch.setattr(graph, "capture", capture)
    case = make_case("k1", tp=1)
    memory = StaticStep(case)
    candidate = Stages(leave="in_proj")
    launch = EagerLaunch(candidate, memory.call)  # type: ignore[arg-type]
    pieces, why = graph.graph_launch(candidate, memory.call, launch, CPU)  # type: ignore[arg-type]
    assert why == "no stage could be captured"
    notes = getattr(pieces, "notes")  # noqa: B009
    assert "in_proj: the contract reference stands in" in notes
    assert "recurrence is called eagerly: it reads a value back" in notes
    memory.load(case)
    pieces()
    assert bool(memory.call.buffers[0]["core"].isfinite().all())
    whole, why = graph.graph_launch(
        contract(), memory.call, EagerLaunch(contract(), memory.call), CPU
    )
    assert isinstance(whole, EagerLaunch)
    assert why == "the launch cannot be captured: it reads a value back"


def test_a_bound_launch_goes_into_one_graph(make_case: MakeCase, captured: list[int]) -> None:
    case = make_case("attn_res", tp=2)
    memory = StaticStep(case)
    launch = EagerLaunch(contract(), memory.call)
    made, why = graph.graph_launch(contract(), memory.call, launch, CPU)
    assert (why, len(captured)) == ("", 1)
    assert isinstance(made, graph.GraphLaunch)
    assert made.mode is Mode.GRAPH
    memory.load(case)
    made()
    assert bool(memory.call.buffers[1]["prefix_after"].isfinite().all())
    assert made.problems() == []
    assert "x" in made.taps()[0]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="graphs need a GPU")
@pytest.mark.parametrize("kind", ["attn_res", "dense-mlp"])
def test_a_real_graph_replays(make_case: MakeCase, kind: str) -> None:
    from verify.data import CandidateInfo, Verdict
    from verify.replay import ReplayPlan, replay

    cases = tuple(make_case(kind, tp=2, seed=seed) for seed in range(3))
    info = CandidateInfo(name="contract")
    plan = ReplayPlan(cases, contract, info, "", 20, 20, "cuda", 0.1)  # type: ignore[arg-type]
    record = replay(plan)
    assert (record.mode, record.verdict) == ("graph replay", Verdict.PASS)
