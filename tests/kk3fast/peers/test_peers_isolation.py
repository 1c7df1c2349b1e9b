from __future__ import annotations

import importlib
import sys
import types

import pytest

from kk3fast.compile.digests import sha256
from kk3fast.peers.errors import PeerSourcesError
from kk3fast.peers.isolation import Peer

FILES = {
    "__init__.py": "VALUE = 1\n",
    "main.py": "from helper.deep.tools import add\nfrom other.pkg.kernels.sub import part\n"
    "RESULT = add(part.TWO, 3)\n",
    "sub/__init__.py": "",
    "sub/part.py": "TWO = 2\n",
}


@pytest.fixture
def peer(tmp_path, monkeypatch):
    """A project ``other`` whose own packages must not run, needing a helper library."""
    folder = tmp_path / "other" / "pkg" / "kernels"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "other" / "__init__.py").write_text("raise RuntimeError('must not run')\n")
    ours = types.ModuleType("kk3_test_stand_in")
    ours.add = lambda a, b: a + b
    monkeypatch.setitem(sys.modules, ours.__name__, ours)
    digests = {name: sha256(text) for name, text in FILES.items()}
    return Peer("other.pkg.kernels", folder, digests, {"helper.deep.tools": ours.__name__})


def names():
    return sorted(n for n in sys.modules if n.partition(".")[0] in ("other", "helper"))


def test_the_peer_runs_on_our_stand_in(peer):
    with peer.active():
        assert peer.module("main").RESULT == 5
        assert "helper.deep.tools" in names()
    assert names() == []


def test_modules_are_kept_from_one_block_to_the_next(peer):
    with peer.active():
        first = peer.module("main")
    with peer.active(), peer.active():
        assert peer.module("main") is first
    assert names() == []


def test_an_installed_project_of_that_name_is_left_as_it_was(peer, monkeypatch):
    real, child = types.ModuleType("helper"), types.ModuleType("helper.deep")
    real.deep = child
    monkeypatch.setitem(sys.modules, "helper", real)
    monkeypatch.setitem(sys.modules, "helper.deep", child)
    with peer.active():
        assert sys.modules["helper"] is not real
        assert peer.module("main").RESULT == 5
    assert sys.modules["helper"] is real
    assert sys.modules["helper.deep"] is child
    assert not hasattr(child, "tools")
    assert names() == ["helper", "helper.deep"]


def test_everything_is_restored_after_an_error(peer):
    before = list(sys.meta_path)
    with pytest.raises(ModuleNotFoundError), peer.active():
        peer.module("absent")
    assert names() == []
    assert sys.meta_path == before


def test_a_changed_file_is_not_run(peer):
    (peer.folder / "sub" / "part.py").write_text("TWO = 3\n")
    with peer.active(), pytest.raises(PeerSourcesError, match=r"part\.py changed"):
        peer.module("main")


def test_files_beyond_the_record_are_not_found(peer):
    (peer.folder / "extra.py").write_text("")
    with peer.active(), pytest.raises(ModuleNotFoundError):
        peer.module("extra")


def test_no_bytecode_is_written(peer):
    with peer.active():
        peer.module("main")
    importlib.invalidate_caches()
    assert not list(peer.folder.rglob("__pycache__"))
