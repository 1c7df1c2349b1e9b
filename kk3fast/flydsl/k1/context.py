"""What K1's stages share while they are traced."""

from dataclasses import dataclass
from typing import Any

from kk3fast.flydsl.k1.build import K1Build


@dataclass(frozen=True)
class Context:
    """A launch's build, arguments, threads and LDS."""

    build: K1Build
    args: Any
    """arguments by name, addresses Int64 and scalars Int32"""
    mail: Any
    boxes: Any
    """mailbox regions by name"""
    workgroup: Any
    tid: Any
    lane: Any
    wave: Any
    """uniform"""
    lds: Any
    """LDS arrays by name"""

    def planted(self, name: str) -> bool:
        """Whether the build has a test-only defect."""
        return self.build.plant == name
