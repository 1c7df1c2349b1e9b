"""What a certificate says: an in-toto Statement, version 1, with kk3's predicate.

Subjects are the kernel builds, named by symbol, with the sha256 of their ISA text as digest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kk3fast.certificate.reason import CertificateError, Reason
from kk3fast.certificate.strict_json import parse

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:kk3:decode-layers:v1"
MAX_SUBJECTS = 2048
MAX_EVIDENCE = 4096

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True)
class Evidence:
    """One record that a certificate rests on.

    Attributes:
        check: ``layer``, ``replay``, ``faults``, ``steps`` or ``eval``.
        kinds: fused layers it is about.
        where: ``hardware`` (the target accelerator) or ``simulated``.
        verdict: the record's.
        record: sha256 of the record file.
        created: seconds since 1970, UTC.
        builds: ISA sha256 of the builds it ran.
        candidate: what was verified.
        tp: tensor-parallel ranks it was run with.
        model: digest of its model configuration; empty where it names none.
        margin_points: of an eval, the largest loss that it excluded.
        command: makes the record again.
    """

    check: str
    kinds: tuple[str, ...]
    where: str
    verdict: str
    record: str
    created: float
    builds: tuple[str, ...]
    candidate: str
    tp: int
    model: str
    margin_points: float | None
    command: str


@dataclass(frozen=True)
class Statement:
    """The content of a certificate.

    Attributes:
        builds: (kernel symbol, ISA sha256) of every build a deployment may launch.
        model_config_digest: of the model's configuration.
        tp, dcp, q: ranks, decode-context-parallel ranks, rows a request verifies.
        widths: rows of the served steps.
        target: GPU architecture.
        versions: of FlyDSL, and of AITER and vLLM where they matter.
        policy: sha256 of the policy file it was made under.
        environment: the machine that made it.
        valid_from, valid_until: seconds since 1970, UTC.
        evidence: the records.
    """

    builds: tuple[tuple[str, str], ...]
    model_config_digest: str
    tp: int
    dcp: int
    q: int
    widths: tuple[int, ...]
    target: str
    versions: Mapping[str, str]
    policy: str
    environment: Mapping[str, str]
    valid_from: float
    valid_until: float
    evidence: tuple[Evidence, ...]

    def to_json(self) -> bytes:
        """The Statement: keys sorted, the same bytes everywhere."""
        predicate = {
            "deployment": {
                "modelConfigDigest": self.model_config_digest,
                "tp": self.tp,
                "dcp": self.dcp,
                "q": self.q,
                "widths": list(self.widths),
                "target": self.target,
                "versions": dict(self.versions),
            },
            "policy": self.policy,
            "environment": dict(self.environment),
            "validity": {"from": self.valid_from, "until": self.valid_until},
            "evidence": [_evidence_json(e) for e in self.evidence],
        }
        statement = {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": n, "digest": {"sha256": isa}} for n, isa in self.builds],
            "predicateType": PREDICATE_TYPE,
            "predicate": predicate,
        }
        return json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()


def read_statement(payload: bytes) -> Statement:
    """The content of a payload whose signature holds.

    Raises:
        CertificateError: it is not such a Statement; lists every reason.
    """
    fields = _Fields(parse(payload, "the statement"))
    statement = Statement(
        builds=fields.builds(),
        model_config_digest=fields.sha("predicate", "deployment", "modelConfigDigest"),
        tp=fields.count("predicate", "deployment", "tp"),
        dcp=fields.count("predicate", "deployment", "dcp"),
        q=fields.count("predicate", "deployment", "q"),
        widths=fields.widths(),
        target=fields.text("predicate", "deployment", "target"),
        versions=fields.texts("predicate", "deployment", "versions"),
        policy=fields.sha("predicate", "policy"),
        environment=fields.texts("predicate", "environment"),
        valid_from=fields.time("predicate", "validity", "from"),
        valid_until=fields.time("predicate", "validity", "until"),
        evidence=fields.evidence(),
    )
    fields.kinds()
    if fields.reasons:
        raise CertificateError(fields.reasons)
    return statement


def _evidence_json(e: Evidence) -> dict[str, Any]:
    return {
        "check": e.check,
        "kinds": list(e.kinds),
        "where": e.where,
        "verdict": e.verdict,
        "record": e.record,
        "created": e.created,
        "builds": list(e.builds),
        "candidate": e.candidate,
        "tp": e.tp,
        "model": e.model,
        "marginPoints": e.margin_points,
        "command": e.command,
    }


class _Fields:
    """Reads typed fields and collects what is wrong with them."""

    def __init__(self, value: Any):
        self.value = value
        self.reasons: list[Reason] = []

    def bad(self, name: str, expected: str) -> None:
        self.reasons.append(Reason("statement.field", f"{name} must be {expected}"))

    def at(self, *path: str) -> Any:
        value = self.value
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def kinds(self) -> None:
        wanted = {"_type": STATEMENT_TYPE, "predicateType": PREDICATE_TYPE}
        for name, value in wanted.items():
            if self.at(name) != value:
                self.bad(name, value)

    def text(self, *path: str) -> str:
        value = self.at(*path)
        if not isinstance(value, str) or not value:
            self.bad(".".join(path), "a text")
            return ""
        return value

    def sha(self, *path: str) -> str:
        value = self.at(*path)
        if not _is_sha(value):
            self.bad(".".join(path), "a sha256 in hex")
            return ""
        return str(value)

    def count(self, *path: str) -> int:
        value = self.at(*path)
        if not _is_count(value):
            self.bad(".".join(path), "a whole number from 1 to 4096")
            return 0
        return int(value)

    def time(self, *path: str) -> float:
        value = self.at(*path)
        if not _is_time(value):
            self.bad(".".join(path), "seconds since 1970")
            return 0.0
        return float(value)

    def texts(self, *path: str) -> dict[str, str]:
        value = self.at(*path)
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            self.bad(".".join(path), "names with texts")
            return {}
        return dict(value)

    def widths(self) -> tuple[int, ...]:
        value = self.at("predicate", "deployment", "widths")
        if not isinstance(value, list) or not value or not all(map(_is_count, value)):
            self.bad("predicate.deployment.widths", "a list of row counts")
            return ()
        return tuple(value)

    def builds(self) -> tuple[tuple[str, str], ...]:
        value = self.at("subject")
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_SUBJECTS:
            self.bad("subject", f"a list of 1 to {MAX_SUBJECTS} builds")
            return ()
        found = []
        for entry in value:
            name = entry.get("name") if isinstance(entry, dict) else None
            digest = entry.get("digest") if isinstance(entry, dict) else None
            isa = digest.get("sha256") if isinstance(digest, dict) else None
            if not isinstance(name, str) or not _is_sha(isa):
                self.bad("subject", "builds with a name and a sha256 digest")
                return ()
            found.append((name, str(isa)))
        return tuple(found)

    def evidence(self) -> tuple[Evidence, ...]:
        value = self.at("predicate", "evidence")
        if not isinstance(value, list) or len(value) > MAX_EVIDENCE:
            self.bad("predicate.evidence", f"a list of at most {MAX_EVIDENCE} records")
            return ()
        found = []
        for number, entry in enumerate(value):
            one = _evidence(entry)
            if one is None:
                self.bad(f"predicate.evidence[{number}]", "a record as this version writes it")
            else:
                found.append(one)
        return tuple(found)


def _evidence(e: Any) -> Evidence | None:
    if not isinstance(e, dict):
        return None
    texts = [e.get(n) for n in ("check", "where", "verdict", "candidate", "model", "command")]
    lists = [e.get(n) for n in ("kinds", "builds")]
    margin = e.get("marginPoints")
    good = (
        all(isinstance(t, str) for t in texts)
        and all(isinstance(x, list) and all(isinstance(v, str) for v in x) for x in lists)
        and _is_sha(e.get("record"))
        and _is_time(e.get("created"))
        and _is_count(e.get("tp"))
        and (margin is None or _is_number(margin))
    )
    if not good:
        return None
    return Evidence(
        check=e["check"],
        kinds=tuple(e["kinds"]),
        where=e["where"],
        verdict=e["verdict"],
        record=e["record"],
        created=float(e["created"]),
        builds=tuple(e["builds"]),
        candidate=e["candidate"],
        tp=e["tp"],
        model=e["model"],
        margin_points=margin,
        command=e["command"],
    )


def _is_sha(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.match(value) is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    return _is_number(value) and 0 <= value < 1e11


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 4096
