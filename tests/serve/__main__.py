"""``python -m tests.serve``: the serving scenarios, with real servers, as a table."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.serve.make_rig import ROOT, RigError, python_of

if TYPE_CHECKING:
    from tests.serve import scenarios
    from tests.serve.rig import Result, Rig

PASS, FAIL, COULD_NOT = 0, 1, 2
_EXAMPLES = """\
exit codes: 0 every scenario passed, 1 one did not, 2 the rig is not there

examples:
  python -m tests.serve.make_rig .rig
  python -m tests.serve --rig .rig
  python -m tests.serve --rig .rig --tp 1 --quick
  python -m tests.serve --rig .rig --tp 1 2 --json > scenarios.json
"""
_INSIDE = "KK3_RIG_INSIDE"  # set for the process that runs under the rig's interpreter


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.serve",
        description="Run the serving scenarios: real vLLM servers on a CPU, gated by kk3.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rig", type=Path, required=True, metavar="DIR", help="of make_rig")
    parser.add_argument("--tp", type=int, nargs="+", default=[1], metavar="N", help="ranks [1]")
    parser.add_argument(
        "--quick", action="store_true", help="what CI runs: two servers, the refusals in a process"
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="of: " + ", ".join(NAMES), choices=NAMES
    )
    parser.add_argument("--requests", type=int, default=200, metavar="N", help="of the load [200]")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep logs and states here")
    parser.add_argument("--json", action="store_true", help="the results as JSON on stdout")
    return parser


NAMES = (
    "no-drafts",
    "on",
    "fault",
    "padding",
    "ownership",
    "stall",
    "forced-off",
    "refused-servers",
    "bad-certificates",
    "simulated",
)
QUICK = ("on", "bad-certificates")


def main(arguments: list[str] | None = None) -> int:
    """Command line."""
    options = _parser().parse_args(arguments)
    try:
        python = python_of(options.rig.resolve())
    except RigError as error:
        print(f"could not run: {error}", file=sys.stderr)
        return COULD_NOT
    if os.environ.get(_INSIDE) != "1":  # one interpreter for all: builds are compiled once
        given = sys.argv[1:] if arguments is None else arguments
        inside = {**os.environ, _INSIDE: "1", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        os.execve(python, [str(python), "-m", "tests.serve", *given], inside)
    # A server outlives its parent: whoever ends this run must end it too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(128 + signal.SIGINT))
    with tempfile.TemporaryDirectory(prefix="kk3-rig-") as scratch:
        folder = (options.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        results = _run(python, folder, options)
    return PASS if all(r.passed for r in results) else FAIL


def _run(python: Path, folder: Path, options: argparse.Namespace) -> list[Result]:
    from tests.serve import scenarios
    from tests.serve.rig import Rig, as_json, table

    began = time.monotonic()

    def progress(line: str) -> None:
        print(f"[{time.monotonic() - began:5.0f} s] {line}", file=sys.stderr, flush=True)

    names = options.only or (QUICK if options.quick else NAMES)
    requests = 24 if options.quick else options.requests
    results = []
    for tp in options.tp:
        rig = Rig(python, folder, tp, progress, results)
        progress(f"TP {tp}")
        wanted = scenarios.off(rig)
        if not wanted:
            continue  # nothing to hold the others to
        steps = _steps(rig, wanted, requests)
        for name in names:
            steps[name]()
    print(json.dumps(as_json(results), indent=1) if options.json else table(results))
    return results


def _steps(rig: Rig, wanted: scenarios.Texts, requests: int) -> dict[str, Callable[[], None]]:
    from tests.serve import scenarios, simulated
    from tests.serve.ownership import ownership

    return {
        "no-drafts": lambda: scenarios.off_without_drafts(rig, wanted),
        "on": lambda: scenarios.on(rig, wanted, requests),
        "fault": lambda: scenarios.fault(rig, wanted),
        "padding": lambda: scenarios.padding(rig, wanted),
        "ownership": lambda: ownership(rig, wanted),
        "stall": lambda: scenarios.stall(rig),
        "forced-off": lambda: scenarios.forced_off(rig, wanted),
        "refused-servers": lambda: scenarios.refused_servers(rig),
        "bad-certificates": lambda: scenarios.bad_certificates(rig),
        "simulated": lambda: simulated.simulated(rig),
    }


if __name__ == "__main__":
    sys.exit(main())
