"""Kimi Delta Attention (KDA): short convolution, gates, delta-rule recurrence, gated norm.

Maths: Kimi Linear's KDA, a gated delta rule with one decay a key channel. The state of a head is
``S[v, k]`` in fp32. Every function works on one rank's heads (``h`` of size ``d``) and on the rows
of a step: ``R`` requests of ``L`` rows each, ``S = R·L``, a request's rows adjacent.

A speculative step keeps one recurrent state a row: the recurrence of request ``m`` starts from the
slot of the last row that was accepted, ``state_index[m, num_accepted[m] - 1]``, and the state after
row ``j`` goes to ``state_index[m, j]``. The convolution keeps one window a request, in slot
``state_index[m, 0]``. Slot 0 is the null slot: reads of it are zero, writes to it are dropped.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref.precision import Precision, Value

NULL_SLOT = 0
QK_NORM_EPS = 1e-6


def split_projection(proj: Value, heads: int, head_dim: int, gate: bool = True) -> dict[str, Value]:
    """Name the parts of the fused input projection.

    Args:
        proj: ``[S, rows]``, rows ``q | k | v | g | f_a | beta`` and padding.
        heads, head_dim: the rank's heads and their width.
        gate: whether the full-rank output gate ``g`` is there.

    Returns:
        ``qkv [S, 3·h·d]``, ``g [S, h·d]``, ``f_a [S, d]``, ``b [S, h]``.
    """
    inner = heads * head_dim
    parts, at = {}, 0
    widths = {"qkv": 3 * inner, "g": inner if gate else 0, "f_a": head_dim, "b": heads}
    for name, width in widths.items():
        parts[name] = proj[:, at : at + width]
        at += width
    return parts


def in_proj(p: Precision, x: Value, w_in: Tensor) -> Value:
    """``bf16(W_in x)``: x ``[S, H]`` bf16, W_in ``[rows, H]`` bf16 → ``[S, rows]``."""
    return p.round(p.linear(x, w_in, "kda.in_proj_sum"), "kda.proj", torch.bfloat16)


def f_b(p: Precision, f_a: Value, w_fb: Tensor) -> Value:
    """``bf16(W_fb f_a)``: f_a ``[S, d]`` bf16, W_fb ``[h·d, d]`` bf16 → ``[S, h·d]``."""
    return p.round(p.linear(f_a, w_fb, "kda.f_b_sum"), "kda.f_b", torch.bfloat16)


def _convolve(p: Precision, window: Value, weight: Tensor, rows: int) -> Value:
    """SiLU of the causal convolution: window ``[R, C, W-1+rows]`` → bf16 ``[R·rows, C]``."""
    w = p.load(weight)
    terms = [w[:, j, None] * window[..., j : j + rows] for j in range(w.shape[1])]
    c = p.sum(torch.stack(terms, -1), -1, "kda.conv_sum")
    o = p.round(c * torch.sigmoid(c), "kda.conv", torch.bfloat16)
    return o.transpose(1, 2).reshape(-1, w.shape[0])


def spec_conv(
    p: Precision,
    qkv: Value,
    weight: Tensor,
    conv_state: Value,
    state_index: Tensor,
    num_accepted: Tensor,
    dim_first: bool = True,
) -> tuple[Value, Value]:
    """Short convolution of a speculative step, with the state window moved past the accepted rows.

    Args:
        qkv: ``[S, C]`` bf16, the projection's q|k|v channels.
        weight: ``[C, W]`` fp32, depthwise, tap ``W-1`` on the current row.
        conv_state: ``[slots, C, W-2+L]`` bf16, or ``[slots, W-2+L, C]`` if not ``dim_first``.
        state_index: ``[R, L]`` int; the window is in slot ``state_index[:, 0]``.
        num_accepted: ``[R]`` int, accepted rows ``n ≥ 1`` of the request's previous step.

    Returns:
        ``bf16(c·sigmoid(c))`` ``[S, C]`` and the whole pool after the step: the window becomes
        ``[entries n … n+W-3, x_1, …, x_L]``.
    """
    requests, rows = state_index.shape
    taps = weight.shape[1] - 1
    pool = p.load(conv_state if dim_first else conv_state.transpose(1, 2))
    slot = state_index[:, 0].long()
    live = slot != NULL_SLOT
    old = torch.where(live[:, None, None], pool[slot], torch.zeros((), dtype=p.dtype))
    first = num_accepted.long() - 1
    taps_at = torch.arange(taps, device=first.device)
    entries = (first[:, None] + taps_at).clamp(0, old.shape[2] - 1)
    index = entries[:, None, :].expand(-1, old.shape[1], -1)
    history = old.gather(2, index)
    x = p.load(qkv).reshape(requests, rows, -1).transpose(1, 2)
    window = torch.cat([history, x], 2)
    moved = pool.index_copy(0, slot[live], torch.cat([history[..., 1:], x], 2)[live])
    moved = p.store(moved if dim_first else moved.transpose(1, 2), conv_state.dtype)
    return _convolve(p, window, weight, rows), moved


def prefill_conv(
    p: Precision, qkv: Value, weight: Tensor, history: Value | None = None
) -> tuple[Value, Value]:
    """Short convolution over a whole sequence.

    Args:
        qkv: ``[T, C]`` bf16; weight: ``[C, W]`` fp32.
        history: ``[C, W-1]`` bf16 inputs before the sequence (zero if None).

    Returns:
        ``[T, C]`` bf16 and the last ``W-1`` inputs ``[C, W-1]``.
    """
    taps = weight.shape[1] - 1
    if history is None:
        history = torch.zeros(qkv.shape[1], taps, dtype=torch.bfloat16, device=weight.device)
    window = torch.cat([p.load(history), p.load(qkv).transpose(0, 1)], 1)
    return (
        _convolve(p, window[None], weight, qkv.shape[0]),
        p.store(window[:, window.shape[1] - taps :], torch.bfloat16),
    )


def qk_norm(p: Precision, conv: Value, heads: int, head_dim: int) -> tuple[Value, Value]:
    """L2-normalised query and key; the epsilon stands on the sum of squares.

    Args:
        conv: ``[S, 3·h·d]`` bf16, q|k|v after the convolution.

    Returns:
        ``q·rsqrt(Σq² + 1e-6)·d^-0.5`` and ``k·rsqrt(Σk² + 1e-6)``, each ``[S, h, d]`` fp32.
    """
    inner = heads * head_dim
    q = p.load(conv[:, :inner]).reshape(-1, heads, head_dim)
    k = p.load(conv[:, inner : 2 * inner]).reshape(-1, heads, head_dim)

    def unit(x: Value) -> Value:
        return x * p.l2_scale(x, QK_NORM_EPS, "kda.qk_square_sum")

    return unit(q) * head_dim**-0.5, unit(k)


def log_decay(
    p: Precision, g1: Value, a_log: Tensor, dt_bias: Tensor, lower_bound: float | None
) -> Value:
    """The log of the per-channel decay.

    Args:
        g1: ``[S, h·d]`` bf16, ``W_fb f_a``; a_log: ``[h]`` fp32; dt_bias: ``[h·d]`` fp32.
        lower_bound: the safe gate's bound (negative), or None for the softplus gate.

    Returns:
        ``lower_bound·sigmoid(exp(A_log)·(g1 + dt_bias))``, or without a bound
        ``-exp(A_log)·softplus(g1 + dt_bias)``: ``[S, h, d]`` fp32, never positive.
    """
    heads = a_log.shape[0]
    rate = torch.exp(p.load(a_log))[:, None]
    x = (p.load(g1) + p.load(dt_bias)).reshape(g1.shape[0], heads, -1)
    if lower_bound is None:
        # Beyond its threshold softplus returns x, which at 20, the default, is off in float64.
        return -rate * torch.nn.functional.softplus(x, threshold=40.0)
    return lower_bound * torch.sigmoid(rate * x)


def gates(
    p: Precision,
    g1: Value,
    b: Value,
    a_log: Tensor,
    dt_bias: Tensor,
    lower_bound: float | None,
) -> tuple[Value, Value]:
    """``decay = exp(log_decay)`` ``[S, h, d]`` and ``beta = sigmoid(b)`` ``[S, h]``, fp32.

    Args:
        b: ``[S, h]`` bf16; the others as in :func:`log_decay`.
    """
    return torch.exp(log_decay(p, g1, a_log, dt_bias, lower_bound)), torch.sigmoid(p.load(b))


def delta_step(
    p: Precision, state: Value, q: Value, k: Value, v: Value, decay: Value, beta: Value
) -> tuple[Value, Value]:
    """One row of the delta rule for a batch of requests.

    Args:
        state: ``[R, h, d_v, d_k]``; q, k, decay: ``[R, h, d_k]``; v: ``[R, h, d_v]``;
            beta: ``[R, h]``; all fp32.

    Returns:
        ``S q`` ``[R, h, d_v]`` (unrounded) and the next state
        ``S·diag(decay) + (v - S·diag(decay)·k)·beta kᵀ``.
    """
    state = state * decay[..., None, :]
    u = (v - p.einsum("rhvk,rhk->rhv", state, k, "kda.state_key_sum")) * beta[..., None]
    state = state + u[..., :, None] * k[..., None, :]
    return p.einsum("rhvk,rhk->rhv", state, q, "kda.state_query_sum"), state


def recurrence(
    p: Precision,
    q: Value,
    k: Value,
    conv: Value,
    decay: Value,
    beta: Value,
    recurrent_state: Value,
    state_index: Tensor,
    num_accepted: Tensor,
) -> tuple[Value, Value]:
    """The delta rule over the rows of a speculative step.

    Args:
        q, k, decay: ``[S, h, d]`` fp32; beta: ``[S, h]`` fp32.
        conv: ``[S, 3·h·d]`` bf16, whose last third is v.
        recurrent_state: ``[slots, h, d_v, d_k]`` fp32.
        state_index: ``[R, L]`` int; num_accepted: ``[R]`` int ≥ 1.

    Returns:
        ``bf16(S q)`` ``[S, h, d]`` and the whole pool after the step.
    """
    requests, rows = state_index.shape
    heads, head_dim = q.shape[1:]
    v = p.load(conv[:, 2 * heads * head_dim :]).reshape(requests, rows, heads, head_dim)
    q, k, decay = (p.load(t).reshape(requests, rows, heads, head_dim) for t in (q, k, decay))
    beta = p.load(beta).reshape(requests, rows, heads)
    pool = p.load(recurrent_state)
    start = state_index.long().gather(1, num_accepted.long()[:, None] - 1)[:, 0]
    state = torch.where(
        (start != NULL_SLOT)[:, None, None, None], pool[start], torch.zeros((), dtype=p.dtype)
    )
    outputs, states = [], []
    for j in range(rows):
        o, state = delta_step(p, state, q[:, j], k[:, j], v[:, j], decay[:, j], beta[:, j])
        outputs.append(o)
        states.append(state)
    slots = state_index.long().flatten()
    live = slots != NULL_SLOT
    pool = pool.index_copy(0, slots[live], torch.stack(states, 1).flatten(0, 1)[live])
    o = p.round(torch.stack(outputs, 1), "kda.o", torch.bfloat16)
    return o.reshape(-1, heads, head_dim), p.store(pool, recurrent_state.dtype)


def gated_norm(p: Precision, o: Value, g: Value, weight: Tensor, eps: float) -> Value:
    """``bf16(o · rsqrt(mean(o²) + eps) · w · sigmoid(g))``.

    Args:
        o: ``[S, h, d]`` bf16; g: ``[S, h·d]`` bf16; weight: ``[d]`` bf16 or fp32.

    Returns:
        ``core`` ``[S, h·d]`` bf16.
    """
    o = p.load(o)
    normed = o * p.rms_scale(o, eps, "kda.o_square_sum") * p.load(weight)
    gated = normed * torch.sigmoid(p.load(g).reshape(o.shape))
    return p.round(gated.reshape(g.shape), "kda.core", torch.bfloat16)


def chunked_prefill(
    p: Precision,
    q: Value,
    k: Value,
    v: Value,
    log_decay: Value,
    beta: Value,
    state: Value,
    chunk: int = 32,
) -> tuple[Value, Value]:
    """The delta rule over a whole sequence, a chunk at a time (WY form).

    Inside a chunk ``S_t = S_0 Γ_t + Σ_{s≤t} u_s (k_s ⊙ Γ_t/Γ_s)ᵀ`` with ``Γ_t`` the decay since the
    chunk's start, so the ``u`` solve a unit lower-triangular system. Decay ratios are formed as
    ``exp`` of a difference that is never positive: nothing overflows.

    Args:
        q, k, log_decay: ``[T, h, d_k]`` fp32; v: ``[T, h, d_v]``; beta: ``[T, h]`` fp32.
        state: ``[h, d_v, d_k]`` fp32 before the sequence.
        chunk: rows a chunk.

    Returns:
        ``bf16`` outputs ``[T, h, d_v]`` and the state after the sequence.
    """
    q, k, v, g = (p.load(t).transpose(0, 1) for t in (q, k, v, log_decay))
    beta, state = p.load(beta).transpose(0, 1), p.load(state)
    outputs = []
    for a in range(0, q.shape[1], chunk):
        rows = slice(a, min(a + chunk, q.shape[1]))
        qc, kc, vc, bc = q[:, rows], k[:, rows], v[:, rows], beta[:, rows, None]
        total = g[:, rows].cumsum(1)  # log Γ, [h, c, d]
        ratio = torch.exp((total[:, :, None] - total[:, None]).clamp(max=0.0))  # Γ_t / Γ_s
        key_key = torch.einsum("htd,hsd,htsd->hts", kc, kc, ratio).tril(-1)
        query_key = torch.einsum("htd,hsd,htsd->hts", qc, kc, ratio).tril()
        from_start = torch.einsum("hvk,htk->htv", state, kc * torch.exp(total))
        u = torch.linalg.solve_triangular(
            torch.eye(qc.shape[1], dtype=p.dtype) + bc * key_key,
            bc * (vc - from_start),
            upper=False,
            unitriangular=True,
        )
        outputs.append(torch.einsum("hvk,htk->htv", state, qc * torch.exp(total)) + query_key @ u)
        tail = torch.exp(total[:, -1:] - total)  # Γ_last / Γ_s
        state = state * torch.exp(total[:, -1:]) + u.transpose(1, 2) @ (kc * tail)
    o = p.round(torch.cat(outputs, 1).transpose(0, 1), "kda.o", torch.bfloat16)
    return o, state
