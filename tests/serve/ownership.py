"""The scenario of the projection's output: what vLLM's attention entry points return, as served.

:data:`UPSTREAM` is what vLLM 0.33.0 does. An entry point that copies, or one that no longer does,
is another vLLM than the one written down here, so it fails the scenario.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kk3fast.runtime.layers import layer_kinds
from tests.serve.cpu_model.kk3_rig.ownership import (
    CONTROL,
    FUSED,
    KDA_DISPATCH,
    KDA_FORWARD,
    MLA_DISPATCH,
    MLA_FORWARD,
    MLA_WRAPPER,
)
from tests.serve.model_folder import CONFIG
from tests.serve.rig import Rig, expect
from tests.serve.scenarios import LONG_S, PROMPTS, Texts, texts
from tests.serve.server import Server, Serving

FP32 = 4  # bytes
KINDS = {"prefill", "verify"}  # a server with drafts has no plain decode steps
CHAINS = ((KDA_FORWARD, KDA_DISPATCH), (MLA_WRAPPER, MLA_FORWARD, MLA_DISPATCH), (FUSED,))
"""callees first: who copies is seen by its callers, and not by what it calls"""


@dataclass(frozen=True)
class EntryPoint:
    """What is known of an entry point."""

    code: str
    """module and name of the function that must run: vLLM's own, not the rig's"""
    copies: bool = False
    """whether it copies its projection's output"""


_AMD = "vllm.models.kimi_k3.amd"
_DISPATCH = EntryPoint(f"{_AMD}.linear:KimiDecoderLayer._run_self_attn")
UPSTREAM = {
    KDA_FORWARD: EntryPoint(f"{_AMD}.kda:KimiK3DeltaAttention.forward"),
    KDA_DISPATCH: _DISPATCH,
    MLA_WRAPPER: EntryPoint(f"{_AMD}.mla:KimiK3MultiHeadLatentAttentionWrapper.forward"),
    MLA_FORWARD: EntryPoint(f"{_AMD}.linear:KimiMLAAttention.forward"),
    MLA_DISPATCH: _DISPATCH,
}
"""vLLM 0.33.0, its ROCm tree"""
OURS = {FUSED: EntryPoint("kk3fast.serve.contract:ContractLayer.__call__")}


def layers_of(entry: str) -> list[int]:
    """The tiny model's layers that have an entry point."""
    if entry == FUSED:
        return sorted(layer_kinds(CONFIG))
    kind = "kda" if entry in CHAINS[0] else "mla"
    return [i for i in range(CONFIG.num_hidden_layers) if CONFIG.layer(i).attention == kind]


def problems(
    phase: dict[str, Any], expected: dict[str, EntryPoint], planted: str | None = None
) -> list[str]:
    """How a phase of a rank's report differs from what is expected.

    Args:
        phase: as the rig's ``Phase``.
        expected: every entry point that must be there, called once a step in each of its layers.
        planted: the entry point whose last layer copies; its callers see the copy too.
    """
    found = []
    row = CONFIG.hidden_size * FP32
    for entry, known in expected.items():
        seen, layers = phase["entries"].get(entry), layers_of(entry)
        if seen is None or sorted(seen["layers"]) != layers:
            found.append(f"{entry}: must run in layers {layers}, got {seen and seen['layers']}")
            continue
        if seen["code"] != known.code:
            found.append(f"{entry}: must be {known.code}, got {seen['code']}")
        calls, steps = seen["calls"], seen["calls"] // len(layers)
        served = sum(phase["steps"].values())
        if calls % len(layers) or (FUSED not in phase["entries"] and steps != served):
            found.append(f"{entry}: {len(layers)} layers in {served} steps, got {calls} calls")
        copies = layers if known.copies else _copying(entry, planted)
        wanted = (calls - steps * len(copies), copies)
        got = (seen["owned"], sorted(seen["not_owned_in"]))
        if got != wanted:
            found.append(
                f"{entry}: of {calls} calls {wanted[0]} must own what they return, all but those "
                f"in layers {wanted[1]}; got {got[0]} and {got[1]}: {seen['message']}"
            )
        rows, copied = phase["rows"], seen["copied_bytes"]
        if entry == FUSED:  # not in every step
            right = copied % row == 0 and bool(copied) == bool(copies)
        else:
            right = copied == rows * row * len(copies)
        if not right:
            found.append(
                f"{entry}: {len(copies)} layers must copy rows of {row} bytes, {rows} each, "
                f"got {copied} bytes"
            )
    return found


