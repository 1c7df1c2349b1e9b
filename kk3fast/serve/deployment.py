"""What a vLLM configuration would launch."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kk3fast.compile import BuildIdentity
from kk3fast.serve.builds import BuildsUnknown, compiled, compiled_vllm, layer_builds, unique_builds
from kk3fast.serve.settings import SPECIALIZED, Settings
from kk3ref.config import K3Config

MAX_ROWS = 8


@dataclass(frozen=True)
class Described:
    """A deployment as far as a certificate names it."""

    model: K3Config
    tp: int
    dcp: int
    q: int
    widths: tuple[int, ...]
    identities: tuple[BuildIdentity, ...]
    problems: tuple[str, ...] = ()
    """why the builds are not known"""

    @property
    def builds(self) -> tuple[tuple[str, str], ...]:
        """(kernel symbol, ISA sha256), sorted."""
        return tuple(sorted((i.kernel, i.isa_sha256 or "") for i in self.identities))


def text_config(vllm_config: Any) -> K3Config:
    """The text model's configuration.

    Raises:
        ConfigError: lists every field that is not a Kimi-K3's.
    """
    return K3Config.from_hf(vllm_config.model_config.hf_text_config.to_dict())


def verified_rows(vllm_config: Any) -> int:
    """Rows a request verifies: speculative tokens + 1."""
    spec = vllm_config.speculative_config
    return 1 if spec is None else int(spec.num_speculative_tokens) + 1


def served_widths(q: int, max_num_seqs: int) -> tuple[int, ...]:
    """Row counts of whole requests, up to 8 rows and to what the scheduler forms."""
    return tuple(range(q, min(MAX_ROWS, max_num_seqs * q) + 1, q))


def describe(vllm_config: Any, settings: Settings) -> Described:
    """Compile what would be launched; what cannot be said of it is among the problems.

    Raises:
        ConfigError: the model is not a Kimi-K3, or cannot be split so.
    """
    model = text_config(vllm_config)
    parallel = vllm_config.parallel_config
    tp = int(parallel.tensor_parallel_size)
    model.shard(tp)
    q = verified_rows(vllm_config)
    # vLLM builds every width, whatever the scheduler forms.
    ours = settings.backend != SPECIALIZED
    seqs = int(vllm_config.scheduler_config.max_num_seqs) if ours else MAX_ROWS
    widths = served_widths(q, seqs)
    identities: list[BuildIdentity] = []
    problems: tuple[str, ...] = ()
    try:
        if ours:
            identities = compiled(unique_builds(layer_builds(model, tp, q, widths)))
        else:
            identities = compiled_vllm(_installed_vllm(), q, widths)
    except BuildsUnknown as error:
        problems = error.reasons
    dcp = int(getattr(parallel, "decode_context_parallel_size", 1))
    return Described(model, tp, dcp, q, widths, tuple(identities), problems)


def _installed_vllm() -> Path:
    spec = find_spec("vllm")
    if spec is None or spec.origin is None:
        raise BuildsUnknown(["vLLM is not installed here: its kernels are not known"])
    return Path(spec.origin).parent
