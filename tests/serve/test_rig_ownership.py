"""The watch on a served model's entry points, and what the scenario makes of its report."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.serve.cpu_model.kk3_rig.ownership import (
    CONTROL,
    FUSED,
    KDA_DISPATCH,
    KDA_FORWARD,
    MLA_DISPATCH,
    MLA_FORWARD,
    MLA_WRAPPER,
    Watch,
    attach,
    kind_of_step,
)
from tests.serve.model_folder import CONFIG
from tests.serve.ownership import CHAINS, OURS, UPSTREAM, EntryPoint, layers_of, problems

ROWS, STEPS, HIDDEN = 3, 2, 8
ENTRIES = (KDA_FORWARD, KDA_DISPATCH, MLA_WRAPPER, MLA_FORWARD, MLA_DISPATCH)


class Kda(nn.Module):
    """An attention with a projection that returns its bias beside its output."""

    def __init__(self, copies: bool = False):
        super().__init__()
        self.o_proj, self.copies = nn.Linear(HIDDEN, HIDDEN), copies

    def forward(self, hidden_states: Tensor) -> Tensor:
        out: Tensor = self.o_proj(hidden_states)
        return out.clone() if self.copies else out


class Wrapper(nn.Module):
    def __init__(self, o_proj: nn.Module):
        super().__init__()
        self.o_proj = o_proj

    def forward(self, hidden_states: Tensor, skip_o_proj: bool = False) -> Tensor:
        out: Tensor = hidden_states if skip_o_proj else self.o_proj(hidden_states)
        return out


class Mla(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.o_proj = nn.Linear(HIDDEN, HIDDEN)
        self.mla_attn = Wrapper(self.o_proj)

    def forward(self, hidden_states: Tensor) -> Tensor:
        out: Tensor = self.mla_attn(hidden_states)
        return out


class DecoderLayer(nn.Module):
    def __init__(self, index: int, attention: nn.Module):
        super().__init__()
        self.layer_idx, self.self_attn = index, attention

    def _run_self_attn(self, x: Tensor) -> Tensor:
        out: Tensor = self.self_attn(hidden_states=x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        return self._run_self_attn(x)


class Fused:
    """A layer of kk3's: the last stage's tensor is its output."""

    def _run_k2(self, inputs: Tensor) -> dict[str, Tensor]:
        return {"out": inputs + 1}

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x, x, self._run_k2(x)["out"]


class Model:
    """Two KDA layers, an MLA layer, and kk3's for the second."""

    def __init__(self, copies: bool = False, fused: bool = True):
        attention = [Kda(), Kda(copies), Mla()]
        self.model = SimpleNamespace(layers=[DecoderLayer(i, a) for i, a in enumerate(attention)])
        held = Fused()
        kernels = SimpleNamespace(_kernels={1: lambda x: held(x)}, _layers={1: held})
        self.specialized_decode = SimpleNamespace(kernels=kernels) if fused else None

    def step(self, x: Tensor) -> Tensor:
        for layer in self.model.layers:
            x = layer(x)
        if self.specialized_decode is not None:
            x = self.specialized_decode.kernels._kernels[1](x)[2]
        return x


def served(folder: Path, model: Model, plant: str | None = None) -> tuple[dict[str, Any], Tensor]:
    """The report of a phase of two steps, and the last step's result."""
    watch = Watch(folder, 0)
    attach(watch, model)
    watch.begin_step("verify", ROWS)  # before any phase
    model.step(torch.ones(ROWS, HIDDEN))
    watch.end_step()
    assert not list(folder.glob("rank-*.json"))
    (folder / CONTROL).write_text(json.dumps({"phase": "one", "plant": plant}))
    watch.begin_step(None, ROWS)  # warm-up
    model.step(torch.ones(ROWS, HIDDEN))
    watch.end_step()
    for _ in range(STEPS):
        watch.begin_step("verify", ROWS)
        out = model.step(torch.ones(ROWS, HIDDEN))
        watch.end_step()
    found: dict[str, Any] = json.loads((folder / "rank-0.json").read_text())["one"]
    assert (found["steps"], found["rows"]) == ({"verify": STEPS}, STEPS * ROWS)
    return found, out


def test_direct_returns_are_owned(tmp_path: Path) -> None:
    found, _ = served(tmp_path, Model())
    assert set(found["entries"]) == {*ENTRIES, FUSED}
    for entry, seen in found["entries"].items():
        assert seen["owned"] == seen["calls"] == STEPS * len(seen["layers"]), entry
        assert (seen["copied_bytes"], seen["not_owned_in"]) == (0, []), entry
    assert found["entries"][KDA_FORWARD]["code"] == f"{__name__}:Kda.forward"


def test_a_forward_that_copies_is_found_with_its_layer_and_bytes(tmp_path: Path) -> None:
    found, _ = served(tmp_path, Model(copies=True))
    for entry in (KDA_FORWARD, KDA_DISPATCH):
        seen = found["entries"][entry]
        assert (seen["owned"], seen["not_owned_in"]) == (STEPS, [1]), entry
        assert seen["copied_bytes"] == STEPS * ROWS * HIDDEN * 4, entry
        assert "must be the projection's" in seen["message"]
    assert found["entries"][MLA_DISPATCH]["owned"] == STEPS


