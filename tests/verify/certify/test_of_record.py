"""What records are evidence of, and when they are none."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from kk3fast.certificate import Evidence
from verify.certify import evidence_of
from verify.data import Build, CandidateInfo, Environment, Record, Simulation, StepInfo, Verdict
from verify.data.faults import FaultMatrix, FaultReport
from verify.evals.record import EvalRecord, Limits, Served, Side, SideScore, TaskResult
from verify.faults.catalogue import FAULTS
from verify.steps.record import StepsRecord

NOW = datetime.now(timezone.utc).isoformat(timespec="seconds")
WHERE = Environment(
    kk3="0", python="3", torch="2", platform="", device="cpu", threads=1, harness="e" * 64
)
REAL = WHERE.model_copy(update={"accelerator": "8 × gfx950"})
BUILD = Build(
    kernel="k",
    ir_sha256="0" * 64,
    isa_sha256="1" * 64,
    source_digest="2" * 64,
    parameters={},
    flydsl_version="0.5.0",
    target="gfx950",
)
COMMON: dict[str, Any] = {
    "created": NOW,
    "command": "again",
    "environment": WHERE,
    "verdict": Verdict.PASS,
    "seconds": 1.0,
}
RUN = {
    **COMMON,
    "candidate": CandidateInfo(name="flydsl"),
    "preset": "tiny",
    "config_digest": "a" * 64,
    "weights": "",
    "tp": 8,
    "seed": 0,
    "builds": [BUILD],
}
SIMULATED = Simulation(
    schedule="",
    models={},
    sanitize=True,
    virtual_us=1,
    wave_ops=1,
    seconds=1,
    longest_chain=1,
    findings=[],
)


def layer(**changes: Any) -> Record:
    values = {
        "layer": "k1",
        "layer_index": 1,
        "family": "tiny",
        "step": StepInfo(rows=8, drafts=3, requests=2, accepted=[1, 1], padded=0),
        "stages": [],
        "layer_checks": [],
        "end_to_end": [],
        "vacuity": [],
        "peak_memory_mb": 1.0,
    }
    return Record(**{**RUN, **values, **changes})


def steps(**changes: Any) -> StepsRecord:
    values = {"steps": 1, "requests": 1, "drafts": 3, "layers": [1], "kinds": ["k1"]}
    lists = {"coverage": {}, "checks": [], "growth": [], "flips": [], "notes": []}
    return StepsRecord(**{**RUN, **values, **lists, **changes})


def faults(names: Any) -> FaultMatrix:
    found = [
        FaultReport(fault=n, title="", reveals="", plants=[], rate=1.0, verdict=Verdict.PASS)
        for n in names
    ]
    return FaultMatrix(**COMMON, preset="tiny", tp=8, seeds=[0], faults=found)


def served(**changes: Any) -> Served:
    values = {
        "deployment": "d" * 64,
        "model": "a" * 64,
        "tp": 8,
        "backend": "kk3",
        "kernels": "flydsl",
        "opens": "evaluation",
        "device": "gfx950",
        "planned": 5,
        "stock": 9,
    }
    return Served(**{**values, **changes})


def evaluated(off: Served | None, on: Served | None) -> EvalRecord:
    score = SideScore(score=0.9, lower=0.8, upper=1.0, empty=0, malformed=0, cut_off=0)
    task = TaskResult(
        task="gsm8k",
        questions=1,
        samples=1,
        off=score,
        on=score,
        difference=0,
        b=0,
        c=0,
        p=1,
        p_holm=1,
        interval=Limits(lower=-0.004, upper=0.004, confidence=0.95, method="tango"),
        non_inferior=True,
        equivalent=True,
        detectable_difference=None,
        discordance=0,
        discordance_lower=0,
        discordance_upper=0,
        same_text=1,
        disagreements=[],
        scores=[],
        questions_digest="",
        verdict=Verdict.PASS,
        reason="",
    )
    sides = [
        Side(name=name, source="", model="tiny", served=told)
        for name, told in (("off", off), ("on", on))
    ]
    return EvalRecord(
        **COMMON,
        title="",
        mode="off/on",
        sides=sides,
        alpha=0.05,
        margin=0.01,
        power=0.8,
        generation={},
        tasks=[task],
        checks=[],
    )


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Evidence of a record, or the reason why it is none."""

    def read(record: BaseModel) -> Evidence | str:
        path = tmp_path / "record.json"
        path.write_text(record.model_dump_json())
        found, reasons = evidence_of([path])
        return found[0] if found else str(reasons[0])

    return read


def test_a_layer_record(read: Any) -> None:
    found = read(layer())
    assert (found.check, found.where, found.builds) == ("layer", "simulated", ("1" * 64,))
    assert (found.families, found.model, found.harness) == (("tiny",), "a" * 64, "e" * 64)


def test_hardware_is_what_all_of_a_record_says(read: Any) -> None:
    real = {"hardware": Verdict.PASS, "environment": REAL}
    assert read(layer(**real)).where == "hardware"
    assert read(steps(**real)).where == "hardware"
    assert "names no accelerator" in read(layer(hardware=Verdict.PASS))
    assert "names no accelerator" in read(steps(hardware=Verdict.PASS))
    other = WHERE.model_copy(update={"accelerator": "8 × gfx942"})
    assert "are for gfx950" in read(layer(hardware=Verdict.PASS, environment=other))
    assert "it was simulated" in read(layer(**real, simulation=SIMULATED))
    assert read(layer(environment=REAL)).where == "simulated"  # its verdict is not_checked


def test_steps_name_the_builds_that_they_launched(read: Any) -> None:
    found = read(steps())
    assert (found.check, found.builds, found.model) == ("steps", ("1" * 64,), "a" * 64)
    told = read(steps(builds=[], candidate=CandidateInfo(name="contract")))
    assert "contract launched no compiled kernel" in told


def test_a_matrix_must_hold_every_fault(read: Any) -> None:
    assert read(faults(FAULTS)).harness == "e" * 64
    told = read(faults([name for name in FAULTS if name not in ("F3", "F17")]))
    assert "F3, F17 are missing" in told


def test_an_eval_is_bound_to_what_its_servers_told(read: Any) -> None:
    found = read(evaluated(served(planned=0), served()))
    assert (found.deployment, found.model, found.tp) == ("d" * 64, "a" * 64, 8)
    assert (found.where, found.candidate) == ("hardware", "kk3")
    assert found.margin_points == pytest.approx(0.4)
    for change in ({"device": "cpu"}, {"kernels": "contract"}):
        assert read(evaluated(served(planned=0, **change), served(**change))).where == "simulated"


@pytest.mark.parametrize(
    ("off", "on", "told"),
    [
        (None, served(), "off tell no deployment"),
        (None, None, "off and on tell no deployment"),
        (served(planned=0, deployment="c" * 64), served(), "off ran cccc"),
        (served(planned=2), served(), "must be 0"),
        (served(planned=0), served(planned=0), "on ran no step"),
    ],
)
def test_an_eval_that_is_bound_to_nothing(
    read: Any, off: Served | None, on: Served | None, told: str
) -> None:
    assert told in read(evaluated(off, on))
