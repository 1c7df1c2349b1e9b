"""Every mismatch refuses with its own reason; all of them together are all told."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from kk3fast_certificate_kit import HARD, K1, K2, MODEL, NOW, Kit, evidence, make_kit

from kk3fast.certificate import Deployed, Evidence, judge
from kk3fast.certificate.clock import DAY
from kk3fast.certificate.envelope import seal

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
        ({"model": ""}, "evidence.model"),
        ({"families": ("tiny",)}, "check.layer"),
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


def on_hardware(kit: Kit) -> tuple[Evidence, ...]:
    """What a production policy asks for."""
    told = {"builds": (), "families": (), "deployment": kit.deployed.digest}
    return (
        evidence(where="hardware"),
        evidence("replay", where="hardware"),
        evidence("eval", where="hardware", margin_points=0.9, **told),
    )


def test_hardware_evidence_opens_production() -> None:
    kit = make_kit("production", HARD)
    every = on_hardware(kit)
    assert codes(kit, kit.sealed(evidence=every)) == []
    wide = (*every[:2], replace(every[2], margin_points=1.1))
    assert codes(kit, kit.sealed(evidence=wide)) == ["check.eval"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"deployment": OTHER}, "evidence.deployment"),
        ({"deployment": ""}, "evidence.deployment"),
        ({"model": OTHER}, "evidence.model"),
        ({"model": ""}, "evidence.model"),
        ({"tp": 1}, "evidence.tp"),
    ],
)
def test_an_eval_of_something_else_opens_nothing(change: dict, code: str) -> None:
    kit = make_kit("production", HARD)
    *others, held = on_hardware(kit)
    assert codes(kit, kit.sealed(evidence=(*others, replace(held, **change)))) == [code]


def test_the_digest_of_a_deployment_is_over_all_of_it(kit: Kit) -> None:
    d = kit.deployed
    changes = (
        {"model_config_digest": OTHER},
        {"tp": 4},
        {"dcp": 8},
        {"q": 2},
        {"widths": (4,)},
        {"target": "gfx942"},
        {"builds": (("k1", K1), ("k2", OTHER))},
        {"versions": {"flydsl": "0.6.0"}},
    )
    assert len({d.digest, *(replace(d, **change).digest for change in changes)}) == 9
    assert replace(d, builds=d.builds[::-1]).digest == d.digest


def test_an_evaluation_needs_hardware_and_no_eval() -> None:
    kit = make_kit("evaluation", HARD.partition("[checks.eval]")[0])
    verdict = judge(kit.sealed(evidence=on_hardware(kit)[:2]), kit.policy, kit.deployed, NOW)
    assert (verdict.opens, verdict.reasons) == ("evaluation", ())
    soft = (evidence(), evidence("replay"))
    assert "check.simulated" in codes(kit, kit.sealed(evidence=soft))


def test_every_build_needs_every_family_of_the_policy() -> None:
    kit = make_kit("simulation", "", families='["normal", "tiny"]')
    tiny = evidence(families=("tiny",), builds=(K1,))
    verdict = judge(kit.sealed(evidence=(evidence(), tiny)), kit.policy, kit.deployed, NOW)
    assert [r.code for r in verdict.reasons] == ["check.layer"]
    assert str(verdict.reasons[0]).endswith("on family tiny")
    assert "k2" in str(verdict.reasons[0])
    both = replace(tiny, builds=(K1, K2))
    assert codes(kit, kit.sealed(evidence=(evidence(), both))) == []


def test_steps_must_launch_certified_builds_alone() -> None:
    kit = make_kit("simulation", '[checks.steps]\nevidence = "simulated"\n')
    for builds, wanted in (
        ((K1,), []),
        ((), ["check.steps"]),
        ((K1, OTHER), ["check.steps"]),
    ):
        steps = evidence("steps", builds=builds)
        assert codes(kit, kit.sealed(evidence=(evidence(), steps))) == wanted


def test_records_of_several_candidates_do_not_add_up(kit: Kit) -> None:
    mixed = (evidence(builds=(K1,)), evidence(builds=(K2,), candidate="other"))
    assert codes(kit, kit.sealed(evidence=mixed)) == ["evidence.candidate"]


def test_planted_faults_must_be_seen_by_the_sources_that_judged() -> None:
    kit = make_kit("simulation", '[checks.faults]\nevidence = "simulated"\n')
    shown = evidence("faults", builds=(), model="", tp=1, candidate="harness")
    assert codes(kit, kit.sealed(evidence=(evidence(), shown))) == []
    assert codes(kit, kit.sealed(evidence=(evidence(),))) == ["check.faults"]
    for harness in (OTHER, ""):
        judged = evidence(harness=harness)
        assert codes(kit, kit.sealed(evidence=(judged, shown))) == ["evidence.harness"]
    nameless = replace(shown, harness="")
    assert codes(kit, kit.sealed(evidence=(evidence(), nameless))) == ["check.faults"]


def test_the_statement_says_what_it_was_made_of(kit: Kit) -> None:
    envelope = json.loads(kit.sealed())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"][0] == {"name": "k1", "digest": {"sha256": K1}}
    assert statement["predicate"]["deployment"]["modelConfigDigest"] == MODEL
