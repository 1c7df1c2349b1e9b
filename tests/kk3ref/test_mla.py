"""MLA: absorbed, unabsorbed and torch's own attention, the paged cache, splits and shards."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from kk3ref import formats, mla
from kk3ref.mla import StoredFormat
from kk3ref.precision import BASELINE, CONTRACT, ORACLE, Precision

HEADS, NOPE, PE, LATENT, VALUE = 3, 32, 8, 64, 24
WIDTH = LATENT + PE
SCALE = (NOPE + PE) ** -0.5
BF16 = StoredFormat("bf16")
FN = StoredFormat("fp8_e4m3fn", 0.25)
FNUZ = StoredFormat("fp8_e4m3fnuz", 0.5)
FORMATS = [pytest.param(f, id=f.name) for f in (BF16, FN, FNUZ)]
TINY = 1e-12  # float64 noise of sums of a few hundred terms of order one


def normal(seed: int, *shape: int, dtype: torch.dtype = torch.bfloat16) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@dataclass(frozen=True)
class Case:
    """Contexts in a paged pool, the step's rows written; page 0 holds NaN."""

    context_len: Tensor
    rows: int
    stored: StoredFormat
    q: Tensor
    block_table: Tensor
    cache: Tensor
    history: Tensor  # [R, T, width] bf16, what was written

    def attend(self, p: Precision, query: Tensor | None = None, **options: Any) -> Any:
        return mla.attend(
            p,
            self.query if query is None else query,
            self.cache,
            self.block_table,
            self.context_len,
            latent=LATENT,
            scale=SCALE,
            query_format=BF16,
            cache_format=self.stored,
            **options,
        )

    @property
    def query(self) -> Tensor:
        return normal(7, self.q.shape[0], HEADS, WIDTH)


def garbage_pool(pages: int, page_size: int, stored: StoredFormat, width: int = WIDTH) -> Tensor:
    """A pool of random rows whose null page is NaN."""
    pool = normal(3, pages, page_size, width)
    pool[0] = math.nan
    return stored.encode(CONTRACT, CONTRACT.load(pool), "pool")


def make_case(
    contexts: tuple[int, ...] = (0, 5, 37),
    rows: int = 3,
    stored: StoredFormat = BF16,
    page_size: int = 4,
    dcp: int = 1,
    dcp_rank: int = 0,
    seed: int = 0,
) -> Case:
    requests, longest = len(contexts), max(contexts) + rows
    context_len = torch.tensor(contexts, dtype=torch.int32)
    columns = -(-longest // (page_size * dcp))
    order = torch.randperm(requests * columns + 3, generator=torch.Generator().manual_seed(seed))
    table = (1 + order[: requests * columns]).reshape(requests, columns).to(torch.int32)
    cache = garbage_pool(requests * columns + 4, page_size, stored)
    history = normal(1, requests, longest, WIDTH)
    for m, length in enumerate(contexts):
        written = history[m, : length + rows]
        slots = mla.slot_mapping(
            table[m : m + 1], torch.tensor([0]), length + rows, page_size, dcp, dcp_rank
        )
        kv, k_pe = written[:, :LATENT], written[:, LATENT:]
        cache = mla.write_cache(CONTRACT, kv, k_pe, cache, slots, stored)
    q = normal(2, requests * rows, HEADS, NOPE + PE)
    return Case(context_len, rows, stored, q, table, cache, history)


def weights() -> tuple[Tensor, Tensor]:
    w_uk, w_uv = normal(4, HEADS, NOPE, LATENT), normal(5, HEADS, VALUE, LATENT)
    return w_uk / 8, w_uv / 8


def absorbed(p: Precision, case: Case) -> Tensor:
    w_uk, w_uv = weights()
    q_lat = mla.absorb_query(p, case.q[..., :NOPE], w_uk)
    o, _ = case.attend(p, mla.join_query(p, q_lat, case.q[..., NOPE:]))
    return mla.v_up(p, p.round(o, "o", torch.bfloat16), w_uv)


def by_torch(case: Case) -> Tensor:
    """Each request alone, keys and values written out, in float64."""
    w_uk, w_uv = (w.double() for w in weights())
    outputs = []
    for m, context in enumerate(case.context_len.tolist()):
        total = context + case.rows
        rows = case.history[m, :total].double()
        if case.stored.fp8:
            scaled = (rows / case.stored.scale).float()
            top = formats.FP8_MAX[case.stored.name]
            dtype = getattr(torch, f"float8_{case.stored.name[4:]}")
            rows = scaled.clamp(-top, top).to(dtype).double() * case.stored.scale
        lat, k_pe = rows[:, :LATENT], rows[:, LATENT:]
        k = torch.cat([lat @ w_uk.transpose(1, 2), k_pe.expand(HEADS, -1, -1)], -1)
        v = lat @ w_uv.transpose(1, 2)
        q = case.q[m * case.rows : (m + 1) * case.rows].double().transpose(0, 1)
        mask = torch.ones(case.rows, total, dtype=torch.bool).tril(context)
        o = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=SCALE)
        outputs.append(o.transpose(0, 1))
    return torch.cat(outputs)


