"""vLLM's production K1 and K2 on the simulator, with random weights, for tests and benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from kk3fast.compile import ArtefactCache
from kk3fast.peers import vllm
from kk3fast.peers.vllm_sources import kernel_folder
from kk3fast.sim import CompiledKernel, Region, Simulator, compile_kernel
from kk3fast.sim.ir import Location
from kk3fast.sim.stages import Stages

PAGE = 1 << 16
EPOCH, SLOT = 5, 3
EXPERT_BYTES = {"w13": (0, 256), "w13s": (117, 122), "w2": (0, 256), "w2s": (118, 123)}
"""Routed expert weights, made a page at a time: argument -> the range of their random bytes."""
STD = {
    "ares_qk": 0.02,
    "delta": 0.3,
    "a_log": 0.5,
    "dt_bias": 0.5,
    "conv_w": 0.5,
    "rstate": 0.1,
    "bias": 0.1,
}
NORMS = ("ares_nw", "in_nw", "on_w", "ln_w")


def compiled(key: vllm.VllmBuild, cache: ArtefactCache | None = None) -> CompiledKernel:
    """A build's kernel, compiled for this computer."""
    artefact = vllm.build(key, isa=False, cache=cache)
    return compile_kernel(artefact.located_ir, sources={"vllm/": kernel_folder()})


def stage_of(loc: Location) -> str:
    """The source function of vLLM's that a location lies in."""
    span = Stages({"vllm/": kernel_folder()}).function(loc.frames[0])
    return span[3] if span else "?"


@dataclass
class Launch:
    """One rank's tensors by argument name."""

    key: vllm.VllmBuild
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)
    scalars: dict[str, int] = field(default_factory=dict)

    def digest(self) -> tuple[bytes, ...]:
        """The bytes of everything the kernel writes for others."""
        names = [
            a.name
            for a in vllm.arguments(self.key)
            if a.access != "read" and a.name in self.tensors
        ]
        skip = ("scratch", "alarm")
        return tuple(
            self.tensors[n].view(torch.uint8).numpy().tobytes() for n in names if n not in skip
        )


def tensor(argument: Any, key: vllm.VllmBuild, generator: torch.Generator) -> torch.Tensor:
    """Random data of an argument's shape; zeros for what is only written, scratch and health."""
    shape = [4 * key.rows + 1 if n == "slots" else int(n) for n in argument.shape]
    dtype = getattr(torch, argument.dtype)
    if argument.name == "st_idx":
        return torch.arange(1, shape[0] * shape[1] + 1, dtype=dtype).view(shape)
    if argument.name == "num_acc":
        return torch.ones(shape, dtype=dtype)
    if argument.name == "epoch":
        return torch.full(shape, EPOCH, dtype=dtype)
    if argument.access == "write" or argument.name in ("scratch", "health"):
        return torch.zeros(shape, dtype=dtype)
    x = torch.randn(shape, generator=generator)
    if argument.name in NORMS:
        return (1 + 0.1 * x).to(dtype)
    std = STD.get(argument.name)
    if std is None:
        std = shape[-1] ** -0.5 if argument.name.startswith("w_") else 1.0
    return (std * x).to(dtype)


def strides(launch: Launch) -> dict[str, int]:
    """The stride arguments of a rank's tensors, and its launch slot."""
    t, blocks = launch.tensors, launch.tensors["blocks"]
    out = {"blk_sm": blocks.stride(0), "blk_sr": blocks.stride(1), "layer": SLOT}
    if launch.key.kernel == "k1":
        conv = t["conv_st"]
        names = ("cs_seq", "cs_dim", "cs_tok")
        out |= dict(zip(names, conv.stride(), strict=True))
        out |= {"rs_seq": t["rstate"].stride(0), "st_stride": t["st_idx"].stride(0)}
    return out


def k1(sim: Simulator, kernel: CompiledKernel, key: vllm.VllmBuild, seed: int = 0) -> Launch:
    """Queue K1 of one rank."""
    generator = torch.Generator().manual_seed(seed)
    launch = Launch(key)
    arguments = vllm.arguments(key)
    for a in (a for a in arguments if a.is_pointer):
        launch.tensors[a.name] = tensor(a, key, generator)
    launch.scalars = strides(launch)
    regions = {
        a.name: sim.region(a.name, launch.tensors[a.name], rank=0, writable=a.access != "read")
        for a in arguments
        if a.is_pointer
    }
    values = [regions.get(a.name, launch.scalars.get(a.name)) for a in arguments]
    sim.launch(kernel, vllm.geometry().grid, values)
    return launch


def expert_page(seed: int, low: int, high: int) -> Any:
    """A provider of random pages that depend on nothing but the page's index."""

    def page(i: int) -> np.ndarray:
        return np.random.default_rng([seed, i]).integers(low, high, PAGE, np.uint8)

    return page


def k2(sim: Simulator, kernel: CompiledKernel, key: vllm.VllmBuild, seed: int = 0) -> list[Launch]:
    """Queue K2 on every rank: own weights a rank; inputs, router and latent weights alike."""
    geometry = vllm.geometry()
    arguments = [a for a in vllm.arguments(key) if a.is_pointer]
    alike = (
        "prefix",
        "blocks",
        "ares_nw",
        "ares_qk",
        "in_nw",
        "w_gate",
        "bias",
        "w_ld",
        "ln_w",
        "epoch",
    )
    generator = torch.Generator().manual_seed(seed)
    common = {a.name: tensor(a, key, generator) for a in arguments if a.name in alike}
    half = (geometry.peer_head_bytes + vllm.peer_bytes(key.rows) + 7) // 8 * 8
    launches, boxes, regions = [], [], []
    for rank in range(geometry.ranks):
        launch = Launch(key)
        mine: dict[str, Region] = {}
        generator.manual_seed(1000 * seed + rank + 1)
        box = torch.zeros(half, dtype=torch.uint8)
        boxes.append(sim.region(f"peer buffer of rank {rank}", box, rank=rank))
        for i, a in enumerate(arguments):
            if a.name in ("alarm", "peers"):
                continue
            name, writes = f"{a.name} of rank {rank}", a.access != "read"
            if a.name in EXPERT_BYTES:
                nbytes = int(np.prod([int(n) for n in a.shape]))
                pages = expert_page(100 * rank + i, *EXPERT_BYTES[a.name])
                mine[a.name] = sim.region(
                    name, nbytes=nbytes, pages=pages, page_bytes=PAGE, rank=rank, writable=False
                )
                continue
            t = common[a.name] if a.name in alike else tensor(a, key, generator)
            launch.tensors[a.name] = t.clone() if writes else t
            mine[a.name] = sim.region(name, launch.tensors[a.name], rank=rank, writable=writes)
        launch.scalars = {**strides(launch), "rank": rank, "layer": 128 + SLOT}
        launches.append(launch)
        regions.append(mine)
    peers = np.array([box + geometry.peer_head_bytes for box in boxes], np.int64)
    table = sim.region("peers", peers, writable=False)
    for rank, (launch, mine) in enumerate(zip(launches, regions, strict=True)):
        words: dict[str, Any] = {
            **mine,
            **launch.scalars,
            "peers": table,
            "alarm": boxes[0] + 4 * rank,
        }
        sim.launch(kernel, geometry.grid, [words[a.name] for a in vllm.arguments(key)], rank=rank)
    return launches
