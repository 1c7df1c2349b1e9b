"""vLLM's own verification of a ``vllm serve`` command line, without a server.

    python -m kk3fast.serve.dry_run MODEL --tensor-parallel-size 8 …

It makes the configuration as ``vllm serve`` does, so every plugin's hooks run, and prints one line
of JSON last: ``{"ok": …, "error": …}``. Nothing is loaded onto a device.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence


def verify(arguments: Sequence[str]) -> str | None:
    """What forbids the command line; None if vLLM would go on to load the model."""
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.entrypoints.common.cli_args import make_arg_parser
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parsed = make_arg_parser(FlexibleArgumentParser()).parse_args(list(arguments))
    if getattr(parsed, "model_tag", None) is not None:
        parsed.model = parsed.model_tag
    try:
        AsyncEngineArgs.from_cli_args(parsed).create_engine_config()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


if __name__ == "__main__":
    problem = verify(sys.argv[1:])
    print(json.dumps({"ok": problem is None, "error": problem}))
    sys.exit(0 if problem is None else 1)
