"""From record files to a certificate and back, as a user does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from kk3fast.certificate import Deployed
from kk3ref.presets import preset
from verify.candidates.reference import contract
from verify.certify import evidence_of
from verify.certify.deployment import Deployment, read_deployed, write_deployed
from verify.certify.plan import commands
from verify.cli.main import main
from verify.data import Build, CandidateInfo, Record, Verdict
from verify.run import verify_case
from verify.step import UsageError

ISA = {"k1": "1" * 64, "k2": "2" * 64}
TINY = preset("tiny")


def build(kind: str) -> Build:
    return Build(
        kernel=kind,
        ir_sha256="0" * 64,
        isa_sha256=ISA[kind],
        source_digest="0" * 64,
        parameters={},
        flydsl_version="0.5.0",
        target="gfx950",
    )


@pytest.fixture
def plain(make_case: Callable[..., Any]) -> Record:
    outcome = verify_case(make_case("attn_res"), contract(), CandidateInfo(name="flydsl"), "again")
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    builds = [build("k1"), build("k2")]
    changes = {"builds": builds, "tp": 2, "created": now, "config_digest": TINY.digest()}
    return outcome.record.model_copy(update=changes)


@pytest.fixture
def kept(tmp_path: Path, plain: Record) -> Path:
    (tmp_path / "record.json").write_text(plain.model_dump_json())
    builds = tuple(ISA.items())
    deployed = Deployed(TINY.digest(), 2, 1, 4, (4, 8), "gfx950", builds, {"flydsl": "0.5.0"})
    write_deployed(deployed, tmp_path / "deployed.json")
    assert read_deployed(tmp_path / "deployed.json") == deployed
    assert main(["certify", "--new-key", str(tmp_path / "keys")]) == 0
    policy, public = tmp_path / "policy.toml", tmp_path / "keys" / "kk3-key.pub"
    assert main(["certify", "--new-policy", str(policy), "--public-key", str(public)]) == 0
    return tmp_path


def certify(folder: Path, *more: str, names: tuple[str, ...] = ("record.json",)) -> int:
    words = ["certify", *(str(folder / name) for name in names)]
    words += ["--out", str(folder / "cert.json")]
    words += [
        "--key",
        str(folder / "keys" / "kk3-key.pem"),
        "--policy",
        str(folder / "policy.toml"),
    ]
    return main([*words, "--deployed", str(folder / "deployed.json"), *more])


def gate(folder: Path, *more: str) -> int:
    words = ["gate", str(folder / "cert.json"), "--policy", str(folder / "policy.toml")]
    return main([*words, "--deployed", str(folder / "deployed.json"), *more])


def test_from_record_to_an_open_gate(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(kept) == 0
    capsys.readouterr()
    assert gate(kept, "--json") == 0
    assert json.loads(capsys.readouterr().out)["opens"] == "simulation"


def test_a_failing_record_is_not_certified(
    kept: Path, plain: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = plain.model_copy(update={"verdict": Verdict.FAIL, "tp": 4})
    (kept / "record.json").write_text(bad.model_dump_json())
    capsys.readouterr()
    assert certify(kept, "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert {r["code"] for r in told["reasons"]} == {
        "evidence.verdict",
        "evidence.tp",
        "check.layer",
    }
    assert not (kept / "cert.json").exists()


def test_files_that_are_no_evidence_are_all_named(
    kept: Path, plain: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    (kept / "other.json").write_text("{}")
    (kept / "record.json").write_text(plain.model_copy(update={"builds": []}).model_dump_json())
    capsys.readouterr()
    assert certify(kept, names=("record.json", "other.json", "missing.json")) == 2
    told = capsys.readouterr().out
    assert told.count("record.unreadable") == 3
    assert "launched no compiled kernel" in told


def test_another_machine_code_closes_the_gate(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert certify(kept) == 0
    deployed = asdict(read_deployed(kept / "deployed.json"))
    deployed["builds"] = [["k1", "3" * 64], ["k2", ISA["k2"]]]
    (kept / "deployed.json").write_text(json.dumps(deployed))
    capsys.readouterr()
    assert gate(kept) == 1
    assert "build.changed" in capsys.readouterr().out


def test_bad_arguments_end_with_2(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "--new-key", str(kept / "keys")]) == 2
    assert main(["certify", str(kept / "record.json")]) == 2
    assert "--out, --key, --policy" in capsys.readouterr().err
    assert main(["gate", str(kept / "none.json"), "--policy", str(kept / "policy.toml")]) == 2
    (kept / "deployed.json").write_text("[]")
    with pytest.raises(UsageError, match="--describe"):
        read_deployed(kept / "deployed.json")


def test_records_are_read_by_what_they_hold(kept: Path) -> None:
    (one,), reasons = evidence_of([kept / "record.json", kept / "record.json"])
    assert not reasons
    assert (one.check, one.where, one.builds) == ("layer", "simulated", tuple(ISA.values()))


def test_the_plan_has_every_layer_with_a_build_of_its_own() -> None:
    deployment = Deployment(TINY, "flydsl", 2, 4, (4, 8))
    lines = list(commands(deployment, ("--preset", "tiny"), ["layer"], ["--no-sequence"]))
    assert len(lines) == len(set(lines)) == 18
    assert lines[0] == (
        "python -m verify layer k1 --preset tiny --tp 2 --layer 1 --rows 4 --drafts 3"
        " --candidate flydsl --no-sequence --out evidence/layer-4"
    )
