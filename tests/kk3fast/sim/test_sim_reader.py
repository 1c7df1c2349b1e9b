# ruff: noqa: E501  (MLIR text)
"""Reading MLIR text, and the cache of compiled objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kk3fast_sim_mlir import module, store

from kk3fast.sim import ReadError, compile_kernel
from kk3fast.sim.cache import ObjectCache
from kk3fast.sim.ir import Type, walk
from kk3fast.sim.reader import read_kernel, read_kernels, to_generic
from kk3fast.sim.syntax import parse_type, split_top


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("i32", Type("scalar", "i32")),
        ("vector<4xbf16>", Type("vector", "bf16", 4)),
        ("vector<2x8xf32>", Type("vector", "f32", 16)),
        ("!llvm.ptr<3>", Type("ptr", "ptr", space=3)),
        ("!llvm.ptr", Type("ptr", "ptr")),
        ("!llvm.struct<packed (struct<packed (i32, i32)>, struct<(i64)>)>",
         Type("struct", "struct", members=(Type("struct", "struct", members=(Type("scalar", "i32"),) * 2),
                                           Type("struct", "struct", members=(Type("scalar", "i64"),))))),
        ("!gpu.async.token", Type("other", "!gpu.async.token")),
    ],
)  # fmt: skip
def test_types(text: str, want: Type) -> None:
    assert parse_type(text) == want


def test_split_minds_brackets_and_strings() -> None:
    assert split_top('a<b, c>, "d, \\"e", (f, {g, h})') == ["a<b, c>", '"d, \\"e"', "(f, {g, h})"]
    assert split_top("") == []


def test_pretty_and_generic_text_read_alike() -> None:
    text = module("%out: i64", store("%tid", "%out", "i32", "%tid"), lds=64)
    a, b = read_kernel(text), read_kernel(to_generic(text))
    assert [op.kind for op in walk(a.body)] == [op.kind for op in walk(b.body)]
    assert a.block == b.block == (64, 1, 1)
    assert a.lds_bytes == 64


def test_locations_of_calls_fusions_and_names() -> None:
    body = """%a = arith.constant 1 : i32 loc(callsite("in.py":1:2 at callsite("mid.py":3:4 at "out.py":5:6)))
      %b = arith.constant 2 : i32 loc(fused["x.py":7:8, "y.py":9:1])
      %c = arith.constant 3 : i32 loc("name"("z.py":2:1))
      %d = arith.constant 4 : i32 loc(unknown)"""
    ops = [
        op for op in walk(read_kernel(module("%x: i64", body)).body) if op.name == "arith.constant"
    ]
    found = {op.attrs["value"]: str(op.loc) for op in ops}
    assert found["1 : i32"] == "in.py:1 called from mid.py:3 called from out.py:5"
    assert found["2 : i32"] == "x.py:7"
    assert found["3 : i32"] == "z.py:2"
    assert found["4 : i32"] == "<no source location>"


def test_text_without_a_kernel() -> None:
    with pytest.raises(ReadError, match="no kernel"):
        read_kernels("module {}")


def test_one_of_several_kernels_must_be_named() -> None:
    text = module("%x: i64", "").replace(
        "gpu.module @m {", "gpu.module @m {\n gpu.func @other() kernel { gpu.return }", 1
    )
    assert [k.name for k in read_kernels(text)] == ["other", "k"]
    with pytest.raises(ReadError, match="must name one of the kernels other, k; got None"):
        read_kernel(text)
    assert read_kernel(text, "k").name == "k"
    with pytest.raises(ValueError, match="declares no block size"):
        compile_kernel(text, "other")


# ------------------------------------------------------------------ cache


def test_entries_come_back(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path / "deep" / "folder")
    assert cache.load("a") is None
    cache.store("a", b"body")
    assert cache.load("a") == b"body"
    assert cache.load("b") is None


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "other key"])
def test_damaged_entries_are_absent(tmp_path: Path, damage: str) -> None:
    cache = ObjectCache(tmp_path)
    cache.store("a", b"body" * 100)
    path = cache.path("a")
    raw = path.read_bytes()
    if damage == "cut":
        path.write_bytes(raw[:-1])
    elif damage == "flipped":
        path.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    elif damage == "foreign":
        path.write_bytes(b"something else")
    else:
        cache.store("b", b"body" * 100)
        path.write_bytes(cache.path("b").read_bytes())
    assert cache.load("a") is None
    cache.store("a", b"new")
    assert cache.load("a") == b"new"


def test_no_half_written_file_is_left(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    for i in range(5):
        cache.store("a", bytes([i]) * 1000)
    assert [p.name for p in tmp_path.iterdir()] == [cache.path("a").name]


def test_unwritable_folder_is_no_error(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    cache = ObjectCache(blocker / "folder")
    cache.store("a", b"body")
    assert cache.load("a") is None


def test_the_same_text_is_read_once() -> None:
    text = module("%out: i64", store("%tid", "%out", "i32", "%tid"))
    assert compile_kernel(text) is compile_kernel(str(text))
    assert compile_kernel(text, sources={"": Path(__file__).parent}) is not compile_kernel(text)


def test_second_process_takes_the_object_from_the_cache(tmp_path: Path, object_cache: Path) -> None:
    text = module("%out: i64", store("%tid", "%out", "i32", "%tid"))
    compile_kernel(text)
    script = "import sys; from kk3fast.sim import compile_kernel; print(compile_kernel(sys.stdin.read()).from_cache)"
    root = str(Path(__file__).parents[3])
    environment = {"KK3_CACHE_DIR": str(tmp_path), "PYTHONPATH": root, "PATH": "/usr/bin:/bin"}
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            input=text,
            text=True,
            capture_output=True,
            check=True,
            env=environment,
        ).stdout
        for _ in range(2)
    ]
    assert outputs == ["False\n", "True\n"]
