"""The tensors of a record's failing outputs."""

from __future__ import annotations

import json
from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor


def failing(path: str | Path) -> dict[str, dict[str, Tensor]]:
    """Tensors by ``stage.output`` and ``rankN.candidate | oracle | bound | contract``.

    Raises:
        OSError: the record or a file it names cannot be read.
    """
    path = Path(path)
    record = json.loads(path.read_text())
    return {
        f"{stage['stage']}.{output['output']}": load_file(path.parent / output["saved"])
        for stage in record["stages"]
        for output in stage["outputs"]
        if output["saved"]
    }
