"""Fetch vLLM's Kimi-K3 kernel sources: ``python -m kk3fast.peers.fetch``.

Downloads the wheel of the one supported release with pip, without its dependencies, and keeps only
the specialized-decode folder. vLLM itself is not installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from kk3fast.compile.errors import CompileError
from kk3fast.peers import vllm_sources
from kk3fast.peers.errors import PeerSourcesError
from kk3fast.peers.vllm_release import KERNEL_FOLDER, VERSION

_KEPT = f"vllm/{Path(KERNEL_FOLDER).parent.as_posix()}/"
_PLATFORM = "manylinux_2_28_x86_64"  # any would do: only Python sources are taken


def download(folder: Path) -> Path:
    """Download the wheel into ``folder`` with pip. Raises ``PeerSourcesError`` with pip's words."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--platform", _PLATFORM, "--dest", str(folder), f"vllm=={VERSION}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("vllm-*.whl"))
    if done.returncode or len(wheels) != 1:
        last = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise PeerSourcesError([f"pip could not download vllm=={VERSION}", *last])
    return wheels[0]


def unpack(wheel: Path, destination: Path) -> None:
    """Unpack the specialized-decode folder of ``wheel`` to ``destination``, whole or not at all."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".fetch-", dir=destination.parent))
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [n for n in archive.namelist() if n.startswith(_KEPT)]
            if not names:
                raise PeerSourcesError([f"{wheel.name} has no {_KEPT}: not vLLM {VERSION}"])
            archive.extractall(staging / "tree", names)
        if destination.exists():
            os.replace(destination, staging / "old")
        os.replace(staging / "tree", destination)
    except zipfile.BadZipFile as error:
        raise PeerSourcesError([f"{wheel} is not a wheel: {error}"]) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def fetch(wheel: Path | None = None) -> Path:
    """Fetch and verify the sources; returns the kernel folder. ``wheel`` skips the download."""
    destination = vllm_sources.fetched_folder()
    with tempfile.TemporaryDirectory(prefix="kk3-fetch-") as folder:
        unpack(wheel or download(Path(folder)), destination)
    return vllm_sources.verified(destination)


def main(arguments: list[str] | None = None) -> int:
    """Command line. Exit codes: 0 fetched and verified, 2 not."""
    parser = argparse.ArgumentParser(
        prog="python -m kk3fast.peers.fetch",
        description=f"Fetch the Kimi-K3 kernel sources of vLLM {VERSION} into the cache folder.",
        epilog="examples:\n  python -m kk3fast.peers.fetch\n"
        "  python -m kk3fast.peers.fetch --wheel vllm-0.33.0-….whl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--wheel", type=Path, help="take the sources from this wheel")
    parser.add_argument("--again", action="store_true", help="fetch even if they are there")
    options = parser.parse_args(arguments)
    try:
        if options.wheel is None and not options.again:
            try:
                print(vllm_sources.verified(vllm_sources.fetched_folder()))
                return 0
            except PeerSourcesError:
                pass
        print(fetch(options.wheel))
    except (CompileError, OSError) as error:
        print(f"could not fetch: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
