"""``verify doctor`` and ``verify schema``."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from verify.cli.main import main
from verify.data.store import schema

ROOT = Path(__file__).parents[3]


def test_doctor_finds_the_core_and_no_mi355x(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = {f["what"]: f for f in report["findings"]}
    assert report["ok"]
    assert found["torch"]["ok"]
    assert found["candidate contract"]["ok"]
    assert "gfx950 (MI355X)" in found


def test_doctor_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "candidate compiled" in capsys.readouterr().out


@pytest.mark.parametrize("of", ["layer", "faults"])
def test_the_published_schema_is_current(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = {"layer": "record"}.get(of, of)
    published = (ROOT / "docs" / f"{name}.schema.json").read_text()
    assert main(["schema", "--of", of]) == 0
    printed = capsys.readouterr().out
    assert published == printed, f"write it anew: verify schema --of {of} > {name}.schema.json"


def test_a_record_follows_the_published_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["layer", "kda", "--preset", "tiny", "--family", "normal", "--out", str(tmp_path)]
    assert main(words) == 0
    (path,) = tmp_path.glob("*.json")
    jsonschema.validate(json.loads(path.read_text()), json.loads(schema()))
    assert main(["schema", "--check", str(path)]) == 0
    path.write_text(path.read_text().replace('"schema_version": 1', '"schema_version": "x"'))
    assert main(["schema", "--check", str(path)]) == 2
    assert "must be a kk3 record" in capsys.readouterr().err
