"""Weights: read from a published checkpoint or made from a seed, and sharded to a rank."""

from kk3ref.checkpoint.read import Checkpoint, CheckpointError
from kk3ref.checkpoint.shard import LayerWeights, RankExperts, layer_weights
from kk3ref.checkpoint.source import Expert, LayerTensors, Source
from kk3ref.checkpoint.synthetic import SyntheticWeights
from kk3ref.checkpoint.write import write_checkpoint

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "Expert",
    "LayerTensors",
    "LayerWeights",
    "RankExperts",
    "Source",
    "SyntheticWeights",
    "layer_weights",
    "write_checkpoint",
]
