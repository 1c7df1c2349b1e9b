"""A tensor-parallel rank's weights of one layer, under the names the stages use.

Heads and intermediate widths are split in contiguous ranges; projections out of them are split
along their input columns (partial sums). Shapes of a rank, with ``S`` for
:class:`kk3ref.config.RankShapes`:

* every layer: ``attn_res_norm_w``, ``attn_res_q``, ``input_norm_w``, ``mlp_res_norm_w``,
  ``mlp_res_q``, ``post_norm_w``: ``[H]``;
* KDA: ``w_in`` ``[S.in_proj_rows_padded, H]`` with rows q|k|v|g|f_a|beta and zero rows, ``w_fb``
  ``[S.kda_channels, head_dim]``, ``conv_w`` ``[S.conv_channels, taps]`` fp32, ``a_log``
  ``[S.kda_heads]`` fp32, ``dt_bias`` ``[S.kda_channels]`` fp32, ``o_norm_w`` ``[head_dim]``,
  ``w_o`` ``[H, S.kda_channels]``;
* MLA: ``w_a`` ``[S.mla_a_rows, H]`` with rows q_c|kv_c|k_pe|gate, ``q_norm_w``, ``kv_norm_w``,
  ``w_qb`` ``[S.mla_q_rows, q_lora]``, ``w_uk`` ``[S.mla_heads, nope, kv_lora]``, ``w_uv``
  ``[S.mla_heads, v, kv_lora]``, ``w_o`` ``[H, S.mla_value_cols]``;
* MoE: ``w_gate`` ``[E, H]``, ``router_bias`` ``[E]`` fp32, ``w_ld`` ``[latent, H]``, ``w_sgu``
  ``[2·S.shared_intermediate, H]`` (gate rows, then up rows), ``w_sd``
  ``[H, S.shared_intermediate]``, ``ln_w`` ``[latent]``, ``w_up`` ``[S.up_rows, latent]``,
  ``experts`` (:class:`RankExperts`);
* dense MLP: ``w_gu`` ``[2·S.dense_intermediate, H]``, ``w_down`` ``[H, S.dense_intermediate]``.

What is not fp32 or MXFP4 is bf16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kk3ref.checkpoint.names import expert_name, layer_name
from kk3ref.checkpoint.source import Lazy, Source
from kk3ref.config import K3Config
from kk3ref.formats import GROUP, MXFP4

Makers = dict[str, Callable[[], Any]]


class RankExperts:
    """One rank's routed experts; an expert is read when first asked for, and kept.

    Args:
        source: weights.
        layer: 0-based layer.
        rank: tensor-parallel rank.
        local: intermediate width of a rank.
    """

    def __init__(self, source: Source, layer: int, rank: int, local: int):
        self._source = source
        self._layer = layer
        self._start, self._stop = rank * local, (rank + 1) * local
        self._kept: dict[tuple[str, int], MXFP4] = {}

    def __len__(self) -> int:
        return self._source.config.num_experts

    def w13(self, experts: int | Sequence[int]) -> MXFP4:
        """Gate rows (w1), then up rows (w3).

        Args:
            experts: one id, or several.

        Returns:
            ``[2·local, latent]`` for one id, ``[len(experts), 2·local, latent]`` for several.

        Raises:
            IndexError: there is no such expert.
        """
        return self._pick("w13", experts)

    def w2(self, experts: int | Sequence[int]) -> MXFP4:
        """``[latent, local]`` for one id, ``[len(experts), latent, local]`` for several."""
        return self._pick("w2", experts)

    def _pick(self, which: str, experts: int | Sequence[int]) -> MXFP4:
        if isinstance(experts, int):
            return self._expert(which, experts)
        return _joined(torch.stack, [self._expert(which, e) for e in experts])

    def _expert(self, which: str, expert: int) -> MXFP4:
        if not 0 <= expert < len(self):
            raise IndexError(f"expert must be in 0..{len(self) - 1}, got {expert}")
        if (which, expert) not in self._kept:
            if which == "w2":
                value = self._read(expert, "w2", 1)
            else:
                value = _joined(torch.cat, [self._read(expert, w, 0) for w in ("w1", "w3")])
            self._kept[which, expert] = value
        return self._kept[which, expert]

    def _read(self, expert: int, which: str, axis: int) -> MXFP4:
        def part(name: str, elements: int) -> Tensor:
            start, stop = self._start // elements, self._stop // elements
            full = expert_name(self._layer, expert, which, name)
            return self._source.read(full, axis, start, stop)

        # Along the grouped axis an entry holds two elements, or the scale of a group.
        return MXFP4(
            part("weight_packed", 1 if axis == 0 else 2),
            part("weight_scale", 1 if axis == 0 else GROUP),
        )


def _joined(join: Callable[[list[Tensor]], Tensor], parts: list[MXFP4]) -> MXFP4:
    return MXFP4(join([m.codes for m in parts]), join([m.scales for m in parts]))


class LayerWeights:
    """One layer's weights for every rank; what is replicated is held once.

    Args:
        source: checkpoint or synthetic weights.
        index: 0-based layer.
        tp: tensor-parallel ranks.

    Raises:
        IndexError: the model has no such layer.
        ConfigError: a dimension is not divisible by ``tp``.
    """

    def __init__(self, source: Source, index: int, tp: int):
        self.source = source
        self.config: K3Config = source.config
        self.layer = source.config.layer(index)
        self.shapes = source.config.shard(tp)
        self._whole: dict[str, Tensor] = {}

    def rank(self, rank: int) -> Mapping[str, Any]:
        """The rank's weights; each is made when first asked for.

        Raises:
            IndexError: there is no such rank.
        """
        if not 0 <= rank < self.shapes.tp:
            raise IndexError(f"rank must be in 0..{self.shapes.tp - 1}, got {rank}")
        makers = shard_attn_res(self) | shard_attention(self, rank)
        return Lazy(makers | shard_mlp(self, rank))

    def whole(self, name: str) -> Tensor:
        """A replicated tensor, shared by the ranks."""
        if name not in self._whole:
            self._whole[name] = self.source.read(layer_name(self.layer.index, name))
        return self._whole[name]

    def part(self, name: str, rank: int, size: int, axis: int = 0) -> Tensor:
        """The rank's ``size`` rows or columns."""
        full = layer_name(self.layer.index, name)
        return self.source.read(full, axis, rank * size, (rank + 1) * size)


