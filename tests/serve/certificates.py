"""Certificates of the rig's deployment: one that holds, and one for each way not to.

The evidence in them is made up: it names the builds that would be launched, with verdicts that no
record backs. So they are signed by a key that lives as long as the tests, under a policy that opens
nothing but simulation.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kk3fast.certificate import Deployed, Evidence, Statement, load_policy
from kk3fast.certificate.clock import DAY
from kk3fast.certificate.envelope import seal
from kk3fast.certificate.keys import new_key, private_key
from tests.serve.model_folder import CONFIG
from verify.certify import Deployment, deployed_of

OTHER = "0" * 64


@dataclass(frozen=True)
class Bad:
    """A certificate that must be refused."""

    path: Path
    policy: Path
    code: str
    """of one of the reasons"""


class Certificates:
    """Written to a folder for one deployment.

    Args:
        tp, q, widths: ranks, rows a request verifies, rows of the served steps.
        versions: of the rig's vLLM.
        progress: called with a line for each build that is compiled.
    """

    def __init__(
        self,
        folder: Path,
        tp: int,
        q: int,
        widths: tuple[int, ...],
        versions: Mapping[str, str],
        progress: Callable[[str], None] = lambda line: None,
    ):
        self.folder = folder
        self._key = private_key(new_key(folder / "trusted")[0])
        self._stranger = private_key(new_key(folder / "stranger")[0])
        self.policy = self._policy("policy.toml", "trusted")
        self._now = time.time()
        self._statement = self._of(
            deployed_of(Deployment(CONFIG, "flydsl", tp, q, widths, versions), progress)
        )
        self.good = self._write("good", self._seal(self._statement))

    @property
    def deployment(self) -> str:
        """The digest of what is certified."""
        return self._statement.deployed.digest

    def bad(self) -> Iterator[tuple[str, Bad]]:
        """Every kind, by name."""
        s, now = self._statement, self._now
        d = s.deployed
        sealed = self.good.read_bytes()
        name, more = d.builds[0][0], d.builds[1:]
        kinds: dict[str, tuple[bytes, str]] = {
            "empty": (b"", "certificate.json"),
            "truncated": (sealed[: len(sealed) // 2], "certificate.json"),
            "no envelope": (b"{}", "certificate.envelope"),
            "changed after signing": (_changed(sealed), "signature.wrong"),
            "signed by a stranger": (seal(s.to_json(), self._stranger), "signature.untrusted"),
            "of another model": (
                self._other(model_config_digest=OTHER),
                "deployment.model",
            ),
            "of other ranks": (self._other(tp=8), "deployment.tp"),
            "of other drafts": (self._other(q=d.q + 1), "deployment.q"),
            "of fewer rows": (self._other(widths=d.widths[:1]), "deployment.widths"),
            "of another GPU": (self._other(target="gfx942"), "deployment.target"),
            "of another FlyDSL": (
                self._other(versions={**d.versions, "flydsl": "0.0.1"}),
                "version.flydsl",
            ),
            "of another vLLM": (
                self._other(versions={**d.versions, "vllm": "0.32.0"}),
                "version.vllm",
            ),
            "expired": (self._seal(self._valid(now - 9 * DAY, now - DAY)), "validity.expired"),
            "not valid yet": (self._seal(self._valid(now + DAY, now + 2 * DAY)), "validity.early"),
            "valid too long": (self._seal(self._valid(now, now + 365 * DAY)), "validity.long"),
            "a build missing": (self._other(builds=more), "build.missing"),
            "a build more": (
                self._other(builds=(*d.builds, ("kk3_other", OTHER))),
                "build.extra",
            ),
            "machine code changed": (
                self._other(builds=((name, OTHER), *more)),
                "build.changed",
            ),
            "a failed check": (
                self._seal(replace(s, evidence=self._evidence(d, verdict="fail"))),
                "evidence.verdict",
            ),
            "a missing check": (self._seal(replace(s, evidence=())), "check.layer"),
        }
        for kind, (data, code) in kinds.items():
            yield kind, Bad(self._write(kind.replace(" ", "-"), data), self.policy, code)
        other = self._policy("other.toml", "trusted", more="max_age_days = 29")
        yield "of another policy", Bad(self.good, other, "policy.other")
        wrong = self.folder / "wrong.toml"
        wrong.write_text('opens = "everything"\n')
        yield "a policy that is none", Bad(self.good, wrong, "policy.opens")
        yield "no such file", Bad(self.folder / "none.json", self.policy, "certificate.unreadable")

    def _of(self, deployed: Deployed) -> Statement:
        return Statement(
            deployed=deployed,
            policy=load_policy(self.policy).digest,
            environment={"made_by": "the serving rig"},
            valid_from=self._now - 60,
            valid_until=self._now + DAY,
            evidence=self._evidence(deployed),
        )

    def _evidence(self, deployed: Deployed, verdict: str = "pass") -> tuple[Evidence, ...]:
        return (
            Evidence(
                check="layer",
                kinds=("k1", "k2"),
                where="simulated",
                verdict=verdict,
                record=OTHER,
                created=self._now - 60,
                builds=tuple(dict.fromkeys(isa for _, isa in deployed.builds)),
                candidate="flydsl",
                tp=deployed.tp,
                model=deployed.model_config_digest,
                command="made up for the serving rig",
            ),
        )

    def _other(self, **changes: Any) -> bytes:
        """For another deployment; its evidence is the same."""
        return self._seal(
            replace(self._statement, deployed=replace(self._statement.deployed, **changes))
        )

    def _valid(self, start: float, end: float) -> Statement:
        return replace(self._statement, valid_from=start, valid_until=end)

    def _policy(self, name: str, key: str, more: str = "max_age_days = 30") -> Path:
        public = (self.folder / key / "kk3-key.pub").read_text().strip()
        lines = (
            'opens = "simulation"',
            more,
            "max_validity_days = 30",
            f'[keys]\nrig = "{public}"',
            '[checks.layer]\nevidence = "simulated"',
        )
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n")
        return path

    def _seal(self, statement: Statement) -> bytes:
        return seal(statement.to_json(), self._key)

    def _write(self, name: str, data: bytes) -> Path:
        path = self.folder / f"{name}.json"
        path.write_bytes(data)
        return path


def _changed(sealed: bytes) -> bytes:
    """The envelope with another TP in its payload; the signature is the old one."""
    envelope = json.loads(sealed)
    payload = json.loads(base64.b64decode(envelope["payload"]))
    payload["predicate"]["deployment"]["tp"] += 1
    envelope["payload"] = base64.b64encode(json.dumps(payload).encode()).decode()
    return json.dumps(envelope).encode()
