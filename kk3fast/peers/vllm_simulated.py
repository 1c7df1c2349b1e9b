"""vLLM's production K1 and K2 on the simulator: all ranks of a step, on named tensors.

    run = simulate("k2", contexts, inputs, buffers)
    run.taps[3]["lat"]            # what rank 3's kernel handed over, by the stages' names

A kernel keeps its inner values in mailbox regions, which are read after the run: they show where a
fused launch first departs from the reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from kk3fast.compile import ArtefactCache, BuildIdentity
from kk3fast.expert_pages import ExpertPages
from kk3fast.peers import vllm
from kk3fast.peers.vllm_sources import kernel_folder
from kk3fast.sim import Models, Region, Result, Schedule, Simulator, Writer, compile_kernel
from kk3ref.stages import RankContext

Kernel = Literal["k1", "k2"]
Values = Mapping[str, Tensor]
EPOCH = 7
_BF16, _INT32 = torch.bfloat16, torch.int32


class UnsupportedStep(ValueError):
    """The kernels were not built for such a step or model; lists every reason."""


@dataclass
class SimulatedRun:
    """One simulated launch of a kernel on every rank.

    Attributes:
        taps: inner values by the reference's names, one mapping a rank.
        result: the simulator's counts, findings and virtual clock.
        identity: what was run.
        problems: given-up waits and raised alarms, in words; a healthy run has none.
    """

    taps: list[dict[str, Tensor]]
    result: Result
    identity: BuildIdentity
    problems: list[str] = field(default_factory=list)


def simulate(
    kernel: Kernel,
    contexts: Sequence[RankContext],
    inputs: Sequence[Values],
    buffers: Sequence[Values],
    *,
    schedule: Schedule | None = None,
    models: Models | None = None,
    sanitize: bool = False,
    cache: ArtefactCache | None = None,
    timeout_s: float = 1800.0,
) -> SimulatedRun:
    """Run a kernel once on all ranks.

    Args:
        contexts: weights and shapes, one a rank.
        inputs: the layer's inputs by the stages' names.
        buffers: outputs (``core``; ``out``, ``prefix_after``) and state pools (``…_after``, holding
            the state before the step), written in place.
        schedule, models, sanitize: see :class:`kk3fast.sim.Simulator`.
        cache: compiled builds.

    Raises:
        UnsupportedStep: lists every reason.
        PeerSourcesError: vLLM's sources are missing.
        SimulationError: the run faulted.
    """
    session = Session(
        kernel, contexts, inputs, buffers, models=models, sanitize=sanitize, cache=cache
    )
    return session.launch(schedule, timeout_s=timeout_s)


class Session:
    """Launches of a kernel over memory that is kept between them: scratch, mailboxes, peer buffers,
    health words. The epoch goes up by one a launch, as the serving engine bumps it. ``writers``
    keeps who stored every word last, for :meth:`writer`.

    Arguments and errors are those of :func:`simulate`; ``inputs`` and ``buffers`` are read anew at
    every launch.
    """

    def __init__(
        self,
        kernel: Kernel,
        contexts: Sequence[RankContext],
        inputs: Sequence[Values],
        buffers: Sequence[Values],
        *,
        models: Models | None = None,
        sanitize: bool = False,
        writers: bool = False,
        cache: ArtefactCache | None = None,
    ) -> None:
        self._writers = writers
        self._kernel, self._contexts = kernel, contexts
        self._inputs, self._buffers = inputs, buffers
        self._models, self._sanitize = models, sanitize
        self._build = build_of(kernel, contexts, inputs)
        self._artefact = vllm.build(self._build, isa=True, cache=cache or ArtefactCache())
        self._compiled = compile_kernel(
            self._artefact.located_ir,
            block=vllm.geometry().block,
            sources={"vllm/": kernel_folder()},
        )
        self._setup: _Setup | None = None
        self._result: Result | None = None

    def launch(
        self, schedule: Schedule | None = None, *, timeout_s: float = 1800.0
    ) -> SimulatedRun:
        """Run the kernel once more, on all ranks.

        Raises:
            SimulationError: the run faulted.
        """
        sim = Simulator(schedule, self._models, sanitize=self._sanitize, writers=self._writers)
        setup = self._setup = _Setup(sim, self._build, self._contexts, self._setup)
        order, grid = vllm.arguments(self._build), vllm.geometry().grid
        for rank, context in enumerate(self._contexts):
            given = setup.arguments(rank, context, self._inputs[rank], self._buffers[rank])
            sim.launch(self._compiled, grid, [given[a.name] for a in order], rank=rank)
        result = sim.run(timeout_s=timeout_s)
        taps = [self._read(_Values(setup, rank)) for rank in range(len(self._contexts))]
        self._result = result
        return SimulatedRun(taps, result, self._artefact.identity, setup.problems())

    def writer(self, rank: int, tap: str, index: tuple[int, ...]) -> Writer | None:
        """Who stored an element of a tap, an output or a pool last in the last launch.

        Returns:
            None where nobody did, or the tap is neither in a mailbox nor in a buffer.
        """
        assert self._setup is not None
        assert self._result is not None
        if self._result.writers is None:
            raise ValueError("the session must have been made with writers=True")
        if tap in self._buffers[rank]:
            return self._result.writers.of(self._buffers[rank][tap], index)
        addresses = self._read(_Addresses(self._setup, rank))
        return self._result.writers.at(int(addresses[tap][index])) if tap in addresses else None

    def _read(self, reader: _Values) -> dict[str, Tensor]:
        return (_k1_taps if self._kernel == "k1" else _k2_taps)(reader)


def build_of(
    kernel: Kernel, contexts: Sequence[RankContext], inputs: Sequence[Values]
) -> vllm.VllmBuild:
    """The production build for a step.

    Raises:
        UnsupportedStep: lists every reason.
    """
    context, values = contexts[0], inputs[0]
    layer, shapes, config = context.layer, context.shapes, context.config
    found = {
        "tensor-parallel ranks": (len(contexts), vllm.geometry().ranks),
        "hidden_size": (config.hidden_size, 7168),
        "num_experts": (config.num_experts, 896),
        "num_experts_per_token": (config.num_experts_per_token, 16),
        "routed_expert_hidden_size": (config.routed_expert_hidden_size, 3584),
        "local expert width": (shapes.expert_intermediate, 384),
        "local channels": (shapes.kda_channels, 1536),
        "KDA head_dim": (config.kda_head_dim, 128),
    }
    reasons = [
        f"{n} must be {want}, got {have}" for n, (have, want) in found.items() if have != want
    ]
    if layer.num_blocks < 1:
        reasons.append("the first layer has no AttnRes block and no build")
    if kernel == "k1" and layer.attention != "kda":
        reasons.append(f"K1 serves KDA layers, layer {layer.index} is {layer.attention}")
    if reasons:
        raise UnsupportedStep("vLLM's kernels: " + "; ".join(reasons))
    rows = values["prefix"].shape[0]
    if kernel == "k1":
        write = -1 if layer.block_index is None else layer.block_index
        width = values["state_index"].shape[1]
        return vllm.VllmBuild("k1", rows, layer.num_blocks, width, write_index=write)
    blocks = layer.num_blocks + layer.writes_block
    return vllm.VllmBuild("k2", rows, blocks, reset=layer.writes_block)


class _Setup:
    """Memory of a run: regions, scratch and peer buffers, and the arguments made of them.

    ``last``: the launch before, whose scratch, peer buffers and health words are used again.
    """

    def __init__(
        self,
        sim: Simulator,
        build: vllm.VllmBuild,
        contexts: Sequence[RankContext],
        last: _Setup | None = None,
    ) -> None:
        self.sim, self.build = sim, build
        self.rows = build.rows
        geometry = vllm.geometry()
        self.head = geometry.peer_head_bytes
        ranks = range(len(contexts))
        peer = vllm.peer_bytes(build.rows) if build.kernel == "k2" else 0
        self.experts: dict[int, ExpertPages] = last.experts if last else {}
        if last is None:
            self.epoch = EPOCH
            self.scratch = [_bytes(vllm.scratch_bytes(build)) for _ in ranks]
            self.peer = [_bytes(self.head + peer) for _ in ranks]
            self.health = [torch.zeros(geometry.health_words, dtype=_INT32) for _ in ranks]
        else:
            self.epoch = last.epoch + 1
            self.scratch, self.peer, self.health = last.scratch, last.peer, last.health
        self._peer_regions = [
            sim.region(f"peer buffer of rank {r}", t, rank=r) for r, t in enumerate(self.peer)
        ]
        addresses = [region.address + self.head for region in self._peer_regions]
        self._peers = self._shared("peers", torch.tensor(addresses, dtype=torch.int64))
        self._epoch = self._shared("epoch", torch.tensor([self.epoch, 0], dtype=_INT32))
        self._weights: dict[int, Region] = {}
        self._scratch_regions: dict[int, Region] = {}

    def arguments(
        self, rank: int, context: RankContext, inputs: Values, buffers: Values
    ) -> dict[str, int | Region]:
        """Every argument of the rank's launch by vLLM's name."""
        prefix = buffers["prefix_after"]
        prefix.copy_(inputs["prefix"])  # the kernel updates it in place
        blocks = buffers["blocks_after"] if "blocks_after" in buffers else inputs["blocks"]
        slot = context.layer.index + (128 if self.build.kernel == "k2" else 0)
        read = "attn_res" if self.build.kernel == "k1" else "mlp_res"
        norm = "input_norm_w" if self.build.kernel == "k1" else "post_norm_w"
        common: dict[str, int | Region] = {
            "prefix": self._own("prefix", rank, prefix),
            "blocks": self._own("blocks", rank, blocks),
            "blk_sm": blocks.stride(0),
            "blk_sr": blocks.stride(1),
            "ares_nw": self._weight(f"{read}_norm_w", context),
            "ares_qk": self._weight(f"{read}_q", context),
            "in_nw": self._weight(norm, context),
            "scratch": self._scratch(rank),
            "epoch": self._epoch,
            "layer": slot,
            "health": self._own("health", rank, self.health[rank]),
            "alarm": self._peer_regions[0].address + 4 * rank,
        }
        own = self._k1 if self.build.kernel == "k1" else self._k2
        return common | own(rank, context, inputs, buffers)

    def _k1(
        self, rank: int, context: RankContext, inputs: Values, buffers: Values
    ) -> dict[str, int | Region]:
        conv, state = buffers["conv_state_after"], buffers["recurrent_state_after"]
        dims = (1, 2) if context.options.conv_dim_first else (2, 1)
        names = {"w_in": "w_in", "w_fb": "w_fb", "conv_w": "conv_w", "a_log": "a_log"}
        names |= {"dt_bias": "dt_bias", "on_w": "o_norm_w"}
        weights = {vllms: self._weight(ours, context) for vllms, ours in names.items()}
        own: dict[str, int | Region] = {
            "delta": self._own("delta", rank, inputs["delta"]),
            "conv_st": self._own("conv state", rank, conv),
            "cs_seq": conv.stride(0),
            "cs_dim": conv.stride(dims[0]),
            "cs_tok": conv.stride(dims[1]),
            "rstate": self._own("recurrent state", rank, state),
            "rs_seq": state.stride(0),
            "st_idx": self._own("state index", rank, inputs["state_index"]),
            "st_stride": inputs["state_index"].stride(0),
            "num_acc": self._own("accepted", rank, inputs["num_accepted"]),
            "core_out": self._own("core", rank, buffers["core"]),
        }
        return weights | own

    def _k2(
        self, rank: int, context: RankContext, inputs: Values, buffers: Values
    ) -> dict[str, int | Region]:
        names = {n: n for n in ("w_o", "w_gate", "w_ld", "w_sgu", "w_sd", "ln_w", "w_up")}
        names["bias"] = "router_bias"
        if rank not in self.experts:
            self.experts[rank] = ExpertPages(context.experts, context.config.num_experts)
        experts = self.experts[rank]
        pages: dict[str, int | Region] = {
            name: self.sim.region(
                f"{name} of rank {rank}",
                nbytes=part.total_bytes,
                pages=part.page,
                page_bytes=part.page_bytes,
                rank=rank,
                writable=False,
            )
            for name, part in experts.parts().items()
        }
        weights = {vllms: self._weight(ours, context) for vllms, ours in names.items()}
        own: dict[str, int | Region] = {
            "core": self._own("core", rank, inputs["core"]),
            "out": self._own("out", rank, buffers["out"]),
            "peers": self._peers,
            "rank": rank,
        }
        return weights | pages | own

    def _scratch(self, rank: int) -> Region:
        region = self._own("scratch", rank, self.scratch[rank])
        self._scratch_regions[rank] = region
        return region

    # -- regions -----------------------------------------------------------------------------

    def _own(self, name: str, rank: int, tensor: Tensor) -> Region:
        return self.sim.region(f"{name} of rank {rank}", _extent(tensor), rank=rank)

    def _shared(self, name: str, tensor: Tensor) -> Region:
        return self.sim.region(name, tensor, writable=False)

    def _weight(self, name: str, context: RankContext) -> Region:
        """A weight; what the ranks share is one region."""
        tensor = context.weights[name].contiguous()
        key = tensor.data_ptr()
        if key not in self._weights:
            self._weights[key] = self._shared(f"{name} of rank {context.rank}", tensor)
        return self._weights[key]

    # -- what the kernel left ------------------------------------------------------------------

    def values(self, rank: int, name: str) -> Tensor:
        """The 32-bit values of a mailbox region, int32."""
        base, _, start, region = self._place(rank, name)
        words = base[start : start + region.bytes].view(_INT32)
        return words.view(-1, 2)[:, 0].contiguous() if region.pairs else words

    def addresses(self, rank: int, name: str) -> Tensor:
        """Where each of :meth:`values` lies in the simulated memory, int64."""
        _, memory, start, region = self._place(rank, name)
        step = 8 if region.pairs else 4
        return memory.address + start + torch.arange(0, region.bytes, step)

    def _place(self, rank: int, name: str) -> tuple[Tensor, Region, int, Any]:
        """Bytes, simulated region, first byte and layout of a mailbox region."""
        regions = vllm.scratch_regions(self.build)
        if name in regions:
            layout = regions[name]
            return self.scratch[rank], self._scratch_regions[rank], layout.offset, layout
        layout = vllm.peer_regions(self.rows)[name]
        half = vllm.peer_bytes(self.rows) // 2
        start = self.head + half * (self.epoch % 2) + layout.offset
        return self.peer[rank], self._peer_regions[rank], start, layout

    def problems(self) -> list[str]:
        """Given-up waits and alarms."""
        found = []
        names = [*vllm.scratch_regions(self.build)]
        if self.build.kernel == "k2":
            names += [*vllm.peer_regions(self.rows)]
        for rank, words in enumerate(self.health):
            found += [f"rank {rank}: {wait}" for wait in vllm.given_up_waits(words.tolist(), names)]
            if int(self.peer[0][4 * rank : 4 * rank + 4].view(_INT32)):
                found.append(f"rank {rank} raised its alarm word")
        return found


def _bytes(count: int) -> Tensor:
    """Zeroed memory of at least ``count`` bytes, in whole 16-byte words."""
    return torch.zeros(-(-count // 16) * 16, dtype=torch.uint8)


def _extent(tensor: Tensor) -> Tensor:
    """The memory from a strided tensor's first element to its last, gaps included."""
    extent = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.as_strided((extent,), (1,))


