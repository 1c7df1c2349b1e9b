"""KDA after its input projection: convolution, gates, delta rule, gated norm, in one launch."""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.maths import begin, dot, sigmoid, to_bf16

QK_NORM_EPS = tl.constexpr(1e-6)


@triton.jit
def _history(
    state, conv_w, channel, first, j, window,
    L: tl.constexpr, TAPS: tl.constexpr, C_STRIDE, T_STRIDE,
):  # fmt: skip
    """Weights of every tap, and what earlier steps left at all but the last, of rows ``j [J, 1]``.

    Args:
        channel: ``[1, C]``.
        state: the request's window; its entry ``first`` is the oldest tap of row 0.
        window: the request's slot; with the null slot its history is zero.
    """
    weights = ()
    old = ()
    for t in tl.static_range(TAPS):
        weights += (tl.load(conv_w + channel * TAPS + t),)
        if t < TAPS - 1:
            before = (j - (TAPS - 1) + t < 0) & (channel * 0 + window != 0)
            at = state + channel.to(tl.int64) * C_STRIDE + (first + j + t) * T_STRIDE
            old += (tl.load(at, mask=before, other=0.0),)
    return weights, old


@triton.jit
def _window(
    proj, weights, old, channel, m, j, L: tl.constexpr, TAPS: tl.constexpr, PROJ: tl.constexpr
):
    """``c·sigmoid(c)`` rounded to bf16, of rows ``j [J, 1]`` and channels ``channel [1, C]``."""
    c = tl.zeros((j.shape[0], channel.shape[1]), tl.float32)
    for t in tl.static_range(TAPS):
        new = j - (TAPS - 1) + t
        in_step = (new >= 0) & (j < L) & (channel >= 0)
        u = tl.load(proj + (m * L + new) * PROJ + channel, mask=in_step, other=0.0)
        u = u.to(tl.float32)
        if t < TAPS - 1:
            u += old[t].to(tl.float32)
        c += weights[t] * u
    return to_bf16(c * sigmoid(c))


