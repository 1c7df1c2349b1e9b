"""KDA: the recurrence, its chunked form, and speculative steps over state pools."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import conv1d, silu

from kk3ref import kda
from kk3ref.precision import BASELINE, CONTRACT, ORACLE, Precision

HEADS, DIM, WIDTH = 2, 8, 4
CHANNELS = 3 * HEADS * DIM
BF16 = torch.bfloat16
NOISE = 1e-12  # float64 noise
ALL_PRECISIONS = pytest.mark.parametrize("p", [ORACLE, CONTRACT, BASELINE], ids=repr)


def normal(seed: int, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def close(a: Tensor, b: Tensor, tolerance: float = NOISE) -> None:
    assert a.shape == b.shape
    assert bool(a.isfinite().all())
    scale = float(b.abs().max())
    assert scale > 1e-3, "nothing to compare"
    assert float((a.double() - b.double()).abs().max()) <= tolerance * scale


# -- the delta rule against other implementations ----------------------------------------------


@cache
def naive() -> ModuleType:
    """fla-core's plain PyTorch KDA; the package itself imports only where triton is."""
    package = importlib.util.find_spec("fla")
    assert package is not None
    assert package.submodule_search_locations is not None
    path = Path(package.submodule_search_locations[0]) / "ops" / "kda" / "naive.py"
    spec = importlib.util.spec_from_file_location("fla_naive_kda", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Sequence_:
    """One sequence's inputs of the delta rule."""

    q: Tensor
    k: Tensor
    v: Tensor
    log_decay: Tensor
    beta: Tensor
    state: Tensor

    def by_rows(self, p: Precision) -> tuple[Tensor, Tensor]:
        """Outputs ``[T, h, d]`` and the last state, row by row."""
        state, outputs = p.load(self.state)[None], []
        q, k, v, beta = (p.load(t) for t in (self.q, self.k, self.v, self.beta))
        decay = torch.exp(p.load(self.log_decay))
        for t in range(len(q)):
            row = (x[t : t + 1] for x in (q, k, v, decay, beta))
            o, state = kda.delta_step(p, state, *row)
            outputs.append(o)
        return torch.cat(outputs), state[0]

    def by_fla(self, form: str, **options: Any) -> tuple[Tensor, Tensor]:
        """The same by fla-core, which computes in fp32 and keeps ``S[k, v]``."""
        o, state = getattr(naive(), form)(
            *(t[None] for t in (self.q, self.k, self.v, self.log_decay, self.beta)),
            scale=1.0,
            initial_state=self.state.transpose(1, 2)[None],
            output_final_state=True,
            **options,
        )
        return o[0], state[0].transpose(1, 2)


def random_sequence(rows: int, seed: int = 0) -> Sequence_:
    conv = normal(seed, rows, CHANNELS, dtype=BF16)
    q, k = kda.qk_norm(CONTRACT, conv, HEADS, DIM)
    return Sequence_(
        q,
        k,
        conv[:, 2 * HEADS * DIM :].float().reshape(rows, HEADS, DIM),
        -5.0 * torch.sigmoid(2 * normal(seed + 1, rows, HEADS, DIM) - 2),
        torch.sigmoid(normal(seed + 2, rows, HEADS)),
        normal(seed + 3, HEADS, DIM, DIM),
    )


def exact_sequence(rows: int) -> Sequence_:
    """Small dyadic numbers and decays of 1 and 0: nothing rounds, in fp32 or float64."""
    g = torch.Generator().manual_seed(4)

    def pick(values: list[float], *shape: int) -> Tensor:
        return torch.tensor(values)[torch.randint(len(values), shape, generator=g)]

    return Sequence_(
        pick([-1.0, 0.0, 0.5, 2.0], rows, HEADS, DIM),
        pick([0.0, 0.0, 0.0, 1.0, -1.0], rows, HEADS, DIM),
        pick([-3.0, 1.0, 2.0], rows, HEADS, DIM),
        pick([0.0, 0.0, -math.inf], rows, HEADS, DIM),
        pick([0.5, 1.0], rows, HEADS),
        pick([-1.0, 0.0, 3.0], HEADS, DIM, DIM),
    )


def test_recurrence_is_exactly_flas_where_nothing_rounds() -> None:
    sequence = exact_sequence(6)
    o, state = sequence.by_rows(ORACLE)
    fla_o, fla_state = sequence.by_fla("naive_recurrent_kda")
    assert torch.equal(o, fla_o.double())
    assert torch.equal(state, fla_state.double())
    assert int((state != sequence.state).sum()) > 30


@pytest.mark.parametrize("p", [ORACLE, CONTRACT, BASELINE], ids=repr)
@pytest.mark.parametrize("form", ["naive_recurrent_kda", "naive_chunk_kda"])
def test_recurrence_equals_fla(form: str, p: Precision) -> None:
    sequence = random_sequence(48)
    options = {"chunk_size": 16} if "chunk" in form else {}
    fla_o, fla_state = sequence.by_fla(form, **options)
    o, state = sequence.by_rows(p)
    close(o, fla_o, 2e-6)
    close(state, fla_state, 2e-6)


@pytest.mark.parametrize("rows", [1, 5, 32, 33, 100])
@pytest.mark.parametrize("chunk", [1, 16, 32])
def test_chunked_prefill_equals_the_recurrence(rows: int, chunk: int) -> None:
    s = random_sequence(rows)
    o, state = kda.chunked_prefill(ORACLE, s.q, s.k, s.v, s.log_decay, s.beta, s.state, chunk)
    by_rows, last = s.by_rows(ORACLE)
    close(o, by_rows)
    close(state, last)


def test_chunked_prefill_with_decay_that_underflows() -> None:
    """Decay of e^-5 a row over 64 rows: ratios underflow to zero, nothing becomes NaN."""
    s = replace(random_sequence(64), log_decay=torch.full((64, HEADS, DIM), -5.0))
    o, state = kda.chunked_prefill(CONTRACT, s.q, s.k, s.v, s.log_decay, s.beta, s.state, 64)
    by_rows, last = s.by_rows(ORACLE)
    close(o, by_rows, 2.0**-8)
    close(state, last, 1e-5)


@pytest.mark.parametrize("at", [1, 20, 32])
def test_chunked_prefill_in_pieces(at: int) -> None:
    s = random_sequence(40)
    whole, last = kda.chunked_prefill(ORACLE, s.q, s.k, s.v, s.log_decay, s.beta, s.state)
    state, outputs = s.state, []
    for rows in (slice(0, at), slice(at, 40)):
        q, k, v, g, beta = (t[rows] for t in (s.q, s.k, s.v, s.log_decay, s.beta))
        o, state = kda.chunked_prefill(ORACLE, q, k, v, g, beta, state)
        outputs.append(o)
    close(torch.cat(outputs), whole)
    close(state, last)


# -- the parts ---------------------------------------------------------------------------------


def test_split_projection() -> None:
    parts = kda.split_projection(torch.arange(76)[None], HEADS, DIM)
    bounds = {name: (int(t[0, 0]), int(t[0, -1])) for name, t in parts.items()}
    assert bounds == {"qkv": (0, 47), "g": (48, 63), "f_a": (64, 71), "b": (72, 73)}


def test_convolution_equals_torch() -> None:
    x, w = normal(0, 11, CHANNELS, dtype=BF16), normal(1, CHANNELS, WIDTH)
    history = normal(2, CHANNELS, WIDTH - 1, dtype=BF16)
    o, tail = kda.prefill_conv(ORACLE, x, w, history)
    window = torch.cat([history.double(), x.double().T], 1)
    close(o, silu(conv1d(window[None], w.double()[:, None], groups=CHANNELS))[0].T)
    assert torch.equal(tail, window[:, -3:])
    zero, _ = kda.prefill_conv(ORACLE, x, w)
    padded = torch.nn.functional.pad(x.double().T, (WIDTH - 1, 0))
    close(zero, silu(conv1d(padded[None], w.double()[:, None], groups=CHANNELS))[0].T)


def test_convolution_rounds_once() -> None:
    x, w = normal(0, 11, CHANNELS, dtype=BF16), normal(1, CHANNELS, WIDTH)
    o, _ = kda.prefill_conv(CONTRACT, x, w)
    exact, _ = kda.prefill_conv(ORACLE, x, w)
    assert o.dtype == BF16
    error = (o.double() - exact).abs()
    assert bool((error <= 2.0**-8 * exact.abs() + 1e-6).all())


def test_query_and_key_norms() -> None:
    """The epsilon stands on the sum: visible on a tiny head."""
    conv = (normal(0, 5, CHANNELS) * 1e-3).to(BF16)
    q, k = kda.qk_norm(ORACLE, conv, HEADS, DIM)
    raw_q, raw_k, _ = conv.double().unflatten(1, (3, HEADS, DIM)).unbind(1)
    close(q, raw_q / ((raw_q**2).sum(-1, keepdim=True) + 1e-6).sqrt() / math.sqrt(DIM))
    close(k, raw_k / ((raw_k**2).sum(-1, keepdim=True) + 1e-6).sqrt())
    assert float(k.norm(dim=-1).max()) < 0.99


@pytest.mark.parametrize("lower_bound", [-5.0, None], ids=["safe", "softplus"])
def test_decay_gate(lower_bound: float | None) -> None:
    g1, a_log = 8 * normal(0, 6, HEADS * DIM, dtype=BF16), normal(1, HEADS)
    dt_bias = normal(2, HEADS * DIM)
    b = normal(3, 6, HEADS, dtype=BF16)
    decay, beta = kda.gates(ORACLE, g1, b, a_log, dt_bias, lower_bound)
    x = (g1.double() + dt_bias.double()).reshape(6, HEADS, DIM)
    rate = a_log.double().exp()[:, None]
    if lower_bound is None:
        log_decay = -rate * torch.logaddexp(x, torch.zeros_like(x))
        assert float(x.max()) > 20  # where an approximation by x itself would be seen
    else:
        log_decay = lower_bound / (1 + torch.exp(-rate * x))
    torch.testing.assert_close(decay.log(), log_decay, rtol=1e-12, atol=1e-12)
    close(beta, 1 / (1 + torch.exp(-b.double())))


def test_gated_norm() -> None:
    o, g = normal(0, 5, HEADS, DIM, dtype=BF16), normal(1, 5, HEADS * DIM, dtype=BF16)
    w = normal(2, DIM)
    wide = o.double()
    normed = wide / ((wide**2).mean(-1, keepdim=True) + 1e-5).sqrt() * w.double()
    expected = normed.flatten(1) / (1 + torch.exp(-g.double()))
    close(kda.gated_norm(ORACLE, o, g, w, 1e-5), expected)
    assert kda.gated_norm(CONTRACT, o, g, w, 1e-5).dtype == BF16


# -- speculative steps -------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """Inputs of a step over whole pools; slot 0 holds NaN, every other slot random values."""

    qkv: Tensor
    weight: Tensor
    decay: Tensor
    beta: Tensor
    conv_state: Tensor
    recurrent_state: Tensor
    state_index: Tensor
    num_accepted: Tensor
    dim_first: bool = True

    def run(self, p: Precision) -> tuple[Tensor, Tensor, Tensor]:
        """``o``, and both pools after the step."""
        conv, conv_after = kda.spec_conv(
            p,
            self.qkv,
            self.weight,
            self.conv_state,
            self.state_index,
            self.num_accepted,
            self.dim_first,
        )
        q, k = kda.qk_norm(p, conv, HEADS, DIM)
        o, state_after = kda.recurrence(
            p,
            q,
            k,
            conv,
            self.decay,
            self.beta,
            self.recurrent_state,
            self.state_index,
            self.num_accepted,
        )
        return o, conv_after, state_after


def make_step(requests: int = 3, rows: int = 4, accepted: tuple[int, ...] = (1, 4, 2)) -> Step:
    slots = 1 + requests * rows + 3
    order = 1 + torch.randperm(slots - 1, generator=torch.Generator().manual_seed(9))
    conv_state = normal(1, slots, CHANNELS, WIDTH - 2 + rows, dtype=BF16)
    recurrent_state = normal(2, slots, HEADS, DIM, DIM)
    conv_state[0], recurrent_state[0] = math.nan, math.nan
    return Step(
        normal(3, requests * rows, CHANNELS, dtype=BF16),
        normal(4, CHANNELS, WIDTH),
        torch.exp(-2 * torch.sigmoid(normal(5, requests * rows, HEADS, DIM))),
        torch.sigmoid(normal(6, requests * rows, HEADS)),
        conv_state,
        recurrent_state,
        order[: requests * rows].reshape(requests, rows).to(torch.int32),
        torch.tensor(accepted[:requests], dtype=torch.int32),
    )


def by_hand(s: Step) -> tuple[Tensor, Tensor, Tensor]:
    """The step request by request and row by row in float64, straight from the definition."""
    pool, conv_pool = s.recurrent_state.double(), s.conv_state.double()
    after, conv_after = pool.clone(), conv_pool.clone()
    requests, rows = s.state_index.shape
    outputs = []
    for m in range(requests):
        slots, n = s.state_index[m].tolist(), int(s.num_accepted[m])
        null = slots[0] == 0
        window = (
            torch.zeros(CHANNELS, 3).double() if null else conv_pool[slots[0], :, n - 1 : n + 2]
        )
        x = s.qkv[m * rows : (m + 1) * rows].double().T
        if not null:
            conv_after[slots[0]] = torch.cat([window[:, 1:], x], 1)
        full = torch.cat([window, x], 1)
        c = conv1d(full[None], s.weight.double()[:, None], groups=CHANNELS)[0].T
        q, k, v = silu(c).unflatten(1, (3, HEADS, DIM)).unbind(1)
        q = q / ((q**2).sum(-1, keepdim=True) + 1e-6).sqrt() / math.sqrt(DIM)
        k = k / ((k**2).sum(-1, keepdim=True) + 1e-6).sqrt()
        state = torch.zeros_like(pool[0]) if null else pool[slots[n - 1]]
        for j in range(rows):
            i = m * rows + j
            for h in range(HEADS):
                decayed = state[h] @ torch.diag(s.decay[i, h].double())
                u = (v[j, h] - decayed @ k[j, h]) * s.beta[i, h].double()
                state = state.clone()
                state[h] = decayed + torch.outer(u, k[j, h])
            outputs.append(torch.stack([state[h] @ q[j, h] for h in range(HEADS)]))
            if not null:
                after[slots[j]] = state
    return torch.stack(outputs), conv_after, after


def pools_equal(a: Tensor, b: Tensor) -> None:
    """Bit for bit, NaN where NaN is."""
    torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("accepted", [(1, 1, 1), (2, 3, 4), (4, 4, 4), (3, 1, 2)], ids=str)
def test_step_equals_the_definition(accepted: tuple[int, ...]) -> None:
    s = make_step(accepted=accepted)
    o, conv_after, state_after = s.run(ORACLE)
    by_hand_o, by_hand_conv, by_hand_state = by_hand(s)
    close(o, by_hand_o)
    pools_equal(conv_after, by_hand_conv)
    torch.testing.assert_close(state_after, by_hand_state, rtol=1e-11, atol=1e-12, equal_nan=True)


@ALL_PRECISIONS
def test_other_slots_and_the_null_slot_keep_their_bits(p: Precision) -> None:
    s = make_step()
    _, conv_after, state_after = s.run(p)
    idle = torch.ones(len(s.conv_state), dtype=torch.bool)
    idle[s.state_index.flatten().long()] = False
    assert int(idle.sum()) == 4
    pools_equal(state_after[idle], p.load(s.recurrent_state)[idle])
    assert bool((state_after != p.load(s.recurrent_state))[~idle].flatten(1).any(1).all())
    idle[s.state_index[:, 1:].flatten().long()] = True  # the window is in the first slot only
    pools_equal(conv_after[idle], p.store(p.load(s.conv_state), BF16)[idle])


@ALL_PRECISIONS
def test_padded_request(p: Precision) -> None:
    """The null slot: finite rows from a zero state, nothing written, the others as before."""
    s = make_step()
    o, conv_after, state_after = s.run(p)
    index = s.state_index.clone()
    index[1] = kda.NULL_SLOT
    padded = replace(s, state_index=index, num_accepted=torch.tensor([1, 1, 2]))
    mine, conv_mine, state_mine = padded.run(p)
    assert bool(mine.isfinite().all())
    assert torch.equal(mine[:4], o[:4])
    assert torch.equal(mine[8:], o[8:])
    skipped = s.state_index[1].long()
    pools_equal(conv_mine[skipped], p.store(p.load(s.conv_state), BF16)[skipped])
    pools_equal(state_mine[skipped], p.load(s.recurrent_state)[skipped])
    rest = torch.ones(len(s.conv_state), dtype=torch.bool).index_fill(0, skipped, False)
    pools_equal(conv_mine[rest], conv_after[rest])
    pools_equal(state_mine[rest], state_after[rest])
    from_zero = replace(
        s,
        conv_state=torch.zeros_like(s.conv_state),
        recurrent_state=torch.zeros_like(s.recurrent_state),
    )
    assert torch.equal(mine[4:8], from_zero.run(p)[0][4:8])


@ALL_PRECISIONS
def test_conv_layouts_agree(p: Precision) -> None:
    s = make_step()
    o, conv_after, state_after = s.run(p)
    turned = replace(s, conv_state=s.conv_state.transpose(1, 2).contiguous(), dim_first=False)
    other_o, other_conv, other_state = turned.run(p)
    assert torch.equal(o, other_o)
    pools_equal(other_conv.transpose(1, 2), conv_after)
    pools_equal(other_state, state_after)


@pytest.mark.parametrize("dim_first", [True, False], ids=["dim-first", "len-first"])
def test_states_packed_in_one_page(dim_first: bool) -> None:
    """A page holds a conv state and a recurrent state, with gaps: strided views of one storage."""
    s = make_step()
    if not dim_first:
        s = replace(s, conv_state=s.conv_state.transpose(1, 2).contiguous(), dim_first=False)
    slots, conv_bytes = len(s.conv_state), s.conv_state[0].numel() * 2
    state_bytes, gap = s.recurrent_state[0].numel() * 4, 64
    page = torch.zeros(slots, conv_bytes + gap + state_bytes + gap, dtype=torch.uint8)
    conv = page[:, :conv_bytes].view(BF16).unflatten(1, tuple(s.conv_state.shape[1:]))
    at = conv_bytes + gap
    state = page[:, at : at + state_bytes].view(torch.float32)
    state = state.unflatten(1, tuple(s.recurrent_state.shape[1:]))
    conv.copy_(s.conv_state)
    state.copy_(s.recurrent_state)
    before = page.clone()
    packed = replace(s, conv_state=conv, recurrent_state=state)
    for mine, other in zip(packed.run(CONTRACT), s.run(CONTRACT), strict=True):
        pools_equal(mine, other)
    assert not conv.is_contiguous()
    assert torch.equal(page, before)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_rejected_rows_leave_no_trace(n: int) -> None:
    """A step after ``n`` accepted rows equals one after a step that had brought only those."""
    s = make_step(accepted=(1, 1, 1))
    _, conv_after, state_after = s.run(ORACLE)
    accepted = torch.full((3,), n, dtype=torch.int32)
    x = normal(31, 12, CHANNELS, dtype=BF16)
    second = replace(
        s, qkv=x, conv_state=conv_after, recurrent_state=state_after, num_accepted=accepted
    )
    o, _, state = second.run(ORACLE)

    other = s.qkv.reshape(3, 4, -1).clone()
    other[:, n:] = normal(32, 3, 4 - n, CHANNELS, dtype=BF16)  # other rejected rows
    _, conv_other, state_other = replace(s, qkv=other.reshape(12, -1)).run(ORACLE)
    changed = replace(second, conv_state=conv_other, recurrent_state=state_other)
    o_other, _, state_changed = changed.run(ORACLE)
    assert torch.equal(o, o_other)
    used = s.state_index.flatten().long()
    assert torch.equal(state[used], state_changed[used])


@pytest.mark.parametrize("at", [1, 2, 3])
def test_step_split_in_two(at: int) -> None:
    """Rows before ``at`` as one step and the rest as the next: the same outputs and last state."""
    s = make_step(accepted=(1, 1, 1))
    o, conv_after, state_after = s.run(ORACLE)

    def part(rows: slice, conv: Tensor, state: Tensor, accepted: int) -> Step:
        def cut(x: Tensor) -> Tensor:
            return x.unflatten(0, (3, 4))[:, rows].flatten(0, 1)

        return replace(
            s,
            qkv=cut(s.qkv),
            decay=cut(s.decay),
            beta=cut(s.beta),
            conv_state=conv,
            recurrent_state=state,
            state_index=s.state_index[:, : len(range(4)[rows])],
            num_accepted=torch.full((3,), accepted, dtype=torch.int32),
        )

    first = part(slice(0, at), s.conv_state[:, :, : 2 + at], s.recurrent_state, 1)
    first_o, first_conv, first_state = first.run(ORACLE)
    # The last 3 inputs start the next step's window; the state is in the last row's slot.
    slot, width = s.state_index[:, 0].long(), 2 + 4 - at
    window = torch.full((len(s.conv_state), CHANNELS, max(3, width)), math.nan).double()
    window[slot, :, :3] = first_conv[slot][:, :, at - 1 : at + 2]
    last = first_state.index_copy(0, slot, first_state[s.state_index[:, at - 1].long()])
    second = part(slice(at, 4), window[:, :, : max(3, width)], last, 1)
    second_o, second_conv, second_state = second.run(ORACLE)

    both = torch.cat([first_o.unflatten(0, (3, at)), second_o.unflatten(0, (3, 4 - at))], 1)
    close(both.flatten(0, 1), o)
    close(second_conv[slot][:, :, -3:], conv_after[slot][:, :, -3:])
    close(second_state[s.state_index[:, 3 - at].long()], state_after[s.state_index[:, 3].long()])


@ALL_PRECISIONS
def test_plain_decode_is_a_step_of_one_row(p: Precision) -> None:
    """L = 1, n = 1 against the first row of a step of four."""
    s = make_step(accepted=(1, 1, 1))
    o, _, state_after = s.run(p)
    decode = replace(
        s,
        qkv=s.qkv[::4],
        decay=s.decay[::4],
        beta=s.beta[::4],
        conv_state=s.conv_state[:, :, :3],
        state_index=s.state_index[:, :1],
    )
    mine, conv, state = decode.run(p)
    slot = s.state_index[:, 0].long()
    close(mine, o[::4], 1e-12 if p is ORACLE else 2.0**-7)
    close(state[slot], state_after[slot], 1e-12 if p is ORACLE else 1e-5)
    expected = torch.cat([s.conv_state[slot][:, :, 1:3], s.qkv[::4, :, None]], 2)
    assert torch.equal(conv[slot].to(BF16), expected)


def test_prefill_then_step() -> None:
    """A prefill's conv tail and state start a step: the same as prefilling everything."""
    rows, extra = 9, 4
    x, w = normal(0, rows + extra, CHANNELS, dtype=BF16), normal(1, CHANNELS, WIDTH)
    log_decay = -torch.sigmoid(normal(5, rows + extra, HEADS, DIM))
    beta = torch.sigmoid(normal(6, rows + extra, HEADS))
    zero = torch.zeros(HEADS, DIM, DIM)

    def prefill(count: int) -> tuple[Tensor, Tensor, Tensor]:
        conv, tail = kda.prefill_conv(ORACLE, x[:count], w)
        q, k = kda.qk_norm(ORACLE, conv, HEADS, DIM)
        v = conv[:, 2 * HEADS * DIM :].reshape(count, HEADS, DIM)
        o, state = kda.chunked_prefill(
            ORACLE, q, k, v, log_decay[:count], beta[:count], zero, chunk=4
        )
        return o, tail, state

    whole, tail_after, last = prefill(rows + extra)
    _, tail, state = prefill(rows)
    conv_pool = torch.full((6, CHANNELS, 2 + extra), math.nan).double()
    conv_pool[4, :, :3] = tail
    state_pool = (
        normal(8, 6, HEADS, DIM, DIM).double().index_copy(0, torch.tensor([4]), state[None])
    )
    step = Step(
        x[rows:],
        w,
        torch.exp(log_decay[rows:].double()),
        beta[rows:],
        conv_pool,
        state_pool,
        torch.tensor([[4, 2, 5, 1]]),
        torch.tensor([1]),
    )
    o, conv_after, state_after = step.run(ORACLE)
    close(o, whole[rows:])
    close(state_after[1], last)
    assert torch.equal(conv_after[4, :, -3:], tail_after)


@settings(max_examples=20, deadline=None)
@given(
    order=st.permutations(range(4)),
    accepted=st.lists(st.integers(1, 3), min_size=4, max_size=4),
    null=st.sets(st.integers(0, 3), max_size=2),
)
def test_permuting_requests_permutes_outputs(
    order: list[int], accepted: list[int], null: set[int]
) -> None:
    s = make_step(4, 3, tuple(accepted))
    index = s.state_index.clone()
    for m in null:
        index[m] = kda.NULL_SLOT
    s = replace(s, state_index=index)
    o, conv_after, state_after = s.run(CONTRACT)

    def moved(x: Tensor) -> Tensor:
        return x.unflatten(0, (4, 3))[order].flatten(0, 1)

    other = replace(
        s,
        qkv=moved(s.qkv),
        decay=moved(s.decay),
        beta=moved(s.beta),
        state_index=index[order],
        num_accepted=s.num_accepted[order],
    )
    other_o, other_conv, other_state = other.run(CONTRACT)
    assert torch.equal(other_o, moved(o))
    pools_equal(other_conv, conv_after)
    pools_equal(other_state, state_after)
