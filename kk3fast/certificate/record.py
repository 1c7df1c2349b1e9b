"""What a certificate says of one record that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kk3fast.certificate.fields import Fields

MAX_EVIDENCE = 4096
_NAMES = (
    "check,kinds,where,verdict,record,created,builds,families,candidate,tp,model,deployment,"
    "harness,marginPoints,command"
)
_KEYS = frozenset(_NAMES.split(","))


@dataclass(frozen=True)
class Evidence:
    """One record.

    Attributes:
        check: ``layer``, ``replay``, ``faults``, ``steps`` or ``eval``.
        kinds: fused layers, or an eval's tasks.
        where: ``hardware`` (the target accelerator) or ``simulated``.
        verdict: the record's.
        record: sha256 of the record file.
        created: seconds since 1970, UTC.
        builds: ISA sha256 of the builds it ran; none of ``faults`` and ``eval``.
        families: input families it ran.
        candidate: what was verified.
        tp: tensor-parallel ranks it was run with.
        model: digest of its model configuration; empty where it names none.
        deployment: of an eval, ``Deployed.digest`` that both servers told of themselves.
        harness: sha256 of the sources that judged; empty where the record names none.
        margin_points: of an eval, the largest loss that it excluded.
        command: makes the record again.
    """

    check: str
    kinds: tuple[str, ...]
    where: str
    verdict: str
    record: str
    created: float
    builds: tuple[str, ...]
    candidate: str
    tp: int
    model: str
    command: str
    families: tuple[str, ...] = ()
    deployment: str = ""
    harness: str = ""
    margin_points: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As a Statement has it."""
        return {
            "check": self.check,
            "kinds": list(self.kinds),
            "where": self.where,
            "verdict": self.verdict,
            "record": self.record,
            "created": self.created,
            "builds": list(self.builds),
            "families": list(self.families),
            "candidate": self.candidate,
            "tp": self.tp,
            "model": self.model,
            "deployment": self.deployment,
            "harness": self.harness,
            "marginPoints": self.margin_points,
            "command": self.command,
        }


def read_evidence(fields: Fields, *path: str) -> tuple[Evidence, ...]:
    """The list of evidence at a path; what is wrong with it is among the fields' reasons."""
    name, value = ".".join(path), fields.at(*path)
    if not isinstance(value, list) or len(value) > MAX_EVIDENCE:
        fields.bad(name, f"a list of at most {MAX_EVIDENCE} records")
        return ()
    found = []
    for number, entry in enumerate(value):
        one = Fields(entry, where=f"{name}[{number}].")
        one.only(names=_KEYS)
        found.append(_evidence(one))
        fields.reasons += one.reasons
    return tuple(found)


def _evidence(f: Fields) -> Evidence:
    return Evidence(
        check=f.text("check"),
        kinds=f.words("kinds"),
        where=f.text("where"),
        verdict=f.text("verdict"),
        record=f.sha("record"),
        created=f.time("created"),
        builds=f.words("builds"),
        families=f.words("families"),
        candidate=f.text("candidate", empty=True),
        tp=f.count("tp"),
        model=f.sha("model", empty=True),
        deployment=f.sha("deployment", empty=True),
        harness=f.sha("harness", empty=True),
        margin_points=f.number("marginPoints"),
        command=f.text("command", empty=True),
    )