def close(a: Tensor, b: Tensor, tolerance: float = TINY) -> None:
    assert a.shape == b.shape
    assert bool(a.isfinite().all())
    scale = float(b.abs().max())
    assert scale > 1e-3, "nothing to compare"
    assert float((a.double() - b.double()).abs().max()) <= tolerance * scale


# -- forms of attention ------------------------------------------------------------------------


@pytest.mark.parametrize("stored", FORMATS)
def test_absorbed_equals_unabsorbed(stored: StoredFormat) -> None:
    case = make_case(stored=stored)
    w_uk, w_uv = weights()
    written_out = mla.attend_unabsorbed(
        ORACLE,
        case.q,
        case.cache,
        case.block_table,
        case.context_len,
        w_uk,
        w_uv,
        scale=SCALE,
        cache_format=stored,
    )
    close(absorbed(ORACLE, case), written_out)


@pytest.mark.parametrize("stored", FORMATS)
def test_absorbed_equals_torch_attention(stored: StoredFormat) -> None:
    case = make_case(stored=stored)
    close(absorbed(ORACLE, case), by_torch(case))


@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=repr)
def test_rounded_precisions_are_near_the_oracle(p: Precision) -> None:
    case = make_case()
    mine = absorbed(p, case)
    assert mine.dtype == torch.bfloat16
    close(mine, by_torch(case), 2.0**-6)


def test_baseline_sums_in_another_order() -> None:
    case = make_case(contexts=(200, 90, 13))
    assert not torch.equal(case.attend(CONTRACT)[0], case.attend(BASELINE)[0])
    close(case.attend(BASELINE)[0], case.attend(CONTRACT)[0], 1e-5)


def test_lse_is_the_natural_log() -> None:
    case = make_case(contexts=(9,), rows=1)
    _, lse = case.attend(ORACLE)
    scores = case.query[0].double() @ case.history[0, :10].double().T * SCALE
    close(lse[0], torch.logsumexp(scores, -1))


def test_softmax_scale_is_given_by_the_query_width() -> None:
    """A single score difference is scaled by exactly (nope+pe)^-0.5."""
    case = make_case(contexts=(1,), rows=1)
    o, _ = case.attend(ORACLE)
    scores = case.query[0].double() @ case.history[0, :2].double().T * (NOPE + PE) ** -0.5
    close(o[0], torch.softmax(scores, -1) @ case.history[0, :2, :LATENT].double())


# -- causality ---------------------------------------------------------------------------------


def test_row_sees_no_later_row_of_the_step() -> None:
    case = make_case()
    last = mla.slot_mapping(case.block_table, case.context_len, case.rows, 4)[case.rows - 1 :: 3]
    changed = case.cache.reshape(-1, WIDTH).index_fill(0, last, 9.0).reshape(case.cache.shape)
    before, _ = case.attend(CONTRACT)
    after, _ = replace(case, cache=changed).attend(CONTRACT)
    before, after = (o.reshape(3, case.rows, -1) for o in (before, after))
    assert torch.equal(before[:, :-1], after[:, :-1])
    assert bool((before[:, -1] != after[:, -1]).all())


@pytest.mark.parametrize("j", range(3))
def test_row_alone_equals_row_among_others(j: int) -> None:
    case = make_case()
    together, _ = case.attend(ORACLE)
    alone = replace(case, context_len=case.context_len + j, rows=1)
    o, _ = alone.attend(ORACLE, case.query[j :: case.rows])
    close(o, together[j :: case.rows])


