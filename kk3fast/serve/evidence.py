"""The certificate's verdict on what would be launched."""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import sha256

from kk3fast.certificate import (
    EVALUATION,
    PRODUCTION,
    SIMULATION,
    CertificateError,
    Deployed,
    Reason,
    judge,
    load_policy,
)
from kk3fast.certificate.checks import OPENS
from kk3fast.certificate.strict_json import MAX_BYTES
from kk3fast.compile.environment import DEFAULT_TARGET
from kk3fast.serve.deployment import Described
from kk3fast.serve.settings import FLYDSL, SPECIALIZED, Settings
from kk3fast.serve.versions import installed_versions


@dataclass(frozen=True)
class GateVerdict:
    """What the certificate opens."""

    opens: str | None
    digest: str
    """sha256 of the certificate file; empty if it cannot be read"""
    reasons: list[tuple[str, str]]


def needed(settings: Settings) -> str:
    """What must be opened at least.

    ``production`` for real kernels, ``evaluation`` for those of a server that is evaluated and
    serves nobody, ``simulation`` for stand-ins.
    """
    real = settings.backend == SPECIALIZED or settings.kernels == FLYDSL
    if not real:
        return SIMULATION
    return EVALUATION if settings.evaluation else PRODUCTION


def certificate_verdict(settings: Settings, described: Described) -> GateVerdict:
    """What the certificate opens for a deployment, with every reason why not more.

    Args:
        described: what would be launched; where its builds are not known, nothing is said of them.
    """
    assert settings.certificate is not None
    assert settings.policy is not None
    problems: list[Reason] = []
    data = b""
    try:
        with settings.certificate.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        told = f"{settings.certificate}: {error.strerror or error}"
        problems.append(Reason("certificate.unreadable", told))
    try:
        policy = load_policy(settings.policy)
    except OSError as error:
        told = f"{settings.policy}: {error.strerror or error}"
        problems.append(Reason("policy.unreadable", told))
    except CertificateError as error:
        problems += error.reasons
    if problems:
        return GateVerdict(None, "", [(r.code, r.sentence) for r in problems])
    try:
        verdict = judge(data, policy, deployed(described), time.time())
    except ImportError as error:
        told = f"signatures need cryptography: pip install 'kk3[serve]' ({error})"
        return GateVerdict(None, "", [("certificate.unchecked", told)])
    reasons = [
        (r.code, r.sentence)
        for r in verdict.reasons
        if not (described.problems and r.code.startswith("build."))
    ]
    wanted = needed(settings)
    if verdict.opens and OPENS.index(verdict.opens) > OPENS.index(wanted):
        reasons.append(("certificate.opens", f"it opens {verdict.opens}, {wanted} is needed"))
    return GateVerdict(verdict.opens, sha256(data).hexdigest(), reasons)


def deployed(described: Described) -> Deployed:
    """The deployment in the certificate's terms."""
    flydsl = sorted({i.flydsl_version for i in described.identities})
    return Deployed(
        model_config_digest=described.model.digest(),
        tp=described.tp,
        dcp=described.dcp,
        q=described.q,
        widths=described.widths,
        target=DEFAULT_TARGET,
        builds=described.builds,
        versions={**installed_versions(), **({"flydsl": ", ".join(flydsl)} if flydsl else {})},
    )
