"""For tests: a policy, a statement that meets it, and the deployment it is for."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kk3fast.certificate import Deployed, Evidence, Policy, Statement
from kk3fast.certificate.clock import DAY
from kk3fast.certificate.envelope import seal
from kk3fast.certificate.keys import raw_public
from kk3fast.certificate.policy import parse_policy

NOW = 1_800_000_000.0
MODEL, K1, K2, HARNESS = "a" * 64, "b" * 64, "c" * 64, "f" * 64


@dataclass
class Kit:
    """Everything that fits together; tests change one thing of it."""

    key: Ed25519PrivateKey
    policy: Policy
    statement: Statement
    deployed: Deployed

    def sealed(self, **changes: Any) -> bytes:
        """A certificate of the statement with other values."""
        return seal(replace(self.statement, **changes).to_json(), self.key)


def policy_text(
    key: Ed25519PrivateKey,
    opens: str = "simulation",
    checks: str = "",
    families: str = '["normal"]',
) -> bytes:
    public = base64.b64encode(raw_public(key)).decode()
    evidence = "simulated" if opens == "simulation" else "hardware"
    return f"""
opens = "{opens}"
max_age_days = 30
max_validity_days = 90
[keys]
signer = "{public}"
[checks.layer]
evidence = "{evidence}"
families = {families}
{checks}""".encode()


HARD = """
[checks.replay]
evidence = "hardware"
[checks.eval]
evidence = "hardware"
margin_points = 1.0
"""


def evidence(check: str = "layer", **changes: Any) -> Evidence:
    plain = Evidence(
        check=check,
        kinds=("k1",),
        where="simulated",
        verdict="pass",
        record="d" * 64,
        created=NOW - DAY,
        builds=(K1, K2),
        candidate="flydsl",
        tp=8,
        model=MODEL,
        command="python -m verify layer k1",
        families=("normal",),
        harness=HARNESS,
    )
    return replace(plain, **changes)


def make_kit(
    opens: str = "simulation",
    checks: str = "",
    where: str = "simulated",
    families: str = '["normal"]',
) -> Kit:
    key = Ed25519PrivateKey.generate()
    policy = parse_policy(policy_text(key, opens, checks, families))
    builds = (("k1", K1), ("k2", K2))
    deployed = Deployed(MODEL, 8, 1, 4, (4, 8), "gfx950", builds, {"flydsl": "0.5.0"})
    statement = Statement(
        deployed=deployed,
        policy=policy.digest,
        environment={"kk3": "0"},
        valid_from=NOW - DAY,
        valid_until=NOW + DAY,
        evidence=(evidence(where=where),),
    )
    return Kit(key, policy, statement, deployed)
