"""Run ``vllm serve`` of the rig in the foreground, as docs/serving.md does.

    python -m tests.serve.by_hand RIG MODEL --tensor-parallel-size 2 --additional-config '{…}'

``MODEL`` is written if it is not there. What follows is given to ``vllm serve``, after what the rig
needs; ``KK3_…`` variables reach the server. ``--only-model`` writes the model and ends.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.serve.make_rig import RigError, python_of
from tests.serve.model_folder import write_model
from tests.serve.plugins import Plugin, write_site
from tests.serve.server import NAME, Serving, environment

FIXED = ["--enforce-eager", "--no-enable-prefix-caching", "--dtype", "float32"]
FIXED += ["--max-model-len", "512", "--host", "127.0.0.1", "--served-model-name", NAME]
STATE = "KK3_STATE_DIR"


def main(words: list[str]) -> int:
    """Write the model, then become the server."""
    if len(words) < 2 or "--help" in words:
        print(__doc__)
        return 0 if "--help" in words else 2
    rig, model = Path(words[0]).resolve(), write_model(Path(words[1]).resolve())
    if words[2:] == ["--only-model"]:
        return 0
    try:
        python = python_of(rig)
    except RigError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    given = {n: v for n, v in os.environ.items() if n.startswith("KK3_")}
    state = given.get(STATE) or tempfile.mkdtemp(prefix="kk3-state-")
    path = write_site(rig / "kk3-site", Plugin.INSTALLED)
    command = [str(python), "-m", "vllm.entrypoints.cli.main", "serve", str(model)]
    os.execve(
        python,
        [*command, *FIXED, *words[2:]],
        {**environment(path, Serving(), Path(state)), **given, STATE: state},
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
