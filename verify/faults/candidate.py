"""The reference with a planted fault, as a candidate that keeps memory between its launches."""

from __future__ import annotations

from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import Layer, Scope, run_layer
from verify.candidates.base import LayerCall
from verify.candidates.rowwise import by_rows
from verify.faults.plant import Memory, Plant


class FaultyCandidate:
    """The contract with one plant in it."""

    name = "planted"

    def __init__(self, plant: Plant):
        self.plant = plant
        self.description = plant.name
        self.batch_invariant = plant.by_rows
        self._memory = Memory(())

    def available(self) -> tuple[bool, str]:
        return True, "pure PyTorch"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        memory = self._memory
        memory.inputs, memory.buffers = call.inputs, call.buffers
        layer = self.plant.planted(self._layer(call.layer), lambda: memory)
        values = run_layer(layer, CONTRACT, call.contexts, call.inputs)
        if self.plant.late and len(call.contexts) > 1:
            values[-1] = self._late(call, values[-1])
        memory.launch += 1
        names = {tap.name for tap in call.layer.taps}
        return [{name: t for name, t in v.items() if name in names} for v in values]

    def _layer(self, layer: Layer) -> Layer:
        return by_rows(layer) if self.plant.by_rows else layer

    def _late(self, call: LayerCall, clean: dict[str, Tensor]) -> dict[str, Tensor]:
        """What the last rank has if it reads its peers' memory after they have returned."""
        last = len(call.contexts) - 1
        for rank in range(last):
            call.returned(rank)
        own = call.inputs[last]
        # Slots and lengths are metadata that every rank holds itself.
        inputs = [
            {n: t if t.is_floating_point() else own[n] for n, t in given.items()}
            for given in call.inputs
        ]
        values = run_layer(call.layer, CONTRACT, call.contexts, inputs)[last]
        names = [s.name for s in call.layer.stages]
        first = next(s for s in call.layer.stages if s.scope is Scope.COLLECTIVE)
        before = {
            tap.name for s in call.layer.stages[: names.index(first.name)] for tap in s.outputs
        }
        return {**values, **{name: clean[name] for name in clean if name in before}}
