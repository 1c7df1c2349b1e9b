"""Find a candidate by name, or load one from ``path/to/file.py:factory``. No silent fallback."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

from kk3ref.stages import Layer
from verify.candidates.base import Candidate, RunOptions
from verify.candidates.flydsl import FlydslCandidate
from verify.candidates.reference import CompiledCandidate, baseline, contract
from verify.candidates.rowwise import RowwiseCandidate
from verify.candidates.triton import TritonCandidate
from verify.candidates.vllm import VllmCandidate
from verify.data import CandidateInfo
from verify.step import UsageError

BUILT_IN: dict[str, Callable[[Layer, RunOptions], Candidate]] = {
    "contract": lambda layer, options: contract(),
    "baseline": lambda layer, options: baseline(),
    "rowwise": lambda layer, options: RowwiseCandidate(),
    "compiled": lambda layer, options: CompiledCandidate(layer),
    "flydsl": FlydslCandidate,
    "triton": TritonCandidate,
    "vllm": VllmCandidate,
}


KERNELS = ("k1", "k2", "kda-decode", "m1")
"""layer kinds that have FlyDSL kernels of our own"""


def chosen(spec: str | None, kind: str) -> str:
    """The candidate of a layer kind: what was asked for, else our kernels, else the control."""
    return spec or ("flydsl" if kind in KERNELS else "contract")


def load(
    spec: str, layer: Layer, options: RunOptions | None = None
) -> tuple[Candidate, CandidateInfo]:
    """A candidate ready to run.

    Args:
        spec: a built-in name, or ``path/to/file.py:factory`` (called without arguments).
        options: how compiled kernels are simulated.

    Raises:
        UsageError: no such candidate, the file or factory is missing or breaks, or it does not
            follow the protocol; or it is not available here (with its reason).
    """
    if spec in BUILT_IN:
        candidate = BUILT_IN[spec](layer, options or RunOptions())
        info = CandidateInfo(name=spec, description=candidate.description)
    elif ".py:" in spec:
        candidate, info = _from_file(spec)
    else:
        raise UsageError(
            f"--candidate must be one of {', '.join(BUILT_IN)} or path/to/file.py:factory, "
            f"got {spec!r}"
        )
    ok, reason = candidate.available()
    if not ok:
        raise UsageError(f"candidate {spec!r} is not available here: {reason}")
    return candidate, info


def _from_file(spec: str) -> tuple[Candidate, CandidateInfo]:
    file, factory_name = spec.rsplit(":", 1)
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"--candidate {spec!r}: no file {file!r}")
    module_spec = importlib.util.spec_from_file_location(f"kk3_candidate_{path.stem}", path)
    assert module_spec is not None
    assert module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    try:
        module_spec.loader.exec_module(module)
        candidate = getattr(module, factory_name)()
    except Exception as error:
        raise UsageError(f"--candidate {spec!r}: {type(error).__name__}: {error}") from error
    missing = [a for a in ("name", "description", "available") if not hasattr(candidate, a)]
    if not (hasattr(candidate, "run") or hasattr(candidate, "stage")):
        missing.append("run or stage")
    if missing:
        raise UsageError(f"--candidate {spec!r}: must have {', '.join(missing)}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return candidate, CandidateInfo(
        name=spec, description=candidate.description, source_digest=digest
    )
