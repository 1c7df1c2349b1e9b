"""``ld.lld`` for HSACO, from PyPI's ``ziglang``.

FlyDSL looks for the linker at ``$ROCM_PATH/llvm/bin/ld.lld``. A private ROCm root with nothing but
that program, a two-line script that calls zig's, is kept in the cache folder. ISA text needs no
linker.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from kk3fast.compile.digests import sha256
from kk3fast.compile.errors import CacheError, ToolchainError
from kk3fast.compile.folders import OVERRIDE, cache_folder

SUPPORTED = "ziglang>=0.14,<0.18"


def linker_script() -> str:
    """The shell script standing in for ``ld.lld``: this interpreter's ``ziglang``."""
    return f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ziglang ld.lld "$@"\n'


def private_rocm_path() -> Path:
    """The private ROCm root; ``install_linker`` makes it.

    Compilations use it even where ROCm is installed, so that they give the same result there. One
    root an interpreter: environments may share a cache folder.
    """
    return cache_folder() / "rocm" / sha256(linker_script())[:16]


def install_linker() -> Path:
    """Put the linker into the private ROCm root, which is returned.

    Raises ``ToolchainError`` where ``ziglang`` is missing, ``CacheError`` where the folder cannot
    be written.
    """
    if find_spec("ziglang") is None:
        raise ToolchainError(
            f"HSACO needs a linker and ziglang is not installed; expected {SUPPORTED} "
            "(pip install 'kk3[sim]'); ISA text needs none"
        )
    root, script = private_rocm_path(), linker_script()
    program = root / "llvm" / "bin" / "ld.lld"
    try:
        program.parent.mkdir(parents=True, exist_ok=True)
        if not (program.is_file() and program.read_text() == script):
            _write_program(program, script)
    except OSError as error:
        raise CacheError(
            f"the cache folder {root} cannot be written ({error.strerror or error}); "
            f"set {OVERRIDE} to a writable folder"
        ) from error
    return root


def _write_program(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.chmod(name, 0o755)
    os.replace(name, path)
