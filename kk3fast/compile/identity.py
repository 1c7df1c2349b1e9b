"""What makes two builds of a kernel the same build."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from kk3fast.compile.digests import sha256
from kk3fast.compile.errors import IdentityError

Scalar = bool | int | float | str
Parameters = tuple[tuple[str, Scalar], ...]

_SHA256 = re.compile(r"[0-9a-f]{64}")


def parameters_of(values: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> Parameters:
    """Build parameters as sorted (name, scalar) pairs.

    Raises ``IdentityError`` naming every value that is not a scalar: such a value has no text that
    is the same in every process, and a parameter left out of the identity makes two builds one.
    """
    pairs = sorted(dict(values).items())
    bad = [f"{n} = {v!r}" for n, v in pairs if not isinstance(v, (bool, int, float, str))]
    if bad:
        raise IdentityError(
            f"build parameters must be bool, int, float or str, got {'; '.join(bad)}"
        )
    return tuple(pairs)


@dataclass(frozen=True)
class BuildIdentity:
    """A build, named by what went in and by digests of what came out.

    The ELF is never hashed: its bytes depend on the linker. Equal ``isa_sha256`` means the same
    machine code, whatever the sources; equal ``ir_sha256`` the same program for a simulator.
    """

    kernel: str
    """Symbol of the kernel; names joined by ``+`` where a launcher starts several."""
    ir_sha256: str
    """Of the kernel-level IR text without debug locations."""
    isa_sha256: str | None
    """Of the AMDGPU assembly text; None where it was not made."""
    source_digest: str
    """Of the kernel's Python sources (``digests.source_digest``)."""
    parameters: Parameters
    """Build parameters, sorted by name."""
    flydsl_version: str
    target: str
    """Target architecture, e.g. ``gfx950``."""

    def to_json(self) -> str:
        """One line of JSON, keys sorted: the same bytes in every process."""
        data = {**asdict(self), "parameters": dict(self.parameters)}
        return json.dumps(data, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> BuildIdentity:
        """Inverse of ``to_json``. Raises ``IdentityError`` listing every field that is wrong."""
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise IdentityError(f"a build identity must be JSON: {error}") from None
        reasons = _wrong_fields(data)
        if reasons:
            raise IdentityError("not a build identity: " + "; ".join(reasons))
        return cls(**{**data, "parameters": parameters_of(data["parameters"])})

    @property
    def digest(self) -> str:
        """sha256 of ``to_json()``: one name for the whole identity."""
        return sha256(self.to_json())

    def differences(self, other: BuildIdentity) -> list[str]:
        """The fields in which ``other`` differs, as ``name: ours != theirs``."""
        pairs = [(f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        return [f"{name}: {ours!r} != {theirs!r}" for name, ours, theirs in pairs if ours != theirs]


def _wrong_fields(data: object) -> list[str]:
    if not isinstance(data, dict):
        return [f"an object was expected, got {type(data).__name__}"]
    names = {f.name for f in fields(BuildIdentity)}
    reasons = [f"{n} is missing" for n in sorted(names - set(data))]
    reasons += [f"{n} is unknown" for n in sorted(set(data) - names)]
    for name in ("ir_sha256", "isa_sha256", "source_digest"):
        value = data.get(name)
        if name == "isa_sha256" and value is None:
            continue
        if name in data and not (isinstance(value, str) and _SHA256.fullmatch(value)):
            reasons.append(f"{name} must be 64 hex digits, got {value!r}")
    for name in ("kernel", "flydsl_version", "target"):
        if name in data and not isinstance(data[name], str):
            reasons.append(f"{name} must be text, got {data[name]!r}")
    if not isinstance(data.get("parameters", {}), dict):
        reasons.append(f"parameters must be an object, got {data['parameters']!r}")
    return reasons
