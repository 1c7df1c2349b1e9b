"""Where vLLM's Kimi-K3 kernel sources are, and whether they are the recorded release."""

from __future__ import annotations

import os
from pathlib import Path

from kk3fast.compile.digests import sha256
from kk3fast.compile.folders import cache_folder
from kk3fast.peers.errors import PeerSourcesError
from kk3fast.peers.vllm_release import KERNEL_FOLDER, SHA256, VERSION

OVERRIDE = "KK3_VLLM_SOURCES"
FETCH_COMMAND = "python -m kk3fast.peers.fetch"


def fetched_folder() -> Path:
    """Where ``kk3fast.peers.fetch`` puts the sources: a folder holding ``vllm/``."""
    return cache_folder() / "peers" / f"vllm-{VERSION}"


def kernel_folder() -> Path:
    """The verified kernel folder (``…/specialized_decode/mono``).

    ``$KK3_VLLM_SOURCES`` (a folder holding ``vllm/``, or that package folder itself), else what
    was fetched. Raises ``PeerSourcesError`` listing every file that is missing or differs from
    the recorded release.
    """
    override = os.environ.get(OVERRIDE)
    return verified(Path(override).expanduser() if override else fetched_folder())


def verified(root: Path) -> Path:
    """The kernel folder below ``root``, as ``kernel_folder`` checks it."""
    for candidate in (root / "vllm" / KERNEL_FOLDER, root / KERNEL_FOLDER):
        if candidate.is_dir():
            _verify(candidate)
            return candidate.resolve()
    raise PeerSourcesError(
        [
            f"vLLM {VERSION}'s kernel sources are not under {root}; run `{FETCH_COMMAND}`, or set "
            f"{OVERRIDE} to a folder that holds vllm/{KERNEL_FOLDER}"
        ]
    )


def _verify(folder: Path) -> None:
    reasons = []
    for relative, expected in SHA256.items():
        file = folder / relative
        found = sha256(file.read_bytes()) if file.is_file() else None
        if found is None:
            reasons.append(f"{relative} is missing")
        elif found != expected:
            reasons.append(f"{relative} has sha256 {found[:12]}…, expected {expected[:12]}…")
    if reasons:
        raise PeerSourcesError(
            [f"{folder} does not hold vLLM {VERSION}, the only release supported", *reasons]
        )
