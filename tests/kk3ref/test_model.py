"""The whole text model on the tiny preset: schedule, flow, prefill, verify steps, decoding, state.

Decoding with and without drafts is compared where a step's shape cannot change a value by more than
float64 noise: in the oracle, in fp32 without rounding, and with the contract's bf16 rounding points
on float64 arithmetic. In the contract itself the fp32 sums of a step of another shape may round
otherwise, which the random weights of a synthetic model (near-ties between experts, MXFP4) carry on
to other tokens: legal, and of no use as a check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from kk3ref.checkpoint import Checkpoint, SyntheticWeights, write_checkpoint
from kk3ref.layers import k1, k2
from kk3ref.layers.m1 import m1_layer
from kk3ref.model import (
    Generation,
    Model,
    RandomDrafts,
    Request,
    State,
    accept_greedy,
    generate,
    prompt_lookup,
)
from kk3ref.model.blocks import DENSE_POST, K1_PREFILL
from kk3ref.precision import BASELINE, CONTRACT, ORACLE, Precision
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions, Taps

CONFIG = preset("tiny")
VOCAB, HIDDEN, LAYERS = CONFIG.vocab_size, CONFIG.hidden_size, CONFIG.num_hidden_layers
FP32 = Precision("fp32", torch.float32, rounds=False)
NOISE = 1e-9
OPTIONS = {
    "fp8": LayerOptions(kv_scale=0.125, query_scale=0.5),
    "bf16-small-pages": LayerOptions(kv_dtype="bf16", page_size=3),
    "conv-dim-last": LayerOptions(conv_dim_first=False),
    "mxfp4-absorb": LayerOptions(kv_dtype="bf16", absorb_format="mxfp4"),
}


class ExactSums(Precision):
    """The contract's bf16 rounding points on float64 arithmetic; what is fp32 there is float64."""

    def __init__(self) -> None:
        super().__init__("contract-float64", torch.float64, rounds=True)

    def round(self, x: Tensor, point: str, dtype: torch.dtype) -> Tensor:
        return x if dtype == torch.float32 else x.to(dtype)

    def store(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        # A recurrent state kept in fp32 would be rounded between steps, but not inside one.
        return self.round(x, "store", dtype)


EXACT_SUMS = ExactSums()


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Small products run best on one thread, and give the same bits on any machine load."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@cache
def model(
    p: Precision = ORACLE, seed: int = 0, tp: int = 1, options: LayerOptions | None = None
) -> Model:
    return Model(SyntheticWeights(CONFIG, seed), p, tp, options)


def text(length: int, seed: int = 1) -> list[int]:
    g = torch.Generator().manual_seed(seed)
    return torch.randint(VOCAB, (length,), generator=g).tolist()


def close(a: Tensor, b: Tensor, tolerance: float = NOISE) -> None:
    assert a.shape == b.shape
    assert bool(a.isfinite().all())
    scale = float(b.abs().max())
    assert scale > 1e-3, "nothing to compare"
    assert float((a.double() - b.double()).abs().max()) <= tolerance * scale


def prefilled(m: Model, state: State, prompt: Sequence[int]) -> Request:
    request = state.allocate()
    m.prefill(state, request, torch.tensor(prompt))
    return request


def step(
    m: Model,
    state: State,
    requests: Sequence[Request | None],
    tokens: Sequence[Sequence[int]],
    accepted: Sequence[int],
) -> Tensor:
    """Logits ``[R, L, vocab]``."""
    logits = m.decode_step(state, requests, torch.tensor(tokens), torch.tensor(accepted))
    assert logits.shape == (len(requests) * state.width, VOCAB)
    return logits.reshape(len(requests), state.width, VOCAB)


# -- schedule and flow ---------------------------------------------------------------------------


def test_the_preset_has_the_irregular_parts() -> None:
    layers = CONFIG.layers
    assert [layer.attention for layer in layers[-2:]] == ["mla", "mla"]
    assert [layer.attention for layer in layers].count("kda") > 4
    assert [layer.mlp for layer in layers[:2]] == ["dense", "moe"]
    assert [layer.index for layer in layers if layer.writes_block] == [0, 4, 8]
    assert layers[-1].num_blocks == CONFIG.num_blocks == 3


@pytest.mark.parametrize("prefill", [False, True], ids=["step", "prefill"])
def test_every_layer_runs_the_stages_that_are_verified(prefill: bool) -> None:
    seen: dict[int, list[Any]] = {}

    def note(s: Any, c: Any, taps: Taps) -> Taps:
        seen.setdefault(c.layer.index, []).append(s)
        return taps

    m = Model(SyntheticWeights(CONFIG, 0), CONTRACT, intercept=note)
    state = m.new_state(1, 1, 16)
    request = prefilled(m, state, [3, 4, 5])
    if not prefill:
        seen.clear()
        step(m, state, [request], [[6, 7]], [1])
    m1 = m1_layer(LayerOptions())
    assert list(seen) == list(range(LAYERS))
    for layer in CONFIG.layers:
        kda = K1_PREFILL if prefill else k1.K1
        attention = kda if layer.attention == "kda" else m1
        post = k2.K2 if layer.mlp == "moe" else DENSE_POST
        names = [s.name for s in (*attention.stages, *post.stages)]
        assert [s.name for s in seen[layer.index]] == names
        if layer.attention == "kda":
            assert all(s in (*attention.stages, *post.stages) for s in seen[layer.index])


def rms(x: Tensor) -> Tensor:
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + CONFIG.rms_norm_eps)


