"""Faults built into kernels: found by name, run under several schedules, judged like the rest."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import Layer, run_layer
from verify.candidates import BUILT_IN, CandidateError, Evidence, LayerCall, RunOptions
from verify.cli.main import main
from verify.data import Check, Verdict
from verify.data.faults import FaultMatrix
from verify.faults.campaign import FalseAlarm, Sighting
from verify.faults.kernels import SCHEDULES, KernelPlant, kernel_plants, run_kernel_faults
from verify.faults.observe import FIRST

PLANTS = {
    "stale_tag": "waits for the tag of the launch before",
    "missing_barrier": "no barrier before shared memory is read: wrong in reverse order only",
    "wrong_scope": "a hand-off at workgroup scope: only the sanitizer sees it",
    "skipped_wait": "no exit wait: the run breaks off in a random order",
    "scale_off_by_one": "E8M0 index off by one",
    "racing_sum": "sums in the order of arrival: other bits under other schedules",
    "no_fault": "changes nothing: nothing may claim to see it",
}


class FakeKernel:
    """Stands in for a simulated kernel: obeys ``options.plant`` and ``options.order``."""

    name = "fake"
    description = "a kernel with plants"

    def __init__(self, layer: Layer, options: RunOptions):
        self.options = options
        self._before: dict[int, Tensor] = {}

    def available(self) -> tuple[bool, str]:
        return True, ""

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        plant, order = self.options.plant, self.options.order
        assert self.options.sanitize
        if plant == "skipped_wait" and order == "random":
            raise CandidateError("a wait was given up after 10 s")
        values = run_layer(call.layer, CONTRACT, call.contexts, call.inputs)
        for rank, v in enumerate(values):
            core = v["core"]
            if plant == "stale_tag":
                v["core"] = self._before.get(rank, core)[: len(core)]
                v["core"] = core if len(v["core"]) != len(core) else v["core"]
            if plant == "scale_off_by_one":
                v["core"] = core.roll(1, -1)
            if plant == "missing_barrier" and order == "reverse":
                v["core"] = core * 0
            if plant == "racing_sum" and order == "random":
                v["q"] = v["q"].clone()
                v["q"][0, 0, 0] = torch.nextafter(v["q"][0, 0, 0], torch.tensor(0.0))
            self._before[rank] = core
        names = {tap.name for tap in call.layer.taps}
        for rank, buffers in enumerate(call.buffers):
            for name, buffer in buffers.items():
                buffer.copy_(values[rank][name])
        return [
            {n: call.buffers[rank].get(n, t) for n, t in v.items() if n in names}
            for rank, v in enumerate(values)
        ]

    def evidence(self) -> Evidence:
        found = ["core: read without acquire"] if self.options.plant == "wrong_scope" else []
        return Evidence((Check.none_of("sanitizer", found),))


def plants(*names: str) -> list[KernelPlant]:
    return [KernelPlant("k1", name, PLANTS[name]) for name in names]


@pytest.mark.parametrize(
    ("name", "cheapest"),
    [
        ("stale_tag", "bound (forward, launch reordered)"),
        ("missing_barrier", "bound (reverse)"),
        ("wrong_scope", "sanitizer (forward)"),
        ("skipped_wait", "run (random:1)"),
        ("scale_off_by_one", "bound (forward)"),
        ("racing_sum", "schedules (random:1)"),
    ],
)
def test_a_plant_is_seen(make_case: Any, name: str, cheapest: str) -> None:
    (report,) = run_kernel_faults(
        plants(name), FakeKernel, lambda kind, seed: make_case(kind, seed=seed, tp=2), [0]
    )
    assert report.verdict is Verdict.PASS
    assert report.fault == f"k1:{name}"
    assert report.title == PLANTS[name]
    assert report.plants[0].cheapest == cheapest


def test_what_nothing_sees_is_a_failure(make_case: Any) -> None:
    reports = run_kernel_faults(
        plants("no_fault", "scale_off_by_one"),
        FakeKernel,
        lambda kind, seed: make_case(kind, seed=seed, tp=2),
        [0, 1],
    )
    assert [r.verdict for r in reports] == [Verdict.FAIL, Verdict.PASS]
    assert reports[0].plants[0].missed_seeds == [0, 1]
    assert [r.rate for r in reports] == [0.0, 1.0]


def test_a_kernel_that_fails_without_a_fault_shows_nothing(make_case: Any) -> None:
    class Broken(FakeKernel):
        def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
            taps = super().run(call)
            taps[1]["core"][1, 1] = 50.0
            return taps

    with pytest.raises(FalseAlarm, match="kernel without a fault failed: bound"):
        run_kernel_faults(
            plants("stale_tag"), Broken, lambda kind, seed: make_case(kind, seed=seed, tp=2), [0]
        )


def test_plants_are_read_from_the_kernels_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("a_kernel")
    module.PLANTS = {"one": "first", "two": "second"}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "a_kernel", module)
    found = kernel_plants((("k1", "a_kernel"), ("k2", "a_kernel")))
    assert found[0] == KernelPlant("k1", "one", "first")
    assert [plant.kind for plant in found] == ["k1", "k1", "k2", "k2"]


@pytest.fixture
def as_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in in the place of the candidate whose kernels have plants."""
    module = types.ModuleType("fake_kernels")
    module.PLANTS = {n: PLANTS[n] for n in ("wrong_scope", "no_fault")}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fake_kernels", module)
    monkeypatch.setattr("verify.faults.kernels.SOURCES", (("k1", "fake_kernels"),))
    monkeypatch.setitem(BUILT_IN, "flydsl", FakeKernel)


@pytest.mark.usefixtures("as_candidate")
@pytest.mark.parametrize(("name", "code"), [("wrong_scope", 0), ("no_fault", 1)])
def test_one_kernel_fault_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, code: int
) -> None:
    words = ["faults", "--fault", f"k1:{name}", "--tp", "2", "--seeds", "1", "--out", str(tmp_path)]
    assert main(words) == code
    printed = capsys.readouterr().out
    assert f"k1:{name}" in printed
    matrix = FaultMatrix.model_validate_json((tmp_path / "faults.json").read_text())
    assert [fault.fault for fault in matrix.kernel_faults] == [f"k1:{name}"]
    assert matrix.faults == []


@pytest.mark.usefixtures("as_candidate")
def test_kernels_that_cannot_run_here_are_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeKernel, "available", lambda self: (False, "needs flydsl"))
    words = ["faults", "--fault", "k1:wrong_scope", "--out", str(tmp_path)]
    assert main(words) == 2
    assert "needs flydsl" in capsys.readouterr().out


def test_schedules_differ_and_all_sanitize() -> None:
    assert len(set(SCHEDULES)) == len(SCHEDULES) >= 4
    assert {options.order for options in SCHEDULES} == {"forward", "reverse", "random"}
    assert all(options.sanitize for options in SCHEDULES)


@pytest.mark.parametrize("name", ["waits_and_alarms", "faults", "sanitizer"])
def test_what_a_simulated_run_can_fail_has_its_place_among_the_checks(name: str) -> None:
    assert Sighting(0, "normal", 0, FIRST, name).cost < Sighting(0, "normal", 0, FIRST, "run").cost
