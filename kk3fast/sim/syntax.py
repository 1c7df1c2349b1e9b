"""MLIR's text: types, attributes, separators."""

from __future__ import annotations

import re

from kk3fast.sim.ir import SCALAR_BITS, Op, Type

OPEN, CLOSE = "([{<", ")]}>"


class ReadError(ValueError):
    """The text is not a kernel this simulator can read."""


def parse_type(text: str) -> Type:
    """A type's text -> ``Type``; types the simulator has no use for become ``other``."""
    text = text.strip()
    if text in SCALAR_BITS:
        return Type("scalar", text)
    if match := re.fullmatch(r"vector<((?:\d+x)+)(\w+)>", text):
        count = 1
        for dim in match[1].rstrip("x").split("x"):
            count *= int(dim)
        if match[2] in SCALAR_BITS:
            return Type("vector", match[2], count)
    if match := re.fullmatch(r"!llvm\.ptr(?:<(\d+)>)?", text):
        return Type("ptr", "ptr", space=int(match[1] or 0))
    if match := re.fullmatch(r"(?:!llvm\.)?struct<(?:packed )?\((.*)\)>", text):
        return Type("struct", "struct", members=tuple(map(parse_type, split_top(match[1]))))
    return Type("other", text)


def split_top(text: str, sep: str = ",") -> list[str]:
    """Split at separators outside brackets and strings; empty text gives an empty list."""
    out, depth, start, i, n = [], 0, 0, 0, len(text)
    while i < n:
        c = text[i]
        if c == '"':
            i = string_end(text, i)
            continue
        if c in OPEN:
            depth += 1
        elif c in CLOSE and not (c == ">" and text[i - 1] == "-"):
            depth -= 1
        elif c == sep and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
        i += 1
    tail = text[start:].strip()
    return [*out, tail] if tail or out else []


def string_end(text: str, i: int) -> int:
    """Past the end of a quoted string that starts at ``i``."""
    i += 1
    while text[i] != '"':
        i += 2 if text[i] == "\\" else 1
    return i + 1


def attr_int(op: Op, name: str, default: int | None = None) -> int:
    """An integer attribute (``3 : i32``, ``true``)."""
    text = op.attrs.get(name)
    if text is None:
        if default is None:
            raise ReadError(f"{op.name} at {op.loc.short}: no attribute {name}")
        return default
    head = text.split(":")[0].strip()
    return {"true": 1, "false": 0}.get(head) if head in ("true", "false") else int(head)  # type: ignore[return-value]


def attr_ints(op: Op, name: str) -> list[int]:
    """A dense integer array attribute (``array<i64: 1, 2>``); empty when absent."""
    text = op.attrs.get(name)
    if text is None or ":" not in text:
        return []
    return [int(x) for x in text[text.index(":") + 1 : text.rindex(">")].split(",")]


def attr_word(op: Op, name: str, default: str = "") -> str:
    """The last word of an enum attribute (``#gpu<dim x>`` -> ``x``)."""
    text = op.attrs.get(name)
    words = re.findall(r"\w+", text.split(" : ")[0]) if text else []
    return words[-1] if words else default
