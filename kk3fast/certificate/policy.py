"""What must have been checked before a gate opens: a TOML file that people read.

    opens = "simulation"        # what a certificate that meets this policy opens
    max_age_days = 30           # of the oldest evidence
    max_validity_days = 90      # a certificate may be valid at most so long

    [keys]
    reviewer = "<32 bytes in base64>"

    [checks.layer]
    evidence = "simulated"      # at least: "simulated" or "hardware"

    [checks.eval]
    evidence = "hardware"
    margin_points = 1.0         # largest loss of accuracy that the eval must have excluded

A policy that opens ``production`` must ask for hardware in every check of :data:`ON_HARDWARE`:
simulated evidence alone never opens a production gate.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from kk3fast.certificate.keys import key_id, public_bytes
from kk3fast.certificate.reason import CertificateError, Reason

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PRODUCTION, SIMULATION = "production", "simulation"
SIMULATED, HARDWARE = "simulated", "hardware"
CHECKS = ("layer", "replay", "faults", "steps", "eval")
PER_BUILD = ("layer", "replay")
"""Checks whose evidence names kernel builds."""
ON_HARDWARE = ("layer", "replay", "eval")
"""Checks that a production gate needs from the accelerator itself."""
MAX_POLICY_BYTES = 1 << 16


@dataclass(frozen=True)
class Required:
    """A check that must have passed.

    Attributes:
        evidence: where at least, ``simulated`` or ``hardware``.
        margin_points: of an eval, the largest loss that it must have excluded.
    """

    evidence: str
    margin_points: float | None = None


@dataclass(frozen=True)
class Policy:
    """A policy file.

    Attributes:
        opens: ``production`` or ``simulation``.
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
    reader = _Reader(table)
    policy = Policy(
        opens=reader.choice("opens", (PRODUCTION, SIMULATION)),
        max_age_days=reader.days("max_age_days"),
        max_validity_days=reader.days("max_validity_days"),
        keys=reader.keys(),
        checks=reader.checks(),
        digest=sha256(data).hexdigest(),
        key_names=reader.names,
    )
    reader.unknown(("opens", "max_age_days", "max_validity_days", "keys", "checks"))
    if policy.opens == PRODUCTION:
        reader.on_hardware(policy.checks)
    if reader.reasons:
        raise CertificateError(reader.reasons)
    return policy


class _Reader:
    """Takes a table apart and collects everything that is wrong with it."""

    def __init__(self, table: dict[str, Any]):
        self.table = table
        self.reasons: list[Reason] = []
        self.names: dict[str, str] = {}

    def bad(self, name: str, expected: str, got: Any) -> None:
        self.reasons.append(Reason(f"policy.{name}", f"{name} must be {expected}, got {got!r}"))

    def choice(self, name: str, allowed: tuple[str, ...]) -> str:
        value = self.table.get(name)
        if value not in allowed:
            self.bad(name, " or ".join(allowed), value)
        return str(value)

    def days(self, name: str) -> float:
        value = self.table.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 3660:
            self.bad(name, "a number of days above 0, at most 3660", value)
            return 0.0
        return float(value)

    def keys(self) -> dict[str, bytes]:
        table = self.table.get("keys")
        if not isinstance(table, dict) or not table:
            self.bad("keys", "a table of names and public keys, at least one", table)
            return {}
        found = {}
        for name, text in table.items():
            try:
                raw = public_bytes(str(text))
            except CertificateError as error:
                self.reasons += [
                    Reason("policy.keys", f"{name}: {r.sentence}") for r in error.reasons
                ]
                continue
            found[key_id(raw)] = raw
            self.names[key_id(raw)] = name
        return found

    def checks(self) -> dict[str, Required]:
        table = self.table.get("checks")
        if not isinstance(table, dict) or "layer" not in table:
            self.bad("checks", "tables of required checks, [checks.layer] among them", table)
            return {}
        found = {}
        for name, wanted in table.items():
            if name not in CHECKS:
                self.bad("checks", f"of {', '.join(CHECKS)}", name)
            elif not isinstance(wanted, dict) or not set(wanted) <= {"evidence", "margin_points"}:
                self.bad(f"checks.{name}", "a table of evidence and margin_points", wanted)
            else:
                found[name] = self._required(name, wanted)
        return found

    def _required(self, name: str, wanted: dict[str, Any]) -> Required:
        evidence, margin = wanted.get("evidence"), wanted.get("margin_points")
        if evidence not in (SIMULATED, HARDWARE):
            self.bad(f"checks.{name}.evidence", f"{SIMULATED} or {HARDWARE}", evidence)
        if name == "eval":
            number = isinstance(margin, (int, float)) and not isinstance(margin, bool)
            if margin is None or not number or not 0 < margin <= 100:
                self.bad("checks.eval.margin_points", "a number of points above 0", margin)
                margin = None
        elif margin is not None:
            self.bad(f"checks.{name}.margin_points", "absent: only an eval has it", margin)
            margin = None
        return Required(str(evidence), None if margin is None else float(margin))

    def unknown(self, known: tuple[str, ...]) -> None:
        for name in sorted(set(self.table) - set(known)):
            self.reasons.append(
                Reason("policy.unknown", f"{name} is not known; there are {', '.join(known)}")
            )

    def on_hardware(self, checks: Mapping[str, Required]) -> None:
        for name in ON_HARDWARE:
            if name not in checks or checks[name].evidence != HARDWARE:
                told = f'production needs [checks.{name}] with evidence = "{HARDWARE}"'
                self.reasons.append(Reason("policy.production", told))
