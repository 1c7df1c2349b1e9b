"""What a checkpoint on disk and seeded random weights have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from torch import Tensor

from kk3ref.checkpoint.names import expert_name, layer_name, layer_specs
from kk3ref.config import K3Config
from kk3ref.formats import MXFP4

if TYPE_CHECKING:
    from kk3ref.checkpoint.shard import LayerWeights


class Lazy(Mapping[str, Any]):
    """A mapping whose values are made when first asked for, and kept."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]):
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


@dataclass(frozen=True)
class Expert:
    """One routed expert, unsharded."""

    w1: MXFP4
    """gate ``[moe_intermediate_size, latent]``"""
    w2: MXFP4
    """down ``[latent, moe_intermediate_size]``"""
    w3: MXFP4
    """up ``[moe_intermediate_size, latent]``"""


class LayerTensors(Mapping[str, Tensor]):
    """A layer's tensors but its routed experts, unsharded, by their name inside the layer.

    Nothing is read before a tensor is asked for, and nothing is kept.
    """

    def __init__(self, source: Source, index: int):
        self._source = source
        self._index = index
        self._names = tuple(layer_specs(source.config, source.config.layer(index)))

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._names:
            raise KeyError(name)
        return self._source.read(layer_name(self._index, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Source(ABC):
    """Weights of a model under their published names, read when asked for.

    Args:
        config: the model.
        identity: what a record says about the weights.
    """

    def __init__(self, config: K3Config, identity: str):
        self.config = config
        self.identity = identity
        self._layers: WeakValueDictionary[tuple[int, int], LayerWeights] = WeakValueDictionary()

    @abstractmethod
    def read(
        self, name: str, axis: int | None = None, start: int = 0, stop: int | None = None
    ) -> Tensor:
        """A tensor, or ``start:stop`` of one of its axes; never more is read.

        Args:
            name: published name without prefix.
            axis: the axis to slice, None for the whole tensor.
            start: first index.
            stop: end, None for the axis' end.

        Returns:
            a contiguous tensor in its storage dtype.

        Raises:
            KeyError: the model has no such tensor.
            IndexError: the range does not lie inside the axis.
        """

    def layer(self, index: int) -> LayerTensors:
        """A layer's unsharded tensors, by their name inside the layer."""
        return LayerTensors(self, index)

    def expert(self, index: int, expert: int) -> Expert:
        """One unsharded routed expert of a layer.

        Raises:
            IndexError: the layer has no such expert.
        """
        experts = self.config.num_experts if self.config.layer(index).mlp == "moe" else 0
        if not 0 <= expert < experts:
            raise IndexError(f"layer {index} has {experts} experts, got expert {expert}")
        parts = ("weight_packed", "weight_scale")
        return Expert(
            *(
                MXFP4(*(self.read(expert_name(index, expert, which, part)) for part in parts))
                for which in ("w1", "w2", "w3")
            )
        )

    def rank_weights(self, layer: int, rank: int, tp: int) -> Mapping[str, Any]:
        """A rank's weights of one layer by the stages' names; see :mod:`kk3ref.checkpoint.shard`.

        Replicated tensors are held once for all ranks whose weights are in use.
        """
        from kk3ref.checkpoint.shard import LayerWeights

        weights = self._layers.get((layer, tp))
        if weights is None:
            weights = self._layers[layer, tp] = LayerWeights(self, layer, tp)
        return weights.rank(rank)

    def model_weights(self) -> Mapping[str, Tensor]:
        """Weights outside the layers, each read when first asked for.

        ``embed`` and ``lm_head`` ``[vocab, H]``, ``out_res_norm_w``, ``out_res_q`` and
        ``final_norm_w`` ``[H]``, all bf16.
        """
        return Lazy(
            {
                "embed": lambda: self.read("model.embed_tokens.weight"),
                "out_res_norm_w": lambda: self.read("model.output_attn_res_norm.weight"),
                "out_res_q": lambda: self.read("model.output_attn_res_proj.weight").flatten(),
                "final_norm_w": lambda: self.read("model.norm.weight"),
                "lm_head": lambda: self.read("lm_head.weight"),
            }
        )
