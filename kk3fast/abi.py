"""What a compiled kernel takes: its arguments by name, in the order they are passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Access = Literal["read", "write", "read-write"]
Shape = tuple[int | str, ...]


@dataclass(frozen=True)
class Argument:
    """One kernel argument, in order."""

    name: str
    ctype: Literal["i64", "i32"]
    """As passed: ``i64`` is an address, ``i32`` a scalar."""
    dtype: str
    """Of the pointed-to elements (torch's name), or of the scalar."""
    shape: Shape
    """Of the pointed-to tensor, contiguous unless a stride argument follows; () for a scalar. A
    name stands for a size the caller picks: ``slots``."""
    access: Access
    meaning: str

    @property
    def is_pointer(self) -> bool:
        """Whether the value is an address."""
        return self.ctype == "i64"


class ArgumentTable:
    """Collects arguments in order."""

    def __init__(self) -> None:
        self.arguments: dict[str, Argument] = {}

    def tensor(
        self, name: str, shape: Shape, access: Access, meaning: str, dtype: str = "bfloat16"
    ) -> None:
        """Add an address."""
        self.arguments[name] = Argument(name, "i64", dtype, shape, access, meaning)

    def scalar(self, name: str, meaning: str) -> None:
        """Add a 32-bit integer."""
        self.arguments[name] = Argument(name, "i32", "int32", (), "read", meaning)