layer_weights = LayerWeights


def shard_attn_res(weights: LayerWeights) -> Makers:
    """AttnRes and norm weights; replicated."""
    names = {
        "attn_res_norm_w": "self_attention_res_norm",
        "attn_res_q": "self_attention_res_proj",
        "input_norm_w": "input_layernorm",
        "mlp_res_norm_w": "mlp_res_norm",
        "mlp_res_q": "mlp_res_proj",
        "post_norm_w": "post_attention_layernorm",
    }

    def maker(name: str) -> Callable[[], Tensor]:
        return lambda: weights.whole(f"{name}.weight").flatten()

    return {ours: maker(name) for ours, name in names.items()}


def shard_attention(weights: LayerWeights, rank: int) -> Makers:
    """KDA or MLA weights; split by heads."""
    return _kda(weights, rank) if weights.layer.attention == "kda" else _mla(weights, rank)


def shard_mlp(weights: LayerWeights, rank: int) -> Makers:
    """Weights of the MoE or the dense MLP; split along the intermediate widths."""
    return shard_moe(weights, rank) if weights.layer.mlp == "moe" else shard_dense(weights, rank)


def _kda(weights: LayerWeights, rank: int) -> Makers:
    s, c = weights.shapes, weights.config

    def part(name: str, size: int, axis: int = 0) -> Tensor:
        return weights.part(f"self_attn.{name}", rank, size, axis)

    def w_in() -> Tensor:
        pad = s.in_proj_rows_padded - s.in_proj_rows
        return torch.cat(
            [
                *(part(f"{n}_proj.weight", s.kda_channels) for n in "qkvg"),
                weights.whole("self_attn.f_a_proj.weight"),
                part("b_proj.weight", s.kda_heads),
                torch.zeros(pad, c.hidden_size, dtype=torch.bfloat16),
            ]
        )

    return {
        "w_in": w_in,
        "w_fb": lambda: part("f_b_proj.weight", s.kda_channels),
        "conv_w": lambda: torch.cat(
            [part(f"{n}_conv1d.weight", s.kda_channels) for n in "qkv"]
        ).squeeze(1),
        "a_log": lambda: part("A_log", s.kda_heads),
        "dt_bias": lambda: part("dt_bias", s.kda_channels),
        "o_norm_w": lambda: weights.whole("self_attn.o_norm.weight"),
        "w_o": lambda: part("o_proj.weight", s.kda_channels, 1),
    }


