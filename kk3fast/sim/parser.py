"""A recursive-descent parser of MLIR's generic form."""

from __future__ import annotations

import re

from kk3fast.sim.ir import Frame, Location, Op, Region, Value
from kk3fast.sim.syntax import CLOSE, OPEN, ReadError, parse_type, split_top, string_end

_RESULTS = re.compile(r"\s*(?:(%[\w$.-]+)(?::(\d+))? = )?\"([\w.$]+)\"\(")
_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


class Parser:
    """Recursive descent over the generic form."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.values: dict[str, list[Value]] = {}
        self.aliases: dict[str, str] = {}
        self.locations: dict[str, Location] = {}
        for match in re.finditer(r"^(#loc\d*) = loc\((.*)\)$", text, re.M):
            self.aliases[match[1]] = match[2]
        start = text.find('"builtin.module"')
        if start < 0:
            raise ReadError("not MLIR in the generic form: no builtin.module")
        self.pos = start

    def module(self) -> Region:
        return self.op().regions[0]

    def fail(self, wanted: str) -> ReadError:
        line = self.text.count("\n", 0, self.pos) + 1
        return ReadError(
            f"line {line}: must be {wanted}, got {self.text[self.pos : self.pos + 40]!r}"
        )

    def skip(self) -> None:
        while self.text[self.pos] in " \n\t":
            self.pos += 1

    def take(self, token: str) -> bool:
        self.skip()
        if self.text.startswith(token, self.pos):
            self.pos += len(token)
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise self.fail(repr(token))

    def balanced(self) -> str:
        """The text of a bracketed group at the cursor, brackets included."""
        start, depth, text, i = self.pos, 0, self.text, self.pos
        while True:
            c = text[i]
            if c == '"':
                i = string_end(text, i)
                continue
            if c in OPEN:
                depth += 1
            elif c in CLOSE and not (c == ">" and text[i - 1] == "-"):
                depth -= 1
                if depth == 0:
                    break
            i += 1
        self.pos = i + 1
        return text[start : self.pos]

    def op(self) -> Op:
        match = _RESULTS.match(self.text, self.pos)
        if match is None:
            raise self.fail("an operation")
        self.pos = match.end() - 1
        operands = [self.value(v) for v in split_top(self.balanced()[1:-1])]
        attrs: dict[str, str] = {}
        self.skip()
        if self.text.startswith("<{", self.pos):
            attrs.update(_dictionary(self.balanced()[2:-2]))
        regions: list[Region] = []
        self.skip()
        if self.text.startswith("({", self.pos):
            self.pos += 1
            while True:
                regions.append(self.region())
                if not self.take(","):
                    break
            self.expect(")")
        self.skip()
        if self.text.startswith("{", self.pos):
            attrs.update(_dictionary(self.balanced()[1:-1]))
        self.expect(":")
        self.skip()
        self.balanced()
        self.expect("->")
        self.skip()
        types = self.result_types()
        op = Op(match[3], operands, [], attrs, regions, self.location())
        op.results = [Value(parse_type(t), op, match[1] or "") for t in types]
        if match[1]:
            self.values[match[1]] = op.results
        return op

    def result_types(self) -> list[str]:
        if self.text.startswith("(", self.pos):
            return split_top(self.balanced()[1:-1])
        end = self.pos
        depth = 0
        while depth or self.text[end] not in " \n":
            depth += {"<": 1, ">": -1, "(": 1, ")": -1}.get(self.text[end], 0)
            end += 1
        out, self.pos = self.text[self.pos : end], end
        return [out]

    def value(self, name: str) -> Value:
        base, _, index = name.partition("#")
        try:
            return self.values[base][int(index or 0)]
        except KeyError:
            raise self.fail(f"a value defined before its use ({name})") from None

    def region(self) -> Region:
        self.expect("{")
        region = Region()
        self.skip()
        if self.text.startswith("^", self.pos):
            self.pos = self.text.index("(", self.pos) if self.labelled() else self.pos
            if self.text.startswith("(", self.pos):
                for arg in split_top(self.balanced()[1:-1]):
                    name, _, rest = arg.partition(":")
                    value = Value(parse_type(rest.split(" loc(")[0]), None, name.strip())
                    self.values[name.strip()] = [value]
                    region.args.append(value)
            self.expect(":")
        while not self.take("}"):
            if self.text.startswith("^", self.pos):
                raise self.fail("structured control flow (one block a region)")
            region.ops.append(self.op())
        return region

    def labelled(self) -> bool:
        """Skip a block label; whether arguments follow."""
        while self.text[self.pos] not in "(:":
            self.pos += 1
        return self.text[self.pos] == "("

    def location(self) -> Location:
        self.skip()
        if not self.text.startswith("loc(", self.pos):
            return Location()
        self.pos += 3
        return self.resolve(self.balanced()[1:-1])

    def resolve(self, text: str) -> Location:
        known = self.locations.get(text)
        if known is None:
            known = self.locations[text] = Location(self.frames(text))
        return known

    def frames(self, text: str) -> tuple[Frame, ...]:
        text = text.strip()
        if text.startswith("#"):
            return self.resolve(self.aliases[text]).frames if text in self.aliases else ()
        if text.startswith("loc("):
            return self.frames(text[4:-1])
        if text.startswith("callsite("):
            callee, _, caller = _at(text[len("callsite(") : -1])
            return self.frames(callee) + self.frames(caller)
        if text.startswith("fused"):
            inner = text[text.index("[") + 1 : text.rindex("]")]
            return next((f for f in map(self.frames, split_top(inner)) if f), ())
        if match := _FILE.match(text):
            return () if match[1] == "-" else (Frame(match[1], int(match[2]), int(match[3])),)
        if text.startswith('"'):  # a named location: "name"(location)
            end = string_end(text, 0)
            return self.frames(text[end + 1 : -1]) if text[end : end + 1] == "(" else ()
        return ()


def _at(text: str) -> tuple[str, str, str]:
    """``A at B`` of a callsite, split at the top level."""
    depth, i = 0, 0
    while i < len(text):
        if text[i] == '"':
            i = string_end(text, i)
            continue
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[i], 0)
        if depth == 0 and text.startswith(" at ", i):
            return text[:i], "at", text[i + 4 :]
        i += 1
    return text, "", ""


def _dictionary(text: str) -> dict[str, str]:
    out = {}
    for item in split_top(text):
        key, _, value = item.partition("=")
        out[key.strip().strip('"')] = value.strip() or "unit"
    return out
