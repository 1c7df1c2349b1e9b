"""Layers by the name the command line uses, and which decoder layers they fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kk3ref.config import K3Config, LayerInfo
from kk3ref.layers.k1 import ATTENTION, K1, KDA_DECODE, attn_read, block_write, prefix_update
from kk3ref.layers.k2 import DENSE_MLP, K2, MOE, attn_all_reduce, o_proj
from kk3ref.layers.m1 import m1_layer, mla_layer
from kk3ref.stages import Layer, LayerOptions
from verify.step import UsageError

_READS_BLOCKS = ("attn_res", "k1", "k2")


@dataclass(frozen=True)
class LayerChoice:
    """A layer kind.

    Attributes:
        name: as on the command line.
        description: one line.
        make: the layer for a deployment's options.
        fits: whether a decoder layer has it.
        drafts: the number of drafts it is defined for, if only one.
    """

    name: str
    description: str
    make: Callable[[LayerOptions], Layer]
    fits: Callable[[LayerInfo], bool]
    drafts: int | None = None

    def indices(self, config: K3Config) -> list[int]:
        """Decoder layers that have it."""
        return [layer.index for layer in config.layers if self.fits(layer)]

    def default_indices(self, config: K3Config) -> list[int]:
        """What is run if no layer is named: a plain layer, and one that writes a block.

        Raises:
            UsageError: the configuration has no such layer.
        """
        fitting = [config.layer(i) for i in self.indices(config)]
        if not fitting:
            raise UsageError(f"the configuration has no layer with {self.name}")
        plain = [layer.index for layer in fitting if not layer.writes_block]
        writing = [layer.index for layer in fitting if layer.writes_block and layer.num_blocks]
        return plain[-1:] + (writing[-1:] if self.name in _READS_BLOCKS else []) or [
            fitting[-1].index
        ]

    def check(self, config: K3Config, index: int) -> None:
        """Raises UsageError unless decoder layer ``index`` has it."""
        fitting = self.indices(config)
        if index not in fitting:
            raise UsageError(f"--layer must be one with {self.name}: {fitting}, got {index}")


def _fixed(layer: Layer) -> Callable[[LayerOptions], Layer]:
    return lambda options: layer


def _kda(layer: LayerInfo) -> bool:
    return layer.attention == "kda"


def _mla(layer: LayerInfo) -> bool:
    return layer.attention == "mla"


def _moe(layer: LayerInfo) -> bool:
    return layer.mlp == "moe"


ATTN_RES = Layer("attn_res", (prefix_update, block_write, attn_read))
KDA = Layer("kda", (*ATTENTION, o_proj, attn_all_reduce))

LAYERS = {
    choice.name: choice
    for choice in (
        LayerChoice("attn_res", "AttnRes read with its input norm", _fixed(ATTN_RES), _kda),
        LayerChoice("kda", "KDA from its input to the all-reduced output", _fixed(KDA), _kda),
        LayerChoice("k1", "AttnRes read and KDA up to the gated norm", _fixed(K1), _kda),
        LayerChoice("k2", "output projection, MLP AttnRes, latent MoE", _fixed(K2), _moe),
        LayerChoice("m1", "AttnRes read and MLA up to the output gate", m1_layer, _mla),
        LayerChoice("mla", "MLA from its input to the all-reduced output", mla_layer, _mla),
        LayerChoice("moe", "latent MoE from its input", _fixed(MOE), _moe),
        LayerChoice(
            "kda-decode", "fused KDA decode without drafts", _fixed(KDA_DECODE), _kda, drafts=0
        ),
        LayerChoice(
            "dense-mlp", "dense MLP of layer 0", _fixed(DENSE_MLP), lambda i: i.mlp == "dense"
        ),
    )
}
