"""The rig's model folder, its certificates, and its environment's check."""

from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path

import pytest

from kk3fast.certificate import CertificateError, Deployed, judge, load_policy
from kk3ref.config import K3Config
from tests.serve import certificates, make_rig
from tests.serve.certificates import Certificates
from tests.serve.make_rig import MARKER, WANTED, RigError, python_of
from tests.serve.model_folder import CONFIG, byte_characters, predecessors, write_model

BUILDS = (("kk3_k1_a", "a" * 64), ("kk3_k1_b", "b" * 64))
VERSIONS = {"flydsl": "0.5.0", "vllm": "0.33.0"}
DEPLOYED = Deployed(CONFIG.digest(), 1, 1, 4, (4, 8), "gfx950", BUILDS, VERSIONS)


def test_the_model_folder_is_a_checkpoint_with_a_tokenizer(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    assert K3Config.from_hf(folder) == CONFIG
    config = json.loads((folder / "config.json").read_text())
    assert "quantization_config" not in config
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    assert sorted(vocabulary.values()) == list(range(CONFIG.vocab_size))
    before = (folder / "config.json").stat().st_mtime_ns
    assert write_model(folder).joinpath("config.json").stat().st_mtime_ns == before


def test_bytes_have_distinct_printable_characters() -> None:
    found = byte_characters()
    assert len(set(found)) == 256
    assert all(c.isprintable() and not c.isspace() for c in found)
    assert found[ord("a")] == "a"
    assert found[ord(" ")] == "Ġ"


def test_cycles_cover_every_token_once() -> None:
    assert sorted(predecessors(512).tolist()) == list(range(512))


def test_each_bad_certificate_is_refused_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "deployed_of", lambda deployment, progress: DEPLOYED)
    held = Certificates(tmp_path, 1, 4, (4, 8), {})
    good = judge(held.good.read_bytes(), load_policy(held.policy), DEPLOYED, time.time())
    assert (good.opens, good.reasons) == ("simulation", ())
    kinds = dict(held.bad())
    assert len(kinds) > 20
    for kind, bad in kinds.items():
        try:
            verdict = judge(bad.path.read_bytes(), load_policy(bad.policy), DEPLOYED, time.time())
            reasons = verdict.reasons
        except CertificateError as error:
            reasons = error.reasons
        except OSError:
            assert bad.code == "certificate.unreadable"
            continue
        assert bad.code in {r.code for r in reasons}, kind


def test_a_folder_that_is_no_rig_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RigError, match="must be a rig of"):
        python_of(tmp_path)
    (tmp_path / MARKER).write_text(json.dumps({**WANTED, "tree": "0.1"}))
    with pytest.raises(RigError, match=r"0\.1"):
        python_of(tmp_path)
    (tmp_path / MARKER).write_text(json.dumps(WANTED))
    assert python_of(tmp_path) == tmp_path / "bin" / "python"


def test_the_new_tree_is_laid_over_the_compiled_library(tmp_path: Path) -> None:
    site, scratch = tmp_path / "site", tmp_path / "scratch"
    (site / "vllm").mkdir(parents=True)
    scratch.mkdir()
    (site / "vllm" / "_C.abi3.so").write_text("compiled")
    (site / "vllm" / "old.py").write_text("")
    wheel = tmp_path / f"vllm-{make_rig.TREE}-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vllm/new.py", "")
        archive.writestr("vllm/_gpu.abi3.so", "of a GPU")
    make_rig._lay_over(site, wheel, scratch)
    assert sorted(p.name for p in (site / "vllm").iterdir()) == ["_C.abi3.so", "new.py"]
    assert (site / f"vllm-{make_rig.TREE}+cpu.dist-info" / "METADATA").exists()


def test_a_wheel_of_another_release_is_refused(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "vllm").mkdir(parents=True)
    (site / "vllm" / "_C.abi3.so").write_text("compiled")
    wheel = tmp_path / "vllm-0.1.0-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vllm/new.py", "")
    with pytest.raises(RigError, match="must be the wheel of"):
        make_rig._lay_over(site, wheel, tmp_path)
    assert (site / "vllm" / "_C.abi3.so").exists()
