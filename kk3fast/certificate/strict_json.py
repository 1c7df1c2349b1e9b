"""JSON as a certificate may have it: bounded, without duplicate keys, NaN or deep nesting."""

from __future__ import annotations

import json
from typing import Any

from kk3fast.certificate.reason import CertificateError

MAX_BYTES = 4 << 20
MAX_DEPTH = 12
MAX_STRING = 16384
MAX_ITEMS = 20000


def parse(data: bytes, what: str, longest: int = MAX_STRING) -> Any:
    """The value of one JSON text.

    Args:
        data: UTF-8 bytes.
        what: how errors name it.
        longest: characters a string may have.

    Raises:
        CertificateError: it is no JSON, or larger, deeper or looser than a certificate may be.
    """
    if len(data) > MAX_BYTES:
        problem = f"{what} must have at most {MAX_BYTES} bytes, got {len(data)}"
        raise CertificateError.of("certificate.size", problem)
    if _depth(data) > MAX_DEPTH:
        raise CertificateError.of(
            "certificate.size", f"{what} must be nested at most {MAX_DEPTH} deep"
        )
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise CertificateError.of(
            "certificate.json", f"{what} is no strict JSON: {error}"
        ) from None
    _sizes(value, what, longest)
    return value


def _depth(data: bytes) -> int:
    """An upper limit of the nesting: brackets inside strings count too."""
    depth = deepest = 0
    for byte in data:
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _sizes(value: Any, what: str, longest: int) -> None:
    waiting, count = [value], 0
    while waiting:
        item = waiting.pop()
        count += 1
        if isinstance(item, str) and len(item) > longest:
            problem = f"{what} must have strings of at most {longest} characters"
            raise CertificateError.of("certificate.size", problem)
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
        if count > MAX_ITEMS:
            problem = f"{what} must have at most {MAX_ITEMS} values"
            raise CertificateError.of("certificate.size", problem)