def _mla(weights: LayerWeights, rank: int) -> Makers:
    s, c = weights.shapes, weights.config
    nope, value = c.qk_nope_head_dim, c.v_head_dim

    def part(name: str, size: int, axis: int = 0) -> Tensor:
        return weights.part(f"self_attn.{name}", rank, size, axis)

    def kv_b(which: slice) -> Tensor:
        # A head's rows are its W_UK, then its W_UV.
        whole = part("kv_b_proj.weight", s.mla_heads * (nope + value))
        return whole.view(s.mla_heads, nope + value, c.kv_lora_rank)[:, which].contiguous()

    return {
        "w_a": lambda: torch.cat(
            [
                weights.whole("self_attn.q_a_proj.weight"),
                weights.whole("self_attn.kv_a_proj_with_mqa.weight"),
                part("g_proj.weight", s.mla_value_cols),
            ]
        ),
        "q_norm_w": lambda: weights.whole("self_attn.q_a_layernorm.weight"),
        "kv_norm_w": lambda: weights.whole("self_attn.kv_a_layernorm.weight"),
        "w_qb": lambda: part("q_b_proj.weight", s.mla_q_rows),
        "w_uk": lambda: kv_b(slice(0, nope)),
        "w_uv": lambda: kv_b(slice(nope, None)),
        "w_o": lambda: part("o_proj.weight", s.mla_value_cols, 1),
    }


def shard_moe(weights: LayerWeights, rank: int) -> Makers:
    """Weights of the latent MoE."""
    s = weights.shapes
    moe = "block_sparse_moe"

    def shared(name: str, axis: int = 0) -> Tensor:
        full = f"{moe}.shared_experts.{name}_proj.weight"
        return weights.part(full, rank, s.shared_intermediate, axis)

    return {
        "w_gate": lambda: weights.whole(f"{moe}.gate.weight"),
        "router_bias": lambda: weights.whole(f"{moe}.gate.e_score_correction_bias"),
        "w_ld": lambda: weights.whole(f"{moe}.routed_expert_down_proj.weight"),
        "w_sgu": lambda: torch.cat([shared("gate"), shared("up")]),
        "w_sd": lambda: shared("down", 1),
        "ln_w": lambda: weights.whole(f"{moe}.routed_expert_norm.weight"),
        "w_up": lambda: weights.part(f"{moe}.routed_expert_up_proj.weight", rank, s.up_rows),
        "experts": lambda: RankExperts(
            weights.source, weights.layer.index, rank, s.expert_intermediate
        ),
    }


def shard_dense(weights: LayerWeights, rank: int) -> Makers:
    """Weights of a dense MLP."""
    local = weights.shapes.dense_intermediate
    return {
        "w_gu": lambda: torch.cat(
            [weights.part(f"mlp.{n}_proj.weight", rank, local) for n in ("gate", "up")]
        ),
        "w_down": lambda: weights.part("mlp.down_proj.weight", rank, local, 1),
    }