def test_request_alone_equals_request_among_others() -> None:
    case = make_case()
    together, lse = case.attend(ORACLE)
    for m in range(3):
        rows = slice(m * case.rows, (m + 1) * case.rows)
        alone = replace(
            case, context_len=case.context_len[m : m + 1], block_table=case.block_table[m : m + 1]
        )
        o, own_lse = alone.attend(ORACLE, case.query[rows])
        close(o, together[rows])
        close(own_lse, lse[rows])


# -- paging ------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [ORACLE, CONTRACT, BASELINE], ids=repr)
@pytest.mark.parametrize("stored", FORMATS)
def test_page_order_does_not_matter(p: Precision, stored: StoredFormat) -> None:
    one, other = make_case(stored=stored, seed=0), make_case(stored=stored, seed=1)
    assert not torch.equal(one.block_table, other.block_table)
    assert torch.equal(one.attend(p)[0], other.attend(p)[0])


@pytest.mark.parametrize("page_size", [1, 3, 16, 64])
def test_page_size_does_not_matter(page_size: int) -> None:
    other = make_case(page_size=page_size)
    assert torch.equal(make_case().attend(CONTRACT)[0], other.attend(CONTRACT)[0])


def test_strided_pool() -> None:
    case = make_case(stored=FN)
    page = torch.full((case.cache.shape[0], 4 * WIDTH + 40), 0x7F, dtype=torch.uint8)
    strided = page[:, 8 : 8 + 4 * WIDTH].unflatten(1, (4, WIDTH))
    strided.copy_(case.cache)
    assert not strided.is_contiguous()
    assert torch.equal(case.attend(CONTRACT)[0], replace(case, cache=strided).attend(CONTRACT)[0])
    slots = torch.arange(9)
    kv, k_pe = normal(8, 9, LATENT), normal(9, 9, PE)
    written = (mla.write_cache(CONTRACT, kv, k_pe, c, slots, FN) for c in (case.cache, strided))
    assert torch.equal(*written)


def test_context_longer_than_its_table() -> None:
    case = make_case()
    with pytest.raises(ValueError, match="at most the 40 rows of the block table, got 41"):
        replace(case, context_len=case.context_len + 1).attend(ORACLE)


@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("p", [ORACLE, CONTRACT], ids=repr)
def test_padded_request(p: Precision, stored: StoredFormat) -> None:
    """A null block table: finite rows, nothing written, and the others as if it were not there."""
    case = make_case(stored=stored)
    table, lengths = case.block_table.clone(), case.context_len.clone()
    table[2], lengths[2] = mla.NULL_PAGE, 0
    padded = replace(case, block_table=table, context_len=lengths)
    o, lse = padded.attend(p)
    assert bool((o[6:] == 0).all())
    assert bool((lse[6:] == -math.inf).all())
    close(o[:6], case.attend(p)[0][:6].double(), 1e-6)
    slots = mla.slot_mapping(table, lengths, 3, 4)
    assert slots[6:].tolist() == [mla.NO_SLOT] * 3
    assert bool((slots[:6] >= 4).all())


# -- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", FORMATS)
def test_write_changes_only_the_rows_of_the_step(stored: StoredFormat) -> None:
    case = make_case(stored=stored)
    kv, k_pe = normal(8, 9, LATENT), normal(9, 9, PE)
    table = case.block_table.clone()
    table[1] = mla.NULL_PAGE
    slots = mla.slot_mapping(table, case.context_len, 3, 4)
    after = mla.write_cache(CONTRACT, kv, k_pe, case.cache, slots, stored)
    expected = case.cache.clone()
    for m, context in ((0, 0), (2, 37)):
        for j in range(3):
            page, offset = divmod(context + j, 4)
            row = torch.cat([kv[3 * m + j], k_pe[3 * m + j]])
            if stored.fp8:
                dtype = getattr(torch, f"float8_{stored.name[4:]}")
                row = (row.float() / stored.scale).to(dtype).view(torch.uint8)
            expected[table[m, page], offset] = row
    assert after.dtype == case.cache.dtype == stored.dtype
    bits = torch.uint8 if stored.fp8 else torch.int16
    assert torch.equal(after.view(bits), expected.view(bits))
    assert int((after.view(bits) != case.cache.view(bits)).flatten(0, 1).any(1).sum()) == 6


