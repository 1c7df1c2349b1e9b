"""Reading a ``vllm serve`` command line without vLLM: what the gate looks at, nothing more."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

_SHORT = {"-tp": "tensor-parallel-size", "-pp": "pipeline-parallel-size"}
_SHORT |= {"-dp": "data-parallel-size", "-dcp": "decode-context-parallel-size"}
_SHORT |= {"-sc": "speculative-config", "-pcp": "prefill-context-parallel-size"}
_NUMBERS = {
    "tensor-parallel-size": 1,
    "pipeline-parallel-size": 1,
    "data-parallel-size": 1,
    "decode-context-parallel-size": 1,
    "prefill-context-parallel-size": 1,
    "max-num-seqs": 256,
}
_OBJECTS = ("additional-config", "speculative-config")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


class CommandError(ValueError):
    """A command line that cannot be read; lists every reason."""


@dataclass(frozen=True)
class ServeCommand:
    """A ``vllm serve`` command line."""

    arguments: tuple[str, ...]
    """what follows ``serve``"""
    environment: Mapping[str, str]
    """``NAME=value`` words before the command"""
    model: str | None
    numbers: Mapping[str, int]
    """sizes by flag, vLLM's defaults where they are not given"""
    additional: Mapping[str, Any]
    speculative: Mapping[str, Any] | None
    flags: frozenset[str] = field(default_factory=frozenset)
    """every flag that is given"""


def parse_command(words: Sequence[str]) -> ServeCommand:
    """Read ``[NAME=value …] vllm serve MODEL --flag value …``.

    Raises:
        CommandError: lists every reason.
    """
    environment: dict[str, str] = {}
    rest = list(words)
    while rest and _VARIABLE.match(rest[0]):
        name, _, value = rest.pop(0).partition("=")
        environment[name] = value
    if "serve" not in rest:
        raise CommandError("the command must be `vllm serve MODEL …`, got no `serve`")
    arguments = rest[rest.index("serve") + 1 :]
    model, given = _flags(arguments)
    problems: list[str] = []
    numbers = {n: _number(n, given, default, problems) for n, default in _NUMBERS.items()}
    objects = {n: _object(n, given, problems) for n in _OBJECTS}
    if problems:
        raise CommandError("; ".join(problems))
    return ServeCommand(
        tuple(arguments),
        environment,
        given.get("model", model),
        numbers,
        objects["additional-config"] or {},
        objects["speculative-config"],
        frozenset(given),
    )


def _flags(arguments: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """The positional model, and every flag with its value (empty if it has none)."""
    model, given, at = None, {}, 0
    while at < len(arguments):
        word = arguments[at]
        at += 1
        if not word.startswith("-"):
            model = model or word
            continue
        name, equals, value = word.partition("=")
        name = _SHORT.get(name, name.lstrip("-")).replace("_", "-") if "." not in name else name
        if not equals and at < len(arguments) and not arguments[at].startswith("--"):
            value = arguments[at]
            at += 1
        given[name.lstrip("-")] = value
    return model, given


def _number(name: str, given: Mapping[str, str], default: int, problems: list[str]) -> int:
    text = given.get(name)
    if text is None:
        return default
    if not text.isdigit() or int(text) < 1:
        problems.append(f"--{name} must be a positive integer, got {text!r}")
        return default
    return int(text)


def _object(name: str, given: Mapping[str, str], problems: list[str]) -> dict[str, Any] | None:
    """A JSON flag, and its ``--flag.key value`` forms."""
    found: dict[str, Any] | None = None
    if name in given:
        try:
            found = json.loads(given[name])
        except ValueError:
            found = None
        if not isinstance(found, dict):
            problems.append(f"--{name} must be a JSON object, got {given[name]!r}")
            found = {}
    for flag, text in given.items():
        outer, dot, key = flag.partition(".")
        if dot and outer.replace("_", "-") == name:
            found = {} if found is None else found
            try:
                found[key] = json.loads(text)
            except ValueError:
                found[key] = text
    return found


def as_vllm_config(command: ServeCommand) -> Any:
    """What the gate reads of a ``VllmConfig``, from the command line and the model's folder.

    Raises:
        CommandError: the model's ``config.json`` is not on this machine.
    """
    spec = command.speculative
    drafts = (spec or {}).get("num_speculative_tokens", 0)
    if not isinstance(drafts, int):
        raise CommandError(f"num_speculative_tokens must be an integer, got {drafts!r}")
    text = _text_config(command.model)
    sizes = {n.replace("-", "_"): v for n, v in command.numbers.items() if n != "max-num-seqs"}
    return SimpleNamespace(
        additional_config=dict(command.additional),
        model_config=SimpleNamespace(hf_text_config=SimpleNamespace(**text, to_dict=lambda: text)),
        parallel_config=SimpleNamespace(
            **sizes, enable_expert_parallel="enable-expert-parallel" in command.flags
        ),
        scheduler_config=SimpleNamespace(max_num_seqs=command.numbers["max-num-seqs"]),
        speculative_config=SimpleNamespace(num_speculative_tokens=drafts) if spec else None,
    )


def _text_config(model: str | None) -> dict[str, Any]:
    path = Path(model or "") / "config.json"
    if model is None or not path.is_file():
        raise CommandError(
            f"the model must be a folder on this machine that holds config.json, got {model!r}"
        )
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CommandError(f"{path} is not JSON: {error}") from error
    text = raw.get("text_config", raw) if isinstance(raw, dict) else {}
    return dict(text)
