"""``verify schema``: the JSON schema of a record."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from verify.data.store import SCHEMAS, RecordError, read, schema
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify schema > record.schema.json
  python -m verify schema --of faults > faults.schema.json
  python -m verify schema --check out/k1-6-normal-contract-0.json

exit codes: 0 printed, or the record follows the schema; 2 it does not
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "schema",
        help="print the JSON schema of a record, or check a record against it",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument(
        "--of",
        choices=sorted(SCHEMAS),
        default="layer",
        help="whose records to describe (default: layer)",
    )
    p.add_argument("--check", type=Path, metavar="RECORD", help="a record file to check")
    p.add_argument("--json", action="store_true", help="print the result of a check as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify schema``."""
    if arguments.check is None:
        sys.stdout.write(schema(arguments.of))
        return 0
    try:
        record = read(arguments.check)
    except RecordError as error:
        raise UsageError(str(error)) from error
    found = {"record": str(arguments.check), "verdict": record.verdict.value}
    print(json.dumps(found) if arguments.json else f"{arguments.check}: {record.verdict.value}")
    return 0
