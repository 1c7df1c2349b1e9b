"""A kernel build: everything that decides what is compiled, as one frozen dataclass of scalars."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from kk3fast.abi import Argument
from kk3fast.compile import Artefact, ArtefactCache
from kk3fast.compile import flydsl_private as flydsl
from kk3fast.compile.digests import source_digest
from kk3fast.compile.environment import DEFAULT_TARGET
from kk3fast.compile.launcher import Call, Declaration, compile_declared
from kk3fast.flydsl.geometry import THREADS, WORKGROUPS
from kk3fast.flydsl.layout import Region

_FOLDER = Path(__file__).resolve().parent
_SCALARS = (int, float, bool, str)


class BuildError(ValueError):
    """A build's parameters do not fit together; lists every reason."""


@dataclass(frozen=True, kw_only=True)
class KernelBuild:
    """Base of every kernel's build.

    A subclass adds scalar fields only, overrides the methods, and calls ``super().__post_init__``.

    Raises:
        BuildError: lists every reason.
    """

    kernel: ClassVar[str]
    """name in tables and symbols"""
    PLANTS: ClassVar[Mapping[str, str]] = {}
    """test-only defects by name, each in a sentence: what is broken"""

    workgroups: int = WORKGROUPS
    plant: str = "none"
    """test only: a defect of ``PLANTS`` to build in"""

    def __post_init__(self) -> None:
        reasons = [
            f"{f.name} must be a scalar, got {type(getattr(self, f.name)).__name__}"
            for f in fields(self)
            if not isinstance(getattr(self, f.name), _SCALARS)
        ]
        if self.plant != "none" and self.plant not in self.PLANTS:
            there = ", ".join(self.PLANTS) or "none"
            reasons.append(f"plant must be one of {there}, got {self.plant!r}")
        if not 1 <= self.workgroups <= WORKGROUPS:
            reasons.append(f"workgroups must be 1 to {WORKGROUPS}, got {self.workgroups}")
        reasons += self.problems()
        if reasons:
            raise BuildError(f"{self.kernel}: " + "; ".join(reasons))

    def problems(self) -> list[str]:
        """What is wrong with the parameters."""
        return []

    def arguments(self) -> tuple[Argument, ...]:
        """The kernel's arguments in order; the launcher takes the same and a stream."""
        raise NotImplementedError

    def scratch(self) -> dict[str, Region]:
        """Regions of the rank's scratch buffer, zeroed once before the first launch."""
        return {}

    def peer(self) -> dict[str, Region]:
        """Regions of one parity half of every rank's peer buffer."""
        return {}

    def launcher(self) -> Any:
        """The ``@flyc.jit`` launcher. It must reference ``self.key()`` so that FlyDSL keys it."""
        raise NotImplementedError

    @property
    def block(self) -> tuple[int, int, int]:
        """Threads of a workgroup."""
        return (THREADS, 1, 1)

    @property
    def grid(self) -> tuple[int, int, int]:
        """Workgroups of a launch."""
        return (self.workgroups, 1, 1)

    def grid_for(self, values: Mapping[str, Any]) -> tuple[int, int, int]:
        """Workgroups of a launch with these arguments by name, as its launcher has them."""
        return self.grid

    def key(self) -> tuple[tuple[str, int | float | bool | str], ...]:
        """Every parameter and the digest of the kernels' sources: what a binary is known by."""
        return (*self.parameters(), ("sources", sources_digest()))

    def parameters(self) -> tuple[tuple[str, int | float | bool | str], ...]:
        """Every parameter by name."""
        return tuple((f.name, getattr(self, f.name)) for f in fields(self))

    @property
    def symbol(self) -> str:
        """The kernel's symbol: its name and whatever tells its builds apart."""
        values = "_".join(_symbol_part(value) for _, value in self.parameters())
        return f"kk3_{self.kernel}_{values}"

    def compile(
        self,
        *,
        target: str = DEFAULT_TARGET,
        isa: bool = True,
        hsaco: bool = False,
        cache: ArtefactCache | None = None,
    ) -> Artefact:
        """Compile without a GPU. Options and errors as ``kk3fast.compile.compile_launcher``."""
        name = f"kk3:{self.kernel}"
        declaration = Declaration(name, self.parameters(), sources_digest())

        @contextmanager
        def call() -> Iterator[Call]:
            launch = self.launcher()
            check_abi(self, launch)
            stream = flydsl.module("expr").Stream(None)
            zeros = [0] * len(self.arguments())
            yield Call(launch, zeros, (("stream", stream),), (("kk3fast/flydsl/", _FOLDER),))

        return compile_declared(declaration, call, target=target, isa=isa, hsaco=hsaco, cache=cache)


def check_abi(build: KernelBuild, launch: Any) -> None:
    """Raise ``BuildError`` unless the launcher takes the build's arguments, by name and type."""
    hints = flydsl.launcher_function(launch).__annotations__
    found = [n for n in hints if n not in ("stream", "return")]
    wanted = [a.name for a in build.arguments()]
    if found != wanted:
        raise BuildError(f"{build.kernel}: the launcher takes {found}, its table says {wanted}")
    ctype = {"Int64": "i64", "Int32": "i32"}
    wrong = [
        a.name
        for a in build.arguments()
        if ctype.get(getattr(hints[a.name], "__name__", "")) != a.ctype
    ]
    if wrong:
        raise BuildError(f"{build.kernel}: the launcher and its table disagree on types of {wrong}")


@functools.cache
def sources_digest() -> str:
    """Digest of every source file of the kernels."""
    return source_digest((_FOLDER,), _FOLDER)


def _symbol_part(value: float | bool | str) -> str:
    text = str(int(value)) if isinstance(value, bool) else str(value)
    return "".join(c if c.isalnum() else {"-": "m", ".": "p"}.get(c, "_") for c in text)
