"""Entry point: parse, dispatch, and turn errors into one message and an exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from verify.cli import (
    bench,
    bisect,
    certify,
    doctor,
    evals,
    faults,
    gate,
    isa,
    layer,
    replay,
    report,
    schema,
    stats,
    steps,
    sweep,
)
from verify.step import UsageError

_COMMANDS = (
    layer,
    faults,
    replay,
    steps,
    bisect,
    sweep,
    isa,
    bench,
    evals,
    report,
    stats,
    certify,
    gate,
    doctor,
    schema,
)

EPILOG = """exit codes:
  0  everything checked passed
  1  a check failed
  2  something could not be checked (wrong arguments, missing parts, unreadable files)
"""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="python -m verify",
        description="Verify Kimi-K3's fused decode layers against the reference.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in _COMMANDS:
        module.add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    arguments = parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        return code
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 2
