"""What an operator may ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kk3fast.serve.settings import AUTO, KK3, SPECIALIZED, Refused, Settings, read_settings

ON = {"decode_backend": KK3, "kk3_certificate": "c.json", "kk3_policy": "p.toml"}


@pytest.mark.parametrize("additional", [None, {}, {"decode_backend": "auto"}, [1], {"x": 1}])
def test_off_is_the_default(additional: Any) -> None:
    assert read_settings(additional, {}) == Settings()
    assert not Settings().gated


def test_on_names_its_files() -> None:
    settings = read_settings({**ON, "kk3_kernels": "contract", "kk3_off_switch": "off"}, {})
    assert settings.gated
    assert (settings.certificate, settings.policy) == (Path("c.json"), Path("p.toml"))
    assert (settings.kernels, settings.off_switch) == ("contract", Path("off"))


def test_the_environment_switches_off_and_never_on() -> None:
    assert read_settings(ON, {"KK3_DECODE_BACKEND": "auto"}).backend == AUTO
    with pytest.raises(Refused, match="must be 'auto' or unset, got 'kk3'"):
        read_settings({}, {"KK3_DECODE_BACKEND": "kk3"})


@pytest.mark.parametrize(
    ("additional", "environment", "gated"),
    [
        ({}, {}, False),
        ({"kk3_certificate": "c", "kk3_policy": "p"}, {}, True),
        ({"kk3_certificate": "c", "kk3_policy": "p"}, {"KK3_REQUIRE_CERTIFICATE": "1"}, True),
        ({}, {"KK3_REQUIRE_CERTIFICATE": "0"}, False),
    ],
    ids=["free", "certificate given", "required and given", "not required"],
)
def test_vllms_kernels_are_gated_when_asked(
    additional: dict[str, str], environment: dict[str, str], gated: bool
) -> None:
    settings = read_settings({"decode_backend": SPECIALIZED, **additional}, environment)
    assert settings.gated == gated


def test_a_required_certificate_must_be_named() -> None:
    with pytest.raises(Refused, match="latency_specialized is refused for 2 reasons") as caught:
        read_settings({"decode_backend": SPECIALIZED}, {"KK3_REQUIRE_CERTIFICATE": "1"})
    assert [code for code, _ in caught.value.reasons] == ["certificate.missing", "policy.missing"]


def test_every_wrong_value_is_listed_at_once() -> None:
    wrong = {
        "decode_backend": KK3,
        "kk3_certificate": 3,
        "kk3_kernels": "fast",
        "kk3_test_fault": "all",
        "kk3_test_stall_step": 0,
    }
    with pytest.raises(Refused) as caught:
        read_settings(wrong, {})
    text = str(caught.value)
    for part in ("kk3_certificate must be a path", "'fast'", "'all'", "got 0", "names no policy"):
        assert part in text
    assert len(caught.value.reasons) == 5


@pytest.mark.parametrize("key", ["kk3_test_fault", "kk3_test_stall_step"])
def test_faults_are_refused_with_real_kernels(key: str) -> None:
    value = "moe_output" if key.endswith("fault") else 5
    read_settings({**ON, "kk3_kernels": "contract", key: value}, {})
    with pytest.raises(Refused, match="plant faults"):
        read_settings({**ON, key: value}, {})


def test_an_unknown_backend_names_the_known_ones() -> None:
    with pytest.raises(Refused, match="'auto', 'latency_specialized', 'kk3'"):
        read_settings({"decode_backend": "fast"}, {})
