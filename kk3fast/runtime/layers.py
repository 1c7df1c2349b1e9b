"""Which decoder layers kernels replace, and how much of them."""

from __future__ import annotations

from kk3ref.config import K3Config

WHOLE, FFN = "whole", "ffn"


def layer_kinds(config: K3Config) -> dict[int, str]:
    """Decoder layer → ``whole`` (K1 and K2) or ``ffn`` (M1 or the stock attention, then K2).

    Served are the MoE layers with at least one AttnRes block before them. MLA layers that write a
    block are not; Kimi-K3 has none. Layers are MLA as the configuration lists them: its last two
    both are, which no stride gives.
    """
    kinds = {}
    for layer in config.layers:
        if layer.mlp != "moe" or layer.index == 0:
            continue
        if layer.attention == "kda":
            kinds[layer.index] = WHOLE
        elif not layer.writes_block:
            kinds[layer.index] = FFN
    return kinds
