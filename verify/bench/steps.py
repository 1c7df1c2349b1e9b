"""One TP8 rank's layer on a GPU, with random weights made there: what is timed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kk3ref.config import K3Config
from kk3ref.formats import MXFP4
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions, RankContext

BF16, FP32 = torch.bfloat16, torch.float32


@dataclass
class Bench:
    """One set of weights, inputs and buffers.

    Attributes:
        context: the rank's.
        inputs, buffers: as a candidate gets them.
    """

    context: RankContext
    inputs: dict[str, Tensor]
    buffers: dict[str, Tensor]


def normal(*shape: int, scale: float = 1.0, dtype: torch.dtype = BF16) -> Tensor:
    """``scale``·N(0, 1) on the GPU, a part at a time."""
    out = torch.empty(shape, dtype=dtype, device="cuda")
    flat = out.view(-1)
    for start in range(0, flat.numel(), 1 << 26):
        part = flat[start : start + (1 << 26)]
        part.copy_(torch.randn(part.shape, device="cuda") * scale)
    return out


class RandomExperts:
    """All routed experts of a rank as random MXFP4, on the GPU."""

    def __init__(self, config: K3Config, half: int):
        e, latent = config.num_experts, config.routed_expert_hidden_size

        def matrix(rows: int, columns: int) -> MXFP4:
            codes = torch.randint(0, 256, (e, rows, columns // 2), dtype=torch.uint8, device="cuda")
            scales = torch.randint(
                119, 122, (e, rows, columns // 32), dtype=torch.uint8, device="cuda"
            )
            return MXFP4(codes, scales)

        self._w13, self._w2 = matrix(2 * half, latent), matrix(latent, half)

    def w13(self, ids: list[int]) -> MXFP4:
        """See :class:`kk3ref.moe.Experts`."""
        return self._w13[torch.tensor(ids, device="cuda")]

    def w2(self, ids: list[int]) -> MXFP4:
        """See :class:`kk3ref.moe.Experts`."""
        return self._w2[torch.tensor(ids, device="cuda")]


def _projection(rows: int, columns: int) -> Tensor:
    return normal(rows, columns, scale=columns**-0.5)


def weights(config: K3Config, kind: str, tp: int, experts: Any = None) -> dict[str, Any]:
    """Random weights of one rank for a layer kind."""
    s, hidden = config.shard(tp), config.hidden_size
    made: dict[str, Any] = {}
    if kind in ("k1", "m1"):
        made |= {n: normal(hidden) for n in ("attn_res_norm_w", "attn_res_q", "input_norm_w")}
        made["attn_res_q"] *= 0.02
    if kind in ("k1", "kda-decode"):
        made |= {
            "conv_w": normal(3 * s.kda_channels, 4, scale=0.5, dtype=FP32),
            "a_log": normal(s.kda_heads, scale=0.5, dtype=FP32),
            "dt_bias": normal(s.kda_channels, dtype=FP32) - 2,
            "o_norm_w": normal(config.kda_head_dim),
            "w_fb": _projection(s.kda_channels, config.kda_head_dim),
        }
    if kind == "k1":
        made["w_in"] = _projection(s.in_proj_rows_padded, hidden)
    if kind == "m1":
        heads, kv = s.mla_heads, config.kv_lora_rank
        made |= {
            "w_a": _projection(s.mla_a_rows, hidden),
            "q_norm_w": normal(config.q_lora_rank),
            "kv_norm_w": normal(kv),
            "w_qb": _projection(s.mla_q_rows, config.q_lora_rank),
            "w_uk": normal(heads, config.qk_nope_head_dim, kv, scale=0.1),
            "w_uv": normal(heads, config.v_head_dim, kv, scale=0.05),
        }
    if kind == "k2":
        latent = config.routed_expert_hidden_size
        made |= {n: normal(hidden) for n in ("mlp_res_norm_w", "mlp_res_q", "post_norm_w")}
        made["mlp_res_q"] *= 0.02
        made |= {
            "w_o": _projection(hidden, s.kda_channels),
            "w_gate": _projection(config.num_experts, hidden),
            "router_bias": normal(config.num_experts, scale=0.01, dtype=FP32),
            "w_ld": _projection(latent, hidden),
            "w_sgu": _projection(2 * s.shared_intermediate, hidden),
            "w_sd": _projection(hidden, s.shared_intermediate),
            "ln_w": normal(latent),
            "w_up": _projection(s.up_rows, latent),
            "experts": experts,
        }
    return made


def bench_step(
    kind: str,
    rows: int = 8,
    requests: int = 2,
    context: int = 8192,
    tp: int = 8,
    config: K3Config | None = None,
    experts: Any = None,
) -> Bench:
    """One rank's step of ``rows`` rows in ``requests`` requests.

    Args:
        kind: ``k1``, ``k2``, ``m1`` or ``kda-decode``.
        context: rows of each request's MLA context.
        experts: shared by K2's steps.
    """
    config = config or preset("production")
    layer = {"m1": 91}.get(kind, 90)
    options = LayerOptions(conv_dim_first=False)
    shapes = config.shard(tp)
    own: Mapping[str, Any] = weights(config, kind, tp, experts)
    c = RankContext(config, config.layer(layer), shapes, 0, own, options)
    hidden, length = config.hidden_size, rows // requests
    inputs: dict[str, Tensor] = {}
    buffers: dict[str, Tensor] = {}
    if kind != "kda-decode":
        inputs |= {
            "prefix": normal(rows, hidden),
            "delta": normal(rows, hidden, scale=0.3),
            "blocks": normal(rows, c.layer.num_blocks, hidden),
        }
        buffers["prefix_after"] = torch.empty(rows, hidden, dtype=BF16, device="cuda")
    if kind in ("k1", "kda-decode"):
        slots, d = 1 + requests * length, config.kda_head_dim
        index = 1 + torch.randperm(requests * length, device="cuda").to(torch.int32)
        inputs |= {
            "state_index": index.reshape(requests, length).contiguous(),
            "num_accepted": torch.full((requests,), length, dtype=torch.int32, device="cuda"),
        }
        buffers |= {
            "conv_state_after": normal(slots, 2 + length, shapes.conv_channels),
            "recurrent_state_after": normal(slots, shapes.kda_heads, d, d, scale=0.1, dtype=FP32),
            "core": torch.empty(rows, shapes.kda_channels, dtype=BF16, device="cuda"),
        }
        inputs |= {
            "conv_state": buffers["conv_state_after"],
            "recurrent_state": buffers["recurrent_state_after"],
        }
    if kind == "k1":
        buffers["blocks_after"] = inputs["blocks"]
    if kind == "kda-decode":
        inputs |= {
            "proj": normal(rows, shapes.in_proj_rows_padded),
            "g1": normal(rows, shapes.kda_channels),
        }
    if kind == "m1":
        pages = -(-(context + length) // options.page_size)
        table = 1 + torch.randperm(requests * pages, device="cuda").to(torch.int32)
        shape = (1 + requests * pages, options.page_size, config.kv_cache_dim)
        cache = torch.empty(shape, dtype=torch.uint8, device="cuda")
        for page in range(0, shape[0], 4096):
            part = cache[page : page + 4096]
            part.copy_(
                torch.randn(part.shape, device="cuda").to(torch.float8_e4m3fn).view(torch.uint8)
            )
        inputs |= {
            "kv_cache": cache,
            "block_table": table.reshape(requests, pages).contiguous(),
            "context_len": torch.full((requests,), context, dtype=torch.int32, device="cuda"),
        }
        buffers |= {
            "kv_cache_after": cache,
            "core": torch.empty(rows, shapes.mla_value_cols, dtype=BF16, device="cuda"),
        }
    if kind == "k2":
        del inputs["delta"]
        inputs["core"] = normal(rows, shapes.kda_channels)
        buffers["out"] = torch.empty(rows, hidden, dtype=BF16, device="cuda")
    return Bench(c, inputs, buffers)
