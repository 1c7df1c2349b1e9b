"""Freed memory stays with the process, where the C library can be told so."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from verify.cli.allocator import keep_freed_memory

SCRIPT = """
import ctypes, sys
from verify.cli.allocator import keep_freed_memory

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd".split()]
    _fields_ += [(f"rest{i}", ctypes.c_size_t) for i in range(5)]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info
libc.malloc.restype = ctypes.c_void_p
if sys.argv[1] == "keep":
    assert keep_freed_memory()
before = libc.mallinfo2().hblks
assert libc.malloc(ctypes.c_size_t(64 << 20))
print(libc.mallinfo2().hblks - before)
"""


def mapped_blocks(how: str) -> int:
    """How many blocks of its own a request for 64 MiB maps."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's own settings")
def test_large_blocks_come_from_the_heap_that_is_kept() -> None:
    assert mapped_blocks("leave") == 1
    assert mapped_blocks("keep") == 0


def test_other_c_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("musl", "1.2"))
    assert keep_freed_memory() is False
