"""What must have been checked before a gate opens: a TOML file that people read.

    opens = "simulation"        # what a certificate that meets this policy opens
    max_age_days = 30           # of the oldest evidence
    max_validity_days = 90      # a certificate may be valid at most so long

    [keys]
    reviewer = "<32 bytes in base64>"

    [checks.layer]
    evidence = "simulated"      # at least: "simulated" or "hardware"
    families = ["normal"]       # input families that every build must have passed (default: any)

    [checks.eval]
    evidence = "hardware"
    margin_points = 1.0         # largest loss of accuracy that the eval must have excluded

A policy that opens ``production`` must ask for hardware in every check of
:data:`~kk3fast.certificate.checks.ON_HARDWARE`:
simulated evidence alone never opens a production gate. ``evaluation`` opens the kernels for a
server that is evaluated and serves nobody: it needs all of that but the eval.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from kk3fast.certificate.checks import OPENS, Required
from kk3fast.certificate.policy_table import Table
from kk3fast.certificate.reason import CertificateError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAX_POLICY_BYTES = 1 << 16


@dataclass(frozen=True)
class Policy:
    """A policy file.

    Attributes:
        opens: one of :data:`OPENS`.
        max_age_days: age of the oldest evidence.
        max_validity_days: longest span a certificate may name.
        keys: raw public keys by key id.
        checks: required checks by name.
        digest: sha256 of the file, in hex.
    """

    opens: str
    max_age_days: float
    max_validity_days: float
    keys: Mapping[str, bytes]
    checks: Mapping[str, Required]
    digest: str
    key_names: Mapping[str, str] = field(default_factory=dict)


def load_policy(path: Path) -> Policy:
    """Read a policy.

    Raises:
        OSError: it cannot be read.
        CertificateError: it is no policy; lists every reason.
    """
    with path.open("rb") as file:
        data = file.read(MAX_POLICY_BYTES + 1)
    return parse_policy(data)


def parse_policy(data: bytes) -> Policy:
    """The policy of a file's bytes; see :func:`load_policy`."""
    if len(data) > MAX_POLICY_BYTES:
        raise CertificateError.of("policy.size", f"must have at most {MAX_POLICY_BYTES} bytes")
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise CertificateError.of("policy.toml", f"is no TOML: {error}") from None
    reader = Table(table)
    policy = Policy(
        opens=reader.choice("opens", OPENS),
        max_age_days=reader.days("max_age_days"),
        max_validity_days=reader.days("max_validity_days"),
        keys=reader.keys(),
        checks=reader.checks(),
        digest=sha256(data).hexdigest(),
        key_names=reader.names,
    )
    reader.unknown(("opens", "max_age_days", "max_validity_days", "keys", "checks"))
    reader.on_hardware(policy.opens, policy.checks)
    if reader.reasons:
        raise CertificateError(reader.reasons)
    return policy
