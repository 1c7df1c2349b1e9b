"""For tests: a policy, a statement that meets it, and the deployment it is for."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kk3fast.certificate import Deployed, Evidence, Policy, Statement
from kk3fast.certificate.envelope import seal
from kk3fast.certificate.judge import DAY
from kk3fast.certificate.keys import raw_public
from kk3fast.certificate.policy import parse_policy

NOW = 1_800_000_000.0
MODEL, K1, K2 = "a" * 64, "b" * 64, "c" * 64


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


def policy_text(key: Ed25519PrivateKey, opens: str = "simulation", checks: str = "") -> bytes:
    public = base64.b64encode(raw_public(key)).decode()
    evidence = "hardware" if opens == "production" else "simulated"
    return f"""
opens = "{opens}"
max_age_days = 30
max_validity_days = 90
[keys]
signer = "{public}"
[checks.layer]
evidence = "{evidence}"
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
        margin_points=None,
        command="python -m verify layer k1",
    )
    return replace(plain, **changes)


def make_kit(opens: str = "simulation", checks: str = "", where: str = "simulated") -> Kit:
    key = Ed25519PrivateKey.generate()
    policy = parse_policy(policy_text(key, opens, checks))
    builds = (("k1", K1), ("k2", K2))
    statement = Statement(
        builds=builds,
        model_config_digest=MODEL,
        tp=8,
        dcp=1,
        q=4,
        widths=(4, 8),
        target="gfx950",
        versions={"flydsl": "0.5.0"},
        policy=policy.digest,
        environment={"kk3": "0"},
        valid_from=NOW - DAY,
        valid_until=NOW + DAY,
        evidence=(evidence(where=where),),
    )
    deployed = Deployed(MODEL, 8, 1, 4, (4, 8), "gfx950", builds, {"flydsl": "0.5.0"})
    return Kit(key, policy, statement, deployed)
