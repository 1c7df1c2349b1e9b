"""Policies: what is read, and every reason why one is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from kk3fast_certificate_kit import HARD, policy_text

from kk3fast.certificate import CertificateError, load_policy
from kk3fast.certificate.policy import parse_policy

KEY = Ed25519PrivateKey.generate()


def codes(data: bytes) -> list[str]:
    with pytest.raises(CertificateError) as caught:
        parse_policy(data)
    return [reason.code for reason in caught.value.reasons]


def test_a_policy_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(policy_text(KEY, "production", HARD))
    policy = load_policy(path)
    assert (policy.opens, policy.max_age_days) == ("production", 30)
    assert policy.checks["eval"].margin_points == 1.0
    assert list(policy.key_names.values()) == ["signer"]


def test_production_asks_for_hardware_in_every_check() -> None:
    assert codes(policy_text(KEY, "production")) == ["policy.production", "policy.production"]
    layer = b'[checks.layer]\nevidence = "%b"'
    hard, soft = layer % b"hardware", layer % b"simulated"
    soft = policy_text(KEY, "production", HARD).replace(hard, soft)
    assert codes(soft) == ["policy.production"]
    anything = policy_text(KEY, "production", HARD).replace(b'families = ["normal"]\n', b"")
    assert codes(anything) == ["policy.production"]
    evaluation = policy_text(KEY, "evaluation")
    assert codes(evaluation) == ["policy.production"]  # replay


def test_planted_faults_cannot_be_asked_of_hardware() -> None:
    faults = '[checks.faults]\nevidence = "hardware"\n'
    assert codes(policy_text(KEY, checks=faults)) == ["policy.checks.faults.evidence"]


@pytest.mark.parametrize("families", ["[]", '"normal"', "[1]", '[""]'])
def test_families_are_names(families: str) -> None:
    assert codes(policy_text(KEY, families=families)) == ["policy.checks.layer.families"]


def test_every_reason_is_told_at_once() -> None:
    text = b"""opens = "all"
max_age_days = -1
colour = "red"
[keys]
a = "short"
[checks.layer]
evidence = "seen"
[checks.eval]
evidence = "hardware"
[checks.smell]
evidence = "hardware"
"""
    assert set(codes(text)) == {
        "policy.opens",
        "policy.max_age_days",
        "policy.max_validity_days",
        "policy.unknown",
        "policy.keys",
        "policy.checks",
        "policy.checks.layer.evidence",
        "policy.checks.eval.margin_points",
    }


@pytest.mark.parametrize("data", [b"\xff", b"opens = ", b"x" * (1 << 17)])
def test_what_is_no_toml_is_refused(data: bytes) -> None:
    assert codes(data)[0] in ("policy.toml", "policy.size")


def test_a_margin_beyond_all_numbers_is_refused() -> None:
    huge = HARD.replace("1.0", "1" + "0" * 400)
    assert codes(policy_text(KEY, "production", huge)) == ["policy.checks.eval.margin_points"]