def read(sources: list[Tensor], norm_weight: Tensor, query: Tensor) -> Tensor:
    """An AttnRes read without output norm, as the formula stands, a row and a source at a time."""
    rows = []
    for t in range(len(sources[0])):
        values = [v[t] for v in sources]
        logits = [float((rms(v) * norm_weight.double()) @ query.double()) for v in values]
        weights = torch.softmax(torch.tensor(logits, dtype=torch.float64), 0)
        rows.append(weights @ torch.stack(values))
    return torch.stack(rows)


def test_prefix_blocks_and_delta_flow_as_specified_up_to_the_logits() -> None:
    """The stream rebuilt from the sublayers' outputs alone; every input they read, the logits."""
    taken: dict[str, list[Tensor]] = {"x": [], "attn_out": [], "out": []}

    def take(s: Any, c: Any, taps: Taps) -> Taps:
        for name in taken.keys() & taps.keys():
            taken[name].append(taps[name])
        return taps

    source = SyntheticWeights(CONFIG, 0)
    m = Model(source, ORACLE, intercept=take)
    state = m.new_state()
    tokens = torch.tensor(text(5))
    logits = m.prefill(state, state.allocate(), tokens, all_rows=True)

    prefix = source.read("model.embed_tokens.weight")[tokens].double()
    blocks: list[Tensor] = []
    delta, xs = torch.zeros_like(prefix), iter(taken["x"])
    for i in range(LAYERS):
        w = source.layer(i)
        prefix = prefix + delta
        sources = [*blocks, prefix]
        for name, out_norm in (
            ("self_attention_res", "input_layernorm"),
            ("mlp_res", "post_attention_layernorm"),
        ):
            mixed = read(sources, w[f"{name}_norm.weight"], w[f"{name}_proj.weight"][0])
            close(next(xs), rms(mixed) * w[f"{out_norm}.weight"].double())
            if name == "self_attention_res":
                if i % CONFIG.attn_res_block_size == 0:
                    blocks.append(prefix)
                    prefix = taken["attn_out"][i]
                else:
                    prefix = prefix + taken["attn_out"][i]
                sources = [*blocks, prefix]
        delta = taken["out"][i]
    assert len(blocks) == 3
    weights = [source.read(f"model.output_attn_res_{n}.weight").flatten() for n in ("norm", "proj")]
    mixed = read([*blocks, prefix + delta], *weights)
    x = rms(mixed) * source.read("model.norm.weight").double()
    close(logits, x @ source.read("lm_head.weight").double().T)


