"""Nothing but the one certificate opens anything, and nothing raises."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from kk3fast_certificate_kit import NOW, make_kit

from kk3fast.certificate import judge
from kk3fast.certificate.envelope import seal
from kk3fast.certificate.strict_json import MAX_BYTES

KIT = make_kit()
DATA = KIT.sealed()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)


def opens(data: bytes) -> str | None:
    verdict = judge(data, KIT.policy, KIT.deployed, NOW)
    assert (verdict.opens is None) == bool(verdict.reasons)
    return verdict.opens


@given(st.binary(max_size=300))
def test_random_bytes(data: bytes) -> None:
    assert opens(data) is None


@given(st.integers(0, len(DATA) - 3))
def test_truncated(length: int) -> None:
    assert opens(DATA[:length]) is None


@settings(max_examples=400)
@given(st.integers(0, len(DATA) - 1), st.integers(0, 7))
def test_one_flipped_bit(at: int, bit: int) -> None:
    changed = bytearray(DATA)
    changed[at] ^= 1 << bit
    same = _parts(bytes(changed)) == _parts(DATA)
    assert opens(bytes(changed)) == ("simulation" if same else None)


def _parts(data: bytes) -> object:
    """The envelope's values: white space between them carries nothing."""
    try:
        return json.loads(data)
    except ValueError:
        return None


@given(JSON)
def test_any_json_in_the_place_of_the_envelope(value: object) -> None:
    assert opens(json.dumps(value).encode()) is None


@settings(max_examples=200)
@given(JSON, st.sampled_from(["subject", "predicate", "_type", "predicateType"]))
def test_any_json_in_a_signed_statement(value: object, name: str) -> None:
    statement = json.loads(KIT.statement.to_json())
    if statement[name] != value:
        statement[name] = value
        assert opens(seal(json.dumps(statement).encode(), KIT.key)) is None


@settings(max_examples=200)
@given(JSON, st.sampled_from(["deployment", "policy", "environment", "validity", "evidence"]))
def test_any_json_in_a_signed_predicate(value: object, name: str) -> None:
    statement = json.loads(KIT.statement.to_json())
    if statement["predicate"][name] != value:
        statement["predicate"][name] = value
        texts = isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
        harmless = name == "environment" and texts  # it is told, and decides nothing
        found = opens(seal(json.dumps(statement).encode(), KIT.key))
        assert found == ("simulation" if harmless else None)


def test_large_files_are_not_parsed() -> None:
    assert opens(b" " * (MAX_BYTES + 1)) is None
