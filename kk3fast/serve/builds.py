"""The kernel builds a deployment would launch, and the digests of their machine code.

Nothing is launched and no GPU is needed: the builds are compiled for gfx950 (artefacts are kept on
disk, so that workers find what the server's process compiled).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from kk3fast.compile import ArtefactCache, BuildIdentity, CompileError, ToolchainError
from kk3fast.flydsl.build import BuildError, KernelBuild
from kk3fast.flydsl.k1.layer import k1_build
from kk3fast.flydsl.k2.layer import k2_build
from kk3fast.flydsl.run.layer import UnsupportedStep
from kk3fast.runtime.layers import layer_kinds
from kk3ref.config import K3Config
from kk3ref.stages import LayerOptions, RankContext


class BuildsUnknown(ValueError):
    """What would be launched cannot be said; lists every reason."""

    def __init__(self, reasons: Iterable[str]):
        self.reasons = tuple(dict.fromkeys(reasons))
        super().__init__("; ".join(self.reasons))


@dataclass(frozen=True)
class LayerBuilds:
    """The builds of one served layer at one width."""

    k1: KernelBuild | None
    """of a KDA layer"""
    k2: KernelBuild


def layer_builds(
    config: K3Config, tp: int, q: int, widths: Iterable[int]
) -> dict[int, dict[int, LayerBuilds]]:
    """Our builds by width and decoder layer.

    Args:
        q: rows a request verifies.
        widths: rows of the steps that are served.

    Raises:
        BuildsUnknown: lists every width and layer that no build serves.
    """
    reasons: list[str] = []
    found: dict[int, dict[int, LayerBuilds]] = {}
    for rows in widths:
        found[rows] = {}
        for index in layer_kinds(config):
            try:
                found[rows][index] = _of_layer(config, tp, q, rows, index)
            except (UnsupportedStep, BuildError) as error:
                reasons.append(str(error))
    if reasons:
        raise BuildsUnknown(reasons)
    return found


def _of_layer(config: K3Config, tp: int, q: int, rows: int, index: int) -> LayerBuilds:
    info, shapes = config.layer(index), config.shard(tp)
    context = RankContext(config, info, shapes, 0, {}, LayerOptions())
    core = shapes.kda_channels if info.attention == "kda" else shapes.mla_value_cols
    inputs = {
        "prefix": torch.empty(rows, config.hidden_size, device="meta"),
        "core": torch.empty(rows, core, device="meta"),
        "state_index": torch.empty(rows // q, q, device="meta"),
        "conv_state": torch.empty(1, 1, q + config.short_conv_kernel_size - 2, device="meta"),
    }
    k1 = k1_build(context, inputs, {}) if info.attention == "kda" else None
    return LayerBuilds(k1, k2_build([context] * tp, inputs, {}))


def unique_builds(by_width: Mapping[int, Mapping[int, LayerBuilds]]) -> list[KernelBuild]:
    """Each build once, in the order in which layers launch them."""
    every = [b for layers in by_width.values() for pair in layers.values() for b in _both(pair)]
    return list(dict.fromkeys(every))


def _both(pair: LayerBuilds) -> list[KernelBuild]:
    return [pair.k2] if pair.k1 is None else [pair.k1, pair.k2]


def compiled(builds: Iterable[KernelBuild]) -> list[BuildIdentity]:
    """Compile builds; the identity of each.

    Raises:
        BuildsUnknown: FlyDSL is missing, or lists every build that does not compile.
    """
    cache, found, reasons = ArtefactCache(), [], []
    for build in builds:
        try:
            found.append(build.compile(isa=True, cache=cache).identity)
        except (CompileError, ToolchainError, BuildError) as error:
            reasons.append(str(error))
    if reasons:
        raise BuildsUnknown(reasons)
    return found


def compiled_vllm(installed: Path, q: int, widths: Iterable[int]) -> list[BuildIdentity]:
    """The builds of vLLM's own kernels, from the sources of the vLLM that is installed.

    Args:
        installed: the folder of the package ``vllm``.

    Raises:
        BuildsUnknown: its kernels are not those of the release that is known here, or do not
            compile; lists every reason.
    """
    from kk3fast.peers import vllm
    from kk3fast.peers.errors import PeerSourcesError
    from kk3fast.peers.vllm_sources import verified

    cache, found, reasons = ArtefactCache(), [], []
    try:
        verified(installed)
        with _sources_are(installed):
            for build in (b for rows in widths for b in vllm.production_builds(rows, q)):
                try:
                    found.append(vllm.build(build, cache=cache).identity)
                except CompileError as error:
                    reasons.append(f"{build}: {error}")
    except (PeerSourcesError, ToolchainError) as error:
        reasons.append(str(error))
    if reasons:
        raise BuildsUnknown(reasons)
    return found


@contextmanager
def _sources_are(folder: Path) -> Iterator[None]:
    """Compile vLLM's kernels from this folder for the block."""
    from kk3fast.peers.vllm_sources import OVERRIDE

    before = os.environ.get(OVERRIDE)
    os.environ[OVERRIDE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[OVERRIDE]
        else:
            os.environ[OVERRIDE] = before
