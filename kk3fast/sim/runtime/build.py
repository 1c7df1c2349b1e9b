"""Rebuild ``runtime.ll`` from the C sources: ``python -m kk3fast.sim.runtime.build`` (needs
ziglang).

The text is target-neutral LLVM IR (64-bit little-endian): users compile it for their own CPU with
llvmlite and need no C compiler. Its first line holds the digest of the sources it came from.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FLAGS = [
    "-target",
    "x86_64-linux-musl",
    "-mcpu=x86_64",
    "-O1",
    "-S",
    "-emit-llvm",
    "-g0",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-ffp-contract=off",
    "-fno-sanitize=all",
    "-fno-stack-protector",
    "-fno-strict-aliasing",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-command-line-argument",
    "-Wno-unused-parameter",
    "-Wno-unused-function",
]


def source_digest() -> str:
    """sha256 over the C sources, names and contents."""
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for path in sorted([*HERE.glob("*.c"), *HERE.glob("*.h")]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def neutral(text: str) -> str:
    """LLVM IR without what ties it to the compiling machine's target."""
    out = []
    for line in text.splitlines():
        if line.startswith(
            ("target ", "source_filename", "; ModuleID", "!llvm.", "; Function Attrs")
        ):
            continue
        if line.startswith("attributes #"):
            line = re.sub(r' "[^"]*"="[^"]*"', "", line)
            line = re.sub(r" (uwtable|sspstrong)(\(\w+\))?", "", line)
        out.append(line.replace(" dso_local ", " "))
    return "\n".join(out) + "\n"


def main() -> int:
    """Write ``runtime.ll``; the exit status is the compiler's."""
    target = HERE / "runtime.ll"
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        *FLAGS,
        str(HERE / "all.c"),
        "-o",
        str(target),
    ]
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        text = neutral(target.read_text())
        target.write_text(f"; sources {source_digest()}\n{text}")
    return status


if __name__ == "__main__":
    sys.exit(main())
