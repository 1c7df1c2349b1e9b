"""Invariants of the layers, with any step, order, split and parallelism (preset tiny)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.mla import StoredFormat
from kk3ref.precision import CONTRACT, ORACLE
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions, run_layer
from verify.bounds import Bounded, BoundPolicy
from verify.candidates.rowwise import by_rows
from verify.inputs import Case, build_case
from verify.layers import LAYERS
from verify.step import Step

WEIGHTS = SyntheticWeights(preset("tiny"), 0)
POOLS = ("conv_state", "recurrent_state", "kv_cache")
REQUEST = ("state_index", "num_accepted", "block_table", "context_len")
KINDS = st.sampled_from(["k1", "k2", "m1", "kda", "mla", "moe", "dense-mlp", "attn_res"])
FEW = settings(max_examples=12, deadline=None, derandomize=True)


@st.composite
def steps(draw: Any, fewest: int = 1, padded: bool = False) -> Step:
    """Any uniform step of up to 8 rows."""
    requests = draw(st.integers(fewest, 4))
    drafts = draw(st.integers(0, 8 // requests - 1))
    accepted = tuple(draw(st.integers(1, drafts + 1)) for _ in range(requests))
    return Step.resolve(None, drafts, requests, accepted, int(padded))


def make(
    kind: str, step: Step, seed: int, tp: int = 2, options: LayerOptions | None = None
) -> Case:
    choice = LAYERS[kind]
    options = options or LayerOptions()
    index = choice.default_indices(WEIGHTS.config)[0]
    return build_case(choice.make(options), WEIGHTS, index, tp, step, seed, options=options)


def run(case: Case, inputs: Sequence[Mapping[str, Tensor]]) -> list[dict[str, Tensor]]:
    """The contract row by row: exact relations then hold bit for bit."""
    values = run_layer(by_rows(case.layer), CONTRACT, case.contexts, inputs)
    names = {tap.name for tap in case.layer.taps}
    return [{name: t for name, t in v.items() if name in names} for v in values]


def rows_of(case: Case, requests: Sequence[int]) -> list[int]:
    width = case.step.width
    return [m * width + j for m in requests for j in range(width)]


def chosen(case: Case, requests: Sequence[int]) -> list[dict[str, Tensor]]:
    """The inputs of some of the requests, in that order; pools whole."""
    rows = rows_of(case, requests)
    return [
        {
            n: t if n in POOLS else t[list(requests)] if n in REQUEST else t[rows]
            for n, t in values.items()
        }
        for values in case.inputs
    ]


def is_pool(name: str) -> bool:
    return name.removesuffix("_after") in POOLS


# -- requests --------------------------------------------------------------------------------------


@FEW
@given(KINDS, steps(fewest=2), st.integers(0, 99), st.randoms(use_true_random=False))
def test_permuting_requests_permutes_outputs(kind: str, step: Step, seed: int, random: Any) -> None:
    case = make(kind, step, seed)
    order = list(range(step.requests))
    random.shuffle(order)
    plain, permuted = run(case, case.inputs), run(case, chosen(case, order))
    for mine, theirs in zip(permuted, plain, strict=True):
        for name, value in mine.items():
            expected = theirs[name] if is_pool(name) else theirs[name][rows_of(case, order)]
            assert torch.equal(value, expected), name


@FEW
@given(KINDS, steps(fewest=2, padded=True), st.integers(0, 99))
def test_padding_changes_nothing(kind: str, step: Step, seed: int) -> None:
    """Live rows and every slot are as without the padding request."""
    case = make(kind, step, seed)
    live = list(range(step.requests - 1))
    with_padding, without = run(case, case.inputs), run(case, chosen(case, live))
    for mine, theirs in zip(with_padding, without, strict=True):
        for name, value in theirs.items():
            kept = mine[name] if is_pool(name) else mine[name][: len(value)]
            assert torch.equal(kept, value), name


@FEW
@given(KINDS, steps(), st.integers(0, 99))
def test_padding_rows_are_finite(kind: str, step: Step, seed: int) -> None:
    step = replace(step, padded=step.requests, accepted=(1,) * step.requests)
    for values in run(make(kind, step, seed), make(kind, step, seed).inputs):
        for name, t in values.items():
            if not is_pool(name) and t.is_floating_point() and t.dtype.itemsize > 1:
                assert t.isfinite().all(), name


# -- steps -----------------------------------------------------------------------------------------


@FEW
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(0, 99))
def test_one_step_of_kda_equals_two(first: int, second: int, accepted: int, seed: int) -> None:
    """Rows split over two steps, all accepted, leave the same state and give the same rows."""
    total = first + second
    step = Step(1, total - 1, (min(accepted, total),))
    case = make("k1", step, seed)
    whole = run(case, case.inputs)
    length = case.contexts[0].config.short_conv_kernel_size - 1
    parts, pools, n = [], [_narrow(v, first, length) for v in case.inputs], step.accepted[0]
    for rows, start in ((first, 0), (second, first)):
        inputs = [_rows(v, p, start, rows, n) for v, p in zip(case.inputs, pools, strict=True)]
        part = run(case, inputs)
        parts.append(part)
        pools = [
            {
                "conv_state": _window(values["conv_state_after"], second, length),
                "recurrent_state": values["recurrent_state_after"],
                "start": case.inputs[0]["state_index"][0, first - 1 : first],
            }
            for values in part
        ]
        n = 1
    slots = case.inputs[0]["state_index"][0].long()
    for rank, values in enumerate(whole):
        core = torch.cat([part[rank]["core"] for part in parts])
        assert torch.equal(core, values["core"])
        state = parts[1][rank]["recurrent_state_after"][slots]
        assert torch.equal(state, values["recurrent_state_after"][slots])
        taps = parts[1][rank]["conv_state_after"][_conv_slot(case, first), :, -second:]
        assert torch.equal(taps, values["conv_state_after"][slots[0], :, -second:])


def _conv_slot(case: Case, first: int) -> int:
    return int(case.inputs[0]["state_index"][0, first])


def _narrow(values: Mapping[str, Tensor], rows: int, length: int) -> dict[str, Tensor]:
    """The pools of a step of fewer rows: the window's entries from the accepted row on."""
    n = int(values["num_accepted"][0])
    slot = int(values["state_index"][0, 0])
    conv = values["conv_state"]
    narrow = torch.zeros(*conv.shape[:2], length + rows - 1, dtype=conv.dtype)
    narrow[slot, :, :length] = conv[slot, :, n - 1 : n - 1 + length]
    return {
        "conv_state": narrow,
        "recurrent_state": values["recurrent_state"],
        "start": values["state_index"][0, n - 1 : n],
    }


