"""A certificate's evidence against the record files that it was made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from kk3fast.certificate import Evidence, Reason
from verify.certify.evidence import evidence_of


def record_reasons(certified: Iterable[Evidence], paths: Iterable[Path]) -> list[Reason]:
    """Every record that is missing among files, and every claim that its record does not make."""
    held, reasons = evidence_of(paths)
    found = {e.record: e for e in held}
    for e in certified:
        name, own = f"{e.check} record {e.record[:12]}…", found.get(e.record)
        if own is None:
            reasons.append(Reason("record.missing", f"{name}: no file has this digest"))
            continue
        said, read = asdict(e), asdict(own)
        for field in said:
            if said[field] != read[field]:
                told = f"{name}: certified is {field} {said[field]!r}, it says {read[field]!r}"
                reasons.append(Reason("record.differs", told))
    return reasons
