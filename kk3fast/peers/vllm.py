"""vLLM 0.33.0's production K1 and K2 for Kimi-K3, compiled offline from their own sources.

    artefact = vllm.build(VllmBuild("k1", rows=8, nblocks=8, query_rows=8), cache=ArtefactCache())

The sources are vLLM's, verified file by file (``vllm_sources``); the few AITER helpers they import
are ours (``shim``). Nothing of vLLM is installed and none of its package code runs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kk3fast.compile import flydsl_private as flydsl
from kk3fast.compile.artefact import Artefact
from kk3fast.compile.cache import ArtefactCache
from kk3fast.compile.digests import source_digest
from kk3fast.compile.environment import DEFAULT_TARGET
from kk3fast.compile.errors import CompileError
from kk3fast.compile.launcher import Call, Declaration, compile_declared
from kk3fast.peers import shim
from kk3fast.peers.isolation import Peer
from kk3fast.peers.vllm_arguments import Argument, described
from kk3fast.peers.vllm_builds import VllmBuild, production_builds, widths
from kk3fast.peers.vllm_health import GivenUpWait, given_up_waits, region_id
from kk3fast.peers.vllm_release import KERNEL_FOLDER, SHA256
from kk3fast.peers.vllm_sources import kernel_folder

__all__ = [
    "Argument",
    "Geometry",
    "GivenUpWait",
    "Region",
    "VllmBuild",
    "arguments",
    "build",
    "geometry",
    "given_up_waits",
    "launch_tag",
    "peer_bytes",
    "peer_regions",
    "production_builds",
    "region_id",
    "scratch_bytes",
    "scratch_regions",
    "widths",
]

_PACKAGE = "vllm." + KERNEL_FOLDER.replace("/", ".")
_HELPERS = "aiter.ops.flydsl.kernels"
_STAND_INS = {
    f"{_HELPERS}.{name}": f"{shim.__name__}.{name}"
    for name in ("buffer_ops", "dpp_utils", "kernels_common")
}
_MODULE = {"k1": "attention.kda", "k2": "layer"}
_KEY = {"k1": "KdaPreBuild", "k2": "K2Build"}


@dataclass(frozen=True)
class Region:
    """A named part of a buffer. ``pairs``: made of (32-bit value, 32-bit tag) mailbox pairs."""

    offset: int
    """Bytes from the buffer's start (of one parity half, for peer regions)."""
    bytes: int
    pairs: bool


@dataclass(frozen=True)
class Geometry:
    """How both kernels are launched, and the sizes of what they share."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    health_words: int
    """int32 words a rank: a header of 8, then 8 a CTA."""
    peer_head_bytes: int
    """Bytes of a peer buffer before what ``peers`` points at: an alarm word a rank."""
    wait_ticks: int
    """100 MHz ticks after which an in-kernel wait gives up."""
    ranks: int


def build(
    key: VllmBuild,
    *,
    target: str = DEFAULT_TARGET,
    isa: bool = True,
    hsaco: bool = False,
    cache: ArtefactCache | None = None,
) -> Artefact:
    """Compile one build. Options and errors as ``compile.compile_launcher``.

    Raises ``PeerSourcesError`` where the sources are missing or not the recorded release. File
    names in debug locations are relative to the kernel folder, under ``vllm/``.
    """
    folder = kernel_folder()
    declaration = Declaration(f"vllm:{key.kernel}", key.parameters, _sources_digest(folder))

    @contextmanager
    def call() -> Iterator[Call]:
        with _active() as peer:  # also while tracing: FlyDSL may look modules up by name
            launch = _launcher(peer, key)
            stream = flydsl.module("expr").Stream(None)
            zeros = peer.module(_MODULE[key.kernel]).ABI.zeros()
            roots = (("vllm/", folder), ("kk3fast/peers/shim/", _shim_folder()))
            yield Call(launch, zeros, (("stream", stream),), roots)

    return compile_declared(declaration, call, target=target, isa=isa, hsaco=hsaco, cache=cache)


def arguments(key: VllmBuild) -> tuple[Argument, ...]:
    """The kernel's arguments in the order they are passed (the launch stream is not one)."""
    with _active() as peer:
        launch = _launcher(peer, key)
        names = peer.module(_MODULE[key.kernel]).ABI.names
        hints = flydsl.launcher_function(launch).__annotations__
        types = {n: "i64" if hints[n].__name__ == "Int64" else "i32" for n in names}
    table = described(key, scratch_bytes(key), geometry().health_words)
    wrong = [n for n in names if n not in table or table[n].ctype != types[n]]
    wrong += sorted(set(table) - set(names))
    if wrong:
        raise CompileError(f"the argument table of {key.kernel} disagrees with its ABI on {wrong}")
    return tuple(table[n] for n in names)


