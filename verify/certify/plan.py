"""Which runs give the evidence that a deployment needs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from kk3fast.certificate.checks import EVAL, FAULTS, PER_BUILD, STEPS, Required
from verify.certify.deployment import Deployment


def commands(
    deployment: Deployment,
    model: Sequence[str],
    checks: Mapping[str, Required],
    words: Sequence[str] = (),
    folder: str = "evidence",
) -> Iterator[str]:
    """Command lines: one a build, input family and check of builds; one each of the others.

    An eval needs two servers, so its line is a comment with what to start.

    Args:
        model: the words that name the model, e.g. ``("--preset", "tiny")``.
        checks: what is required, by name.
        words: further words of every command of a build.
        folder: where the records go, each check and width to a folder of its own in it.
    """
    for check, required in checks.items():
        if check in PER_BUILD:
            for family in required.families or ("",):
                named = ["--family", family] if family else []
                yield from _each_build(deployment, check, model, [*named, *words], folder)
    if FAULTS in checks:
        yield shlex.join(["python", "-m", "verify", "faults", "--out", f"{folder}/faults"])
    if STEPS in checks:
        requests = max(deployment.widths) // deployment.q
        line = ["python", "-m", "verify", "steps", *model, "--tp", str(deployment.tp)]
        line += ["--requests", str(requests), "--drafts", str(deployment.q - 1)]
        line += ["--kind", "k1", "--kind", "k2", "--candidate", deployment.candidate]
        yield shlex.join([*line, "--out", f"{folder}/steps"])
    if EVAL in checks:
        yield (
            "# two servers with one certificate for evaluation, off by kk3_off_switch: "
            "python -m verify eval --off URL --on URL --task suite"
        )


def _each_build(
    deployment: Deployment, check: str, model: Sequence[str], words: Sequence[str], folder: str
) -> Iterator[str]:
    """Every width, and every layer with a build of its own."""
    from kk3fast.runtime.layers import layer_kinds

    served = layer_kinds(deployment.config)
    for rows in deployment.widths:
        for kind in ("k1", "k2"):
            seen = set()
            for index, served_as in served.items():
                info = deployment.config.layer(index)
                key = (info.num_blocks, info.writes_block)
                if (kind == "k1" and served_as != "whole") or key in seen:
                    continue
                seen.add(key)
                line = ["python", "-m", "verify", check, kind, *model]
                line += ["--tp", str(deployment.tp), "--layer", str(index)]
                line += ["--rows", str(rows), "--drafts", str(deployment.q - 1)]
                line += ["--candidate", deployment.candidate, *words]
                yield shlex.join([*line, "--out", f"{folder}/{check}-{rows}"])
