"""Whether records are what a policy asks for, of exactly what is certified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kk3fast.certificate.checks import (
    EVAL,
    EVALUATION,
    FAULTS,
    HARDWARE,
    PER_BUILD,
    PRODUCTION,
    STEPS,
    Required,
)
from kk3fast.certificate.clock import CLOCK_SKEW, DAY, utc
from kk3fast.certificate.policy import Policy
from kk3fast.certificate.reason import Reason
from kk3fast.certificate.record import Evidence
from kk3fast.certificate.statement import Statement


def evidence_reasons(s: Statement, policy: Policy, now: float) -> Iterator[Reason]:
    """Required checks that the evidence does not give, and evidence that must not be there."""
    for e in s.evidence:
        yield from _record_reasons(e, s, policy, now)
    launched = [e for e in s.evidence if e.check not in (FAULTS, EVAL)]
    names = sorted({e.candidate for e in launched})
    if len(names) > 1:
        yield Reason("evidence.candidate", f"records of several candidates: {', '.join(names)}")
    for name, required in policy.checks.items():
        found = [e for e in s.evidence if e.check == name and _enough(e, required)]
        if name in PER_BUILD:
            yield from _each_build(name, required, found, s.deployed.builds)
        elif name == FAULTS:
            yield from _of_the_same_harness(found, launched)
        elif not any(_whole(e, s) for e in found):
            yield Reason(f"check.{name}", _nothing(name, required))
    real = any(e.where == HARDWARE for e in s.evidence)
    if policy.opens in (PRODUCTION, EVALUATION) and not real:
        told = f"simulated evidence alone never opens {policy.opens}"
        yield Reason("check.simulated", told)


def _record_reasons(e: Evidence, s: Statement, policy: Policy, now: float) -> Iterator[Reason]:
    where, d = f"{e.check} record {e.record[:12]}…", s.deployed
    if e.verdict != "pass":
        yield Reason("evidence.verdict", f"{where}: its verdict is {e.verdict}")
    if e.created > now + CLOCK_SKEW:
        yield Reason("evidence.time", f"{where}: made {utc(e.created)}, which is not yet")
    age = (now - e.created) / DAY
    if age > policy.max_age_days:
        told = f"{where}: {age:.1f} days old, the policy allows {policy.max_age_days:g}"
        yield Reason("evidence.age", told)
    if e.check == FAULTS:  # it is about the harness, whatever model it was shown with
        return
    if e.tp != d.tp:
        yield Reason("evidence.tp", f"{where}: run at TP {e.tp}, certified is TP {d.tp}")
    if e.model != d.model_config_digest:
        told = "of another model configuration" if e.model else "it names no model configuration"
        yield Reason("evidence.model", f"{where}: {told}")
    if e.check == EVAL and e.deployment != d.digest:
        ran = f"{e.deployment[:12]}…" if e.deployment else "a deployment that it does not name"
        told = f"{where}: its servers ran {ran}, certified is {d.digest[:12]}…"
        yield Reason("evidence.deployment", told)


def _enough(e: Evidence, required: Required) -> bool:
    if e.verdict != "pass" or (required.evidence == HARDWARE and e.where != HARDWARE):
        return False
    if required.margin_points is None:
        return True
    return e.margin_points is not None and e.margin_points <= required.margin_points


def _whole(e: Evidence, s: Statement) -> bool:
    """Steps launch certified builds and no other; an eval's builds are its deployment's."""
    if e.check != STEPS:
        return True
    return bool(e.builds) and set(e.builds) <= {isa for _, isa in s.deployed.builds}


def _each_build(
    name: str, required: Required, found: Sequence[Evidence], builds: Iterable[tuple[str, str]]
) -> Iterator[Reason]:
    for family in required.families or ("",):
        covered = {isa for e in found if not family or family in e.families for isa in e.builds}
        for kernel, isa in builds:
            if isa not in covered:
                told = f"{kernel} ({isa[:12]}…) has no {required.evidence} evidence"
                told += f" on family {family}" if family else ""
                yield Reason(f"check.{name}", told)


def _of_the_same_harness(found: Sequence[Evidence], judged: Sequence[Evidence]) -> Iterator[Reason]:
    """Planted faults show what these sources see, not what others do."""
    shown = {e.harness for e in found} - {""}
    if not shown:
        yield Reason(f"check.{FAULTS}", "no evidence that the checks see planted faults")
        return
    for e in judged:
        if e.harness not in shown:
            told = f"{e.check} record {e.record[:12]}… was judged by sources {e.harness[:12]}…, "
            told += f"planted faults were shown to {', '.join(h[:12] for h in sorted(shown))}…"
            yield Reason("evidence.harness", told)


def _nothing(name: str, required: Required) -> str:
    told = f"no {required.evidence} evidence"
    if required.margin_points is not None:
        told += f" with a margin of at most {required.margin_points:g} points"
    return told + (" that launched certified builds alone" if name == STEPS else "")
