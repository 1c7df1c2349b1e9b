"""A certificate from evidence, a deployment and a policy."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kk3fast.certificate import CertificateError, Deployed, Evidence, Policy, Reason, Statement
from kk3fast.certificate.clock import DAY
from kk3fast.certificate.envelope import seal
from kk3fast.certificate.keys import key_id, raw_public
from kk3fast.certificate.sufficiency import evidence_reasons
from verify.environment import kk3_version

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def certify(
    evidence: Sequence[Evidence],
    deployed: Deployed,
    policy: Policy,
    key: Ed25519PrivateKey,
    now: float,
    days: float,
) -> bytes:
    """Sign what the evidence shows of a deployment. It must meet the policy already.

    Args:
        now: seconds since 1970, UTC.
        days: how long it is valid.

    Raises:
        CertificateError: the evidence does not meet the policy, or the policy does not trust the
            key; lists every reason.
    """
    wanted = {isa for _, isa in deployed.builds}
    kept = [e for e in evidence if not e.builds or wanted & set(e.builds)]
    statement = Statement(
        deployed=deployed,
        policy=policy.digest,
        environment={
            "kk3": kk3_version(),
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}",
        },
        valid_from=now,
        valid_until=now + days * DAY,
        evidence=tuple(kept),
    )
    reasons = list(evidence_reasons(statement, policy, now))
    if not 0 < days <= policy.max_validity_days:
        told = f"valid for {days:g} days, the policy allows {policy.max_validity_days:g}"
        reasons.append(Reason("validity.long", told))
    name = key_id(raw_public(key))
    if name not in policy.keys:
        told = f"the policy trusts {', '.join(sorted(policy.keys))}, this key is {name}"
        reasons.append(Reason("key.untrusted", told))
    if reasons:
        raise CertificateError(reasons)
    return seal(statement.to_json(), key)
