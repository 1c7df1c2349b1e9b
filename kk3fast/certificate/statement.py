"""What a certificate says: an in-toto Statement, version 1, with kk3's predicate.

Subjects are the kernel builds, named by symbol, with the sha256 of their ISA text as digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from kk3fast.certificate.deployed import Deployed, named_digests, read_deployed
from kk3fast.certificate.fields import Fields
from kk3fast.certificate.reason import CertificateError
from kk3fast.certificate.record import Evidence, read_evidence
from kk3fast.certificate.strict_json import parse

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:kk3:decode-layers:v2"


@dataclass(frozen=True)
class Statement:
    """The content of a certificate.

    Attributes:
        deployed: what it certifies.
        policy: sha256 of the policy file it was made under.
        environment: the machine that made it; it is told and decides nothing.
        valid_from, valid_until: seconds since 1970, UTC.
        evidence: the records.
    """

    deployed: Deployed
    policy: str
    environment: Mapping[str, str]
    valid_from: float
    valid_until: float
    evidence: tuple[Evidence, ...]

    def to_json(self) -> bytes:
        """The Statement: keys sorted, the same bytes everywhere."""
        predicate = {
            "deployment": self.deployed.to_json(),
            "policy": self.policy,
            "environment": dict(self.environment),
            "validity": {"from": self.valid_from, "until": self.valid_until},
            "evidence": [e.to_json() for e in self.evidence],
        }
        statement = {
            "_type": STATEMENT_TYPE,
            "subject": named_digests(self.deployed.builds),
            "predicateType": PREDICATE_TYPE,
            "predicate": predicate,
        }
        return json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()


def read_statement(payload: bytes) -> Statement:
    """The content of a payload whose signature holds.

    Raises:
        CertificateError: it is not such a Statement; lists every reason.
    """
    fields = Fields(parse(payload, "the statement"))
    fields.equal("_type", STATEMENT_TYPE)
    fields.equal("predicateType", PREDICATE_TYPE)
    statement = Statement(
        deployed=read_deployed(fields, "predicate", "deployment", builds="subject"),
        policy=fields.sha("predicate", "policy"),
        environment=fields.texts("predicate", "environment"),
        valid_from=fields.time("predicate", "validity", "from"),
        valid_until=fields.time("predicate", "validity", "until"),
        evidence=read_evidence(fields, "predicate", "evidence"),
    )
    if fields.reasons:
        raise CertificateError(fields.reasons)
    return statement