def test_the_contract_rounds_the_residual_stream_and_the_norm_to_bf16() -> None:
    seen: dict[str, torch.dtype] = {}

    def note(s: Any, c: Any, taps: Taps) -> Taps:
        seen.update({name: value.dtype for name, value in taps.items()})
        return taps

    m = Model(SyntheticWeights(CONFIG, 0), CONTRACT, intercept=note)
    state = m.new_state()
    logits = m.prefill(state, state.allocate(), torch.tensor([1, 2]))
    assert logits.dtype == torch.float32
    for name in ("prefix_after", "blocks_after", "x", "core", "out"):
        assert seen[name] == torch.bfloat16, name


# -- prefill and verify steps --------------------------------------------------------------------

# Rows accepted of each step; the draft that follows them is wrong.
WALK = {1: (1, 1, 1), 4: (1, 3, 2, 4, 1)}


@pytest.mark.parametrize(
    ("options", "length", "width"),
    [
        *(
            pytest.param(OPTIONS["fp8"], length, width, id=f"fp8-prompt-{length}-{width}-rows")
            for length in (1, 3, 33)
            for width in WALK
        ),
        *(
            pytest.param(options, 7, 4, id=f"{name}-prompt-7-4-rows")
            for name, options in OPTIONS.items()
            if name != "fp8"
        ),
    ],
)
def test_prefill_then_steps_equals_the_prefill_of_the_longer_prompt(
    options: LayerOptions, length: int, width: int
) -> None:
    walk = WALK[width]
    whole = text(length + sum(walk) + width)
    m = model(options=options)
    state = m.new_state(2, width - 1, 64)
    want = m.prefill(state, state.allocate(), torch.tensor(whole), all_rows=True)
    request = state.allocate()
    first = m.prefill(state, request, torch.tensor(whole[:length]))
    close(first, want[length - 1])
    at, accepted = length, 1
    for n in walk:
        wrong = [(token + 1) % VOCAB for token in whole[at + n : at + width]]
        logits = step(m, state, [request], [[*whole[at : at + n], *wrong]], [accepted])[0]
        close(logits[:n], want[at : at + n])
        if n < width:
            assert float((logits[n] - want[at + n]).abs().max()) > 0.1, "nothing was rejected"
        at, accepted = at + n, n


@pytest.mark.parametrize("dim_first", [True, False], ids=["dim-first", "dim-last"])
def test_a_prefill_leaves_the_state_of_a_step_with_one_accepted_row(dim_first: bool) -> None:
    m = model(options=LayerOptions(conv_dim_first=dim_first))
    prompt = text(6)
    whole, stepped = m.new_state(1, 2, 32), m.new_state(1, 2, 32)
    request = prefilled(m, whole, prompt)
    other = prefilled(m, stepped, prompt[:-1])
    step(m, stepped, [other], [[prompt[-1], 7, 8]], [1])
    assert (request.base, other.base) == (5, 5)
    assert (request.slots, request.pages) == (other.slots, other.pages)
    slot, taps = request.slots[0], CONFIG.short_conv_kernel_size - 1
    for i in whole.conv:
        windows = [s.conv[i][0][slot] for s in (whole, stepped)]
        a, b = (w if dim_first else w.T for w in windows)
        close(a[:, :taps], b[:, :taps])
        close(whole.recurrent[i][0][slot], stepped.recurrent[i][0][slot])
    for i in whole.kv:
        rows = [s.kv[i][0][request.pages[0], :6] for s in (whole, stepped)]
        assert torch.equal(*rows)


@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=repr)
def test_a_step_in_production_formats_is_finite_and_keeps_the_pools_formats(p: Precision) -> None:
    m = model(p, tp=2)
    state = m.new_state(2, 1, 16)
    before = dtypes(state)
    request = prefilled(m, state, [5, 6])
    logits = step(m, state, [request, None], [[7, 8], [0, 0]], [1, 1])
    assert bool(logits.isfinite().all())
    assert before == dtypes(state) == [{torch.bfloat16}, {torch.float32}, {torch.uint8}]


