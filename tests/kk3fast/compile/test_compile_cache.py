from __future__ import annotations

import json
import os
import zlib
from dataclasses import replace

import pytest

from kk3fast.compile import Artefact, ArtefactCache, BuildIdentity, CacheError, compile_launcher
from kk3fast.compile.digests import sha256

KEY = "1" * 64


def artefact_of(text: str) -> Artefact:
    identity = BuildIdentity("k", sha256(text), sha256(text), "c" * 64, (), "0.5.0", "gfx950")
    return Artefact(identity, text, text, text, text, "stage", isa=text, hsaco=b"\x7fELF\0")


@pytest.fixture
def cache(tmp_path):
    stored = ArtefactCache(tmp_path / "artefacts")
    stored.store(KEY, artefact_of("module {}"))
    return stored


def test_what_is_stored_comes_back(cache):
    assert cache.load(KEY) == artefact_of("module {}")
    assert cache.load("2" * 64) is None


def _body(edit):
    """The stored file with its JSON changed and every checksum made right again."""

    def change(data: bytes) -> bytes:
        magic, _, body = data.split(b"\n", 2)
        content = json.loads(zlib.decompress(body))
        edit(content)
        body = zlib.compress(json.dumps(content).encode())
        return b"\n".join([magic, sha256(body).encode(), body])

    return change


def _edit_isa(content):
    inner = json.loads(content["artefact"])
    inner["isa"] += "; one instruction more"
    content["artefact"] = json.dumps(inner)


DAMAGE = {
    "empty": lambda data: b"",
    "cut in the header": lambda data: data[:20],
    "cut in the body": lambda data: data[:-7],
    "one bit flipped": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "something appended": lambda data: data + b"x",
    "another format": lambda data: data.replace(b"kk3-artefact-1", b"kk3-artefact-0"),
    "not ours": lambda data: b"\x80\x04pickle",
    "another key": _body(lambda content: content.update(key="2" * 64)),
    "edited ISA, checksum recomputed": _body(_edit_isa),
    "a field missing": _body(lambda content: content.pop("artefact")),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_entries_count_as_absent(cache, damage):
    path = cache.path(KEY)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load(KEY) is None
    cache.store(KEY, artefact_of("module {}"))
    assert cache.load(KEY) is not None


def test_a_renamed_entry_is_not_taken_for_another(cache):
    os.replace(cache.path(KEY), cache.path("2" * 64))
    assert cache.load("2" * 64) is None


def test_a_damaged_entry_is_compiled_again(kernels):
    cache = ArtefactCache()
    first = compile_launcher(kernels.build_sum(2), (0, 0), cache=cache)
    (path,) = cache.folder.glob("*.artefact")
    path.write_bytes(path.read_bytes()[:100])
    again = compile_launcher(kernels.build_sum(2), (0, 0), cache=cache)
    assert again == first
    assert "lower" in again.timings
    assert "cache" in compile_launcher(kernels.build_sum(2), (0, 0), cache=cache).timings


def test_the_least_recently_used_go_first(tmp_path):
    cache = ArtefactCache(tmp_path / "artefacts")
    for n, key in enumerate(("1", "2", "3")):
        cache.store(key * 64, artefact_of(os.urandom(3000).hex()))
        os.utime(cache.path(key * 64), (n + 1, n + 1))
    assert cache.load("1" * 64) is not None  # now the most recently used
    cache.max_bytes = cache.size_bytes() - 1
    assert cache.prune() == 1
    kept = [k for k in "123" if cache.load(k * 64)]
    assert kept == ["1", "3"]


def test_clear_leaves_nothing(cache):
    (cache.folder / "left.tmp").write_bytes(b"half")
    assert cache.clear() == 2
    assert cache.size_bytes() == 0


def test_an_unusable_folder_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = ArtefactCache(tmp_path / "file" / "artefacts")
    with pytest.raises(CacheError, match=r"set KK3_CACHE_DIR to a writable folder"):
        cache.store(KEY, artefact_of("module {}"))


def test_digests_and_texts_must_agree():
    wrong = replace(artefact_of("module {}"), kernel_ir="another module")
    with pytest.raises(Exception, match="digests must be"):
        Artefact.from_json(wrong.to_json())


def test_parallel_processes_compile_once_and_agree(run_python, kernels_path):
    script = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1]).parent))
import kernels
from kk3fast.compile import ArtefactCache, compile_launcher
made = compile_launcher(kernels.build_sum(5), (0, 0), cache=ArtefactCache())
print("lower" in made.timings, made.identity.digest)
"""
    running = [run_python(script, kernels_path, seed=str(n)) for n in range(3)]
    outputs = [process.communicate() for process in running]
    lines = sorted(out.split() for out, _ in outputs)
    assert [line[0] for line in lines] == ["False", "False", "True"], outputs
    assert len({line[1] for line in lines}) == 1


def test_a_reader_never_sees_half_a_file(run_python, cache):
    script = """
import sys
from pathlib import Path
from kk3fast.compile import ArtefactCache
cache = ArtefactCache(Path(sys.argv[1]))
artefact = cache.load(sys.argv[2])
for _ in range(300):
    cache.store(sys.argv[2], artefact)
"""
    writers = [run_python(script, str(cache.folder), KEY) for _ in range(2)]
    reads = 0
    while any(w.poll() is None for w in writers):
        assert cache.load(KEY) is not None
        reads += 1
    assert [w.communicate()[1] for w in writers] == ["", ""]
    assert reads > 10
    assert not list(cache.folder.glob("*.tmp"))
