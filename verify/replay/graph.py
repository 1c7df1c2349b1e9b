"""CUDA and HIP graphs: a launch captured once and replayed over static memory.

Capture follows torch's rules: warm up on a side stream, capture, replay. What synchronises with the
host (a data-dependent shape, a value read back) cannot be captured. A candidate of single stages
is then captured stage by stage, and the stages that cannot be are called eagerly in between; the
record names them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import RankContext, Scope, Stage
from verify.candidates import Candidate, Evidence, LayerCall
from verify.replay.launch import EagerLaunch, Launch, Mode, Taps, keep_results

WARM_UP = 3
Work = Callable[[], None]


class NotCapturable(RuntimeError):
    """A launch synchronises with the host, so that no graph can hold it; says what."""


def on_default_device(device: torch.device) -> Callable[[], AbstractContextManager[object]]:
    """A context in which tensors that reference code makes lie on the device."""
    return lambda: torch.device(device)


def capture(work: Work, device: torch.device) -> torch.cuda.CUDAGraph:
    """Capture ``work``, which must run over static memory.

    Raises:
        NotCapturable: it synchronises with the host.
    """
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP):  # lazy compilation and allocation happen here
            work()
    torch.cuda.current_stream(device).wait_stream(stream)
    torch.cuda.synchronize(device)
    _refuse_synchronisation(work)
    torch.cuda.synchronize(device)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            work()
    except RuntimeError as error:  # torch does not foresee every synchronisation
        torch.cuda.synchronize(device)
        raise NotCapturable(str(error).splitlines()[0]) from error
    return graph


def _refuse_synchronisation(work: Work) -> None:
    """Ask torch itself, before a capture that would leave the stream unusable."""
    before = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode("error")
    try:
        work()
    except RuntimeError as error:
        raise NotCapturable(str(error).splitlines()[0]) from error
    finally:
        torch.cuda.set_sync_debug_mode(before)


class GraphLaunch:
    """A launch in one graph."""

    mode = Mode.GRAPH

    def __init__(self, launch: Launch, device: torch.device):
        self._launch = launch
        self._graph = capture(launch, device)
        self.notes: list[str] = []
        self._wait: Work = getattr(launch, "wait", lambda: None)

    def __call__(self) -> None:
        self._wait()
        self._graph.replay()

    def idle(self) -> None:
        """Let ranks start late, where they have processes of their own."""
        own: Work | None = getattr(self._launch, "idle", None)
        if own is not None:
            own()

    def taps(self) -> Sequence[Mapping[str, Tensor]]:
        # The captured launch's tensors lie in the graph's own pool: a replay writes them again.
        return self._launch.taps()

    def evidence(self) -> Evidence:
        """The captured launch's."""
        own: Callable[[], Evidence] | None = getattr(self._launch, "evidence", None)
        return own() if own is not None else Evidence()

    def problems(self) -> list[str]:
        """Given-up waits and alarms so far."""
        own: Callable[[], list[str]] | None = getattr(self._launch, "problems", None)
        return own() if own is not None else []


class PiecewiseLaunch:
    """A candidate of single stages, one graph a stage and rank.

    Args:
        candidate: has ``stage(name)``.
        call: static memory.
        place: the context that reference code runs in.
    """

    mode = Mode.PIECEWISE

    def __init__(
        self,
        candidate: Any,
        call: LayerCall,
        device: torch.device,
        place: Callable[[], AbstractContextManager[object]],
    ):
        self._call = call
        self._pieces: list[Work] = []
        self._taps: Taps = [{} for _ in call.contexts]
        self.notes = []
        values: list[dict[str, Any]] = [dict(v) for v in call.inputs]
        eager: dict[str, str] = {}
        for s in call.layer.stages:
            function = candidate.stage(s.name)
            if function is None:
                self.notes.append(f"{s.name}: the contract reference stands in")
                function = _reference(s)
            self._bind_stage(s, function, values, device, place, eager)
        captured = len(call.layer.stages) - len(eager)
        self.notes.insert(0, f"{captured} of {len(call.layer.stages)} stages are captured")
        self.notes += [f"{name} is called eagerly: {why}" for name, why in eager.items()]

    def _bind_stage(
        self,
        s: Stage,
        function: Callable[[RankContext, Mapping[str, Any]], Mapping[str, Tensor]],
        values: list[dict[str, Any]],
        device: torch.device,
        place: Callable[[], AbstractContextManager[object]],
        eager: dict[str, str],
    ) -> None:
        together = s.scope is Scope.COLLECTIVE
        given = [{name: [v[name] for v in values] for name in s.inputs}] if together else values
        for rank, inputs in enumerate(given):
            context = self._call.contexts[rank]
            kept: dict[str, Tensor] = {}

            def work(
                context: RankContext = context,
                inputs: Mapping[str, Any] = inputs,
                kept: dict[str, Tensor] = kept,
            ) -> None:
                with place(), torch.no_grad():
                    result = function(context, {name: inputs[name] for name in s.inputs})
                for name, tensor in result.items():
                    if name in kept:
                        kept[name].copy_(tensor)
                    else:  # the piece's own static outputs, made once
                        kept[name] = tensor.clone()

            work()
            try:
                self._pieces.append(capture(work, device).replay)
            except NotCapturable as error:
                eager[s.name] = str(error)
                self._pieces.append(work)
            for number in range(len(values)) if together else [rank]:
                values[number].update(kept)
                self._taps[number].update(kept)

    def __call__(self) -> None:
        for piece in self._pieces:
            piece()
        keep_results(self._call, self._taps)

    def taps(self) -> Sequence[Mapping[str, Tensor]]:
        return self._taps


def _reference(s: Stage) -> Callable[[RankContext, Mapping[str, Any]], Mapping[str, Tensor]]:
    return lambda context, inputs: s(CONTRACT, context, inputs)


def graph_launch(
    candidate: Candidate, call: LayerCall, launch: Launch, device: torch.device
) -> tuple[Launch, str]:
    """The launch in a graph, in pieces, or as it is; and why it is not captured (``""`` if it is).

    Args:
        launch: the candidate bound to ``call``.
    """
    staged = isinstance(launch, EagerLaunch) and hasattr(candidate, "stage")
    if staged and not hasattr(candidate, "run"):
        pieces = PiecewiseLaunch(candidate, call, device, on_default_device(device))
        captured = len(pieces.notes) > 0 and not pieces.notes[0].startswith("0 of")
        return pieces, "" if captured else "no stage could be captured"
    try:
        return GraphLaunch(launch, device), ""
    except NotCapturable as error:
        return launch, f"the launch cannot be captured: {error}"
