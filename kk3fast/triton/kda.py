"""KDA after its input projection: convolution, gates, delta rule, gated norm, in one launch."""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.maths import begin, dot, rounded, sigmoid, to_bf16

QK_NORM_EPS = tl.constexpr(1e-6)


@triton.jit
def _window(
    proj, state, conv_w, channel, first, m, j, window,
    L: tl.constexpr, TAPS: tl.constexpr, PROJ: tl.constexpr, C_STRIDE, T_STRIDE,
):  # fmt: skip
    """``bf16(c·sigmoid(c))`` of row ``j`` of request ``m`` for some channels.

    Args:
        state: the request's window; its entry ``first`` is the oldest tap of row 0.
        window: the request's slot; with the null slot its history is zero.
    """
    c = tl.zeros(channel.shape, tl.float32)
    for t in tl.static_range(TAPS):
        w = tl.load(conv_w + channel * TAPS + t)
        if j - (TAPS - 1) + t < 0:
            u = tl.load(
                state + channel.to(tl.int64) * C_STRIDE + (first + j + t) * T_STRIDE,
                mask=channel * 0 + window != 0,
                other=0.0,
            )
        else:
            u = tl.load(proj + (m * L + j - (TAPS - 1) + t) * PROJ + channel)
        c += w * u.to(tl.float32)
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
    n = tl.load(num_accepted + m)
    start = tl.load(state_index + m * L + n - 1)
    window = tl.load(state_index + m * L)
    own = recurrent_state + (h * D + dv[:, None]) * D + dk[None, :]
    grid = tl.zeros((VB, D), tl.int32)
    s = tl.load(own + start.to(tl.int64) * state_slot, mask=grid + start != 0, other=0.0)
    begin(PDL)

    if F_B:
        row = tl.arange(0, 16)
        f_a = tl.load(
            proj + (m * L + row[:, None]) * PROJ + 4 * INNER + dk[None, :],
            mask=(row < L)[:, None],
            other=0.0,
        )
        w = tl.load(w_fb + (h * D + dk[None, :]) * D + dk[:, None])
        up = to_bf16(dot(f_a, w, tl.zeros((16, D), tl.float32)))
        at = g1 + (m * L + row[:, None]) * INNER + h * D + dk[None, :]
        tl.store(at, up, mask=(row < L)[:, None])
        tl.debug_barrier()

    rate = tl.exp(tl.load(a_log + h))
    bias = tl.load(dt_bias + h * D + dk)
    old = conv_state + window.to(tl.int64) * conv_slot
    for j in tl.static_range(L):
        line = m * L + j
        q_c = _window(
            proj, old, conv_w, h * D + dk, n - 1, m, j, window, L, TAPS, PROJ, conv_channel, conv_entry  # noqa: E501
        )
        k_c = _window(
            proj, old, conv_w, INNER + h * D + dk, n - 1, m, j, window, L, TAPS, PROJ, conv_channel, conv_entry  # noqa: E501
        )
        v_c = _window(
            proj, old, conv_w, 2 * INNER + h * D + dv, n - 1, m, j, window, L, TAPS, PROJ, conv_channel, conv_entry  # noqa: E501
        )
        tl.store(conv + line * 3 * INNER + 2 * INNER + h * D + dv, v_c)
        q = q_c.to(tl.float32)
        k = k_c.to(tl.float32)
        q = q * tl.rsqrt(tl.sum(q * q, 0) + QK_NORM_EPS) * D**-0.5
        k = k * tl.rsqrt(tl.sum(k * k, 0) + QK_NORM_EPS)
        gate = tl.load(g1 + line * INNER + h * D + dk).to(tl.float32) + bias
        if BOUNDED:
            decay = tl.exp(lower_bound * sigmoid(rate * gate))
        else:
            soft = tl.maximum(gate, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(gate)))
            decay = tl.exp(-rate * soft)
        beta = sigmoid(tl.load(proj + line * PROJ + 4 * INNER + D + h).to(tl.float32))
        if part == 0:
            tl.store(conv + line * 3 * INNER + h * D + dk, q_c)
            tl.store(conv + line * 3 * INNER + INNER + h * D + dk, k_c)
            tl.store(q_out + line * INNER + h * D + dk, q)
            tl.store(k_out + line * INNER + h * D + dk, k)
            tl.store(decay_out + line * INNER + h * D + dk, decay)
            tl.store(beta_out + line * heads + h, beta)
        s = s * decay[None, :]
        u = (v_c.to(tl.float32) - tl.sum(s * k[None, :], 1)) * beta
        s = s + u[:, None] * k[None, :]
        tl.store(o + line * INNER + h * D + dv, to_bf16(tl.sum(s * q[None, :], 1)))
        slot = tl.load(state_index + line)
        tl.store(own + slot.to(tl.int64) * state_slot, s, mask=grid + slot != 0)

    tl.debug_barrier()
    before = SPLIT - 1
    if SPLIT > 1:
        before = tl.atomic_add(arrived + m * heads + h, 1, sem="acq_rel", scope="gpu")
        tl.debug_barrier()
    if before == SPLIT - 1:
        if SPLIT > 1:
            tl.store(arrived + m * heads + h, 0)
        weight = tl.load(o_norm_w + dk).to(tl.float32)
        for j in tl.static_range(L):
            line = m * L + j
            out = tl.load(o + line * INNER + h * D + dk, volatile=True).to(tl.float32)
            normed = out * tl.rsqrt(tl.sum(out * out, 0) / D + EPS) * weight
            g = tl.load(proj + line * PROJ + 3 * INNER + h * D + dk).to(tl.float32)
            tl.store(core + line * INNER + h * D + dk, to_bf16(normed * sigmoid(g)))
        for which in tl.static_range(3):
            channel = which * INNER + h * D + dk
            place = old + channel.to(tl.int64) * conv_channel
            keep = dk * 0 + window != 0
            # Entries are read before any is written: the window moves over itself.
            e0 = tl.load(place + n * conv_entry, mask=keep, other=0.0)
            e1 = tl.load(place + (n + 1) * conv_entry, mask=keep, other=0.0)
            tl.debug_barrier()
            tl.store(place, e0, mask=keep)
            tl.store(place + conv_entry, e1, mask=keep)
            for j in tl.static_range(L):
                new = tl.load(proj + (m * L + j) * PROJ + channel)
                tl.store(place + (TAPS - 2 + j) * conv_entry, new, mask=keep)
