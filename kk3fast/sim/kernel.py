"""A compiled kernel: IR text -> loaded native code and its tables."""

from __future__ import annotations

import ctypes as ct
import functools
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kk3fast.sim.backend import backend
from kk3fast.sim.codegen.kernel import VERSION, KernelCode, Site
from kk3fast.sim.codegen.values import component_types
from kk3fast.sim.ir import Kernel, Type
from kk3fast.sim.memory import Region
from kk3fast.sim.native import SiteStruct, native
from kk3fast.sim.reader import read_kernel
from kk3fast.sim.stages import Sources

PASSES = ("sroa", "instruction_combine", "simplify_cfg")
LEVEL = 1


@dataclass
class CompiledKernel:
    """Native code of one kernel for one block shape (``compile_kernel`` makes it)."""

    kernel: Kernel
    block: tuple[int, int, int]
    sites: list[Site]
    stages: list[str]
    address: int
    private_bytes: int
    from_cache: bool
    site_table: Any = field(repr=False, default=None)

    @property
    def name(self) -> str:
        """The kernel's symbol."""
        return self.kernel.name

    def pack(self, args: list[Any] | tuple[Any, ...]) -> Any:
        """Arguments in the kernel's order -> one 64-bit word a scalar component.

        Integers, floats, ``Region`` s (their address), booleans, and nested tuples for structs.
        Raises ``TypeError`` naming every argument that does not fit.
        """
        words: list[int] = []
        wrong: list[str] = []
        if len(args) != len(self.kernel.args):
            raise TypeError(
                f"{self.name}: must have {len(self.kernel.args)} arguments, got {len(args)}"
            )
        for i, (value, formal) in enumerate(zip(args, self.kernel.args, strict=True)):
            try:
                words += _words(value, formal.type)
            except (TypeError, ValueError) as e:
                wrong.append(f"argument {i} ({formal.type}): {e}")
        if wrong:
            raise TypeError(f"{self.name}: " + "; ".join(wrong))
        return (ct.c_uint64 * max(len(words), 1))(*words)


def _words(value: Any, t: Type) -> list[int]:
    if t.kind == "struct":
        members = value if isinstance(value, (tuple, list)) else (value,)
        if len(members) != len(t.members):
            raise ValueError(f"must have {len(t.members)} members, got {len(members)}")
        return [w for v, m in zip(members, t.members, strict=True) for w in _words(v, m)]
    if isinstance(value, Region):
        value = value.address
    types = component_types(t)
    if not types:
        return []
    (ty,) = types
    if ty == "float":
        return [int(struct.unpack("<I", struct.pack("<f", float(value)))[0])]
    if ty == "double":
        return [int(struct.unpack("<Q", struct.pack("<d", float(value)))[0])]
    bits = int(ty[1:])
    number = int(value)
    if not -(1 << (bits - 1)) <= number < (1 << bits):
        raise ValueError(f"must fit {bits} bits, got {number}")
    return [number & ((1 << bits) - 1)]


def compile_kernel(
    text: str,
    name: str | None = None,
    block: tuple[int, int, int] | None = None,
    *,
    sources: Sources | None = None,
) -> CompiledKernel:
    """Compile kernel-level MLIR text for this computer, or take it from the on-disk cache.

    ``name`` picks one of several kernels; ``block`` (threads in x, y, z) is needed unless the
    kernel declares its own. ``sources`` maps the beginnings of relative file names in debug
    locations to folders, so that counts can be told apart by source function. Raises
    ``UnknownOperation`` for operations without semantics, ``ReadError`` for text that is not a
    kernel, ``ValueError`` for a missing or contradicting block.

    The last few are kept in the process: reading the text takes longer than a small launch.
    """
    return _compiled(text, name, block, tuple((sources or {}).items()))


@functools.lru_cache(maxsize=32)
def _compiled(
    text: str,
    name: str | None,
    block: tuple[int, int, int] | None,
    sources: tuple[tuple[str, Path], ...],
) -> CompiledKernel:
    kernel = read_kernel(text, name)
    if block is None and kernel.block is None:
        raise ValueError(f"{kernel.name} declares no block size: block must be given")
    if block and kernel.block and block != kernel.block:
        raise ValueError(f"{kernel.name}: block must be {kernel.block}, got {block}")
    shape = kernel.block or block
    assert shape is not None
    n = native()
    code = KernelCode(kernel, shape, n.layout, dict(sources))
    known = backend().build(f"kernel {VERSION}", code.text, LEVEL, PASSES)
    table = (SiteStruct * max(len(code.sites), 1))()
    for struct_, site in zip(table, code.sites, strict=False):
        struct_.space, struct_.bytes, struct_.elem, struct_.aux = (
            site.space,
            site.nbytes,
            site.elem,
            site.aux,
        )
        struct_.stage, struct_.flags, struct_.op = site.stage, site.flags, site.op
    address = backend().address(code.symbol)
    return CompiledKernel(
        kernel, shape, code.sites, code.stages, address, code.private_bytes, known, table
    )
