"""What a kernel's stages share while they are traced."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Context:
    """A launch's build, arguments, threads and LDS."""

    build: Any
    args: Any
    """arguments by name, addresses Int64 and scalars Int32; plain scratch regions too"""
    mail: Any
    """None in a kernel without hand-offs"""
    boxes: Any
    """mailbox regions by name; of the peer buffer, the rank's own"""
    workgroup: Any
    tid: Any
    lane: Any
    wave: Any
    """uniform"""
    lds: Any
    """LDS arrays by name"""
    remote: Any = None
    """regions of the peer buffer of the rank that this wave pushes to: wave ``w`` to rank ``w``"""

    def planted(self, name: str) -> bool:
        """Whether the build has a test-only defect."""
        return bool(self.build.plant == name)
