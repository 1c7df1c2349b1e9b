"""A policy's table, taken apart; everything that is wrong with it is collected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kk3fast.certificate.checks import (
    CHECKS,
    EVAL,
    FAULTS,
    HARDWARE,
    LAYER,
    ON_HARDWARE,
    PER_BUILD,
    PRODUCTION,
    SIMULATED,
    Required,
)
from kk3fast.certificate.keys import key_id, public_bytes
from kk3fast.certificate.reason import CertificateError, Reason

_KEYS = frozenset(("evidence", "margin_points", "families"))


class Table:
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
            elif not isinstance(wanted, dict) or not set(wanted) <= _KEYS:
                self.bad(f"checks.{name}", f"a table of {', '.join(sorted(_KEYS))}", wanted)
            else:
                found[name] = self._required(name, wanted)
        return found

    def _required(self, name: str, wanted: dict[str, Any]) -> Required:
        evidence, margin = wanted.get("evidence"), wanted.get("margin_points")
        if evidence not in (SIMULATED, HARDWARE):
            self.bad(f"checks.{name}.evidence", f"{SIMULATED} or {HARDWARE}", evidence)
        if name == EVAL:
            number = isinstance(margin, (int, float)) and not isinstance(margin, bool)
            if margin is None or not number or not 0 < margin <= 100:
                self.bad("checks.eval.margin_points", "a number of points above 0", margin)
                margin = None
        elif margin is not None:
            self.bad(f"checks.{name}.margin_points", "absent: only an eval has it", margin)
            margin = None
        if name == FAULTS and evidence == HARDWARE:
            self.bad("checks.faults.evidence", f"{SIMULATED}: it tests the checks", evidence)
        families = self._families(name, wanted.get("families"))
        return Required(str(evidence), None if margin is None else float(margin), families)

    def _families(self, name: str, value: Any) -> tuple[str, ...]:
        if value is None:
            return ()
        texts = isinstance(value, list) and all(isinstance(f, str) and f for f in value)
        if name not in PER_BUILD or not texts or not value:
            self.bad(f"checks.{name}.families", "input families, of layer or replay", value)
            return ()
        return tuple(dict.fromkeys(value))

    def unknown(self, known: tuple[str, ...]) -> None:
        for name in sorted(set(self.table) - set(known)):
            self.reasons.append(
                Reason("policy.unknown", f"{name} is not known; there are {', '.join(known)}")
            )

    def on_hardware(self, opens: str, checks: Mapping[str, Required]) -> None:
        for name in ON_HARDWARE.get(opens, ()):
            if name not in checks or checks[name].evidence != HARDWARE:
                told = f'{opens} needs [checks.{name}] with evidence = "{HARDWARE}"'
                self.reasons.append(Reason("policy.production", told))
        if opens == PRODUCTION and LAYER in checks and not checks[LAYER].families:
            told = f"{PRODUCTION} needs families in [checks.{LAYER}]"
            self.reasons.append(Reason("policy.production", told))
