"""The least a layer must move through device memory: every operand once."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from verify.bench.steps import Bench

_READ = {
    "k1": ("w_in", "w_fb", "conv_w", "attn_res_norm_w", "attn_res_q", "input_norm_w"),
    "m1": ("w_a", "w_qb", "w_uk", "w_uv", "attn_res_norm_w", "attn_res_q", "input_norm_w"),
    "k2": ("w_o", "w_sgu", "w_sd", "w_up", "mlp_res_norm_w", "mlp_res_q", "post_norm_w"),
    "kda-decode": ("conv_w",),
}


def floor_bytes(kind: str, bench: Bench, taps: Mapping[str, Tensor]) -> int:
    """Bytes one rank's step must read and write: weights, states, inputs and outputs, once each.

    Inner values, which a fused kernel need not write, do not count. Of the router and the latent
    projection a rank reads its own rows, of the experts those that ``taps["ids"]`` names.
    """
    c, config, shapes = bench.context, bench.context.config, bench.context.shapes
    total = sum(c.weights[name].nbytes for name in _READ[kind])
    pools = ("conv_state", "recurrent_state", "kv_cache")
    total += sum(t.nbytes for n, t in bench.inputs.items() if n not in pools)
    total += sum(t.nbytes for n, t in bench.buffers.items() if not n.endswith("_after"))
    total += bench.buffers["prefix_after"].nbytes if "prefix_after" in bench.buffers else 0
    if kind in ("k1", "kda-decode"):
        requests, length = bench.inputs["state_index"].shape
        state, window = bench.buffers["recurrent_state_after"], bench.buffers["conv_state_after"]
        total += state[0].nbytes * (requests + requests * length)
        total += 2 * window[0].nbytes * requests
    if kind == "m1":
        row = bench.buffers["kv_cache_after"].shape[-1]
        rows = bench.inputs["prefix"].shape[0]
        total += row * (int(bench.inputs["context_len"].sum()) + 2 * rows)
    if kind == "k2":
        total += (shapes.router_rows + shapes.latent_rows) * config.hidden_size * 2
        expert = 3 * shapes.expert_intermediate * config.routed_expert_hidden_size
        distinct = len(set(taps["ids"].flatten().tolist()))
        total += distinct * (expert // 2 + expert // 32)
    return total
