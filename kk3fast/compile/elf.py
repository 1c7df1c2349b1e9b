"""The size of a kernel's code, from the symbol table of its HSACO."""

from __future__ import annotations

import struct

from kk3fast.compile.errors import CompileError

_SYMBOL_TABLES = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM
_FUNCTION = 2  # STT_FUNC


def code_bytes(hsaco: bytes, kernel: str) -> int:
    """Bytes of machine code of ``kernel``. Raises ``CompileError`` where it is not in the ELF."""
    if hsaco[:5] != b"\x7fELF\x02":
        raise CompileError("a 64-bit ELF was expected")
    (table,) = struct.unpack_from("<Q", hsaco, 0x28)
    entry, count = struct.unpack_from("<HH", hsaco, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", hsaco, table + i * entry) for i in range(count)]
    for _, kind, _, _, offset, size, link, _, _, step in sections:
        if kind not in _SYMBOL_TABLES:
            continue
        names = sections[link][4]
        for at in range(offset, offset + size, step):
            name, info, _, _, _, length = struct.unpack_from("<IBBHQQ", hsaco, at)
            end = hsaco.index(b"\0", names + name)
            if info & 15 == _FUNCTION and hsaco[names + name : end].decode() == kernel:
                return int(length)
    raise CompileError(f"the ELF has no function {kernel}")