def _window(conv: Tensor, rows: int, length: int) -> Tensor:
    """The window that a step of ``rows`` rows begins with: the last inputs, all accepted."""
    narrow = torch.zeros(*conv.shape[:2], length + rows - 1, dtype=conv.dtype)
    narrow[..., :length] = conv[..., conv.shape[2] - length :]
    return narrow


def _rows(
    values: Mapping[str, Tensor], pools: Mapping[str, Tensor], start: int, rows: int, n: int
) -> dict[str, Tensor]:
    """Rows of a longer step as a step of their own, on slots where its state is to be found."""
    index = values["state_index"][:, start : start + rows].clone()
    conv, state = pools["conv_state"], pools["recurrent_state"].clone()
    begin = int(pools["start"][0])
    held = conv.clone()
    source = int(values["state_index"][0, 0])
    held[int(index[0, 0])] = conv[source]
    # A count of one reads the step's first slot: the state it starts from is put there.
    state[int(index[0, 0])] = pools["recurrent_state"][begin]
    own = {
        k: v[start : start + rows] for k, v in values.items() if k not in POOLS and k not in REQUEST
    }
    return own | {
        "conv_state": held,
        "recurrent_state": state,
        "state_index": index,
        "num_accepted": torch.ones(1, dtype=torch.int32),
    }


@FEW
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
def test_one_step_of_mla_equals_two(first: int, second: int, seed: int) -> None:
    total = first + second
    case = make("m1", Step(1, total - 1, (1,)), seed)
    whole = run(case, case.inputs)
    caches = [values["kv_cache"] for values in case.inputs]
    parts = []
    for rows, start in ((first, 0), (second, first)):
        inputs = [
            {
                **{
                    n: t[start : start + rows]
                    for n, t in values.items()
                    if n not in POOLS and n not in REQUEST
                },
                "kv_cache": cache,
                "block_table": values["block_table"],
                "context_len": values["context_len"] + start,
            }
            for values, cache in zip(case.inputs, caches, strict=True)
        ]
        parts.append(run(case, inputs))
        caches = [values["kv_cache_after"] for values in parts[-1]]
    for rank, values in enumerate(whole):
        assert torch.equal(caches[rank], values["kv_cache_after"])
        core = torch.cat([part[rank]["core"] for part in parts]).double()
        # Another split of the context is another order of its sums.
        assert (core - values["core"].double()).abs().max() <= 2.0**-6 * values["core"].abs().max()


# -- parallelism -----------------------------------------------------------------------------------


def _whole(kind: str, taps: list[dict[str, Tensor]], name: str) -> Tensor:
    """A tap of all ranks together: columns side by side, or what every rank has alike."""
    parts = [values[name] for values in taps]
    return torch.cat(parts, 1) if name == "core" else parts[0]


