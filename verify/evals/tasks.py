"""Which questions: kk3's own tasks, lm-eval's by name, task files, and the suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verify.evals import synthetic

LENGTHS = (32768, 131072, 262144)
"""Context lengths of RULER's needle tasks, in tokens."""
RULER = ("niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1")
SUITE = ("gsm8k", "gpqa_diamond_cot_zeroshot", "aime24+aime25", "niah_single_1", "niah_multikey_1")
"""What the fast path is judged on: GSM8K 5-shot, GPQA-Diamond, AIME 24 and 25 (avg@4), RULER."""
SAMPLED = {"temperature": 1.0, "top_p": 0.95, "do_sample": True}
"""Generation of a task that is sampled k times, unless the command says otherwise."""
_NUMBER = r"(-?[0-9][0-9,]*)"


@dataclass(frozen=True)
class Task:
    """One row of the result.

    Attributes:
        name: as shown.
        members: lm-eval task names, files or configurations, pooled into the row.
        fewshot: examples before each question (the task's own number if None).
        samples: answers a question, k.
        lengths: for RULER, context lengths.
    """

    name: str
    members: tuple[str | dict[str, Any], ...]
    fewshot: int | None = None
    samples: int = 1
    lengths: tuple[int, ...] = field(default=())


@dataclass(frozen=True)
class TaskOptions:
    """What the command line says of all tasks.

    Attributes:
        samples: answers a question for every task (each task's own number if None).
        fewshot: examples (each task's own number if None).
        lengths: context lengths of needle tasks: tokens of RULER's, words of kk3's own.
        count: documents of kk3's own tasks.
        seed: of kk3's own tasks.
    """

    samples: int | None = None
    fewshot: int | None = None
    lengths: tuple[int, ...] = ()
    count: int = 200
    seed: int = 0


def resolve(names: Sequence[str], options: TaskOptions) -> list[Task]:
    """Tasks by name: ``suite``, kk3's own, ``a+b`` (pooled), a ``.yaml`` file, or lm-eval's."""
    expanded: list[str] = []
    for name in names:
        expanded += SUITE if name == "suite" else [name]
    return [_task(name, options) for name in dict.fromkeys(expanded)]


def _task(name: str, options: TaskOptions) -> Task:
    members = name.split("+") if not name.endswith((".yaml", ".yml")) else [name]
    fewshot, samples = options.fewshot, options.samples
    if name == "gsm8k" and fewshot is None:
        fewshot = 5
    if all(m.startswith("aime") for m in members) and samples is None:
        samples = 4
    lengths = options.lengths or LENGTHS if any(m in RULER for m in members) else ()
    shown = Path(name).stem if name.endswith((".yaml", ".yml")) else name
    return Task(
        shown,
        tuple(_member(m, options, lengths) for m in members),
        fewshot,
        samples or 1,
        tuple(lengths),
    )


def _member(name: str, options: TaskOptions, lengths: tuple[int, ...]) -> str | dict[str, Any]:
    if name in synthetic.NAMES:
        return own(name, options)
    if name in RULER:
        # lm-eval lists metrics up to 131072; one a length, the default one included.
        metrics = [str(n) for n in sorted({4096, *lengths})]
        return {
            "task": name,
            "metric_list": [
                {"metric": n, "aggregation": "mean", "higher_is_better": True} for n in metrics
            ],
        }
    return name


def own(name: str, options: TaskOptions) -> dict[str, Any]:
    """An lm-eval configuration of one of kk3's own tasks."""
    common: dict[str, Any] = {
        "task": name,
        "dataset_path": "",
        "test_split": "test",
        "output_type": "generate_until",
        "repeats": 1,
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0},
    }
    if name == synthetic.ARITHMETIC:
        shots = synthetic.arithmetic(5, options.seed + 1)
        examples = "".join(f"Question: {d['question']}\nAnswer: {d['answer']}\n\n" for d in shots)
        return common | {
            "custom_dataset": _dataset(lambda: synthetic.arithmetic(options.count, options.seed)),
            "doc_to_text": examples + "Question: {{question}}\nAnswer:",
            "doc_to_target": "{{answer.split('####')[-1].strip()}}",
            "num_fewshot": 0,
            "generation_kwargs": {"until": ["Question:"], "max_gen_toks": 256, "do_sample": False},
            "filter_list": _number_filter(r"#### " + _NUMBER, -1),
        }
    keys = 1 if name == synthetic.NEEDLE_SINGLE else 8
    lengths = options.lengths or (400,)

    def make() -> list[dict[str, Any]]:
        each = max(1, options.count // len(lengths))
        return [d for n in lengths for d in synthetic.needles(each, n, keys, options.seed)]

    return common | {
        "custom_dataset": _dataset(make),
        "doc_to_text": "{{context}}\n\nWhat is the locker code of {{label}}? "
        "Answer with the number only.\nAnswer:",
        "doc_to_target": "{{answer}}",
        "num_fewshot": 0,
        "generation_kwargs": {"until": ["\n"], "max_gen_toks": 32, "do_sample": False},
        "filter_list": _number_filter(_NUMBER, 0),
    }


def _number_filter(pattern: str, which: int) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = [
        {"function": "regex", "regex_pattern": pattern, "group_select": which},
        {"function": "take_first"},
    ]
    return [{"name": "flexible-extract", "filter": steps}]


def _dataset(make: Callable[[], list[dict[str, Any]]]) -> Callable[..., Any]:
    def dataset(**_: Any) -> Any:
        from datasets import Dataset

        return {"test": Dataset.from_list(make())}

    return dataset