class _Values:
    """A rank's mailbox regions as tensors of what they hold."""

    def __init__(self, setup: _Setup, rank: int) -> None:
        self.setup, self.rank = setup, rank
        self.rows, self.ranks = setup.rows, len(setup.peer)

    def words(self, name: str) -> Tensor:
        """The 32-bit values of a region."""
        return self.setup.values(self.rank, name)

    def split(self, words: Tensor, dtype: torch.dtype) -> Tensor:
        """Words as what is packed in them, the first in the low bits."""
        return words.contiguous().view(dtype)

    def cast(self, values: Tensor, dtype: torch.dtype) -> Tensor:
        """Values held in a wider dtype."""
        return values.to(dtype)


class _Addresses(_Values):
    """The same shapes, holding where each element lies (of its word) instead of its value."""

    def words(self, name: str) -> Tensor:
        return self.setup.addresses(self.rank, name)

    def split(self, words: Tensor, dtype: torch.dtype) -> Tensor:
        *lead, last = words.shape
        each = 4 // dtype.itemsize
        return words.contiguous().repeat_interleave(each).view(*lead, last * each)

    def cast(self, values: Tensor, dtype: torch.dtype) -> Tensor:
        return values


def _k1_taps(m: _Values) -> dict[str, Tensor]:
    proj = m.split(m.words("proj"), torch.float32).view(m.rows, -1)  # bf16 values held as fp32
    return {
        "x": m.split(m.words("x"), _BF16).view(m.rows, -1).clone(),
        "proj": m.cast(proj, _BF16),
    }


