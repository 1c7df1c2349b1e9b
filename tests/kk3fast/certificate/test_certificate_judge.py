"""Every mismatch refuses with its own reason; all of them together are all told."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from kk3fast_certificate_kit import HARD, K1, K2, MODEL, NOW, Kit, evidence, make_kit

from kk3fast.certificate import Deployed, judge
from kk3fast.certificate.envelope import seal
from kk3fast.certificate.judge import DAY

OTHER = "e" * 64


def codes(kit: Kit, data: bytes, deployed: Deployed | None = None, now: float = NOW) -> list[str]:
    verdict = judge(data, kit.policy, deployed or kit.deployed, now)
    assert (verdict.opens is None) == bool(verdict.reasons)
    return [reason.code for reason in verdict.reasons]


def test_what_fits_opens_what_the_policy_says(kit: Kit) -> None:
    verdict = judge(kit.sealed(), kit.policy, kit.deployed, NOW)
    assert (verdict.opens, verdict.reasons) == ("simulation", ())
    assert verdict.key in kit.policy.keys


def test_fewer_widths_than_certified_open(kit: Kit) -> None:
    fewer = replace(kit.deployed, widths=(4,), builds=(("k1", K1),))
    assert codes(kit, kit.sealed(), fewer) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"model_config_digest": OTHER}, "deployment.model"),
        ({"tp": 4}, "deployment.tp"),
        ({"dcp": 8}, "deployment.dcp"),
        ({"q": 2}, "deployment.q"),
        ({"target": "gfx942"}, "deployment.target"),
        ({"widths": (4, 8, 16)}, "deployment.widths"),
        ({"versions": {"flydsl": "0.6.0"}}, "version.flydsl"),
        ({"versions": {"flydsl": "0.5.0", "vllm": "0.33.0"}}, "version.vllm"),
        ({"builds": (("k1", OTHER), ("k2", K2))}, "build.changed"),
        ({"builds": (("k1", K1), ("k2", K2), ("m1a", OTHER))}, "build.missing"),
        ({"builds": (("k1", K1),)}, "build.extra"),
        ({"builds": ()}, "build.none"),
    ],
)
def test_another_deployment_is_refused(kit: Kit, change: dict, code: str) -> None:
    assert code in codes(kit, kit.sealed(), replace(kit.deployed, **change))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"verdict": "fail"}, "evidence.verdict"),
        ({"verdict": "not_checked"}, "evidence.verdict"),
        ({"created": NOW - 31 * DAY}, "evidence.age"),
        ({"created": NOW + DAY}, "evidence.time"),
        ({"tp": 2}, "evidence.tp"),
        ({"model": OTHER}, "evidence.model"),
        ({"builds": (K1,)}, "check.layer"),
        ({"check": "steps"}, "check.layer"),
    ],
)
def test_evidence_that_does_not_do_is_refused(kit: Kit, change: dict, code: str) -> None:
    assert code in codes(kit, kit.sealed(evidence=(evidence(**change),)))


@pytest.mark.parametrize(
    ("now", "code"),
    [(NOW - 2 * DAY, "validity.early"), (NOW + DAY, "validity.expired")],
)
def test_times_are_kept(kit: Kit, now: float, code: str) -> None:
    assert code in codes(kit, kit.sealed(), now=now)


@pytest.mark.parametrize("now", [float("nan"), float("inf"), float("-inf")])
def test_a_clock_that_shows_no_time_opens_nothing(kit: Kit, now: float) -> None:
    assert codes(kit, kit.sealed(), now=now) == ["validity.clock"]


@pytest.mark.parametrize("name", ["a\n\x1b[31m", "\ud800", "A" * 16, 7, None])
def test_a_key_id_that_is_none_is_not_repeated(kit: Kit, name: object) -> None:
    envelope = json.loads(kit.sealed())
    envelope["signatures"][0]["keyid"] = name
    verdict = judge(json.dumps(envelope).encode(), kit.policy, kit.deployed, NOW)
    assert [r.code for r in verdict.reasons] == ["certificate.envelope"]
    assert str(verdict.reasons[0]).isprintable()


def test_a_certificate_may_not_be_valid_too_long(kit: Kit) -> None:
    assert "validity.long" in codes(kit, kit.sealed(valid_until=NOW + 400 * DAY))


def test_another_policy_is_refused(kit: Kit) -> None:
    assert "policy.other" in codes(kit, kit.sealed(policy=OTHER))


def test_every_reason_is_told_at_once(kit: Kit) -> None:
    data = kit.sealed(evidence=(evidence(verdict="fail", tp=2, model=OTHER),), policy=OTHER)
    wrong = Deployed(OTHER, 4, 8, 2, (2, 16), "gfx942", (("k1", OTHER), ("x", OTHER)), {"a": "1"})
    found = set(codes(kit, data, wrong, NOW + 100 * DAY))
    assert found >= {
        "policy.other",
        "validity.expired",
        "deployment.model",
        "deployment.tp",
        "deployment.dcp",
        "deployment.q",
        "deployment.target",
        "deployment.widths",
        "version.a",
        "build.changed",
        "build.missing",
        "evidence.verdict",
        "evidence.age",
        "evidence.tp",
        "evidence.model",
        "check.layer",
    }


def test_a_key_that_is_not_trusted(kit: Kit) -> None:
    stranger = seal(kit.statement.to_json(), Ed25519PrivateKey.generate())
    assert codes(kit, stranger) == ["signature.untrusted"]


def test_a_changed_payload_is_refused_before_it_is_read(kit: Kit) -> None:
    envelope = json.loads(kit.sealed())
    for payload in (
        b"{}",
        b"no json at all",
        kit.statement.to_json().replace(b"gfx950", b"gfx942"),
    ):
        envelope["payload"] = base64.b64encode(payload).decode()
        assert codes(kit, json.dumps(envelope).encode()) == ["signature.wrong"]


def test_base64_has_one_form(kit: Kit) -> None:
    envelope = json.loads(kit.sealed())
    text = envelope["signatures"][0]["sig"]  # 64 bytes: the last letter has two bits to spare
    assert text.endswith("==")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    spare = letters[letters.index(text[-3]) ^ 1]
    envelope["signatures"][0]["sig"] = text[:-3] + spare + "=="
    assert base64.b64decode(envelope["signatures"][0]["sig"]) == base64.b64decode(text)
    assert codes(kit, json.dumps(envelope).encode()) == ["certificate.envelope"]


@pytest.mark.parametrize(
    "payload",
    [b"[]", b'{"a": 1, "a": 2}', b'{"x": NaN}', b"[" * 50, b'{"_type": "other"}', b"\xff"],
)
def test_a_signed_payload_that_is_no_statement(kit: Kit, payload: bytes) -> None:
    assert codes(kit, seal(payload, kit.key))


def test_simulated_evidence_never_opens_production() -> None:
    kit = make_kit("production", HARD)
    every = (
        evidence(),
        evidence("replay"),
        evidence("eval", margin_points=0.1, builds=(), model=""),
    )
    found = codes(kit, kit.sealed(evidence=every))
    assert {"check.layer", "check.replay", "check.eval", "check.simulated"} <= set(found)


def test_hardware_evidence_opens_production() -> None:
    kit = make_kit("production", HARD)
    every = (
        evidence(where="hardware"),
        evidence("replay", where="hardware"),
        evidence("eval", where="hardware", margin_points=0.9, builds=(), model=""),
    )
    assert codes(kit, kit.sealed(evidence=every)) == []
    wide = (*every[:2], replace(every[2], margin_points=1.1))
    assert codes(kit, kit.sealed(evidence=wide)) == ["check.eval"]


def test_the_statement_says_what_it_was_made_of(kit: Kit) -> None:
    envelope = json.loads(kit.sealed())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"][0] == {"name": "k1", "digest": {"sha256": K1}}
    assert statement["predicate"]["deployment"]["modelConfigDigest"] == MODEL
