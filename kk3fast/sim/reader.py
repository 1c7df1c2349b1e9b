"""Kernel-level MLIR text -> ``ir.Kernel``.

FlyDSL's MLIR is used once, to turn any text into the generic form (every operation printed alike);
that form is parsed here. Nothing walks MLIR objects from Python.
"""

from __future__ import annotations

import hashlib
import re

from kk3fast.sim.ir import SCALAR_BITS, Frame, Kernel, Location, Op, Region, Type, Value

_OPEN, _CLOSE = "([{<", ")]}>"


class ReadError(ValueError):
    """The text is not a kernel this simulator can read."""


def to_generic(text: str) -> str:
    """Kernel-level MLIR text in the generic form, debug locations kept where the text has them."""
    from flydsl._mlir import ir as mlir

    context = mlir.Context()
    context.enable_multithreading(False)
    context.load_all_available_dialects()
    with context, mlir.Location.unknown():
        module = mlir.Module.parse(text)
        out: str = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    return out


def read_kernels(text: str) -> list[Kernel]:
    """Every kernel of a module's text (generic or pretty form), in order.

    Raises ``ReadError`` when the text holds no ``gpu.func``.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()
    generic = text if '"builtin.module"' in text else to_generic(text)
    module = _Parser(generic).module()
    kernels: list[Kernel] = []
    for gpu_module in (op for op in module.ops if op.name == "gpu.module"):
        kernels += _kernels_of(gpu_module.regions[0], digest)
    if not kernels:
        raise ReadError("no kernel: the text must hold a gpu.module with a gpu.func, got neither")
    return kernels


def read_kernel(text: str, name: str | None = None) -> Kernel:
    """The kernel called ``name``, or the only one. Raises ``ReadError`` when it is not unique."""
    kernels = read_kernels(text)
    found = [k for k in kernels if name in (None, k.name)]
    if len(found) != 1:
        names = ", ".join(k.name for k in kernels)
        raise ReadError(f"must name one of the kernels {names}; got {name!r}")
    return found[0]


def _kernels_of(region: Region, digest: str) -> list[Kernel]:
    lds: dict[str, tuple[int, int]] = {}
    size = 0
    for op in region.ops:
        if op.name != "llvm.mlir.global":
            continue
        match = re.match(r"!llvm\.array<(\d+) x (\w+)>", op.attrs["global_type"])
        if match is None or match[2] not in SCALAR_BITS:
            raise ReadError(f"LDS global of type {op.attrs['global_type']}: must be an array")
        align = attr_int(op, "alignment", 16)
        size = -(-size // align) * align
        nbytes = int(match[1]) * SCALAR_BITS[match[2]] // 8
        lds[op.attrs["sym_name"].strip('"')] = (size, nbytes)
        size += nbytes
    out = []
    for op in (o for o in region.ops if o.name == "gpu.func"):
        body = op.regions[0]
        _place(body, op.loc)
        block = attr_ints(op, "known_block_size")
        out.append(
            Kernel(
                name=op.attrs["sym_name"].strip('"'),
                args=body.args,
                body=body,
                lds=lds,
                lds_bytes=size,
                block=(block[0], block[1], block[2]) if block else None,
                digest=digest,
            )
        )
    return out


def _placed(loc: Location) -> bool:
    """Whether a location says more than where the kernel is defined (FlyDSL gives that column 0)."""
    return bool(loc.frames) and not (len(loc.frames) == 1 and loc.frames[0].column == 0)


def _place(region: Region, outer: Location) -> None:
    """Give operations without a place of their own that of the operation before, or around, them.

    FlyDSL attaches no call stack to operations without a result (stores, sleeps); the operations
    that compute their operands stand right before them and have one.
    """
    last = outer
    for op in region.ops:
        if _placed(op.loc):
            last = op.loc
        elif _placed(last) and op.name not in ("arith.constant", "llvm.mlir.addressof"):
            op.loc = last
        for inner in op.regions:
            _place(inner, op.loc)


# ------------------------------------------------------------------ attributes


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


# ------------------------------------------------------------------ text


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
            i = _string_end(text, i)
            continue
        if c in _OPEN:
            depth += 1
        elif c in _CLOSE and not (c == ">" and text[i - 1] == "-"):
            depth -= 1
        elif c == sep and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
        i += 1
    tail = text[start:].strip()
    return [*out, tail] if tail or out else []


def _string_end(text: str, i: int) -> int:
    i += 1
    while text[i] != '"':
        i += 2 if text[i] == "\\" else 1
    return i + 1


_RESULTS = re.compile(r"\s*(?:(%[\w$.-]+)(?::(\d+))? = )?\"([\w.$]+)\"\(")
_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


class _Parser:
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
        return ReadError(f"line {line}: must be {wanted}, got {self.text[self.pos:self.pos + 40]!r}")

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
                i = _string_end(text, i)
                continue
            if c in _OPEN:
                depth += 1
            elif c in _CLOSE and not (c == ">" and text[i - 1] == "-"):
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
            end = _string_end(text, 0)
            return self.frames(text[end + 1 : -1]) if text[end : end + 1] == "(" else ()
        return ()


def _at(text: str) -> tuple[str, str, str]:
    """``A at B`` of a callsite, split at the top level."""
    depth, i = 0, 0
    while i < len(text):
        if text[i] == '"':
            i = _string_end(text, i)
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
