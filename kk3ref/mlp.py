"""The gated MLP with SiTU: the dense MLP of the first layer and the shared experts.

Maths: SiTU is a SwiGLU whose two factors saturate: ``β·tanh(g/β)·sigmoid(g)`` and
``β_l·tanh(u/β_l)``. A fused gate-up projection has the gate rows first, then the up rows.
"""

from __future__ import annotations

import torch

from kk3ref.precision import Precision, RowSource, Value


def project(p: Precision, x: Value, weight: torch.Tensor | RowSource, point: str) -> Value:
    """``bf16(W x)`` with the rounding point ``point`` and its accumulation ``<point>_sum``.

    Args:
        x: ``[..., k]`` bf16.
        weight: ``[n, k]`` bf16.

    Returns:
        ``[..., n]`` bf16.
    """
    return p.round(p.linear(x, weight, f"{point}_sum"), point, torch.bfloat16)


def situ(gate: Value, up: Value, beta: float, linear_beta: float) -> Value:
    """``(β·tanh(g/β)·sigmoid(g)) · (β_l·tanh(u/β_l))`` in the dtype of the arguments.

    Args:
        gate, up: equal shapes, already loaded.
        beta: saturation of the gate's linear factor (``activation_situ_beta``).
        linear_beta: saturation of the up factor (``activation_situ_linear_beta``).
    """
    gated = beta * torch.tanh(gate / beta) * torch.sigmoid(gate)
    return gated * (linear_beta * torch.tanh(up / linear_beta))


def activate(p: Precision, gate_up: Value, beta: float, linear_beta: float, point: str) -> Value:
    """``bf16(SiTU(g, u))``: gate_up ``[S, 2·n]`` bf16, gate then up → ``[S, n]`` bf16."""
    half = gate_up.shape[-1] // 2
    gate, up = p.load(gate_up[..., :half]), p.load(gate_up[..., half:])
    return p.round(situ(gate, up, beta, linear_beta), point, torch.bfloat16)