@FEW
@given(st.sampled_from(["k1", "m1"]), st.sampled_from([2, 4, 8]), st.integers(0, 99))
def test_parallelism_stays_within_the_bound(kind: str, tp: int, seed: int) -> None:
    """Every rank's part of a layer lies within the bound of the whole at TP 1.

    The cache is bf16: a bound cannot be carried across fp8 codes.
    """
    options = LayerOptions(kv_dtype="bf16")
    one, many = (make(kind, Step.resolve(seed=seed), seed, n, options) for n in (1, tp))
    inputs = [dict(values) for values in many.inputs]
    for rank, values in enumerate(inputs):
        values |= _shard(one.inputs[0], many, rank)
    bound = run_layer(one.layer, BoundPolicy(), one.contexts, one.inputs)[0]
    taps = run_layer(many.layer, CONTRACT, many.contexts, inputs)
    for name in ("prefix_after", "x", "core"):
        expected = bound[name]
        assert isinstance(expected, Bounded)
        found = _whole(kind, taps, name).double().reshape(expected.shape)
        assert ((found - expected.value).abs() <= expected.total()).all(), name


def _shard(values: Mapping[str, Tensor], case: Case, rank: int) -> dict[str, Tensor]:
    """A rank's part of the state of TP 1, and what all ranks share."""
    shared = {n: t for n, t in values.items() if n not in ("conv_state", "recurrent_state")}
    if "recurrent_state" not in values:
        return shared
    tp = len(case.contexts)
    heads = values["recurrent_state"].chunk(tp, 1)[rank]
    thirds = values["conv_state"].chunk(3, 1)  # q | k | v
    conv = torch.cat([part.chunk(tp, 1)[rank] for part in thirds], 1)
    return shared | {"conv_state": conv.contiguous(), "recurrent_state": heads.contiguous()}


@FEW
@given(st.sampled_from([1, 2, 4, 8]), st.integers(0, 99))
def test_the_dense_mlp_is_the_same_at_every_parallelism(tp: int, seed: int) -> None:
    one, many = (make("dense-mlp", Step.resolve(), seed, n) for n in (1, tp))
    bound = run_layer(one.layer, BoundPolicy(), one.contexts, one.inputs)[0]["out"]
    found = run_layer(many.layer, CONTRACT, many.contexts, many.inputs)[0]["out"].double()
    # A rank's partial is rounded to bf16 once more, by as much as its own size allows.
    partials = run_layer(many.layer, ORACLE, many.contexts, many.inputs)
    more = sum(v["mlp_partial"].abs() for v in partials) * 2.0**-8
    assert ((found - bound.value).abs() <= 2 * bound.total() + more).all()


# -- scaling ---------------------------------------------------------------------------------------


@FEW
@given(st.integers(-3, 6), st.integers(0, 99))
def test_a_read_does_not_see_the_scale_of_its_sources(exponent: int, seed: int) -> None:
    """RMS norms before the weights and after the mix: without epsilon, any power of two cancels."""
    case = make("attn_res", Step.resolve(), seed)
    config = replace(case.contexts[0].config, rms_norm_eps=1e-30)
    contexts = [replace(c, config=config) for c in case.contexts]
    scale = 2.0**exponent
    scaled = [{n: t * scale for n, t in values.items()} for values in case.inputs]
    plain, other = (run_layer(case.layer, ORACLE, contexts, v)[0] for v in (case.inputs, scaled))
    assert torch.equal(other["prefix_after"], plain["prefix_after"] * scale)
    torch.testing.assert_close(other["x"], plain["x"], rtol=1e-12, atol=1e-14)


@FEW
@given(st.integers(-3, 6), st.integers(0, 99))
def test_keys_and_queries_have_unit_length_at_every_scale(exponent: int, seed: int) -> None:
    case = make("kda", Step.resolve(), seed)
    qk_norm = case.layer.stage("qk_norm")
    conv = torch.randn(8, 3 * case.contexts[0].shapes.kda_channels, dtype=torch.float64)
    conv = conv * 2.0**exponent * 64  # far above the epsilon of 1e-6
    q, k = qk_norm(ORACLE, case.contexts[0], {"conv": conv}).values()
    head = case.contexts[0].config.kda_head_dim
    torch.testing.assert_close(k.norm(dim=-1), torch.ones_like(k[..., 0]), rtol=1e-9, atol=0)
    torch.testing.assert_close(q.norm(dim=-1), torch.full_like(q[..., 0], head**-0.5))


@FEW
@given(st.integers(-3, 3), st.integers(0, 99))
def test_a_caches_scale_is_only_a_scale(exponent: int, seed: int) -> None:
    """A power of two as scale stores other exponents and means the same values."""
    scale = 2.0**exponent
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(64, generator=generator)
    plain, scaled = (StoredFormat(scale=s) for s in (1.0, scale))
    a = plain.load(CONTRACT, plain.encode(CONTRACT, values, "p"))
    b = scaled.load(CONTRACT, scaled.encode(CONTRACT, values * scale, "p"))
    assert torch.equal(a * scale, b)
