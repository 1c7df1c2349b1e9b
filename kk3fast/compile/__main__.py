"""Command line: ``python -m kk3fast.compile``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from kk3fast.compile import report, targets
from kk3fast.compile.artefact import Artefact
from kk3fast.compile.cache import ArtefactCache
from kk3fast.compile.environment import DEFAULT_TARGET
from kk3fast.compile.errors import CacheError, CompileError, IdentityError, ToolchainError
from kk3fast.compile.identity import BuildIdentity

PASS, FAIL, COULD_NOT_CHECK = 0, 1, 2

_EPILOG = """\
examples:
  python -m kk3fast.compile kernels.py:launch --args example_arguments
  python -m kk3fast.compile kernels.py:build --param rows=8 --save-isa out.s
  python -m kk3fast.compile vllm:k1 --rows 8 --nblocks 8
  python -m kk3fast.compile vllm:k2 --rows 4 --nblocks 3 --reset --json
  python -m kk3fast.compile vllm:k2 --rows 1 --nblocks 8 --expect identity.json
  python -m kk3fast.compile --clear-cache

exit codes: 0 compiled (and as expected), 1 it does not compile or differs from --expect,
2 could not check (FlyDSL, the linker, the sources or the target is missing)
"""


def parser() -> argparse.ArgumentParser:
    """The command line's parser."""
    new = argparse.ArgumentParser(
        prog="python -m kk3fast.compile",
        description="Compile a FlyDSL launcher for a GPU that is not there; show what came out.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.add_argument("target", nargs="?", help="path/to/file.py:function, vllm:k1 or vllm:k2")
    new.add_argument("--arch", default=DEFAULT_TARGET, help="target (default: %(default)s)")
    own = new.add_argument_group("a launcher in a file")
    own.add_argument("--args", metavar="NAME", help="function of the file giving the arguments")
    own.add_argument("--param", action="append", default=[], metavar="NAME=VALUE")
    peer = new.add_argument_group("vllm:k1 and vllm:k2")
    peer.add_argument("--rows", type=int, default=8, help="token rows (default: %(default)s)")
    peer.add_argument("--nblocks", type=int, default=8, help="block sources (default: %(default)s)")
    peer.add_argument("--query-rows", type=int, help="k1: rows a request (default: all)")
    peer.add_argument("--write-index", type=int, default=-1, help="k1: the block written")
    peer.add_argument("--reset", action="store_true", help="k2: a block-write layer")
    out = new.add_argument_group("output")
    out.add_argument("--json", action="store_true", help="print JSON instead of tables")
    out.add_argument("--save-ir", type=Path, metavar="FILE", help="write the kernel-level IR")
    out.add_argument("--save-located-ir", type=Path, metavar="FILE", help="… with locations")
    out.add_argument("--save-llvm-ir", type=Path, metavar="FILE")
    out.add_argument("--save-isa", type=Path, metavar="FILE")
    out.add_argument("--save-hsaco", type=Path, metavar="FILE", help="link, and write the ELF")
    out.add_argument("--expect", type=Path, metavar="FILE", help="identity that must come out")
    out.add_argument("--no-cache", action="store_true", help="compile afresh")
    out.add_argument("--clear-cache", action="store_true", help="forget every compiled artefact")
    return new


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = parser().parse_args(arguments)
    if options.clear_cache:
        print(f"{ArtefactCache().clear()} files removed")
        if options.target is None:
            return PASS
    if options.target is None:
        parser().error("a target is needed")
    try:
        expected = _expected(options.expect)
        artefact = _compile(options)
    except (ToolchainError, CacheError, IdentityError) as error:
        print(f"could not check: {error}", file=sys.stderr)
        return COULD_NOT_CHECK
    except CompileError as error:
        print(f"does not compile: {error}", file=sys.stderr)
        return FAIL
    except Exception as error:  # the launcher's own: whatever its Python raises while traced
        print(f"does not compile: {type(error).__name__}: {error}", file=sys.stderr)
        return FAIL
    _save(options, artefact)
    if options.json:
        print(json.dumps(report.record(artefact), indent=2))
    else:
        report.print_tables(artefact, Console())
    differences = [] if expected is None else expected.differences(artefact.identity)
    for difference in differences:
        print(f"not as expected: {difference}", file=sys.stderr)
    return FAIL if differences else PASS


def _compile(options: argparse.Namespace) -> Artefact:
    cache = None if options.no_cache else ArtefactCache()
    hsaco = options.save_hsaco is not None
    if not options.target.startswith("vllm:"):
        values = targets.parse_parameters(options.param)
        return targets.compile_file(
            options.target, values, options.args, arch=options.arch, hsaco=hsaco, cache=cache
        )
    from kk3fast.peers import vllm

    kernel = options.target.removeprefix("vllm:")
    if kernel == "k1":
        query_rows = options.query_rows or options.rows
        own = {"query_rows": query_rows, "write_index": options.write_index}
    elif kernel == "k2":
        own = {"reset": options.reset}
    else:
        raise targets.TargetError(f"vLLM's kernels are vllm:k1 and vllm:k2, got {options.target!r}")
    try:
        key = vllm.VllmBuild(kernel, options.rows, options.nblocks, **own)
    except CompileError as error:
        raise targets.TargetError(str(error)) from None
    return vllm.build(key, target=options.arch, hsaco=hsaco, cache=cache)


def _expected(path: Path | None) -> BuildIdentity | None:
    if path is None:
        return None
    try:
        text = path.read_text()
    except OSError as error:
        raise IdentityError(f"{path} cannot be read: {error.strerror}") from None
    try:
        data = json.loads(text)
    except ValueError as error:
        raise IdentityError(f"{path} is not JSON: {error}") from None
    printed = isinstance(data, dict) and "identity" in data  # what --json prints
    return BuildIdentity.from_json(json.dumps(data["identity"] if printed else data))


def _save(options: argparse.Namespace, artefact: Artefact) -> None:
    texts = {
        options.save_ir: artefact.kernel_ir,
        options.save_located_ir: artefact.located_ir,
        options.save_llvm_ir: artefact.llvm_ir,
        options.save_isa: artefact.isa,
    }
    for path, text in texts.items():
        if path is not None and text is not None:
            path.write_text(text)
    if options.save_hsaco is not None and artefact.hsaco is not None:
        options.save_hsaco.write_bytes(artefact.hsaco)


if __name__ == "__main__":
    sys.exit(main())
