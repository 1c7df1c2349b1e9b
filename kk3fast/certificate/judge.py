"""Whether a certificate opens a gate for what would be launched."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

from kk3fast.certificate.envelope import unseal
from kk3fast.certificate.policy import HARDWARE, PER_BUILD, PRODUCTION, Policy, Required
from kk3fast.certificate.reason import CertificateError, Reason
from kk3fast.certificate.statement import Evidence, Statement, read_statement

DAY = 86400.0
CLOCK_SKEW = 300.0
"""Seconds by which clocks may differ."""


@dataclass(frozen=True)
class Deployed:
    """What would be launched.

    Attributes:
        model_config_digest: ``K3Config.digest()`` of the served model.
        tp, dcp, q: ranks, decode-context-parallel ranks, rows a request verifies.
        widths: rows of the served steps.
        target: GPU architecture, e.g. ``gfx950``.
        builds: (kernel symbol, ISA sha256) of every build.
        versions: what the certificate must name alike, e.g. ``{"flydsl": "0.5.0"}``.
    """

    model_config_digest: str
    tp: int
    dcp: int
    q: int
    widths: tuple[int, ...]
    target: str
    builds: tuple[tuple[str, str], ...]
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Verdict:
    """The gate's answer.

    Attributes:
        opens: ``production``, ``simulation`` or None.
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
    key = ""
    if not math.isfinite(now):
        return Verdict(None, (Reason("validity.clock", f"the time must be finite, got {now}"),))
    try:
        payload, key = unseal(certificate, policy.keys)
        statement = read_statement(payload)
    except CertificateError as error:
        return Verdict(None, error.reasons, key)
    reasons = [
        *_time_reasons(statement, policy, now),
        *_deployment_reasons(statement, deployed),
        *_build_reasons(statement, deployed),
        *evidence_reasons(statement, policy, now),
    ]
    return Verdict(None if reasons else policy.opens, tuple(reasons), key)


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


def _deployment_reasons(s: Statement, d: Deployed) -> Iterable[Reason]:
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


def _build_reasons(s: Statement, d: Deployed) -> Iterable[Reason]:
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


def evidence_reasons(s: Statement, policy: Policy, now: float) -> Iterable[Reason]:
    """Required checks that the evidence does not give, and evidence that must not be there."""
    for e in s.evidence:
        yield from _record_reasons(e, s, policy, now)
    for name, required in policy.checks.items():
        found = [e for e in s.evidence if e.check == name and _enough(e, required)]
        if name in PER_BUILD:
            covered = {isa for e in found for isa in e.builds}
            for kernel, isa in s.builds:
                if isa not in covered:
                    told = f"{kernel} ({isa[:12]}…) has no {required.evidence} evidence"
                    yield Reason(f"check.{name}", told)
        elif not found:
            margin = required.margin_points
            told = f"no {required.evidence} evidence"
            told += f" with a margin of at most {margin:g} points" if margin is not None else ""
            yield Reason(f"check.{name}", told)
    if policy.opens == PRODUCTION and not any(e.where == HARDWARE for e in s.evidence):
        yield Reason("check.simulated", "simulated evidence alone never opens production")


def _record_reasons(e: Evidence, s: Statement, policy: Policy, now: float) -> Iterable[Reason]:
    where = f"{e.check} record {e.record[:12]}…"
    if e.verdict != "pass":
        yield Reason("evidence.verdict", f"{where}: its verdict is {e.verdict}")
    if e.created > now + CLOCK_SKEW:
        yield Reason("evidence.time", f"{where}: made {utc(e.created)}, which is not yet")
    age = (now - e.created) / DAY
    if age > policy.max_age_days:
        told = f"{where}: {age:.1f} days old, the policy allows {policy.max_age_days:g}"
        yield Reason("evidence.age", told)
    if e.tp != s.tp and e.check != "eval":
        yield Reason("evidence.tp", f"{where}: run at TP {e.tp}, certified is TP {s.tp}")
    if e.model and e.model != s.model_config_digest:
        yield Reason("evidence.model", f"{where}: of another model configuration")


def _enough(e: Evidence, required: Required) -> bool:
    if e.verdict != "pass" or (required.evidence == HARDWARE and e.where != HARDWARE):
        return False
    if required.margin_points is None:
        return True
    return e.margin_points is not None and e.margin_points <= required.margin_points


def utc(seconds: float) -> str:
    """A time as people read it."""
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"
