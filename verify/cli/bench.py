"""``verify bench``: measured speed."""

from __future__ import annotations

import argparse
from typing import Any

from verify.cli import bench_layer, bench_serve

COMMANDS = (bench_layer, bench_serve)
EXAMPLES = """examples:
  python -m verify bench serve --off URL --on URL --point 1,7 --point 2,3
  python -m verify bench layer k1
  python -m verify bench serve --help
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand and its own subcommands."""
    p = commands.add_parser(
        "bench",
        help="measured speed: layers on a GPU, servers off against on",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    of_bench = p.add_subparsers(dest="bench", required=True, metavar="WHAT")
    for module in COMMANDS:
        module.add_parser(of_bench)
