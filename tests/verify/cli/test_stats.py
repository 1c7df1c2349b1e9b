"""``verify stats``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from verify.cli.main import main

NOTE = "Non-significance is not equivalence"


def run_json(capsys: pytest.CaptureFixture[str], words: str, code: int = 0) -> dict[str, Any]:
    assert main(["stats", *words.split(), "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert NOTE in found["note"]
    return found


def test_power(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "power --n 1319 --discordance 0.03")
    assert found["minimum_detectable_effect"]["normal"] == pytest.approx(0.0134, abs=5e-5)
    assert "noninferiority_power" not in found
    found = run_json(capsys, "power --n 1319 --discordance 0.03 --margin 0.01")
    assert found["noninferiority_power"]["exact"] == pytest.approx(0.521, abs=5e-4)


def test_sample_size(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "sample-size --effect 0.005 --discordance 0.03")
    assert found["sample_size"] == {"exact": 9752, "connor": 9417, "normal": 9419}


@pytest.mark.parametrize(
    ("margin", "code"), [("", 0), ("--margin 0.01", 1), ("--margin 0.02", 0)], ids=lambda v: f"{v}"
)
def test_mcnemar(margin: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, f"mcnemar --b 27 --c 18 --n 1319 {margin}", code)
    assert round(found["p"], 2) == 0.23
    assert not found["significant"]
    interval = found["interval"]
    assert interval["lower"] == pytest.approx(-0.0174, abs=5e-5)
    assert interval["upper"] == pytest.approx(0.0033, abs=5e-5)
    assert found["minimum_detectable_effect"]["exact"] == pytest.approx(0.01465, abs=5e-6)
    assert ("noninferiority" in found) == bool(margin)
    if margin:
        assert found["noninferiority"]["shown"] == (code == 0)


def test_mcnemar_without_a_discordant_pair(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "mcnemar --b 0 --c 0 --n 1319 --margin 0.01")
    assert found["p"] == 1
    # Planned with the largest discordance the counts allow, not with none.
    assert found["minimum_detectable_effect"]["at_discordance"] == pytest.approx(0.0028, abs=5e-5)


def test_holm(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "holm 0.01 0.04 0.03")["rejected"] == [True, False, False]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("power --n 1319 --discordance 0.03 --margin 0.01", ["1.34 points", "52.1 %"]),
        ("power --n 20 --discordance 0.03", ["none"]),
        ("sample-size --effect 0.005 --discordance 0.03", ["9752", "9417"]),
        ("mcnemar --b 27 --c 18 --n 1319 --margin 0.02", ["0.2327", "shown"]),
        ("holm 0.01 0.04 0.03", ["a difference", "no difference found"]),
    ],
)
def test_tables_say_what_p_does_not(
    words: str, shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", *words.split()]) == 0
    out = capsys.readouterr().out
    for text in [*shown, NOTE]:
        assert text in out


@pytest.mark.parametrize(
    ("words", "reasons"),
    [
        (
            "mcnemar --b -1 --c 9 --n 2 --alpha 3 --margin 2",
            ["b must be", "alpha must be", "margin must be"],
        ),
        ("mcnemar --b 5 --c 9 --n 2", ["b + c must be at most n = 2, got 14"]),
        ("power --n 0 --discordance 2 --power 0", ["n must be", "discordance must", "power must"]),
        ("sample-size --effect 0.04 --discordance 0.03", ["effect must be between"]),
        ("holm 1.5", ["p[0] must be between 0 and 1, got 1.5"]),
    ],
)
def test_wrong_arguments(
    words: str, reasons: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", *words.split()]) == 2
    error = capsys.readouterr().err
    for reason in reasons:
        assert reason in error


@pytest.mark.parametrize("command", ["", "power", "sample-size", "mcnemar", "holm"])
def test_help_has_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["stats", *command.split(), "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert f"python -m verify stats {command or 'power'}" in out


def test_missing_argument_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["stats", "power", "--n", "9"])
    assert stop.value.code == 2
    assert "--discordance" in capsys.readouterr().err
