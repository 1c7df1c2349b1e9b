"""What an operator asked for: the keys of ``additional_config`` and the environment, checked.

Imports nothing heavy: the entry point needs it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AUTO, SPECIALIZED, KK3 = "auto", "latency_specialized", "kk3"
BACKENDS = (AUTO, SPECIALIZED, KK3)
FLYDSL, CONTRACT, SIMULATED = "flydsl", "contract", "simulated"
KERNELS = (FLYDSL, CONTRACT, SIMULATED)
FAULTS = ("moe_output",)

BACKEND_VARIABLE = "KK3_DECODE_BACKEND"
REQUIRE_VARIABLE = "KK3_REQUIRE_CERTIFICATE"
_TEXT = ("kk3_certificate", "kk3_policy", "kk3_off_switch")


class Refused(ValueError):
    """The fast path may not be switched on.

    Attributes:
        backend: what was asked for.
        reasons: every reason as (stable code, sentence).
    """

    def __init__(self, backend: str, reasons: list[tuple[str, str]]):
        self.backend, self.reasons = backend, tuple(reasons)
        lines = "".join(f"\n  - {code}: {sentence}" for code, sentence in reasons)
        super().__init__(
            f"kk3: decode_backend={backend} is refused for {len(reasons)} "
            f"{'reason' if len(reasons) == 1 else 'reasons'} "
            f"(decode_backend={AUTO} runs vLLM's decode):{lines}"
        )


@dataclass(frozen=True)
class Settings:
    """A request for a decode backend."""

    backend: str = AUTO
    """``auto``, ``latency_specialized`` or ``kk3``"""
    certificate: Path | None = None
    policy: Path | None = None
    kernels: str = FLYDSL
    """``flydsl``, ``contract`` or ``simulated``; of ``kk3`` only"""
    required: bool = False
    """whether ``latency_specialized`` needs a certificate even if none is named"""
    off_switch: Path | None = None
    """while this file exists, steps run vLLM's layers"""
    evaluation: bool = False
    """the server is evaluated and serves nobody: a certificate for ``evaluation`` is enough"""
    fault: str | None = None
    """tests only: a defect of :data:`FAULTS` in the planned layers"""
    stall_step: int | None = None
    """tests only: the planned step in which the last rank stalls and gives up"""

    @property
    def gated(self) -> bool:
        """Whether a certificate decides."""
        if self.backend == SPECIALIZED:
            return self.required or self.certificate is not None
        return self.backend == KK3


def read_settings(additional: object, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of ``VllmConfig.additional_config`` and the environment.

    Args:
        additional: the value as vLLM has it; anything but a mapping counts as empty.

    Raises:
        Refused: lists every wrong value with what was expected.
    """
    given = additional if isinstance(additional, Mapping) else {}
    backend = given.get("decode_backend", AUTO)
    reasons = _wrong_switches(backend, environment)
    if environment.get(BACKEND_VARIABLE) == AUTO:
        backend = AUTO
    if reasons or backend == AUTO:
        if reasons:
            raise Refused(str(backend), reasons)
        return Settings()
    reasons = _wrong_values(backend, given)
    required = environment.get(REQUIRE_VARIABLE) == "1"
    certificate, policy = given.get("kk3_certificate"), given.get("kk3_policy")
    if backend == KK3 or required or certificate:
        if not certificate:
            reasons.append(("certificate.missing", "kk3_certificate names no certificate"))
        if not policy:
            reasons.append(("policy.missing", "kk3_policy names no policy"))
    if reasons:
        raise Refused(backend, reasons)
    switch = given.get("kk3_off_switch")
    return Settings(
        backend,
        Path(certificate) if certificate else None,
        Path(policy) if policy else None,
        given.get("kk3_kernels", FLYDSL),
        required,
        Path(switch) if switch else None,
        bool(given.get("kk3_evaluation", False)),
        given.get("kk3_test_fault"),
        given.get("kk3_test_stall_step"),
    )


def _wrong_switches(backend: Any, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    reasons = []
    if backend not in BACKENDS:
        reasons.append(("backend", f"decode_backend must be one of {BACKENDS}, got {backend!r}"))
    forced = environment.get(BACKEND_VARIABLE)
    if forced not in (None, AUTO):
        # It can switch off only: what switches on is what the fleet's configuration says.
        reasons.append(("backend", f"{BACKEND_VARIABLE} must be {AUTO!r} or unset, got {forced!r}"))
    required = environment.get(REQUIRE_VARIABLE)
    if required not in (None, "0", "1"):
        reasons.append(("backend", f"{REQUIRE_VARIABLE} must be 0 or 1, got {required!r}"))
    return reasons


def _wrong_values(backend: str, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    reasons = []
    for name in _TEXT:
        if not isinstance(given.get(name, ""), str):
            reasons.append(("settings", f"{name} must be a path, got {given[name]!r}"))
    evaluation = given.get("kk3_evaluation", False)
    if not isinstance(evaluation, bool):
        reasons.append(("settings", f"kk3_evaluation must be true or false, got {evaluation!r}"))
    kernels = given.get("kk3_kernels", FLYDSL)
    if kernels not in KERNELS:
        reasons.append(("settings", f"kk3_kernels must be one of {KERNELS}, got {kernels!r}"))
    fault, stall = given.get("kk3_test_fault"), given.get("kk3_test_stall_step")
    if fault is not None and fault not in FAULTS:
        reasons.append(("settings", f"kk3_test_fault must be one of {FAULTS}, got {fault!r}"))
    if stall is not None and (isinstance(stall, bool) or not isinstance(stall, int) or stall < 1):
        reasons.append(("settings", f"kk3_test_stall_step must be 1 or more, got {stall!r}"))
    if (fault, stall) != (None, None) and (backend != KK3 or kernels == FLYDSL):
        reasons.append(
            ("settings", "kk3_test_* plant faults: they need kk3_kernels contract or simulated")
        )
    return reasons