def dtypes(state: State) -> list[set[torch.dtype]]:
    """Of the convolution's pools, the recurrent ones and the latent caches."""
    kinds = (state.conv, state.recurrent, state.kv)
    return [{x.dtype for ranks in pools.values() for x in ranks} for pools in kinds]


# -- decoding with drafts ------------------------------------------------------------------------

PROMPTS = ((5, 9, 5, 9, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
TOKENS = 12


@cache
def plain(p: Precision, seed: int) -> list[Generation]:
    return generate(model(p, seed), PROMPTS, TOKENS)


def partly_right(truth: list[Generation], seed: int) -> Callable[[Sequence[int], int], list[int]]:
    """A proposer that knows the answer and errs in a quarter of its tokens."""
    g = torch.Generator().manual_seed(seed)

    def propose(so_far: Sequence[int], count: int) -> list[int]:
        known = next(r for r in truth if tuple(so_far[: len(r.prompt)]) == r.prompt)
        drafts = known.tokens[len(so_far) - len(known.prompt) :][:count]
        wrong = (torch.rand(len(drafts), generator=g) < 0.25).tolist()
        return [(t + w) % VOCAB for t, w in zip(drafts, wrong, strict=True)]

    return propose


@pytest.mark.parametrize("drafts", [1, 3, 7], ids=lambda n: f"{n}-drafts")
@pytest.mark.parametrize(
    ("p", "seed"),
    [
        pytest.param(p, seed, id=f"{p.name}-seed-{seed}")
        for p, seeds in ((ORACLE, (0, 1, 2)), (EXACT_SUMS, (0, 1)), (FP32, (0,)))
        for seed in seeds
    ],
)
def test_drafts_never_change_the_tokens(p: Precision, seed: int, drafts: int) -> None:
    want = plain(p, seed)
    got = generate(model(p, seed), PROMPTS, TOKENS, drafts=drafts, propose=partly_right(want, seed))
    assert [r.tokens for r in got] == [r.tokens for r in want]
    assert [len(r.tokens) for r in got] == [TOKENS] * 2
    accepted = [n for r in got for n in r.accepted]
    assert min(accepted) <= drafts, "no draft was rejected"
    assert max(accepted) > 1, "no draft was accepted"
    assert all(len(r.accepted) < TOKENS - 1 for r in got), "drafts saved no step"


@pytest.mark.parametrize("propose", ["random", "lookup", "none"])
def test_bad_and_missing_drafts_never_change_the_tokens(propose: str) -> None:
    proposers: dict[str, Any] = {
        "random": RandomDrafts(VOCAB, 3),
        "lookup": prompt_lookup,
        "none": lambda text, count: [],
    }
    asked = []

    def noted(so_far: Sequence[int], count: int) -> Sequence[int]:
        drafts: Sequence[int] = proposers[propose](so_far, count)
        asked.append(list(drafts))
        return drafts

    got = generate(model(), PROMPTS, TOKENS, drafts=3, propose=noted)
    assert [r.tokens for r in got] == [r.tokens for r in plain(ORACLE, 0)]
    assert all(1 in r.accepted for r in got), "nothing was rejected"
    assert any(asked) == (propose != "none")


def test_different_prompts_and_weights_give_different_tokens() -> None:
    results = [tuple(r.tokens) for seed in (0, 1, 2) for r in plain(ORACLE, seed)]
    assert len(set(results)) == 6
    assert all(len(set(tokens)) > TOKENS // 2 for tokens in results)


def test_one_token_needs_no_step() -> None:
    (result,) = generate(model(), PROMPTS[:1], 1, drafts=3)
    assert result.tokens == plain(ORACLE, 0)[0].tokens[:1]
    assert result.accepted == []


@pytest.mark.parametrize(
    ("so_far", "drafts"),
    [
        pytest.param([1, 2, 3, 4, 1, 2], [3, 4], id="follows-the-match"),
        pytest.param([1, 2, 9, 5, 2, 7, 1, 2], [9, 5], id="longer-match-over-later"),
        pytest.param([2, 5, 2, 6, 2], [6, 2], id="later-over-earlier"),
        pytest.param([7, 7], [7], id="match-at-the-end"),
        pytest.param([1, 2, 3], [], id="new-token"),
        pytest.param([4], [], id="one-token"),
    ],
)
def test_prompt_lookup(so_far: list[int], drafts: list[int]) -> None:
    assert prompt_lookup(so_far, 2) == drafts


@pytest.mark.parametrize(
    ("drafts", "choices", "accepted"),
    [
        pytest.param([], [4], 1, id="no-drafts"),
        pytest.param([1, 2, 3], [1, 2, 3, 4], 4, id="all-right"),
        pytest.param([1, 2, 3], [1, 9, 3, 4], 2, id="right-after-wrong-is-lost"),
        pytest.param([1, 2, 3], [9, 2, 3, 4], 1, id="first-wrong"),
    ],
)
def test_greedy_acceptance(drafts: list[int], choices: list[int], accepted: int) -> None:
    assert accept_greedy(drafts, choices) == accepted


def test_random_drafts_are_reproducible() -> None:
    one, two, other = (RandomDrafts(VOCAB, seed) for seed in (1, 1, 2))
    drafts = one([], 9)
    assert drafts == two([], 9) != other([], 9)
    assert one([], 9) != drafts
    assert all(0 <= token < VOCAB for token in drafts)


# -- requests, slots and pages -------------------------------------------------------------------


def poison(state: State) -> None:
    """Fill what no request owns, the null slot and page included."""
    for pools in (state.conv, state.recurrent):
        for pool in (x for ranks in pools.values() for x in ranks):
            pool.fill_(torch.nan)
    for pool in (x for ranks in state.kv.values() for x in ranks):
        pool.fill_(0x7E if pool.dtype == torch.uint8 else 1e4)


@pytest.mark.parametrize(
    "options", [OPTIONS["fp8"], OPTIONS["bf16-small-pages"]], ids=["fp8", "bf16"]
)
def test_a_request_inherits_nothing_from_its_slots_and_pages(options: LayerOptions) -> None:
    m = model(options=options)
    fresh, used = m.new_state(2, 2, 24), m.new_state(2, 2, 24)
    poison(used)
    first, second = (prefilled(m, used, text(9, seed)) for seed in (4, 5))
    step(m, used, [first, second], [[1, 2, 3], [4, 5, 6]], [1, 1])
    step(m, used, [second, first], [[1, 2, 3], [4, 5, 6]], [3, 2])
    used.free(first)
    again, new = used.allocate(), fresh.allocate()
    prompt = torch.tensor(text(4, 6))
    assert torch.equal(m.prefill(used, again, prompt), m.prefill(fresh, new, prompt))
    assert again.slots == first.slots
    assert again.pages == first.pages[: len(again.pages)]
    for tokens, n in (([9, 8, 7], 1), ([6, 5, 4], 2), ([3, 2, 1], 3)):
        got, want = (
            step(m, s, [r, None], [tokens, [0, 0, 0]], [n, 1])[0]
            for s, r in ((used, again), (fresh, new))
        )
        close(got, want, 1e-12)


def test_a_state_serves_generation_after_generation() -> None:
    m = model()
    state = m.new_state(2, 3, 40)
    free = state.free_requests, state.free_pages
    for _ in range(3):
        got = generate(
            m, PROMPTS, TOKENS, drafts=3, propose=partly_right(plain(ORACLE, 0), 7), state=state
        )
        assert [r.tokens for r in got] == [r.tokens for r in plain(ORACLE, 0)]
        assert (state.free_requests, state.free_pages) == free == (2, 6)


@pytest.mark.parametrize("tp", [1, 2], ids=lambda n: f"tp{n}")
def test_a_request_gives_the_same_alone_and_among_others(tp: int) -> None:
    m = model(tp=tp)
    together, alone = m.new_state(4, 1, 64), m.new_state(1, 1, 64)
    poison(together)
    prompts = [text(n, seed=n) for n in (3, 40, 1)]
    requests = [prefilled(m, together, prompt) for prompt in prompts]
    own = prefilled(m, alone, prompts[2])
    batch = [requests[0], None, requests[2], requests[1]]
    for row, n in ((11, 1), (12, 2), (13, 1)):
        tokens = [[row, 2], [0, 0], [row + 1, 3], [row + 2, 4]]
        logits = step(m, together, batch, tokens, [n, 1, n, n])
        close(logits[2:3], step(m, alone, [own], tokens[2:3], [n]))
        assert bool(logits[1].isfinite().all())


def test_padding_and_idle_requests_keep_every_pool_as_it_is() -> None:
    m = model()
    state = m.new_state(2, 1, 16)
    busy, idle = (prefilled(m, state, text(5, seed)) for seed in (1, 2))
    step(m, state, [busy, idle], [[1, 2], [3, 4]], [1, 1])

    def untouched() -> list[Tensor]:
        kept = [0, *idle.slots]
        kda = [x[kept] for pools in (state.conv, state.recurrent) for (x,) in pools.values()]
        return [*kda, *(x[[0, *idle.pages]] for (x,) in state.kv.values())]

    before = untouched()
    step(m, state, [None, busy], [[9, 9], [5, 6]], [1, 2])
    assert all(torch.equal(a, b) for a, b in zip(before, untouched(), strict=True))
    everything = [state.conv, state.recurrent, state.kv]
    copies = [{i: x[0].clone() for i, x in pools.items()} for pools in everything]
    assert bool(step(m, state, [None], [[9, 9]], [1]).isfinite().all())
    for pools, kept in zip(everything, copies, strict=True):
        assert all(torch.equal(pools[i][0], kept[i]) for i in pools)


def test_pages_are_taken_as_a_context_grows_and_given_back() -> None:
    m = model(options=LayerOptions(page_size=4))
    state = m.new_state(2, 0, 6)
    assert state.free_pages == 4
    request, other = prefilled(m, state, text(4)), prefilled(m, state, text(4))
    assert [len(r.pages) for r in (request, other)] == [1, 1]
    for held in (2, 2, 2, 2, 3):
        step(m, state, [request], [[1]], [1])
        assert len(request.pages) == held
    with pytest.raises(RuntimeError, match="needs 4 more pages, 0 are free"):
        state.reserve(other, 17)
    assert (len(other.pages), state.free_pages) == (1, 0)
    with pytest.raises(RuntimeError, match="all 2 request places are taken"):
        state.allocate()
    held_pages = {*request.pages, *other.pages}
    assert held_pages == {1, 2, 3, 4}
    state.free(request)
    state.free(other)
    assert (state.free_requests, state.free_pages) == (2, 4)
    for call in (state.free, lambda r: state.reserve(r, 1)):
        with pytest.raises(ValueError, match="has not freed"):
            call(request)


# -- tensor parallelism, weights -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("tp", "options"),
    [
        pytest.param(8, LayerOptions(), id="tp8"),
        pytest.param(8, LayerOptions(dcp=8, page_size=2), id="tp8-dcp8"),
        pytest.param(2, LayerOptions(kv_dtype="bf16", dcp=2), id="tp2-dcp2-bf16"),
    ],
)
def test_the_oracle_is_the_same_at_every_tp(tp: int, options: LayerOptions) -> None:
    """With decode context parallelism too: a merge of shards is the same softmax."""
    one = model(options=replace(options, dcp=1))
    many = model(tp=tp, options=options)
    results = []
    for m in (one, many):
        state = m.new_state(2, 1, 48)
        requests = [prefilled(m, state, text(n, seed=n)) for n in (5, 21)]
        first = step(m, state, requests, [[1, 2], [3, 4]], [1, 1])
        results.append(torch.cat([first, step(m, state, requests, [[5, 6], [7, 8]], [2, 1])]))
    close(results[1], results[0])


def test_a_checkpoint_gives_the_bits_of_the_weights_it_was_written_from(tmp_path: Path) -> None:
    source = SyntheticWeights(CONFIG, 4)
    write_checkpoint(source, tmp_path)
    logits = []
    for m in (
        Model(source, CONTRACT, 2),
        Model(Checkpoint.open(tmp_path), CONTRACT, 2),
        Model(source, CONTRACT, 2, keep_weights=False),
    ):
        state = m.new_state()
        logits.append(m.prefill(state, state.allocate(), torch.tensor([5, 6, 7])))
    assert torch.equal(logits[0], logits[1])
    assert torch.equal(logits[0], logits[2])


# -- errors --------------------------------------------------------------------------------------


def _step_with(
    tokens: Sequence[Sequence[int]] = ((1, 2),),
    accepted: Sequence[int] = (1,),
    times: int = 1,
    prefill: bool = True,
    freed: bool = False,
) -> None:
    m = model()
    state = m.new_state(1, 1, 16)
    request = prefilled(m, state, [3, 4]) if prefill else state.allocate()
    if freed:
        state.free(request)
    step(m, state, [request] * times, tokens, accepted)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: _step_with(accepted=[2]), r"num_accepted\[0\] must be in 1..1, got 2", id="more"
        ),
        pytest.param(
            lambda: _step_with(accepted=[0]), r"num_accepted\[0\] must be in 1..1, got 0", id="none"
        ),
        pytest.param(lambda: _step_with(prefill=False), "given after a prefill", id="no-prefill"),
        pytest.param(lambda: _step_with(freed=True), "has not freed", id="freed"),
        pytest.param(
            lambda: _step_with([[1, 2, 3]]), r"tokens must be \[1, 2\] .* got \[1, 3\]", id="width"
        ),
        pytest.param(
            lambda: _step_with(accepted=[1, 1]), r"got \[1, 2\] and \[2\]", id="counts-shape"
        ),
        pytest.param(
            lambda: _step_with([[1, VOCAB]]), rf"in 0..{VOCAB - 1}, got 1..{VOCAB}", id="vocabulary"
        ),
        pytest.param(
            lambda: _step_with([[1, 2]] * 2, [1, 1], times=2), "in a step only once", id="twice"
        ),
        pytest.param(
            lambda: prefilled(model(), model().new_state(), [-1, 3]), "got -1..3", id="negative"
        ),
        pytest.param(
            lambda: model().prefill(s := model().new_state(), s.allocate(), torch.empty(0)),
            r"at least 1, got \[0\]",
            id="empty-prompt",
        ),
        pytest.param(lambda: model().new_state(0), "at least 1", id="no-requests"),
        pytest.param(lambda: generate(model(), PROMPTS, 0), "n must be at least 1", id="no-tokens"),
        pytest.param(
            lambda: generate(model(), PROMPTS, 2, drafts=1, state=model().new_state(2)),
            "steps of 2 rows, got 1",
            id="other-state",
        ),
        pytest.param(
            lambda: Model(SyntheticWeights(CONFIG), tp=4, options=LayerOptions(dcp=2)),
            r"dcp must be 1 or tp \(4\), got 2",
            id="dcp",
        ),
        pytest.param(
            lambda: Model(SyntheticWeights(replace(CONFIG, attn_res_block_size=3))),
            "block-write layer, layer 3 is",
            id="mla-block-write",
        ),
        pytest.param(
            lambda: Model(SyntheticWeights(CONFIG), tp=3), "must be divisible by 3", id="tp"
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_failed_generation_gives_its_requests_back() -> None:
    m = model()
    state = m.new_state(2, 0, 16)
    with pytest.raises(ValueError, match="tokens must be in"):
        generate(m, [[1, 2], [VOCAB]], 3, state=state)
    assert (state.free_requests, state.free_pages) == (2, 2)