def _copying(entry: str, planted: str | None) -> list[int]:
    chain = next(c for c in CHAINS if entry in c)
    sees = planted in chain and chain.index(entry) >= chain.index(planted)
    return layers_of(entry)[-1:] if sees else []


class Control:
    """Names the phases of a running server, and what is planted in them."""

    def __init__(self, folder: Path, server: Server, tp: int):
        self.folder, self.server, self.tp = folder, server, tp

    def serve(
        self, name: str, wanted: Texts, expected: dict[str, EntryPoint], planted: str | None = None
    ) -> dict[str, Any]:
        """Serve the texts in a phase of their own and hold every rank to what is expected.

        Returns:
            the phase as rank 0 saw it.

        Raises:
            Failed: other tokens, or other entry points than expected.
        """
        new = self.folder / "control.new"
        new.write_text(json.dumps({"phase": name, "plant": planted}))
        os.replace(new, self.folder / CONTROL)
        # A copy changes no value, so the tokens must be the same with it.
        expect(texts(self.server, PROMPTS[: len(wanted)]) == wanted, f"{name}: other tokens")
        ranks = [self._phase(rank, name) for rank in range(self.tp)]
        wrong = [
            f"{name}, rank {rank}: {problem}"
            for rank, phase in enumerate(ranks)
            for problem in problems(phase, expected, planted)
        ]
        expect(not wrong, "; ".join(wrong))
        return ranks[0]

    def _phase(self, rank: int, name: str) -> dict[str, Any]:
        path = self.folder / f"rank-{rank}.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        expect(name in found, f"{name}: rank {rank} reports no step of it")
        phase: dict[str, Any] = found[name]
        return phase


def ownership(rig: Rig, wanted: Texts) -> None:
    """vLLM's layers and kk3's in served steps, and a copy planted at each entry point in turn."""
    folder = rig.folder / f"ownership-tp{rig.tp}-{time.time_ns()}"
    folder.mkdir()
    switch = folder / "off-switch"
    additional = rig.on(kk3_off_switch=str(switch), kk3_rig_ownership=str(folder))
    with (
        rig.scenario("ownership", LONG_S + 120) as told,
        rig.running("ownership", Serving(tp=rig.tp, additional=additional)) as server,
    ):
        control = Control(folder, server, rig.tp)
        both = UPSTREAM | OURS
        fused = control.serve("kk3", wanted, both)
        planted = {FUSED: control.serve("kk3, planted", wanted[:1], both, FUSED)}
        switch.touch()
        texts(server, PROMPTS[:1])  # more than 16 steps: all ranks have looked
        stock = control.serve("stock", wanted, UPSTREAM)
        expect(set(stock["steps"]) >= KINDS, f"steps must be of {KINDS}, got {stock['steps']}")
        expect(FUSED not in stock["entries"], "kk3's layers ran while they were switched off")
        for entry in UPSTREAM:
            name = f"stock, planted: {entry}"
            planted[entry] = control.serve(name, wanted[:1], UPSTREAM, entry)
        points = len(UPSTREAM)
        told.append(f"owned: {_share(stock, UPSTREAM)} calls of vLLM's {points} entry points")
        told.append(f"{_share(fused, OURS)} of kk3's layers")
        told.append(f"a copy planted at each of the {len(both)} was found, and by its callers")
        for entry in both:
            told.append(_told(entry, fused if entry == FUSED else stock, planted[entry]))


def _share(phase: dict[str, Any], entries: dict[str, EntryPoint]) -> str:
    seen = [phase["entries"][entry] for entry in entries]
    return f"{sum(s['owned'] for s in seen)} of {sum(s['calls'] for s in seen)}"


def _told(entry: str, phase: dict[str, Any], planted: dict[str, Any]) -> str:
    seen, copied = phase["entries"][entry], planted["entries"][entry]
    return (
        f"{entry} ({seen['code']}): {len(seen['layers'])} layers, {seen['calls']} calls, "
        f"{seen['owned']} owned, {seen['copied_bytes']} bytes copied; planted in one layer "
        f"{copied['copied_bytes']} bytes in {copied['calls'] - copied['owned']} calls"
    )