def _k2_taps(m: _Values) -> dict[str, Tensor]:
    rows = m.rows

    def bf16(name: str) -> Tensor:
        return m.split(m.words(name), _BF16).clone()

    def own(name: str) -> Tensor:
        """The rank's own slot of a region in which every rank has one."""
        return bf16(name).view(m.ranks, rows, -1)[m.rank].clone()

    logits = m.split(m.words("rlog"), torch.float32).view(m.ranks, rows, -1)
    route = m.words("route").view(rows, 2, -1)
    inner = m.split(m.words("inter"), torch.uint8)
    picks = route.shape[2]
    return {
        "o_partial": own("ar"),
        "x": bf16("xrow").view(rows, -1),
        "logits": logits.transpose(0, 1).reshape(rows, -1).contiguous(),
        "ids": route[:, 0].contiguous(),
        "pick_weights": m.split(route[:, 1], torch.float32),
        "lat": bf16("lat").view(rows, -1),
        "h_codes": inner.view(rows, picks, -1),
        "h_scales": m.cast(m.words("isc").view(rows, picks, -1), torch.uint8),
        "moe_partial": own("latr"),
        "ln": bf16("ln").view(rows, -1),
        "gu": bf16("sgu").view(rows, -1),
        "sh": bf16("h").view(rows, -1),
        "final": own("final"),
    }


__all__ = ["Session", "SimulatedRun", "UnsupportedStep", "build_of", "simulate"]
