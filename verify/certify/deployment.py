"""What a deployment would launch, compiled here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kk3fast.certificate import CertificateError, Deployed
from kk3fast.certificate.deployed import named_digests
from kk3fast.certificate.deployed import read_deployed as read_fields
from kk3fast.certificate.fields import Fields
from kk3fast.certificate.strict_json import MAX_BYTES, parse
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
        versions: of what runs between the layers, by name (``vllm``, ``aiter``).
    """

    config: K3Config
    candidate: str
    tp: int
    q: int
    widths: tuple[int, ...]
    versions: Mapping[str, str] = field(default_factory=dict)


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
        versions={
            **d.versions,
            "flydsl": ", ".join(sorted({i.flydsl_version for i in identities})),
        },
    )


def write_deployed(deployed: Deployed, path: Path) -> None:
    """Keep what a server would launch, to be judged elsewhere; whole or not at all."""
    from verify.data.store import write_atomic

    found = {"deployment": deployed.to_json(), "builds": named_digests(deployed.builds)}
    write_atomic(path, json.dumps(found, indent=2, sort_keys=True) + "\n")


def read_deployed(path: Path) -> Deployed:
    """Read what :func:`write_deployed` wrote.

    Raises:
        UsageError: it is missing or something else; lists every reason.
    """
    wanted = f"--deployed {path}: must be what verify gate --describe writes"
    try:
        with path.open("rb") as file:
            fields = Fields(parse(file.read(MAX_BYTES + 1), "the file"))
    except OSError as error:
        raise UsageError(f"{wanted}: {error.strerror or error}") from error
    except CertificateError as error:
        raise UsageError(f"{wanted}: {error}") from error
    deployed = read_fields(fields, "deployment", builds="builds")
    if fields.reasons:
        lines = "\n".join(f"  - {reason.sentence}" for reason in fields.reasons)
        raise UsageError(f"{wanted}:\n{lines}")
    return deployed
