"""The served model's attention entry points, watched in the steps that are served.

Every call goes through ``verify.checks.ownership`` and its result goes on to the caller: nothing
runs twice. A control file names the phase that findings count for, and the entry point of one layer
that shall copy. What was found is written to a file a rank after every step.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from verify.checks.ownership import Ownership, compare, observe
from verify.data import Verdict

KDA_FORWARD, KDA_DISPATCH = "KDA forward", "KDA dispatch"
MLA_WRAPPER, MLA_FORWARD, MLA_DISPATCH = "MLA wrapper", "MLA forward", "MLA dispatch"
FUSED = "kk3 layer"
CONTROL = "control.json"


@dataclass
class Found:
    """One entry point in one phase."""

    code: str
    """module and name of the function that ran"""
    calls: int = 0
    owned: int = 0
    copied_bytes: int = 0
    layers: list[int] = field(default_factory=list)
    not_owned_in: list[int] = field(default_factory=list)
    """layers"""
    message: str = ""
    """of the first call that does not own what it returns"""


@dataclass
class Phase:
    """What was served while the control file was as it was."""

    steps: dict[str, int] = field(default_factory=dict)
    """by kind"""
    rows: int = 0
    entries: dict[str, Found] = field(default_factory=dict)


class Watch:
    """The entry points of one rank's model.

    Args:
        folder: of the control file and the reports.
        rank: of the report's name.
    """

    def __init__(self, folder: Path, rank: int):
        self.folder, self.rank = folder, rank
        self.phases: dict[str, Phase] = {}
        self._phase: Phase | None = None
        self._plant: str | None = None
        self._last: dict[str, int] = {}  # layer of each entry point that copies when it is planted
        self._made: list[Tensor] = []

    def begin_step(self, kind: str | None, rows: int) -> None:
        """Read the control file; a step of no kind (warm-up) or before any phase is not watched."""
        self._phase = self._plant = None
        try:
            control = json.loads((self.folder / CONTROL).read_text())
        except FileNotFoundError:
            return
        if kind is None:
            return
        self._phase = self.phases.setdefault(control["phase"], Phase())
        self._plant = control["plant"]
        self._phase.steps[kind] = self._phase.steps.get(kind, 0) + 1
        self._phase.rows += rows

    def end_step(self) -> None:
        """Write what was found so far."""
        if self._phase is None:
            return
        path = self.folder / f"rank-{self.rank}.json"
        new = path.with_suffix(".new")
        new.write_text(json.dumps({name: asdict(p) for name, p in self.phases.items()}, indent=1))
        os.replace(new, path)
        self._phase = None

    def attention(
        self, holder: Any, method: str, entry: str, layer: int, projection: nn.Module
    ) -> None:
        """Watch a method of a layer's attention; calls that leave the projection out pass by."""
        original = getattr(holder, method)
        self._last[entry] = max(layer, self._last.get(entry, 0))

        def watched(*given: Any, **named: Any) -> Any:
            if self._phase is None or named.get("skip_o_proj"):
                return original(*given, **named)
            call = partial(self._call, entry, layer, original, given, named)
            return self._note(entry, layer, original, observe(call, projection))

        setattr(holder, method, watched)

    def fused(self, kernels: dict[int, Callable[..., Any]], layer: int, held: Any) -> None:
        """Watch a layer of kk3's executor: its output must be the last stage's own tensor.

        Args:
            kernels: what the layer loop calls, by layer.
            held: the ``ContractLayer`` below.
        """
        original, run_k2 = kernels[layer], held._run_k2
        self._last[FUSED] = max(layer, self._last.get(FUSED, 0))

        def noted(inputs: Any) -> Any:
            taps = run_k2(inputs)
            self._made.append(taps["out"])
            return taps

        def watched(*given: Any, **named: Any) -> Any:
            self._made.clear()
            prefix, blocks, out = original(*given, **named)
            if self._phase is not None:
                out = self._planted(FUSED, layer, out)
                self._note(FUSED, layer, type(held).__call__, compare(out, self._made))
            return prefix, blocks, out

        held._run_k2 = noted
        kernels[layer] = watched

    def _call(
        self, entry: str, layer: int, original: Any, given: tuple[Any, ...], named: dict[str, Any]
    ) -> Tensor:
        return self._planted(entry, layer, original(*given, **named))

    def _planted(self, entry: str, layer: int, out: Tensor) -> Tensor:
        """A caller's buffer that is longer than the step, where a copy is planted."""
        if entry != self._plant or layer != self._last[entry]:
            return out
        buffer = torch.empty_like(torch.cat([out, out]))
        buffer[: len(out)] = out
        return buffer[: len(out)]

    def _note(self, entry: str, layer: int, original: Any, seen: Ownership[Any]) -> Any:
        assert self._phase is not None
        code = f"{original.__module__}:{original.__qualname__}"
        found = self._phase.entries.setdefault(entry, Found(code))
        found.calls += 1
        found.copied_bytes += seen.copied_bytes
        _add(found.layers, layer)
        if seen.check.verdict is Verdict.PASS:
            found.owned += 1
        else:
            _add(found.not_owned_in, layer)
            found.message = found.message or seen.check.message
        if code != found.code:
            found.code += f", {code}"
        return seen.returned


def attach(watch: Watch, model: Any) -> None:
    """Watch every attention layer of a loaded ``KimiLinearForCausalLM``, and kk3's layers."""
    for layer in model.model.layers:
        attention, i = layer.self_attn, layer.layer_idx
        mla = hasattr(attention, "mla_attn")
        points = [(attention, "forward", MLA_FORWARD if mla else KDA_FORWARD)]
        points += [(layer, "_run_self_attn", MLA_DISPATCH if mla else KDA_DISPATCH)]
        points += [(attention.mla_attn, "forward", MLA_WRAPPER)] if mla else []
        for holder, method, entry in points:
            watch.attention(holder, method, entry, i, attention.o_proj)
    if model.specialized_decode is not None:
        held = model.specialized_decode.kernels
        for i in held._kernels:
            watch.fused(held._kernels, i, held._layers[i])


def kind_of_step(metadata: Any) -> str | None:
    """By what the step's requests do: ``prefill``, ``decode``, ``verify``, ``mixed``; None: none.

    Args:
        metadata: vLLM's of the step; a KDA layer's counts the requests.
    """
    if not isinstance(metadata, dict):
        return None
    kda = next(m for m in metadata.values() if hasattr(m, "num_spec_decodes"))
    counts = {
        "prefill": kda.num_prefills,
        "decode": kda.num_decodes,
        "verify": kda.num_spec_decodes,
    }
    kinds = [kind for kind, count in counts.items() if count]
    return kinds[0] if len(kinds) == 1 else "mixed" if kinds else None


def _add(layers: list[int], layer: int) -> None:
    if layer not in layers:
        layers.append(layer)
