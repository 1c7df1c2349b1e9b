"""The specialized decode's host side, without vLLM or a GPU: what may run, and how it ends.

docs/runtime.md says how the parts meet; ``kk3fast.serve`` puts them behind vLLM's hooks.
"""

from kk3fast.runtime.config import DecodeConfig, Unsupported, check_backend, decode_config
from kk3fast.runtime.deployment import Deployment, KvTransfer
from kk3fast.runtime.failstop import FailStop, Watch
from kk3fast.runtime.launch_state import LaunchState
from kk3fast.runtime.layers import FFN, WHOLE, layer_kinds
from kk3fast.runtime.peer_memory import HandshakeError, PeerMemory
from kk3fast.runtime.planning import Step, StepFacts, Stock, Verify, why_stock
from kk3fast.runtime.reason import Reason
from kk3fast.runtime.refusals import notices, unsupported
from kk3fast.runtime.weights import MoeFacts, cache_reasons, wanted_weights, weight_reasons

__all__ = [
    "FFN",
    "WHOLE",
    "DecodeConfig",
    "Deployment",
    "FailStop",
    "HandshakeError",
    "KvTransfer",
    "LaunchState",
    "MoeFacts",
    "PeerMemory",
    "Reason",
    "Step",
    "StepFacts",
    "Stock",
    "Unsupported",
    "Verify",
    "Watch",
    "cache_reasons",
    "check_backend",
    "decode_config",
    "layer_kinds",
    "notices",
    "unsupported",
    "wanted_weights",
    "weight_reasons",
    "why_stock",
]