@pytest.mark.parametrize(
    ("stored", "top"), [(FN, 112.0), (FNUZ, 120.0)], ids=["fn·0.25", "fnuz·0.5"]
)
def test_stored_values_saturate(stored: StoredFormat, top: float) -> None:
    x = torch.tensor([1e4, -1e4, top, 1.0, -0.0])
    values = stored.load(ORACLE, stored.encode(CONTRACT, x, "t"))
    assert values.tolist() == [top, -top, top, 1.0, 0.0]


def test_scale_matters() -> None:
    case = make_case(stored=FN)
    right, _ = case.attend(ORACLE)
    wrong, _ = replace(case, stored=StoredFormat(FN.name, 1.0)).attend(ORACLE)
    assert float((right - wrong).abs().max()) > 0.1


def test_fnuz_is_half_of_fn_and_byte_0x80_its_nan() -> None:
    codes = torch.arange(256, dtype=torch.uint8)
    fn, fnuz = (StoredFormat(name).load(ORACLE, codes) for name in ("fp8_e4m3fn", "fp8_e4m3fnuz"))
    both = fn.isfinite() & fnuz.isfinite()
    assert int(both.sum()) == 253
    assert torch.equal(fn[both], 2 * fnuz[both])
    assert float(fn[0x80]) == 0.0
    assert bool(fnuz[0x80].isnan())


@pytest.mark.parametrize(("name", "finite"), [("fp8_e4m3fn", True), ("fp8_e4m3fnuz", False)])
def test_byte_0x80_in_a_visible_row(name: str, finite: bool) -> None:
    case = make_case(contexts=(5,), rows=1, stored=StoredFormat(name))
    slot = mla.slot_mapping(case.block_table, torch.tensor([2]), 1, 4)
    cache = case.cache.reshape(-1, WIDTH).index_fill(0, slot, 0x80).reshape(case.cache.shape)
    o, _ = replace(case, cache=cache).attend(CONTRACT)
    assert bool(o.isfinite().all()) is finite