def scratch_regions(key: VllmBuild) -> dict[str, Region]:
    """The regions of a rank's scratch buffer by name, zero-filled once before the first launch."""
    with _active() as peer:
        layout = peer.module(_MODULE[key.kernel]).scratch_layout(_peer_key(peer, key))
    plain = {"x", "xrow", "ln", "shp"}  # rows read in place, guarded by a flag region
    return {n: Region(at, size, n not in plain) for n, (at, size) in layout.items()}


def scratch_bytes(key: VllmBuild) -> int:
    """Bytes of the scratch buffer."""
    return max(r.offset + r.bytes for r in scratch_regions(key).values())


def peer_regions(rows: int) -> dict[str, Region]:
    """K2's regions in one parity half of a rank's peer buffer, by name.

    Half ``epoch % 2`` is in use; halves are ``peer_bytes(rows) // 2`` bytes and follow the head.
    """
    with _active() as peer:
        layout = peer.module(_MODULE["k2"]).peer_layout(rows)
    return {n: Region(at, size, True) for n, (at, size) in layout.items()}


def peer_bytes(rows: int) -> int:
    """Bytes of both halves, without the head."""
    with _active() as peer:
        return int(peer.module(_MODULE["k2"]).peer_bytes(rows))


@functools.cache
def geometry() -> Geometry:
    """Grid, block and shared sizes (the same for both kernels)."""
    with _active() as peer:
        plan, abi, sync = (peer.module(n) for n in ("common.plan", "abi", "common.sync"))
        return Geometry(
            grid=(plan.BLOCKS, 1, 1),
            block=(plan.THREADS, 1, 1),
            health_words=plan.HEALTH_WORDS,
            peer_head_bytes=abi.PEER_HEAD,
            wait_ticks=sync.WAIT_TICKS,
            ranks=peer.module(_MODULE["k2"]).TP_,
        )


def launch_tag(epoch: int, slot: int) -> int:
    """The tag of every mailbox pair that launch ``slot`` (0..255) of step ``epoch`` writes.

    vLLM's slots are the layer index for K1 and 128 + the layer index for K2.
    """
    return epoch % (1 << 22) * 256 + slot + 1


@functools.cache
def _peer(folder: Path) -> Peer:
    return Peer(_PACKAGE, folder, SHA256, _STAND_INS)


@contextmanager
def _active() -> Iterator[Peer]:
    """The peer, its names in force."""
    peer = _peer(kernel_folder())
    with peer.active():
        yield peer


def _peer_key(peer: Peer, key: VllmBuild) -> Any:
    return getattr(peer.module(_MODULE[key.kernel]), _KEY[key.kernel])(**key.peer_fields())


def _launcher(peer: Peer, key: VllmBuild) -> Any:
    return peer.module(_MODULE[key.kernel]).build(_peer_key(peer, key))


def _shim_folder() -> Path:
    return Path(str(shim.__file__)).resolve().parent


@functools.cache
def _sources_digest(folder: Path) -> str:
    return source_digest((folder, _shim_folder()), folder)
