"""vLLM's own verification of many ``vllm serve`` command lines in one process of the rig.

``python -m tests.serve.verify_many FILE``: FILE holds a JSON list of argument lists; what forbids
each (null: nothing) is printed as a JSON list, last.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """Command line."""
    from kk3fast.serve.dry_run import verify

    found = []
    for arguments in json.loads(Path(sys.argv[1]).read_text()):
        found.append(verify(arguments))
        print(f"{len(found)}: {'refused' if found[-1] else 'goes on'}", flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