@pytest.mark.parametrize("plant", [*ENTRIES, FUSED])
def test_a_planted_copy_is_seen_there_and_by_callers_and_changes_no_value(
    plant: str, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    model = Model()
    _, wanted = served(tmp_path, copy.deepcopy(model))
    (tmp_path / "rank-0.json").unlink()
    (tmp_path / CONTROL).unlink()
    found, out = served(tmp_path, model, plant)
    assert torch.equal(out, wanted)
    chain = next(c for c in CHAINS if plant in c)
    seeing = set(chain[chain.index(plant) :])
    assert {e for e, seen in found["entries"].items() if seen["copied_bytes"]} == seeing


def test_a_call_without_the_projection_passes_by(tmp_path: Path) -> None:
    model, watch = Model(fused=False), Watch(tmp_path, 0)
    attach(watch, model)
    (tmp_path / CONTROL).write_text(json.dumps({"phase": "one", "plant": None}))
    watch.begin_step("verify", ROWS)
    x = torch.ones(ROWS, HIDDEN)
    assert model.model.layers[2].self_attn.mla_attn(x, skip_o_proj=True) is x
    assert watch.phases["one"].entries == {}


@pytest.mark.parametrize(
    ("counts", "kind"),
    [
        ((1, 0, 0), "prefill"),
        ((0, 2, 0), "decode"),
        ((0, 0, 1), "verify"),
        ((1, 0, 1), "mixed"),
        ((0, 0, 0), None),
    ],
)
def test_a_step_is_of_the_kind_of_its_requests(counts: tuple[int, ...], kind: str | None) -> None:
    names = ("num_prefills", "num_decodes", "num_spec_decodes")
    metadata = SimpleNamespace(**dict(zip(names, counts, strict=True)))
    assert kind_of_step({"attention": SimpleNamespace(), "kda": metadata}) == kind
    assert kind_of_step(None) is None


# -- what the scenario makes of a report -----------------------------------------------------


def phase(planted: str | None = None) -> dict[str, Any]:
    """A report as vLLM 0.33.0's must be."""
    rows, entries = 5, {}
    for chain in CHAINS:
        for i, entry in enumerate(chain):
            layers = layers_of(entry)
            copying = layers[-1:] if planted in chain and i >= chain.index(planted) else []
            entries[entry] = {
                "code": (UPSTREAM | OURS)[entry].code,
                "calls": 2 * len(layers),
                "owned": 2 * (len(layers) - len(copying)),
                "copied_bytes": rows * CONFIG.hidden_size * 4 * len(copying),
                "layers": list(layers),
                "not_owned_in": list(copying),
                "message": "",
            }
    return {"steps": {"verify": 2}, "rows": rows, "entries": entries}


@pytest.mark.parametrize("planted", [None, *UPSTREAM, *OURS])
def test_the_expected_report_has_no_problem(planted: str | None) -> None:
    assert problems(phase(planted), UPSTREAM | OURS, planted) == []


@pytest.mark.parametrize("planted", [*UPSTREAM, *OURS])
def test_a_plant_that_is_not_found_and_a_copy_that_nobody_planted_are_problems(
    planted: str,
) -> None:
    assert any(p.startswith(f"{planted}: ") for p in problems(phase(), UPSTREAM | OURS, planted))
    assert any(p.startswith(f"{planted}: ") for p in problems(phase(planted), UPSTREAM | OURS))


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("code", "kk3_rig.kda:CpuDeltaAttention.forward", "must be vllm.models"),
        ("layers", [0], "must run in layers"),
        ("owned", 1, "must own what they return"),
        ("not_owned_in", [0], "must own what they return"),
        ("copied_bytes", 4, "must copy rows"),
    ],
)
def test_each_other_figure_is_a_problem(name: str, value: object, says: str) -> None:
    found = phase()
    found["entries"][KDA_FORWARD][name] = value
    (problem,) = problems(found, UPSTREAM)
    assert problem.startswith(f"{KDA_FORWARD}: ")
    assert says in problem


@pytest.mark.parametrize("fused", [False, True], ids=["stock", "beside kk3's layers"])
def test_steps_that_were_not_seen_are_a_problem_unless_kk3_ran_them(fused: bool) -> None:
    found = phase()
    if not fused:
        del found["entries"][FUSED]
    found["steps"] = {"prefill": 1, "verify": 2}
    assert bool(problems(found, UPSTREAM)) is not fused


def test_an_entry_point_that_did_not_run_is_a_problem() -> None:
    found = phase()
    del found["entries"][MLA_WRAPPER]
    (problem,) = problems(found, UPSTREAM)
    assert problem.startswith(f"{MLA_WRAPPER}: must run in layers")


def test_a_copy_that_vllm_no_longer_makes_is_a_problem() -> None:
    known = EntryPoint(UPSTREAM[KDA_FORWARD].code, copies=True)
    (problem, *_) = problems(phase(), {KDA_FORWARD: known})
    assert "0 must own what they return" in problem