@triton.jit
def kda_kernel(
    proj,
    g1,
    w_fb,
    conv_w,
    a_log,
    dt_bias,
    o_norm_w,
    conv_state,
    recurrent_state,
    state_index,
    num_accepted,
    conv,
    q_out,
    k_out,
    decay_out,
    beta_out,
    o,
    core,
    arrived,
    conv_slot,
    conv_channel,
    conv_entry,
    state_slot,
    heads,
    lower_bound,
    L: tl.constexpr,
    LP: tl.constexpr,
    D: tl.constexpr,
    INNER: tl.constexpr,
    PROJ: tl.constexpr,
    TAPS: tl.constexpr,
    SPLIT: tl.constexpr,
    F_B: tl.constexpr,
    BOUNDED: tl.constexpr,
    EPS: tl.constexpr,
    PDL: tl.constexpr,
):
    """One program for ``D/SPLIT`` value rows of one head of one request.

    The rows of the state are independent of each other, so a head may be split; the program that
    arrives last norms the head's output and moves the convolution's window, which all have read.
    With ``F_B`` the decay's up projection is computed here (each program of a head for itself),
    else ``g1`` is given.
    """
    part = tl.program_id(0)
    h = tl.program_id(1)
    m = tl.program_id(2)
    VB: tl.constexpr = D // SPLIT
    dk = tl.arange(0, D)
    dv = part * VB + tl.arange(0, VB)
    dk2 = dk[None, :]
    dv2 = dv[None, :]
    j = tl.arange(0, LP)[:, None]
    live_k = (j < L) & (dk2 >= 0)
    live_v = (j < L) & (dv2 >= 0)
    line = m * L + j
    grid = tl.zeros((VB, D), tl.int32)

    # What the kernel before does not write.
    n = tl.load(num_accepted + m)
    start = tl.load(state_index + m * L + n - 1)
    window = tl.load(state_index + m * L)
    own = recurrent_state + (h * D + dv[:, None]) * D + dk[None, :]
    s = tl.load(own + start.to(tl.int64) * state_slot, mask=grid + start != 0, other=0.0)
    old = conv_state + window.to(tl.int64) * conv_slot
    q_w, q_old = _history(old, conv_w, h * D + dk2, n - 1, j, window, L, TAPS, conv_channel, conv_entry)  # noqa: E501  # fmt: skip
    k_w, k_old = _history(old, conv_w, INNER + h * D + dk2, n - 1, j, window, L, TAPS, conv_channel, conv_entry)  # noqa: E501  # fmt: skip
    v_w, v_old = _history(old, conv_w, 2 * INNER + h * D + dv2, n - 1, j, window, L, TAPS, conv_channel, conv_entry)  # noqa: E501  # fmt: skip
    # The window's move, for the program that will do it: read before anything is written.
    channel = tl.arange(0, 4)[:, None] * INNER + h * D + dk2
    keep = (tl.arange(0, 4)[:, None] < 3) & (dk2 * 0 + window != 0)
    place = old + channel.to(tl.int64) * conv_channel
    e0 = tl.load(place + n * conv_entry, mask=keep, other=0.0)
    e1 = tl.load(place + (n + 1) * conv_entry, mask=keep, other=0.0)
    rate = tl.exp(tl.load(a_log + h))
    bias = tl.load(dt_bias + h * D + dk2)
    if F_B:
        w = tl.load(w_fb + (h * D + dk[:, None]) * D + dk[None, :])
    begin(PDL)

    # What no state enters, for all rows at once.
    q_c = _window(proj, q_w, q_old, h * D + dk2, m, j, L, TAPS, PROJ)
    k_c = _window(proj, k_w, k_old, INNER + h * D + dk2, m, j, L, TAPS, PROJ)
    v_c = _window(proj, v_w, v_old, 2 * INNER + h * D + dv2, m, j, L, TAPS, PROJ)
    if F_B:
        tile = tl.arange(0, 16)[:, None]
        f_at = proj + (m * L + tile) * PROJ + 4 * INNER + dk2
        f_a = tl.load(f_at, mask=tile < L, other=0.0)
        up = to_bf16(dot(f_a, tl.trans(w), tl.zeros((16, D), tl.float32)))
        tl.store(g1 + (m * L + tile) * INNER + h * D + dk2, up, mask=tile < L)
        # The first LP rows of the tile; the others are zero.
        gate = tl.sum(tl.reshape(up.to(tl.float32), (16 // LP, LP, D)), 0)
    else:
        gate = tl.load(g1 + line * INNER + h * D + dk2, mask=live_k, other=0.0).to(tl.float32)
    moved = ()
    for row in tl.static_range(L):
        moved += (tl.load(proj + (m * L + row) * PROJ + channel, mask=keep, other=0.0),)
    g_at = proj + line * PROJ + 3 * INNER + h * D + dk2
    g = tl.load(g_at, mask=live_k, other=0.0).to(tl.float32)
    b = tl.load(proj + line * PROJ + 4 * INNER + D + h, mask=j < L, other=0.0).to(tl.float32)
    q = q_c.to(tl.float32)
    k = k_c.to(tl.float32)
    q = q * tl.rsqrt(tl.sum(q * q, 1) + QK_NORM_EPS)[:, None] * D**-0.5
    k = k * tl.rsqrt(tl.sum(k * k, 1) + QK_NORM_EPS)[:, None]
    if BOUNDED:
        decay = tl.exp(lower_bound * sigmoid(rate * (gate + bias)))
    else:
        # softplus(x) = max(x, 0) + log(1 + exp(-|x|))
        soft = tl.maximum(gate + bias, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(gate + bias)))
        decay = tl.exp(-rate * soft)
    beta = sigmoid(b)
    # The programs of a head write the same values to the same places, and each reads its own.
    tl.store(conv + line * 3 * INNER + 2 * INNER + h * D + dv2, v_c, mask=live_v)
    tl.store(conv + line * 3 * INNER + h * D + dk2, q_c, mask=live_k)
    tl.store(conv + line * 3 * INNER + INNER + h * D + dk2, k_c, mask=live_k)
    tl.store(q_out + line * INNER + h * D + dk2, q, mask=live_k)
    tl.store(k_out + line * INNER + h * D + dk2, k, mask=live_k)
    tl.store(decay_out + line * INNER + h * D + dk2, decay, mask=live_k)
    tl.store(beta_out + line * heads + h, beta, mask=j < L)

    tl.debug_barrier()
    # All rows' operands are asked for before the first is used. They come from memory, where they
    # were just put, since a vector loads in the state's layout at once.
    rows = ()
    for row in tl.static_range(L):
        at = (m * L + row) * INNER + h * D
        q_j = tl.load(q_out + at + dk)[None, :]
        k_j = tl.load(k_out + at + dk)[None, :]
        d_j = tl.load(decay_out + at + dk)[None, :]
        v_j = tl.load(conv + (m * L + row) * 3 * INNER + 2 * INNER + h * D + dv)
        b_j = tl.load(beta_out + (m * L + row) * heads + h)
        rows += ((q_j, k_j, d_j, v_j, b_j, tl.load(state_index + m * L + row)),)
    for row in tl.static_range(L):
        q_j, k_j, d_j, v_j, b_j, slot = rows[row]
        s = s * d_j
        u = (v_j.to(tl.float32) - tl.sum(s * k_j, 1)) * b_j
        s = s + u[:, None] * k_j
        tl.store(o + (m * L + row) * INNER + h * D + dv, to_bf16(tl.sum(s * q_j, 1)))
        tl.store(own + slot.to(tl.int64) * state_slot, s, mask=grid + slot != 0)

    tl.debug_barrier()
    before = SPLIT - 1
    if SPLIT > 1:
        before = tl.atomic_add(arrived + m * heads + h, 1, sem="acq_rel", scope="gpu")
        tl.debug_barrier()
    if before == SPLIT - 1:
        if SPLIT > 1:
            tl.store(arrived + m * heads + h, 0)
        out = tl.load(o + line * INNER + h * D + dk2, mask=live_k, other=0.0, volatile=True)
        out = out.to(tl.float32)
        weight = tl.load(o_norm_w + dk2).to(tl.float32)
        normed = out * tl.rsqrt(tl.sum(out * out, 1) / D + EPS)[:, None] * weight
        tl.store(core + line * INNER + h * D + dk2, to_bf16(normed * sigmoid(g)), mask=live_k)
        tl.store(place, e0, mask=keep)
        tl.store(place + conv_entry, e1, mask=keep)
        for row in tl.static_range(L):
            tl.store(place + (TAPS - 2 + row) * conv_entry, moved[row], mask=keep)
