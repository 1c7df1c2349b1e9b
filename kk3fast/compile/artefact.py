"""A compiled launcher: its texts, its machine code and its identity."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from kk3fast.compile.digests import sha256
from kk3fast.compile.errors import IdentityError
from kk3fast.compile.identity import BuildIdentity

_TEXTS = ("kernel_ir", "located_ir", "llvm_dialect", "llvm_ir", "binary_stage")


@dataclass(frozen=True)
class Artefact:
    """Everything one offline compilation made."""

    identity: BuildIdentity
    kernel_ir: str
    """MLIR text after layout lowering, convert-fly-to-rocdl and canonicalize, structured control
    flow still in place; no debug locations. Its sha256 is ``identity.ir_sha256``."""
    located_ir: str
    """The same module with a debug location on every operation; file names are relative to the
    source root, FlyDSL's own start with ``flydsl/``."""
    llvm_dialect: str
    """The module in MLIR's LLVM dialect, as handed to the code generator."""
    llvm_ir: str
    """LLVM IR text before optimisation."""
    binary_stage: str
    """FlyDSL's last pass, which links ``llvm_dialect`` to HSACO."""
    isa: str | None = None
    """AMDGPU assembly text; None where it was not asked for."""
    hsaco: bytes | None = None
    """Linked ELF; None where it was not asked for."""
    llvm_options: tuple[tuple[str, Any], ...] = ()
    """The launcher's own LLVM options."""
    timings: dict[str, float] = field(default_factory=dict, compare=False)
    """Seconds per step of this call: ``trace``, ``lower``, ``isa``, ``hsaco``, or ``cache``."""

    def to_json(self) -> str:
        """The artefact without its timings as one JSON text; HSACO in base64."""
        data: dict[str, Any] = {name: getattr(self, name) for name in _TEXTS}
        data["identity"] = self.identity.to_json()
        data["isa"] = self.isa
        data["hsaco"] = None if self.hsaco is None else base64.b64encode(self.hsaco).decode()
        data["llvm_options"] = [list(pair) for pair in self.llvm_options]
        return json.dumps(data, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Artefact:
        """Inverse of ``to_json``. Raises ``IdentityError`` where texts and digests disagree."""
        data = json.loads(text)
        identity = BuildIdentity.from_json(data["identity"])
        found = (sha256(data["kernel_ir"]), None if data["isa"] is None else sha256(data["isa"]))
        expected = (identity.ir_sha256, identity.isa_sha256)
        if found != expected:
            raise IdentityError(f"IR and ISA digests must be {expected}, the texts have {found}")
        hsaco = None if data["hsaco"] is None else base64.b64decode(data["hsaco"], validate=True)
        options = tuple((str(name), value) for name, value in data["llvm_options"])
        texts = {name: data[name] for name in _TEXTS}
        return cls(identity=identity, isa=data["isa"], hsaco=hsaco, llvm_options=options, **texts)
