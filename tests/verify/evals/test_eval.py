"""``verify eval`` against servers on loopback: the same one twice, and a perturbed one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset, DatasetDict
from evals_server import Served, TinyModel, serve, solver
from lm_eval.tasks import TaskManager

from verify.cli.main import main
from verify.evals import synthetic
from verify.evals.record import EvalRecord
from verify.evals.tasks import TaskOptions, resolve

# lm-eval and what it imports warn of their own use of other packages.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def run(words: str, out: Path, code: int) -> EvalRecord:
    assert main(["eval", *words.split(), "--out", str(out)]) == code
    return EvalRecord.model_validate_json(out.read_text())


def test_a_server_against_itself_passes(tmp_path: Path) -> None:
    with serve(solver(), drafts=(10, 17)) as server:
        words = f"--same {server.url} --count 150 --task kk3_arithmetic --task kk3_needle_multikey"
        record = run(words, tmp_path / "control.json", 0)
    assert record.mode == "A/A"
    assert [t.task for t in record.tasks] == ["kk3_arithmetic", "kk3_needle_multikey"]
    for t in record.tasks:
        assert (t.questions, t.samples, t.b, t.c, t.p) == (150, 1, 0, 0, 1.0)
        assert 0.7 < t.off.score == t.on.score < 0.9
        assert t.same_text == 1.0
        assert t.discordance_upper < 0.03
    assert [side.mean_acceptance_length for side in record.sides] == [pytest.approx(2.7)] * 2


def test_a_perturbed_server_fails(tmp_path: Path) -> None:
    with serve(solver()) as off, serve(solver(also_wrong=0.25)) as on:
        words = f"--off {off.url} --on {on.url} --count 200 --task kk3_arithmetic"
        record = run(words, tmp_path / "eval.json", 1)
    (t,) = record.tasks
    assert t.verdict.value == "fail"
    assert t.b > 20
    assert t.c == 0
    assert t.interval.upper < 0
    assert len(t.disagreements) == t.b
    shown = t.disagreements[0]
    assert shown.off.right
    assert not shown.on.right
    assert shown.off.answer == shown.target != shown.on.answer
    assert "How many" in shown.question


def test_answers_traded_one_for_one_are_seen_with_a_control(tmp_path: Path) -> None:
    """Equal accuracy, other questions: only the disagreement beyond the control's shows it."""
    words = "--count 200 --task kk3_arithmetic"
    with serve(solver(0.0, "one", 0.2)) as off, serve(solver(0.0, "two", 0.2)) as on:
        run(f"--same {off.url} {words}", tmp_path / "control.json", 0)
        sides = f"--off {off.url} --on {on.url} {words} --margin 0.15"
        plain = run(sides, tmp_path / "plain.json", 0)
        control = f"--control {tmp_path / 'control.json'}"
        record = run(f"{sides} {control}", tmp_path / "eval.json", 1)
    assert plain.tasks[0].excess is None
    excess = record.tasks[0].excess
    assert excess is not None
    assert excess.control_discordance == 0
    assert excess.discordance > 0.2
    assert excess.p_holm < 1e-6


def test_too_few_questions_are_not_a_pass(tmp_path: Path) -> None:
    with serve(solver()) as off, serve(solver()) as on:
        words = f"--off {off.url} --on {on.url} --count 20 --task kk3_needle_single"
        record = run(words, tmp_path / "eval.json", 2)
    assert record.tasks[0].p == 1.0
    assert "more questions are needed" in record.tasks[0].reason


def test_useless_answers_are_counted_and_do_not_pass(tmp_path: Path) -> None:
    with serve(solver(0.9, noise=True)) as server:
        words = f"--same {server.url} --count 60 --task kk3_arithmetic"
        record = run(words, tmp_path / "eval.json", 2)
    t = record.tasks[0]
    assert t.off.empty > 10
    assert t.off.malformed > 5
    assert record.checks[0].verdict.value == "not_checked"


def test_sampled_answers_are_clustered(tmp_path: Path) -> None:
    with serve(solver(0.3, "one")) as off, serve(solver(0.3, "two")) as on:
        words = f"--off {off.url} --on {on.url} --count 40 --samples 3 --task kk3_needle_single"
        record = run(f"{words} --margin 0.3 --gen top_p=0.9", tmp_path / "eval.json", 0)
    (t,) = record.tasks
    assert (t.questions, t.samples) == (40, 3)
    assert t.interval.method == "clustered t"
    assert t.detectable_difference is None
    assert 0.6 < t.off.score < 0.8
    assert off.asked[0]["top_p"] == 0.9
    assert {body["seed"] for body in off.asked} == {0, 1, 2}
    assert len({(body["prompt"], body["seed"]) for body in off.asked}) == 120


def test_chat(tmp_path: Path) -> None:
    with serve(solver()) as server:
        run(
            f"--same {server.url} --chat --count 5 --task kk3_needle_single", tmp_path / "e.json", 0
        )
    assert all(body["messages"][-1]["role"] == "user" for body in server.asked)


