"""A compiled launcher as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from kk3fast.compile.artefact import Artefact
from kk3fast.compile.elf import code_bytes
from kk3fast.compile.isa import IsaFacts, kernel_names, static_facts


def record(artefact: Artefact) -> dict[str, Any]:
    """Identity, its digest, facts by kernel and the seconds of each step, ready for JSON."""
    isa = artefact.isa or ""
    facts = {name: asdict(static_facts(isa, name)) for name in kernel_names(isa)}
    for name, values in facts.items():
        values["code_bytes"] = code_bytes(artefact.hsaco, name) if artefact.hsaco else None
    return {
        "identity": json.loads(artefact.identity.to_json()),
        "identity_digest": artefact.identity.digest,
        "facts": facts,
        "seconds": {name: round(value, 4) for name, value in artefact.timings.items()},
    }


def print_tables(artefact: Artefact, console: Console) -> None:
    """One table for the identity and one for the facts of each kernel."""
    identity = artefact.identity
    table = Table(title=identity.kernel, show_header=False, title_justify="left")
    table.add_column()
    table.add_column(overflow="fold")
    table.add_row("target", identity.target)
    table.add_row("FlyDSL", identity.flydsl_version)
    table.add_row("parameters", _counts(dict(identity.parameters)))
    table.add_row("sources", identity.source_digest)
    table.add_row("IR sha256", identity.ir_sha256)
    table.add_row("ISA sha256", identity.isa_sha256 or "not made")
    table.add_row("seconds", ", ".join(f"{n} {s:.2f}" for n, s in artefact.timings.items()))
    console.print(table)
    for name in kernel_names(artefact.isa or ""):
        size = code_bytes(artefact.hsaco, name) if artefact.hsaco else None
        console.print(_facts_table(static_facts(artefact.isa or "", name), size))


def _facts_table(facts: IsaFacts, code_size: int | None) -> Table:
    table = Table("fact", "value", title=f"{facts.kernel}: static facts", title_justify="left")
    allocated = f"{facts.allocated_vgpr} of 512 a lane allocated"
    rows: list[tuple[str, object]] = [
        ("VGPR / AGPR", f"{facts.vgpr} / {facts.agpr} ({allocated})"),
        ("SGPR", facts.sgpr),
        ("spills, VGPR / SGPR", f"{facts.vgpr_spills} / {facts.sgpr_spills}"),
        ("LDS", f"{facts.lds_bytes} B"),
        ("scratch", f"{facts.scratch_bytes} B a thread"),
        ("waves a SIMD by registers", facts.waves_per_simd),
        ("workgroups a CU", f"{facts.workgroups_per_cu} of {facts.workgroup_size} threads"),
        ("instructions", facts.instructions),
        ("code", "not linked" if code_size is None else f"{code_size} B"),
        ("MFMA", _counts(facts.mfma)),
        ("loads", _counts(facts.loads)),
        ("stores", _counts(facts.stores)),
        ("atomics", _counts(facts.atomics)),
        ("LDS reads / writes", f"{facts.lds_reads} / {facts.lds_writes}"),
        ("s_waitcnt", _counts(facts.waits)),
        ("barriers / sleeps", f"{facts.barriers} / {facts.sleeps}"),
    ]
    for name, value in rows:
        table.add_row(name, str(value))
    return table


def _counts(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in values.items()) or "none"
