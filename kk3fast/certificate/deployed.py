"""What would be launched, as certificates and gates name it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from kk3fast.certificate.fields import Fields

MAX_BUILDS = 2048


@dataclass(frozen=True)
class Deployed:
    """A deployment.

    Attributes:
        model_config_digest: ``K3Config.digest()`` of the served model.
        tp, dcp, q: ranks, decode-context-parallel ranks, rows a request verifies.
        widths: rows of the served steps.
        target: GPU architecture, e.g. ``gfx950``.
        builds: (kernel symbol, ISA sha256) of every build.
        versions: what must be named alike, e.g. ``{"flydsl": "0.5.0", "vllm": "0.33.0"}``.
    """

    model_config_digest: str
    tp: int
    dcp: int
    q: int
    widths: tuple[int, ...]
    target: str
    builds: tuple[tuple[str, str], ...]
    versions: Mapping[str, str]

    @cached_property
    def digest(self) -> str:
        """sha256 over all of it: two deployments with one digest launch the same machine code."""
        everything = {**self.to_json(), "builds": sorted(self.builds)}
        text = json.dumps(everything, sort_keys=True, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """All but the builds, which a Statement names as its subjects."""
        return {
            "modelConfigDigest": self.model_config_digest,
            "tp": self.tp,
            "dcp": self.dcp,
            "q": self.q,
            "widths": list(self.widths),
            "target": self.target,
            "versions": dict(self.versions),
        }


def read_deployed(fields: Fields, *path: str, builds: str) -> Deployed:
    """A deployment out of JSON; what is wrong with it is among the fields' reasons.

    Args:
        path: where :meth:`Deployed.to_json` stands.
        builds: name of the list of ``{"name", "digest": {"sha256"}}`` at the top.
    """
    return Deployed(
        model_config_digest=fields.sha(*path, "modelConfigDigest"),
        tp=fields.count(*path, "tp"),
        dcp=fields.count(*path, "dcp"),
        q=fields.count(*path, "q"),
        widths=fields.counts(*path, "widths"),
        target=fields.text(*path, "target"),
        builds=fields.digests(builds, most=MAX_BUILDS),
        versions=fields.texts(*path, "versions"),
    )


def named_digests(builds: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    """Builds as a Statement's subjects."""
    return [{"name": name, "digest": {"sha256": isa}} for name, isa in builds]
