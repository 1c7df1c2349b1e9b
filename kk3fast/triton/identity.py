"""What makes two Triton builds the same build."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kk3fast.compile.digests import sha256, source_digest
from kk3fast.triton.target import triton_version

Scalar = bool | int | float | str
_ROOT = Path(__file__).parent
# Locations name the source's path and line: a build is the same wherever its sources lie.
_LOCATION = re.compile(r"(\s*loc\([^\n]*\)$)|(^#loc[^\n]*\n?)", re.MULTILINE)
_PTX_NOISE = re.compile(r"^\s*(\.loc|\.file|//)[^\n]*\n?", re.MULTILINE)


@dataclass(frozen=True)
class TritonBuild:
    """A compiled kernel, named by what went in and by digests of what came out."""

    kernel: str
    """its name"""
    ir_sha256: str
    """of the Triton IR, without locations"""
    isa_sha256: str | None
    """of the PTX or AMDGPU assembly, without locations; None under the interpreter"""
    source_digest: str
    """of all sources of ``kk3fast.triton``"""
    parameters: tuple[tuple[str, Scalar], ...]
    """compile-time constants and launch options, sorted"""
    compiler: str
    """e.g. ``triton 3.6.0``"""
    target: str
    """e.g. ``cuda 90``; ``interpreter``"""


@functools.lru_cache(maxsize=1)
def sources() -> str:
    """Digest of this package's sources."""
    return source_digest([_ROOT], _ROOT.parent.parent)


def builds_of(kernels: Iterable[Any]) -> tuple[TritonBuild, ...]:
    """Identities of compiled kernels, each once, in the order of their launches.

    Under the interpreter there is nothing compiled: one entry stands for the sources.
    """
    found: dict[TritonBuild, None] = {}
    for kernel in kernels:
        found[_interpreted() if kernel is None else _compiled(kernel)] = None
    return tuple(found)


def _interpreted() -> TritonBuild:
    compiler = f"triton {triton_version()}"
    return TritonBuild("all", sources(), None, sources(), (), compiler, "interpreter")


def _compiled(kernel: Any) -> TritonBuild:
    assembly = kernel.asm
    isa = next((assembly[n] for n in ("ptx", "amdgcn") if n in assembly), None)
    target = kernel.metadata.target
    return TritonBuild(
        kernel.name,
        sha256(_LOCATION.sub("", str(assembly["ttir"]))),
        None if isa is None else sha256(_PTX_NOISE.sub("", str(isa))),
        sources(),
        _parameters(kernel),
        f"triton {triton_version()}",
        f"{target.backend} {target.arch}",
    )


def _parameters(kernel: Any) -> tuple[tuple[str, Scalar], ...]:
    names = kernel.src.fn.arg_names
    values: dict[str, Scalar] = {}
    for path, value in kernel.src.constants.items():
        index = path[0] if isinstance(path, tuple) else path
        name = names[index] if isinstance(index, int) else str(index)
        if isinstance(value, (bool, int, float, str)):
            values[name] = value
    values["num_warps"] = kernel.metadata.num_warps
    values["num_stages"] = kernel.metadata.num_stages
    return tuple(sorted(values.items()))
