"""``python -m kk3ref.checkpoint``: write a synthetic checkpoint, inspect any."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from kk3ref.checkpoint.read import Checkpoint, CheckpointError
from kk3ref.checkpoint.synthetic import SyntheticWeights
from kk3ref.checkpoint.write import Progress, write_checkpoint
from kk3ref.config import K3Config
from kk3ref.presets import PRESETS, preset

PASS, FAIL, COULD_NOT = 0, 1, 2

_EXAMPLES = """\
exit codes: 0 done and right, 1 the checkpoint is wrong, 2 could not be done

examples:
  python -m kk3ref.checkpoint write --preset tiny k3-tiny
  python -m kk3ref.checkpoint write --preset small --seed 7 --shards 4 --prefix k3-small
  python -m kk3ref.checkpoint inspect k3-tiny
  python -m kk3ref.checkpoint inspect k3-tiny --json
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m kk3ref.checkpoint",
        description="Write synthetic Kimi-K3 checkpoints and inspect checkpoints.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    form = argparse.RawDescriptionHelpFormatter

    write = commands.add_parser(
        "write",
        help="write seeded random weights in the published names and formats",
        description="Write seeded random weights in the published names and formats.",
        epilog=_EXAMPLES,
        formatter_class=form,
    )
    model = write.add_mutually_exclusive_group(required=True)
    model.add_argument("--preset", choices=PRESETS, help="configuration to write")
    model.add_argument("--config", metavar="FILE", help="a config.json to write weights for")
    write.add_argument("directory", metavar="DIR", help="directory to make")
    write.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the weights [0]")
    write.add_argument(
        "--shards", type=int, metavar="K", help="number of files [one for each 4 GiB]"
    )
    write.add_argument(
        "--prefix", action="store_true", help="multimodal names: language_model.model.…"
    )
    write.add_argument("--force", action="store_true", help="replace a checkpoint in DIR")
    write.add_argument("--quiet", action="store_true", help="no progress, no summary")
    write.set_defaults(run=_write)

    inspect = commands.add_parser(
        "inspect",
        help="verify a checkpoint from its headers and say what it holds",
        description="Verify a checkpoint from its headers and say what it holds.",
        epilog=_EXAMPLES,
        formatter_class=form,
    )
    inspect.add_argument("directory", metavar="DIR", help="checkpoint directory")
    inspect.add_argument("--json", action="store_true", help="machine-readable, all problems")
    inspect.set_defaults(run=_inspect)
    return parser


def _write(args: argparse.Namespace) -> int:
    try:
        config = preset(args.preset) if args.preset else K3Config.from_hf(args.config)
        source = SyntheticWeights(config, args.seed)
        path = write_checkpoint(
            source,
            args.directory,
            files=args.shards,
            prefix=args.prefix,
            force=args.force,
            progress=None if args.quiet else _progress(),
        )
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return COULD_NOT
    if not args.quiet:
        print(f"wrote {path}")
    return PASS


def _progress() -> Progress:
    """A line that is rewritten on a terminal, else one line a file."""
    terminal = sys.stderr.isatty()

    def show(written: int, total: int) -> None:
        line = f"{written / 1e6:,.1f} of {total / 1e6:,.1f} MB written"
        end = "\n" if not terminal or written == total else ""
        print(f"\r{line}" if terminal else line, end=end, file=sys.stderr, flush=True)

    return show


def _inspect(args: argparse.Namespace) -> int:
    if not Path(args.directory).is_dir():
        print(f"error: {args.directory}: there is no such directory", file=sys.stderr)
        return COULD_NOT
    try:
        report = _report(Checkpoint.open(args.directory))
    except CheckpointError as error:
        if args.json:
            print(json.dumps({"ok": False, "problems": error.problems}, indent=2))
        else:
            print(f"error: {error}", file=sys.stderr)
        return FAIL
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return COULD_NOT
    if args.json:
        print(json.dumps({"ok": True, "problems": [], **report}, indent=2))
    else:
        width = max(len(name) for name in report)
        for name, value in report.items():
            print(f"{name:<{width}}  {_shown(value)}")
    return PASS


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {_shown(v)}" for k, v in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def _report(checkpoint: Checkpoint) -> dict[str, Any]:
    layers = checkpoint.config.layers
    stored = checkpoint.stored.values()
    return {
        "identity": checkpoint.identity,
        "config_sha256": checkpoint.config.digest(),
        "prefix": checkpoint.prefix or "none",
        "layers": dict(Counter(f"{layer.attention}+{layer.mlp}" for layer in layers)),
        "tensors": dict(Counter(s.dtype for s in stored)),
        "ignored_tensors": len(checkpoint.ignored),
        "bytes": sum(s.stop - s.start for s in stored),
        "files": checkpoint.files,
    }


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    args = _parser().parse_args(argv)
    code: int = args.run(args)
    return code


if __name__ == "__main__":
    sys.exit(main())
