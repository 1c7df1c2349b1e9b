"""The check that decides: settings, deployment, certificate, and what would really be launched.

It runs in the server's process when vLLM verifies its configuration, and again in every worker.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import Any

from kk3fast.serve import state
from kk3fast.serve.settings import SPECIALIZED, Refused, Settings, read_settings
from kk3ref.config import ConfigError, K3Config

VLLM = "0.33."
"""releases whose seams are known"""

Reasons = list[tuple[str, str]]
logger = logging.getLogger("vllm.kk3")


@dataclass(frozen=True)
class ServedConfig:
    """What the gate opened; vLLM's executor reads ``q`` and ``widths`` of it, as of its own."""

    settings: Settings
    model: K3Config
    tp: int
    q: int
    """rows a request verifies"""
    widths: tuple[int, ...]
    """rows of the steps that are served"""
    opens: str
    """``production``, ``evaluation`` or ``simulation``"""
    certificate: str
    """sha256 of the certificate file"""
    builds: tuple[tuple[str, str], ...]
    """(name, ISA sha256) of every build"""
    deployment: str
    """``Deployed.digest``: sha256 over all that a certificate certifies"""

    @property
    def outcome(self) -> str:
        """All that the ranks must agree on, in one short text."""
        parts = (self.settings, self.deployment, self.opens, self.certificate)
        digest = hashlib.sha256(repr(parts).encode()).hexdigest()
        return f"{self.settings.backend} {self.opens} {digest[:16]}"


def check_configuration(vllm_config: Any) -> None:
    """The check of the server's process: refuse, or prepare the metrics of what will run.

    Raises:
        Refused: the fast path was asked for and may not run; lists every reason.
    """
    settings = read_settings(getattr(vllm_config, "additional_config", None))
    if not settings.gated:
        if settings.backend == SPECIALIZED:
            logger.warning("kk3: latency_specialized runs without a certificate")
        return
    decide(vllm_config, settings)
    state.expose(state.prepare_folder())


def decide(vllm_config: Any, settings: Settings, *, partial: bool = False) -> ServedConfig:
    """What may be served.

    Args:
        vllm_config: a ``VllmConfig``, or what is read of one.
        partial: ``vllm_config`` is from a command line, and vLLM need not be installed: what it
            does not say is not refused.

    Raises:
        Refused: lists every reason of the deployment, the certificate and the builds together.
    """
    from kk3fast.serve.deployment import describe
    from kk3fast.serve.evidence import certificate_verdict, deployed
    from kk3fast.serve.refusals import deployment_reasons

    reasons = [] if partial else _version_reasons()
    reasons += deployment_reasons(vllm_config, settings, partial=partial)
    served = None
    try:
        described = describe(vllm_config, settings)
    except ConfigError as error:
        reasons += [("model", problem) for problem in error.problems]
    else:
        reasons += [("builds", problem) for problem in described.problems]
        verdict = certificate_verdict(settings, described)
        reasons += verdict.reasons
        served = ServedConfig(
            settings,
            described.model,
            described.tp,
            described.q,
            described.widths,
            verdict.opens or "",
            verdict.digest,
            described.builds,
            deployed(described).digest,
        )
    if served is None or reasons:
        raise Refused(settings.backend, reasons)
    return served


def _version_reasons() -> Reasons:
    import vllm

    version = str(getattr(vllm, "__version__", "unknown"))
    if version.startswith(VLLM):
        return []
    return [("vllm.version", f"vLLM must be {VLLM}x, got {version}")]
