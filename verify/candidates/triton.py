"""The portable fast path: ``kk3fast.triton`` on a GPU, or under Triton's interpreter on a CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from kk3ref.stages import Layer
from verify.candidates.base import CandidateError, Evidence, LayerCall, NotServed, RunOptions
from verify.data import Build, Check

if TYPE_CHECKING:
    from kk3fast.triton.identity import TritonBuild
    from kk3fast.triton.peers import Peers, SlotLayout
    from verify.candidates.triton_ranks import ProcessLaunch

    Connect = Callable[[SlotLayout, torch.device], list[Peers]]

LAYERS = ("k1", "k2", "m1", "kda-decode", "moe")


class TritonCandidate:
    """Triton kernels of one layer kind, all ranks on one device."""

    name = "triton"
    description = "kk3fast's Triton kernels"
    batch_invariant = True
    processes = True

    def __init__(self, layer: Layer, options: RunOptions):
        self._layer = layer.name
        self._launch: TritonLaunch | ProcessLaunch | None = None

    def available(self) -> tuple[bool, str]:
        if find_spec("triton") is None:
            return False, "needs triton: pip install 'kk3[triton]'"
        if self._layer not in LAYERS:
            return False, f"it has {', '.join(LAYERS)}, not {self._layer}"
        from kk3fast.triton.target import INTERPRET, triton_version

        where = "under the interpreter" if INTERPRET else "compiled"
        if not INTERPRET and not torch.cuda.is_available():
            return False, "needs a GPU, or TRITON_INTERPRET=1 to run under Triton's interpreter"
        return True, f"triton {triton_version()}, {where}"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        self._launch = self.bind(call)
        self._launch()
        return self._launch.taps()

    def bind(self, call: LayerCall) -> TritonLaunch | ProcessLaunch:
        """The kernels over static memory (see ``verify.replay``).

        Raises:
            CandidateError: the kernels cannot run there.
            NotServed: they do not serve the step or its storage; lists every reason.
        """
        from kk3fast.triton.target import why_not

        own = call.ranks.rank if call.ranks else 0
        device = next(iter(call.buffers[own].values())).device
        problem = why_not(device)
        if problem:
            raise CandidateError(f"triton: {problem}")
        try:
            if call.ranks is not None:
                from verify.candidates.triton_ranks import ProcessLaunch

                return ProcessLaunch(call, call.ranks.device)
            return TritonLaunch(call, device)
        except ValueError as error:
            raise NotServed(f"triton: {error}") from error

    def evidence(self) -> Evidence:
        """Health words of the waits, and what was run."""
        assert self._launch is not None
        return self._launch.evidence()


class TritonLaunch:
    """One layer's launches on all ranks, over memory that stays where it is.

    Args:
        connect: the ranks' mailboxes; all in this process if None.
    """

    def __init__(self, call: LayerCall, device: torch.device, connect: Connect | None = None):
        self._connect = connect
        self._ranks: list[Any] = []
        self.notes: list[str] = []
        self._call = call
        self._names = {tap.name for tap in call.layer.taps}
        self._taps: Sequence[Mapping[str, Tensor]] = []
        self._built: Callable[[], list[Any]]
        self._problems: Callable[[], list[str]] = list
        self._run = self._bind(call, device)

    def _bind(
        self, call: LayerCall, device: torch.device
    ) -> Callable[[], Sequence[Mapping[str, Tensor]]]:
        if call.layer.name in ("k2", "moe"):
            return self._bind_group(call, device)
        from kk3fast.triton.k1 import K1, KdaDecode
        from kk3fast.triton.m1 import M1
        from kk3fast.triton.target import target_of

        kinds: dict[str, Any] = {"k1": K1, "m1": M1, "kda-decode": KdaDecode}
        ranks = [kinds[call.layer.name](c, target_of(device)) for c in call.contexts]
        rows = call.buffers[0]["core"].shape[0]
        kept = [rank.taps(rows) for rank in ranks]
        self._built = lambda: [k for rank in ranks for k in rank.built]

        def run() -> Sequence[Mapping[str, Tensor]]:
            return [
                rank(inputs, buffers, taps)
                for rank, inputs, buffers, taps in zip(
                    ranks, call.inputs, call.buffers, kept, strict=True
                )
            ]

        return run

    def _bind_group(
        self, call: LayerCall, device: torch.device
    ) -> Callable[[], Sequence[Mapping[str, Tensor]]]:
        from kk3fast.triton.group import Group
        from kk3fast.triton.k2 import K2, slot_layout
        from kk3fast.triton.peers import one_process
        from kk3fast.triton.target import target_of

        contexts = call.contexts
        rows = call.buffers[0]["out"].shape[0]
        layout = slot_layout(contexts[0].config, contexts[0].tp, rows)
        target = target_of(device, pdl=len(contexts) == 1)
        group = Group(
            [
                K2(c, target, peers, rows, moe_only=call.layer.name == "moe")
                for c, peers in zip(
                    contexts, (self._connect or one_process)(layout, device), strict=True
                )
            ]
        )
        self._ranks = group.ranks
        self._built = lambda: [k for rank in group.ranks for k in rank.built]
        self._problems = group.problems
        return lambda: group.run(call.inputs, call.buffers)

    @property
    def limit(self) -> int:
        """Nanoseconds (polls without a clock) after which a wait gives up; 0: there is none."""
        return self._ranks[0].peers.limit if self._ranks else 0

    @limit.setter
    def limit(self, value: int) -> None:
        for rank in self._ranks:
            rank.peers = replace(rank.peers, limit=value)

    def __call__(self) -> None:
        """Run one step on what the memory holds."""
        self._taps = self._run()

    def taps(self) -> list[dict[str, Tensor]]:
        """Everything the last launch exposes, one mapping a rank."""
        return [{n: t for n, t in taps.items() if n in self._names} for taps in self._taps]

    def problems(self) -> list[str]:
        """Waits that gave up so far: the words are sticky."""
        return self._problems()

    def evidence(self) -> Evidence:
        """Health words of the waits, and what was run."""
        from kk3fast.triton.identity import builds_of

        checks = (Check.none_of("waits", self.problems()),)
        return Evidence(checks, tuple(_build(b) for b in builds_of(self._built())))


def _build(build: TritonBuild) -> Build:
    values = asdict(build) | {"parameters": dict(build.parameters)}
    values["flydsl_version"] = values.pop("compiler")
    return Build(**values)
