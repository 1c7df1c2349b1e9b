"""The gate's verdict, with real certificates."""

from __future__ import annotations

import base64
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from kk3fast_serve_fakes import CONFIG

from kk3fast.certificate import Evidence, Statement, load_policy
from kk3fast.certificate.envelope import seal
from kk3fast.certificate.keys import raw_public
from kk3fast.compile import BuildIdentity
from kk3fast.serve.deployment import Described
from kk3fast.serve.evidence import GateVerdict, certificate_verdict, deployed
from kk3fast.serve.settings import CONTRACT, FLYDSL, KK3, SPECIALIZED, Settings

KEY = Ed25519PrivateKey.generate()
ISA = "1" * 64
BUILD = BuildIdentity("kk3_k1_8", "0" * 64, ISA, "2" * 64, (), "0.5.0", "gfx950")
DESCRIBED = Described(CONFIG, 2, 1, 4, (4, 8), (BUILD,))
POLICY = """
opens = "simulation"
max_age_days = 30
max_validity_days = 90
[keys]
signer = "{key}"
[checks.layer]
evidence = "simulated"
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings whose files are a policy and a certificate for ``DESCRIBED``."""
    policy, certificate = tmp_path / "policy.toml", tmp_path / "cert.json"
    policy.write_text(POLICY.format(key=base64.b64encode(raw_public(KEY)).decode()))
    now = time.time()
    record = Evidence(
        check="layer",
        kinds=("k1",),
        where="simulated",
        verdict="pass",
        record="3" * 64,
        created=now,
        builds=(ISA,),
        candidate="flydsl",
        tp=2,
        model=CONFIG.digest(),
        command="",
    )
    statement = Statement(
        deployed=deployed(DESCRIBED),
        policy=load_policy(policy).digest,
        environment={},
        valid_from=now,
        valid_until=now + 3600,
        evidence=(record,),
    )
    certificate.write_bytes(seal(statement.to_json(), KEY))
    return Settings(KK3, certificate, policy, CONTRACT)


def codes(verdict: GateVerdict) -> list[str]:
    return [code for code, _ in verdict.reasons]


def test_a_certificate_for_what_would_be_launched_opens(settings: Settings) -> None:
    verdict = certificate_verdict(settings, DESCRIBED)
    assert (verdict.opens, verdict.reasons) == ("simulation", [])
    assert len(verdict.digest) == 64


@pytest.mark.parametrize("backend", [KK3, SPECIALIZED])
def test_simulation_opens_nothing_real(settings: Settings, backend: str) -> None:
    verdict = certificate_verdict(replace(settings, backend=backend, kernels=FLYDSL), DESCRIBED)
    assert verdict.reasons == [("certificate.opens", "it opens simulation, production is needed")]


def test_every_difference_is_a_reason(settings: Settings) -> None:
    build = replace(BUILD, isa_sha256="4" * 64)
    other = Described(CONFIG, 1, 1, 2, (4, 8), (build,))
    verdict = certificate_verdict(settings, other)
    assert verdict.opens is None
    assert {"deployment.tp", "deployment.q", "build.changed"} <= set(codes(verdict))


def test_builds_that_are_not_known_do_not_hide_the_other_reasons(settings: Settings) -> None:
    unknown = Described(CONFIG, 1, 1, 4, (4, 8), (), ("FlyDSL is not installed",))
    assert codes(certificate_verdict(settings, unknown)) == ["deployment.tp"]


def test_files_that_cannot_be_read(settings: Settings, tmp_path: Path) -> None:
    missing = replace(settings, certificate=tmp_path / "no", policy=tmp_path / "nor")
    verdict = certificate_verdict(missing, DESCRIBED)
    assert codes(verdict) == ["certificate.unreadable", "policy.unreadable"]
    bad = tmp_path / "bad.toml"
    bad.write_text('opens = "everything"')
    verdict = certificate_verdict(replace(settings, policy=bad), DESCRIBED)
    assert len(verdict.reasons) > 2
    assert all(code.startswith("policy.") for code in codes(verdict))


def test_a_changed_certificate_opens_nothing(settings: Settings) -> None:
    assert settings.certificate is not None
    data = settings.certificate.read_bytes()
    settings.certificate.write_bytes(data[:60] + b"A" + data[61:])
    verdict = certificate_verdict(settings, DESCRIBED)
    assert verdict.opens is None
    assert len(verdict.reasons) == 1
    settings.certificate.write_bytes(b"{" + b" " * (5 << 20))
    assert certificate_verdict(settings, DESCRIBED).opens is None
