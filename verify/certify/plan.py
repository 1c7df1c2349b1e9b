"""Which runs give the evidence that a deployment's builds need."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from verify.certify.deployment import Deployment


def commands(
    deployment: Deployment,
    model: Sequence[str],
    checks: Sequence[str],
    words: Sequence[str] = (),
    folder: str = "evidence",
) -> Iterator[str]:
    """Command lines, one a build and check: every width, and every layer with a build of its own.

    Args:
        model: the words that name the model, e.g. ``("--preset", "tiny")``.
        checks: commands of ``verify``, of ``layer`` and ``replay``.
        words: further words of every command.
        folder: where the records go, each check and width to a folder of its own in it.
    """
    from kk3fast.runtime.layers import layer_kinds

    served = layer_kinds(deployment.config)
    for check in checks:
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
