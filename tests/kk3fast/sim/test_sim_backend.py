"""Native code in a process whose free memory lies in pieces far apart, as a server's may."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PIECE, _STEP, _PIECES = 1 << 16, 3 << 30, 256
"""Each piece has room for one section of a kernel, and lies 3 GiB from the next."""

_SCRIPT = f"""
import ctypes, os
import numpy as np
from kk3fast_sim_mlir import load, module, run, store

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PRIVATE_ANONYMOUS_NORESERVE, NOWHERE = 0x4022, ctypes.c_void_p(-1).value

def take(size):
    at = libc.mmap(None, size, 0, PRIVATE_ANONYMOUS_NORESERVE, -1, 0)
    assert at != NOWHERE, os.strerror(ctypes.get_errno())
    return at

base = take({_STEP * _PIECES})
for size in (1 << 24, 1 << 20, 1 << 16, 1 << 12):  # leave nothing free above
    while (at := take(size)) > base:
        pass
    libc.munmap(at, size)
for i in range({_PIECES}):
    assert libc.munmap(base + i * {_STEP}, {_PIECE}) == 0

body = load("x", "%a", "f32", "%tid") + "%c = arith.constant 2.5 : f32\\n"
body += "%y = arith.mulf %x, %c : f32\\n %e = math.exp2 %y : f32\\n"
body += store("%e", "%b", "f32", "%tid")
x, y = np.arange(64, dtype=np.float32) / 8, np.zeros(64, np.float32)
run(module("%a: i64, %b: i64", body), [x, y])
print("right" if np.allclose(y, np.exp2(2.5 * x), rtol=1e-5) else y)
"""


def test_code_and_data_may_lie_anywhere(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "KK3_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr[-800:]
