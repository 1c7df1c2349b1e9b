"""What a deployment would launch, compiled here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kk3fast.certificate import Deployed
from kk3ref.config import K3Config
from verify.step import UsageError


@dataclass(frozen=True)
class Deployment:
    """A deployment as a command line names it.

    Attributes:
        config: the model.
        candidate: whose kernels, ``flydsl`` or ``vllm``.
        tp: ranks.
        q: rows a request verifies.
        widths: rows of the served steps.
    """

    config: K3Config
    candidate: str
    tp: int
    q: int
    widths: tuple[int, ...]


def deployed_of(deployment: Deployment, progress: Callable[[str], None]) -> Deployed:
    """Compile every build of a deployment; no GPU is needed.

    Raises:
        UsageError: lists every build that there is not.
    """
    from kk3fast.compile.environment import DEFAULT_TARGET
    from kk3fast.serve import builds

    d = deployment
    try:
        if d.candidate == "vllm":
            from kk3fast.peers.vllm_sources import fetched_folder

            progress("compile vLLM's builds")
            identities = builds.compiled_vllm(fetched_folder(), d.q, d.widths)
        else:
            wanted = builds.unique_builds(builds.layer_builds(d.config, d.tp, d.q, d.widths))
            identities = []
            for number, build in enumerate(wanted, 1):
                progress(f"compile {build.kernel} ({number} of {len(wanted)})")
                identities += builds.compiled([build])
    except builds.BuildsUnknown as error:
        raise UsageError("\n".join(error.reasons)) from error
    return Deployed(
        model_config_digest=d.config.digest(),
        tp=d.tp,
        dcp=1,
        q=d.q,
        widths=d.widths,
        target=DEFAULT_TARGET,
        builds=tuple(sorted((i.kernel, i.isa_sha256 or "") for i in identities)),
        versions={"flydsl": ", ".join(sorted({i.flydsl_version for i in identities}))},
    )


def write_deployed(deployed: Deployed, path: Path) -> None:
    """Keep what a server would launch, to be judged elsewhere; whole or not at all."""
    from verify.data.store import write_atomic

    write_atomic(path, json.dumps(asdict(deployed), indent=2, sort_keys=True) + "\n")


def read_deployed(path: Path) -> Deployed:
    """Read what :func:`write_deployed` wrote.

    Raises:
        UsageError: it is missing or something else.
    """
    try:
        data: Any = json.loads(path.read_text())
        return Deployed(
            model_config_digest=str(data["model_config_digest"]),
            tp=int(data["tp"]),
            dcp=int(data["dcp"]),
            q=int(data["q"]),
            widths=tuple(int(w) for w in data["widths"]),
            target=str(data["target"]),
            builds=tuple((str(name), str(isa)) for name, isa in data["builds"]),
            versions={str(n): str(v) for n, v in data["versions"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        told = f"--deployed {path}: must be what verify gate --describe writes: {error!r}"
        raise UsageError(told) from error
