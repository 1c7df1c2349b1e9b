"""A record's case and stages, taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kk3ref.precision import CONTRACT
from kk3ref.stages import run_layer
from verify import inspection
from verify.cli.main import main
from verify.data.store import read
from verify.inputs import Case
from verify.inputs import build_case as real_build_case


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    words = ["layer", "k1", "--preset", "tiny", "--family", "padded", "--seed", "3", "--tp", "4"]
    words += ["--candidate", "contract"]
    assert main([*words, "--conv-layout", "len-dim", "--out", str(out)]) == 0
    return next(out.glob("*.json"))


def test_the_case_is_the_one_that_was_run(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Case] = []

    def noted(*arguments: object, **more: object) -> Case:
        seen.append(real_build_case(*arguments, **more))  # type: ignore[arg-type]
        return seen[-1]

    monkeypatch.setattr("verify.jobs.build_case", noted)
    words = ["layer", "k1", "--preset", "tiny", "--family", "padded", "--seed", "3", "--tp", "4"]
    words += ["--candidate", "contract"]
    main([*words, "--conv-layout", "len-dim", "--out", str(tmp_path)])
    case = inspection.case_of(read(record))
    for rank, values in enumerate(seen[0].inputs):
        for name, tensor in values.items():
            assert torch.equal(case.inputs[rank][name], tensor), name
    assert case.step == seen[0].step
    assert case.contexts[0].options == seen[0].contexts[0].options


def test_a_stage_under_the_contract_is_the_layers_own(record: Path) -> None:
    case = inspection.case_of(read(record))
    whole = run_layer(case.layer, CONTRACT, case.contexts, case.inputs)
    outputs = inspection.stage_under(record, "in_proj")
    assert set(outputs) == {"oracle", "contract", "baseline"}
    for rank, taps in enumerate(outputs["contract"]):
        assert torch.equal(taps["proj"], whole[rank]["proj"])
    assert outputs["oracle"][0]["proj"].dtype == torch.float64


def test_differences_are_from_the_oracle(record: Path) -> None:
    found = inspection.differences(inspection.stage_under(record, "in_proj"))
    by_policy = found.groupby("policy")["max_error"].max()
    assert by_policy["oracle"] == 0
    assert 0 < by_policy["contract"] < 0.1
    assert len(found) == 3 * 4


def test_a_walk_names_what_flows(record: Path) -> None:
    stages = inspection.walk(record).set_index("stage")
    assert "x" in stages.loc["in_proj", "reads"]
    assert stages.loc["in_proj", "gives"] == "proj"
    assert set(stages["verdict"]) == {"pass"}


def test_an_unknown_stage_is_named(record: Path) -> None:
    with pytest.raises(KeyError, match="has no stage 'nothing'"):
        inspection.stage_under(record, "nothing")
