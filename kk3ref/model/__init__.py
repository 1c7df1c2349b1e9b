"""The whole text model: embedding, decoder layers, output AttnRes, norm and head, and its state."""

from kk3ref.model.generate import (
    Generation,
    Propose,
    RandomDrafts,
    accept_greedy,
    generate,
    prompt_lookup,
)
from kk3ref.model.model import Model
from kk3ref.model.state import Request, State

__all__ = [
    "Generation",
    "Model",
    "Propose",
    "RandomDrafts",
    "Request",
    "State",
    "accept_greedy",
    "generate",
    "prompt_lookup",
]
