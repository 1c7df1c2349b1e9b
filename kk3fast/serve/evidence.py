"""The certificate's verdict on what would be launched."""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from kk3fast.compile.environment import DEFAULT_TARGET
from kk3fast.serve.deployment import Described
from kk3fast.serve.settings import FLYDSL, SPECIALIZED, Settings

PRODUCTION, SIMULATION = "production", "simulation"


@dataclass(frozen=True)
class GateVerdict:
    """What the certificate opens."""

    opens: str | None
    digest: str
    """sha256 of the certificate file; empty if it cannot be read"""
    reasons: list[tuple[str, str]]


def needed(settings: Settings) -> str:
    """What must be opened: real kernels need ``production``, stand-ins ``simulation`` at least."""
    real = settings.backend == SPECIALIZED or settings.kernels == FLYDSL
    return PRODUCTION if real else SIMULATION


def certificate_verdict(settings: Settings, described: Described) -> GateVerdict:
    """What the certificate opens for a deployment, with every reason why not more.

    Args:
        described: what would be launched.
    """
    certificate: Any = importlib.import_module("kk3fast.certificate")
    assert settings.certificate is not None
    assert settings.policy is not None
    reasons: list[tuple[str, str]] = []
    try:
        data = settings.certificate.read_bytes()
        digest = sha256(data).hexdigest()
    except OSError as error:
        data, digest = b"", ""
        reasons.append(
            ("certificate.unreadable", f"{settings.certificate}: {error.strerror or error}")
        )
    try:
        policy = certificate.load_policy(settings.policy)
    except (OSError, ValueError) as error:
        reasons.append(("policy.unreadable", f"{settings.policy}: {error}"))
    if reasons:
        return GateVerdict(None, digest, reasons)
    verdict = certificate.judge(data, policy, deployed(certificate, described), time.time())
    reasons = [(r.code, r.sentence) for r in verdict.reasons]
    wanted = needed(settings)
    opens = verdict.opens
    if not reasons and opens not in (PRODUCTION, wanted):
        reasons.append(("certificate.opens", f"it opens {opens or 'nothing'}, {wanted} is needed"))
    return GateVerdict(opens, digest, reasons)


def deployed(certificate: Any, described: Described) -> Any:
    """The deployment in the certificate's terms."""
    versions = {i.flydsl_version for i in described.identities}
    return certificate.Deployed(
        model_config_digest=described.model.digest(),
        tp=described.tp,
        dcp=described.dcp,
        q=described.q,
        widths=described.widths,
        target=DEFAULT_TARGET,
        builds=described.builds,
        versions={"flydsl": ", ".join(sorted(versions))},
    )