@pytest.mark.parametrize(
    ("name", "scale", "message"),
    [("fp8", 1.0, "format must be one of"), ("bf16", 0.0, "scale must be positive, got 0")],
)
def test_bad_stored_format(name: str, scale: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StoredFormat(name, scale)


# -- splits and shards -------------------------------------------------------------------------


@pytest.mark.parametrize("split", [1, 3, 16, 39, 40, 1000])
def test_splits_agree(split: int) -> None:
    """40 splits of one row also fold more than once; short contexts have empty splits."""
    case = make_case()
    whole, whole_lse = case.attend(ORACLE)
    o, lse = case.attend(ORACLE, split=split)
    close(o, whole)
    close(lse, whole_lse)


@pytest.mark.parametrize("dcp", [1, 2, 4, 8])
@pytest.mark.parametrize("stored", FORMATS)
def test_shards_agree(dcp: int, stored: StoredFormat) -> None:
    whole, whole_lse = make_case(stored=stored).attend(ORACLE)
    parts = []
    for rank in range(dcp):
        case = make_case(stored=stored, dcp=dcp, dcp_rank=rank)
        parts.append(case.attend(ORACLE, dcp=dcp, dcp_rank=rank))
    o, lse = mla.merge(ORACLE, *zip(*parts, strict=True))
    close(o, whole)
    close(lse, whole_lse)


def test_one_row_over_eight_ranks() -> None:
    """Seven empty shards: zero, -inf, and no weight."""
    whole, _ = make_case(contexts=(0,), rows=1).attend(CONTRACT)
    parts = []
    for rank in range(8):
        case = make_case(contexts=(0,), rows=1, dcp=8, dcp_rank=rank)
        parts.append(case.attend(CONTRACT, dcp=8, dcp_rank=rank))
    assert all(bool((o == 0).all() and (lse == -math.inf).all()) for o, lse in parts[1:])
    o, lse = mla.merge(CONTRACT, *zip(*parts, strict=True))
    assert torch.equal(o, whole)
    assert torch.equal(lse, parts[0][1])


@settings(max_examples=25, deadline=None)
@given(
    contexts=st.lists(st.integers(0, 30), min_size=1, max_size=3),
    rows=st.integers(1, 4),
    dcp=st.sampled_from([2, 3, 8]),
    page_size=st.integers(1, 5),
)
def test_any_step_agrees_over_shards(
    contexts: list[int], rows: int, dcp: int, page_size: int
) -> None:
    whole, _ = make_case(tuple(contexts), rows).attend(ORACLE)
    parts = []
    for rank in range(dcp):
        case = make_case(tuple(contexts), rows, page_size=page_size, dcp=dcp, dcp_rank=rank)
        parts.append(case.attend(ORACLE, dcp=dcp, dcp_rank=rank))
    close(mla.merge(ORACLE, *zip(*parts, strict=True))[0], whole)


def test_shards_hold_every_row_once() -> None:
    table = torch.tensor([[3, 1], [2, 4]])
    slots = torch.stack(
        [mla.slot_mapping(table, torch.tensor([2, 7]), 9, 4, 4, rank) for rank in range(4)]
    )
    assert ((slots != mla.NO_SLOT).sum(0) == 1).all()
    # Position 10 of request 0 is local row 2 of rank 2: page 3, offset 2.
    assert int(slots[2, 8]) == 3 * 4 + 2


def test_merge_of_nothing() -> None:
    o, lse = mla.merge(CONTRACT, [torch.zeros(2, 3, 4)] * 3, [torch.full((2, 3), -math.inf)] * 3)
    assert bool((o == 0).all())
    assert bool((lse == -math.inf).all())


def test_merge_far_apart_does_not_overflow() -> None:
    o, lse = mla.merge(
        CONTRACT,
        [torch.full((1, 1), 2.0), torch.full((1, 1), 5.0)],
        [torch.tensor([-900.0]), torch.tensor([900.0])],
    )
    assert (o.item(), lse.item()) == (5.0, 900.0)


# -- long contexts -----------------------------------------------------------------------------


def test_slots_are_64_bit() -> None:
    table = torch.tensor([[2**28 + 5]], dtype=torch.int32)
    slots = mla.slot_mapping(table, torch.tensor([7], dtype=torch.int32), 2, 64)
    assert slots.dtype == torch.int64
    assert slots.tolist() == [(2**28 + 5) * 64 + 7, (2**28 + 5) * 64 + 8]


def test_a_million_rows() -> None:
    """2²⁰ rows in pages up to 2²⁸: every page is the same, so each counts 65536 times."""
    page = normal(3, 1, 16, WIDTH)
    pool = page.expand(2**28 + 2, 16, WIDTH)
    step = 2**28 // 65536
    table = (1 + step * torch.arange(1, 65537, dtype=torch.int32))[None]
    query = normal(7, 1, HEADS, WIDTH)
    o, lse = mla.attend(
        CONTRACT,
        query,
        pool,
        table,
        torch.tensor([2**20 - 1]),
        latent=LATENT,
        scale=SCALE,
        query_format=BF16,
        cache_format=BF16,
    )
    scores = query[0].double() @ page[0].double().T * SCALE
    close(o[0], torch.softmax(scores, -1) @ page[0, :, :LATENT].double(), 1e-5)
    close(lse[0], torch.logsumexp(scores, -1) + math.log(65536), 1e-6)


# -- prefill -----------------------------------------------------------------------------------


def run_prefill(p: Precision, pieces: list[int], stored: StoredFormat) -> tuple[Tensor, Tensor]:
    rows = sum(pieces)
    q_lat, q_pe = normal(1, rows, HEADS, LATENT), normal(2, rows, HEADS, PE)
    kv, k_pe = normal(3, rows, LATENT), normal(4, rows, PE)
    cache = garbage_pool(9, 4, stored)
    if p is ORACLE and not stored.fp8:
        cache = cache.double()
    pages = torch.tensor([5, 2, 8, 1, 7], dtype=torch.int32)
    outputs, start = [], 0
    for count in pieces:
        piece = slice(start, start + count)
        o, cache = mla.prefill(
            p,
            q_lat[piece],
            q_pe[piece],
            kv[piece],
            k_pe[piece],
            cache,
            pages,
            start,
            scale=SCALE,
            query_format=stored,
            cache_format=stored,
        )
        outputs.append(o)
        start += count
    return torch.cat(outputs), cache


@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("pieces", [[1] * 18, [7, 11], [17, 1]], ids=["rows", "two", "last"])
def test_prefill_in_pieces(pieces: list[int], stored: StoredFormat) -> None:
    whole, whole_cache = run_prefill(ORACLE, [18], stored)
    o, cache = run_prefill(ORACLE, pieces, stored)
    close(o, whole)
    assert torch.equal(cache.nan_to_num(7.0), whole_cache.nan_to_num(7.0))


def test_long_prefill_works_in_blocks_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = run_prefill(ORACLE, [18], FN)
    monkeypatch.setattr("kk3ref.mla.attention._SPLIT_ELEMENTS", 4 * WIDTH)
    blocks, _ = run_prefill(ORACLE, [18], FN)
    close(blocks, whole)


# -- around the attention ----------------------------------------------------------------------


def test_split_projection() -> None:
    proj = torch.arange(20)[None]
    parts = mla.split_projection(proj, 5, 4, 3)
    bounds = {name: (int(t[0, 0]), int(t[0, -1])) for name, t in parts.items()}
    assert bounds == {"q_c": (0, 4), "kv_c": (5, 8), "k_pe": (9, 11), "gate": (12, 19)}


def test_norm_and_gate() -> None:
    x, w, g = normal(1, 4, 6), normal(2, 6), normal(3, 4, 6)
    wide = x.double()
    normed = wide / torch.sqrt((wide**2).sum(-1, keepdim=True) / 6 + 1e-5) * w.double()
    close(mla.norm(ORACLE, x, w, 1e-5, "q"), normed)
    gated = wide / (1 + torch.exp(-g.double()))
    close(mla.output_gate(ORACLE, x.reshape(4, 2, 3), g), gated)
    assert mla.output_gate(CONTRACT, x.reshape(4, 2, 3), g).dtype == torch.bfloat16


def test_mxfp4_operands_are_grouped_along_the_contracted_axis() -> None:
    w_uk, w_uv = weights()
    q_nope, o_lat = normal(6, 5, HEADS, NOPE), normal(7, 5, HEADS, LATENT)

    def rounded(x: Tensor) -> Tensor:
        return formats.quantize_mxfp4(x).dequantize(torch.float64)

    q_lat = mla.absorb_query_mxfp4(ORACLE, *ORACLE.quantize_mxfp4(q_nope, "t"), w_uk)
    uk = rounded(w_uk.transpose(1, 2))
    close(q_lat, torch.einsum("shn,hcn->shc", rounded(q_nope), uk))
    attn = mla.v_up_mxfp4(ORACLE, *ORACLE.quantize_mxfp4(o_lat, "t"), w_uv)
    close(attn, torch.einsum("shc,hvc->shv", rounded(o_lat), rounded(w_uv)))
    exact = mla.absorb_query(ORACLE, q_nope, w_uk)
    assert 0.02 < float((q_lat - exact).norm() / exact.norm()) < 0.3


def test_mxfp4_weights_may_come_quantised() -> None:
    w_uk, w_uv = weights()
    q = ORACLE.quantize_mxfp4(normal(6, 5, HEADS, NOPE), "t")
    o = ORACLE.quantize_mxfp4(normal(7, 5, HEADS, LATENT), "t")
    ready = formats.quantize_mxfp4(w_uk.transpose(1, 2))
    assert torch.equal(
        mla.absorb_query_mxfp4(CONTRACT, *q, w_uk), mla.absorb_query_mxfp4(CONTRACT, *q, ready)
    )
    assert torch.equal(
        mla.v_up_mxfp4(CONTRACT, *o, w_uv),
        mla.v_up_mxfp4(CONTRACT, *o, formats.quantize_mxfp4(w_uv)),
    )


@pytest.mark.parametrize("name", ["bf16", "fp8_e4m3fn"])
def test_rows_nobody_sees_may_hold_nan(name: str) -> None:
    """A page is listed before it is full: what its free rows hold must reach no output."""
    stored = StoredFormat(name)
    rows, heads, latent, width = 2, 3, 8, 12
    torch.manual_seed(0)
    cache = stored.encode(CONTRACT, torch.randn(5, 4, width), "test")
    table = torch.tensor([[1, 2], [3, 4]])
    lengths = torch.tensor([5, 1])  # the second request's rows end long before the first one's
    query = torch.randn(2 * rows, heads, width).to(torch.bfloat16)
    spoiled = cache.clone()
    spoiled[3, 3:] = 0x7F if stored.fp8 else torch.nan
    spoiled[4] = 0x7F if stored.fp8 else torch.nan

    def attend(pool: Tensor) -> Tensor:
        o, _ = mla.attend(
            CONTRACT,
            query,
            pool,
            table,
            lengths,
            latent=latent,
            scale=width**-0.5,
            query_format=BF16,
            cache_format=stored,
        )
        return torch.as_tensor(o)

    assert attend(spoiled).isfinite().all()
    assert torch.equal(attend(spoiled), attend(cache))
