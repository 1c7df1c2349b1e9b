"""Logs of two runs with wanted counts: made-up answers to kk3's own problems, to try things on."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from verify.evals.synthetic import ARITHMETIC, arithmetic


def write_logs(folder: Path, b: int, c: int, n: int, wrong: int = 0) -> tuple[Path, Path]:
    """Folders ``off`` and ``on`` as ``lm_eval --log_samples`` writes them.

    Args:
        folder: where they are made.
        b: questions right only off.
        c: questions right only on.
        n: questions.
        wrong: questions wrong on both sides.

    Raises:
        ValueError: b + c + wrong is more than n.
    """
    if b + c + wrong > n:
        raise ValueError(f"b + c + wrong must be at most n = {n}, got {b + c + wrong}")
    problems = arithmetic(n)
    for side in ("off", "on"):
        lines = []
        for i, problem in enumerate(problems):
            only_off, only_on = i < b, b <= i < b + c
            right = not (only_off and side == "on") and not (only_on and side == "off")
            right = right and not b + c <= i < b + c + wrong
            lines.append(json.dumps(_entry(i, problem, right)))
        target = folder / side / f"samples_{ARITHMETIC}_2026-01-01T00-00-00.000000.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n")
    return folder / "off", folder / "on"


def _entry(number: int, problem: dict[str, Any], right: bool) -> dict[str, Any]:
    target = problem["answer"].split("#### ")[-1]
    text = problem["answer"] if right else f"{problem['answer']}1"
    answer = target if right else f"{target}1"
    prompt = f"Question: {problem['question']}\nAnswer:"
    digest = sha256(prompt.encode()).hexdigest()
    return {
        "doc_id": number,
        "doc": problem,
        "target": target,
        "arguments": [[prompt, {"until": ["Question:"]}]],
        "resps": [[text]],
        "filtered_resps": [answer],
        "filter": "flexible-extract",
        "metrics": ["exact_match"],
        "doc_hash": digest,
        "prompt_hash": digest,
        "exact_match": float(right),
    }
