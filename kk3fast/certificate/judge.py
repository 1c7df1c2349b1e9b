"""Whether a certificate opens a gate for what would be launched."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from kk3fast.certificate.clock import CLOCK_SKEW, DAY, utc
from kk3fast.certificate.deployed import Deployed
from kk3fast.certificate.envelope import unseal
from kk3fast.certificate.policy import Policy
from kk3fast.certificate.reason import CertificateError, Reason
from kk3fast.certificate.statement import Statement, read_statement
from kk3fast.certificate.sufficiency import evidence_reasons


@dataclass(frozen=True)
class Verdict:
    """The gate's answer.

    Attributes:
        opens: what the policy opens, one of ``OPENS``, or None.
        reasons: why it is None; empty otherwise.
        key: id of the key whose signature held, if one did.
    """

    opens: str | None
    reasons: tuple[Reason, ...]
    key: str = ""


def judge(certificate: bytes, policy: Policy, deployed: Deployed, now: float) -> Verdict:
    """What a certificate opens, with every reason why it opens nothing.

    Args:
        certificate: the file's bytes.
        now: seconds since 1970, UTC.

    Raises:
        ImportError: ``cryptography`` is not installed; nothing else, whatever the bytes.
    """
    if not math.isfinite(now):
        return Verdict(None, (Reason("validity.clock", f"the time must be finite, got {now}"),))
    try:
        statement, key = read_certificate(certificate, policy)
    except CertificateError as error:
        return Verdict(None, error.reasons)
    reasons = [
        *_time_reasons(statement, policy, now),
        *_deployment_reasons(statement.deployed, deployed),
        *_build_reasons(statement.deployed, deployed),
        *evidence_reasons(statement, policy, now),
    ]
    return Verdict(None if reasons else policy.opens, tuple(reasons), key)


def read_certificate(certificate: bytes, policy: Policy) -> tuple[Statement, str]:
    """The content of a certificate that a key of the policy has signed, and that key's name.

    Raises:
        CertificateError: it is none, or no such key's signature holds; lists every reason.
        ImportError: ``cryptography`` is not installed.
    """
    payload, key = unseal(certificate, policy.keys)
    return read_statement(payload), key


def _time_reasons(s: Statement, policy: Policy, now: float) -> Iterable[Reason]:
    if s.policy != policy.digest:
        told = f"made under policy {s.policy[:12]}…, this one is {policy.digest[:12]}…"
        yield Reason("policy.other", told)
    if now < s.valid_from - CLOCK_SKEW:
        yield Reason("validity.early", f"valid from {utc(s.valid_from)}, it is {utc(now)}")
    if now >= s.valid_until:
        yield Reason("validity.expired", f"valid until {utc(s.valid_until)}, it is {utc(now)}")
    span = (s.valid_until - s.valid_from) / DAY
    if span > policy.max_validity_days:
        told = f"valid for {span:.1f} days, the policy allows {policy.max_validity_days:g}"
        yield Reason("validity.long", told)


def _deployment_reasons(s: Deployed, d: Deployed) -> Iterable[Reason]:
    pairs = (
        ("model", s.model_config_digest, d.model_config_digest),
        ("tp", s.tp, d.tp),
        ("dcp", s.dcp, d.dcp),
        ("q", s.q, d.q),
        ("target", s.target, d.target),
    )
    for name, said, found in pairs:
        if said != found:
            yield Reason(f"deployment.{name}", f"certified for {said}, deployed is {found}")
    missing = sorted(set(d.widths) - set(s.widths))
    if missing:
        told = f"certified for widths {list(s.widths)}, deployed are also {missing}"
        yield Reason("deployment.widths", told)
    for name, version in sorted(d.versions.items()):
        said = s.versions.get(name, "none")
        if said != version:
            yield Reason(f"version.{name}", f"certified with {said}, deployed is {version}")


def _build_reasons(s: Deployed, d: Deployed) -> Iterable[Reason]:
    certified = set(s.builds)
    digests = dict(s.builds)
    if not d.builds:
        yield Reason("build.none", "nothing would be launched: there is nothing to certify")
    for name, isa in dict.fromkeys(d.builds):
        if (name, isa) in certified:
            continue
        if name in digests:
            told = f"{name}: its machine code is {isa[:12]}…, certified is {digests[name][:12]}…"
            yield Reason("build.changed", told)
        else:
            yield Reason("build.missing", f"{name} ({isa[:12]}…) is not certified")
    extra = [name for name, isa in s.builds if (name, isa) not in set(d.builds)]
    covered = set(d.widths) == set(s.widths)
    if extra and covered:
        told = f"{len(extra)} certified builds would not be launched, the first {extra[0]}"
        yield Reason("build.extra", told)
