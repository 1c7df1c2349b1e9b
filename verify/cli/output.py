"""A command's outcome, for people or as JSON."""

from __future__ import annotations

import argparse
import json
from typing import Any


def tell(arguments: argparse.Namespace, found: dict[str, Any], text: str) -> None:
    """Print the text, or with ``--json`` what was found."""
    print(json.dumps(found, indent=2) if arguments.json else text)
