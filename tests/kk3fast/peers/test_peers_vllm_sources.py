from __future__ import annotations

import shutil
import zipfile

import pytest

from kk3fast.peers import fetch, vllm_sources
from kk3fast.peers.errors import PeerSourcesError
from kk3fast.peers.vllm_release import KERNEL_FOLDER, SHA256


@pytest.fixture
def copy(sources, tmp_path, monkeypatch):
    """A copy of the kernel sources that a test may spoil, in use."""
    folder = tmp_path / "copy" / "vllm" / KERNEL_FOLDER
    shutil.copytree(vllm_sources.kernel_folder(), folder)
    monkeypatch.setenv(vllm_sources.OVERRIDE, str(tmp_path / "copy"))
    return folder


@pytest.mark.parametrize("inside", [False, True], ids=["folder with vllm/", "the package itself"])
def test_an_unpacked_tree_is_found(copy, inside, tmp_path, monkeypatch):
    monkeypatch.setenv(vllm_sources.OVERRIDE, str(tmp_path / "copy" / ("vllm" if inside else "")))
    assert vllm_sources.kernel_folder() == copy.resolve()


def test_another_release_is_refused_with_every_file(copy):
    with (copy / "layer.py").open("a") as file:
        file.write("# another release\n")
    (copy / "abi.py").unlink()
    with pytest.raises(PeerSourcesError) as error:
        vllm_sources.kernel_folder()
    text = str(error.value)
    assert "the only release supported" in text
    assert "abi.py is missing" in text
    assert f"expected {SHA256['layer.py'][:12]}" in text


def test_absent_sources_name_the_command(cache_dir, monkeypatch):
    monkeypatch.delenv(vllm_sources.OVERRIDE, raising=False)
    with pytest.raises(PeerSourcesError, match=r"python -m kk3fast\.peers\.fetch"):
        vllm_sources.kernel_folder()


def test_fetching_from_a_wheel_keeps_the_kernels_only(sources, tmp_path, monkeypatch, capsys):
    wheel = tmp_path / "vllm-0.33.0-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vllm/__init__.py", "raise RuntimeError")
        for name in SHA256:
            file = vllm_sources.kernel_folder() / name
            archive.write(file, f"vllm/{KERNEL_FOLDER}/{name}")
    monkeypatch.delenv(vllm_sources.OVERRIDE)
    assert fetch.main(["--wheel", str(wheel)]) == 0
    assert capsys.readouterr().out.strip().endswith("specialized_decode/mono")
    assert vllm_sources.kernel_folder().is_relative_to(vllm_sources.fetched_folder())
    assert not (vllm_sources.fetched_folder() / "vllm" / "__init__.py").exists()
    assert fetch.main(["--wheel", str(wheel)]) == 0  # again, over what is there
    assert [p.name for p in vllm_sources.fetched_folder().parent.iterdir()] == ["vllm-0.33.0"]


def test_a_wheel_without_the_kernels_is_refused(cache_dir, tmp_path, capsys):
    wheel = tmp_path / "vllm-0.1-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vllm/__init__.py", "")
    assert fetch.main(["--wheel", str(wheel)]) == 2
    assert "not vLLM 0.33.0" in capsys.readouterr().err


def test_a_failed_download_shows_what_pip_said(cache_dir, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fetch, "VERSION", "0.0.0.dev0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert fetch.main(["--again"]) == 2
    assert "No matching distribution" in capsys.readouterr().err
