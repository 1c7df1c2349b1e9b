"""From record files to a certificate and back, as a user does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from kk3fast.certificate import Deployed
from kk3fast.certificate.checks import Required
from kk3ref.presets import preset
from verify.candidates.reference import contract
from verify.certify import evidence_of
from verify.certify.deployment import Deployment, read_deployed, write_deployed
from verify.certify.plan import commands
from verify.certify.recheck import record_reasons
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
    builds = (("k1", "3" * 64), ("k2", ISA["k2"]))
    deployed = replace(read_deployed(kept / "deployed.json"), builds=builds)
    write_deployed(deployed, kept / "deployed.json")
    capsys.readouterr()
    assert gate(kept) == 1
    assert "build.changed" in capsys.readouterr().out


def test_bad_arguments_end_with_2(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "--new-key", str(kept / "keys")]) == 2
    assert main(["certify", str(kept / "record.json")]) == 2
    assert "--out, --key, --policy" in capsys.readouterr().err
    assert main(["gate", str(kept / "none.json"), "--policy", str(kept / "policy.toml")]) == 2


def test_records_are_read_by_what_they_hold(kept: Path) -> None:
    (one,), reasons = evidence_of([kept / "record.json", kept / "record.json"])
    assert not reasons
    assert (one.check, one.where, one.builds) == ("layer", "simulated", tuple(ISA.values()))


def test_the_plan_has_every_layer_with_a_build_of_its_own() -> None:
    deployment = Deployment(TINY, "flydsl", 2, 4, (4, 8))
    wanted = {"layer": Required("simulated")}
    lines = list(commands(deployment, ("--preset", "tiny"), wanted, ["--no-sequence"]))
    assert len(lines) == len(set(lines)) == 18
    assert lines[0] == (
        "python -m verify layer k1 --preset tiny --tp 2 --layer 1 --rows 4 --drafts 3"
        " --candidate flydsl --no-sequence --out evidence/layer-4"
    )


def test_the_plan_asks_for_all_of_a_policy(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, public = kept / "real.toml", kept / "keys" / "kk3-key.pub"
    words = ["certify", "--new-policy", str(policy), "--public-key", str(public)]
    assert main([*words, "--opens", "production"]) == 0
    capsys.readouterr()
    words = ["certify", "--plan", "--policy", str(policy), "--preset", "tiny", "--json"]
    assert main([*words, "--tp", "2", "--q", "4", "--widths", "8"]) == 0
    lines = json.loads(capsys.readouterr().out)["commands"]
    assert sum(" layer " in line for line in lines) == 4 * 9
    assert sum("--family heavy-tails" in line for line in lines) == 9
    assert sum(" replay " in line for line in lines) == 9
    assert [line.split()[3] for line in lines[-2:]] == ["faults", "with"]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        "[" * 100_000,
        '{"deployment": {"tp": 1e999}}',
        '{"deployment": {"tp": ' + "9" * 5000 + "}}",
        "\ud800".encode("utf-8", "surrogatepass"),
    ],
)
def test_a_deployment_that_is_none(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "deployed.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match="--describe"):
        read_deployed(path)


def test_versions_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["certify", "--plan", "--preset", "tiny", "--q", "4", "--version"]
    assert main([*words, "vllm"]) == 2
    assert main([*words, "rust=1"]) == 2
    assert "NAME vllm or aiter" in capsys.readouterr().err
    assert main([*words, "vllm=0.33.0"]) == 0


def test_the_records_of_a_certificate_are_looked_up(
    kept: Path, plain: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    assert certify(kept) == 0
    held = str(kept / "record.json")
    assert gate(kept, "--records", held) == 0
    (kept / "other.json").write_text(plain.model_copy(update={"seed": 7}).model_dump_json())
    capsys.readouterr()
    assert gate(kept, "--records", str(kept / "other.json")) == 1
    assert "record.missing" in capsys.readouterr().out


def test_a_claim_that_its_record_does_not_make(kept: Path) -> None:
    (one,), _ = evidence_of([kept / "record.json"])
    claimed = replace(one, where="hardware", families=("normal", "tiny"))
    reasons = record_reasons([claimed], [kept / "record.json"])
    assert [r.code for r in reasons] == ["record.differs"] * 2
    assert record_reasons([one], [kept / "record.json"]) == []