def test_an_interrupted_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "eval.json"
    words = "--count 30 --concurrency 2 --task kk3_needle_single"
    with serve(solver()) as server:
        server.fail_after = 40
        assert main(["eval", "--same", server.url, *words.split(), "--out", str(out)]) == 2
        assert "told to fail" in capsys.readouterr().err
        assert not out.exists()
        journal = tmp_path / "eval.answers" / "off-again.jsonl"
        with journal.open("a") as file:
            file.write('{"key": "cut o')  # what a killed process leaves
        server.fail_after = None
        done = len(server.asked)
        run(f"--same {server.url} {words}", out, 0)
        assert len(server.asked) - done < 30
        again = len(server.asked)
        run(f"--same {server.url} {words}", out, 0)
        assert len(server.asked) == again
        run(f"--same {server.url} {words} --fresh", out, 0)
        assert len(server.asked) == again + 60


TASK = """
task: tiny_letters
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_text: "Say letters.\\n{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
num_fewshot: 0
generation_kwargs:
  until: ["\\n"]
  do_sample: false
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
"""


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """A local task file: its answers are the tiny model's own."""
    model = TinyModel(tokens=2)
    rows = []
    for i in range(16):
        question = f"{i * 37}: {chr(65 + i)}"
        rows.append({"question": question, "answer": model(question, {})})
    assert len(Counter(row["answer"] for row in rows)) > 8, "the model must depend on its prompt"
    data = tmp_path / "letters.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    task = tmp_path / "letters.yaml"
    task.write_text(TASK.format(data=data))
    return task


def test_a_model_that_generates_is_itself_and_a_damaged_one_is_not(
    letters: Path, tmp_path: Path
) -> None:
    with serve(TinyModel(tokens=2)) as off, serve(TinyModel(damage=0.3, tokens=2)) as on:
        same = run(f"--same {off.url} --task {letters}", tmp_path / "control.json", 0)
        words = f"--off {off.url} --on {on.url} --task {letters} --margin 0.05"
        other = run(words, tmp_path / "eval.json", 1)
    assert same.tasks[0].off.score == same.tasks[0].on.score == 1.0
    assert other.tasks[0].task == "letters"
    assert other.tasks[0].off.score == 1.0
    assert other.tasks[0].b >= 12
    assert other.tasks[0].p < 1e-3


def test_pooled_tasks_are_one_row(tmp_path: Path) -> None:
    with serve(solver()) as server:
        task = "kk3_needle_single+kk3_needle_multikey"
        record = run(f"--same {server.url} --count 10 --task {task}", tmp_path / "e.json", 0)
    (t,) = record.tasks
    assert (t.task, t.questions) == (task, 20)


def named(server: Served, **options: Any) -> list[str]:
    words = ["eval", "--same", server.url]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    return words


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"task": "no_such_task"}, "no_such_task cannot be made by lm-eval here"),
        ({"task": "niah_single_1"}, "--tokenizer must name it"),
        ({"task": "kk3_arithmetic", "model": "big"}, "--model must be among ['tiny'], got 'big'"),
        ({"task": "kk3_arithmetic", "filter": "odd"}, "the filter must be among"),
        ({"task": "kk3_arithmetic", "gen": "warm"}, "--gen must be NAME=VALUE, got 'warm'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_is_said(
    options: dict[str, str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(solver()) as server:
        words = named(server, out=tmp_path / "e.json", count=3, **options)
        assert main(words) == 2
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "e.json").exists()


def published(path: str, *_: Any, **__: Any) -> Any:
    """In place of the hub: kk3's own problems under the columns of the published data sets."""
    rows = synthetic.arithmetic(30)
    if path.endswith("gsm8k"):
        return DatasetDict(
            train=Dataset.from_list(synthetic.arithmetic(20, 1)), test=Dataset.from_list(rows)
        )
    for row in rows:
        row["Problem"] = row["problem"] = row["question"]
        row["Answer"] = row["answer"] = row["answer"].split("#### ")[1]
    return DatasetDict(train=Dataset.from_list(rows), test=Dataset.from_list(rows))


def test_gsm8k_is_asked_with_five_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lm_eval.api.task.datasets.load_dataset", published)
    with serve(solver()) as server:
        record = run(f"--same {server.url} --limit 20 --task gsm8k", tmp_path / "e.json", 0)
    assert {body["prompt"].count("Question:") for body in server.asked} == {6}
    assert {body["temperature"] for body in server.asked} == {0.0}
    (t,) = record.tasks
    assert (t.task, t.questions) == ("gsm8k", 20)
    assert 0.5 < t.off.score < 1


def test_aime_is_pooled_and_sampled_four_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lm_eval.api.task.datasets.load_dataset", published)
    with serve(solver(0.3)) as server:
        words = f"--same {server.url} --limit 5 --task aime24+aime25"
        assert main(["eval", *words.split(), "--out", str(tmp_path / "e.json")]) == 0
    record = EvalRecord.model_validate_json((tmp_path / "e.json").read_text())
    (t,) = record.tasks
    assert (t.task, t.questions, t.samples) == ("aime24+aime25", 10, 4)
    assert t.interval.method == "clustered t"
    assert len(server.asked) == 2 * 2 * 5 * 4
    assert {body["seed"] for body in server.asked} == {0, 1, 2, 3}
    assert {body["temperature"] for body in server.asked} == {1.0}


def test_the_suite_is_known_to_lm_eval() -> None:
    known = set(TaskManager().all_tasks)
    for task in resolve(["suite"], TaskOptions()):
        for member in task.members:
            assert (member if isinstance(member, str) else member["task"]) in known
    needle = resolve(["niah_multikey_1"], TaskOptions())[0]
    assert needle.lengths == (32768, 131072, 262144)
