"""``verify isa`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verify.cli.main import main

pytestmark = pytest.mark.usefixtures("vllm_sources")


@pytest.fixture(scope="module")
def saved(vllm_sources: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("isa") / "isa.json"
    words = ["isa", "--kernel", "k1", "--rows", "1", "--drafts", "0", "--save", str(path)]
    assert main(words) == 0
    return path


def test_every_declared_build_is_reported(saved: Path) -> None:
    builds = json.loads(saved.read_text())["builds"]
    assert len(builds) == 15
    assert len({b["identity"]["isa_sha256"] for b in builds}) == 15
    for build in builds:
        assert build["facts"]["scratch_bytes"] == 0
        assert build["facts"]["vgpr_spills"] == 0
        assert build["facts"]["mfma"]
        assert build["predicted_us"] is None


def test_unchanged_builds_carry_their_evidence_over(
    saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["isa", "--kernel", "k1", "--drafts", "0", "--against", str(saved)]
    assert main([*words, "--rows", "1"]) == 0
    assert "differs" not in capsys.readouterr().out
    assert main([*words, "--rows", "2"]) == 1
    assert "differs" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "{}", '{"builds": []}'])
def test_a_record_without_builds_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert main(["isa", "--against", str(path)]) == 2
    assert "--against" in capsys.readouterr().err
