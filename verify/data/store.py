"""Write and read records: ``record.json`` and, for failing outputs, safetensors beside it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError
from safetensors.torch import save_file

from verify.data.faults import FaultMatrix
from verify.data.record import Record

if TYPE_CHECKING:
    from verify.run import Outcome


class RecordError(ValueError):
    """A record file cannot be read; says why."""


def save(outcome: Outcome, folder: Path) -> Path:
    """Write a run's evidence; nothing is left half-written.

    Returns:
        the record's path, ``<folder>/<layer>-<index>-<family>-<candidate>-<seed>.json``. Tensors of
        failing outputs go to a folder of the same name.
    """
    record = outcome.record
    folder.mkdir(parents=True, exist_ok=True)
    label = Path(record.candidate.name.split(":")[0]).stem
    stem = f"{record.layer}-{record.layer_index}-{record.family}-{label}-{record.seed}"
    if outcome.tensors:
        tensors = folder / stem
        tensors.mkdir(exist_ok=True)
        for name, kept in outcome.tensors.items():
            target = tensors / f"{name}.safetensors"
            partial = target.with_suffix(f".{os.getpid()}.partial")
            save_file(kept, partial, metadata={"output": name, "command": record.command})
            partial.replace(target)
        record = _with_paths(record, outcome, stem)
    path = folder / f"{stem}.json"
    write_atomic(path, compact(record.model_dump_json(indent=2)) + "\n")
    return path


def compact(text: str) -> str:
    """Indented JSON with each list of plain values on one line."""
    # A raw newline never stands inside a JSON string.
    return re.sub(
        r"\[\n\s+([^\[\]{}]*?)\n\s+\]",
        lambda found: "[" + re.sub(r",\n\s+", ", ", found[1]) + "]",
        text,
    )


def _with_paths(record: Record, outcome: Outcome, stem: str) -> Record:
    launches = [("", record.stages), *((f"{r.launch}.", r.stages) for r in record.launches)]
    for prefix, stages in launches:
        for stage in stages:
            for output in stage.outputs:
                name = f"{prefix}{stage.stage}.{output.output}"
                if name in outcome.tensors:
                    output.saved = f"{stem}/{name}.safetensors"
    return record


def write_atomic(path: Path, text: str) -> None:
    """Write a text file whole or not at all, with the permissions of any new file."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        partial = Path(folder) / path.name
        partial.write_text(text)
        partial.replace(path)


def read(path: Path) -> Record:
    """Read a record.

    Raises:
        RecordError: the file is missing, not JSON, or does not follow the schema.
    """
    try:
        return Record.model_validate_json(path.read_text())
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} must be a kk3 record: {error}") from error


SCHEMAS: dict[str, type[BaseModel]] = {"layer": Record, "faults": FaultMatrix}
"""Models of what commands write, by the command."""


def schema(of: str = "layer") -> str:
    """The published JSON schema of what a command writes, as text."""
    return json.dumps(SCHEMAS[of].model_json_schema(), indent=2, sort_keys=True) + "\n"
