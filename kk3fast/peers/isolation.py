"""Importing another project's kernel sources without installing, or disturbing, that project.

The sources import themselves and their helpers by absolute names (``vllm.…``, ``aiter.…``). Inside
``Peer.active()`` those names mean our verified copies; outside they mean whatever they meant
before, so a real vLLM or AITER in the same process is neither hidden nor half-replaced.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from kk3fast.compile.digests import sha256
from kk3fast.peers.errors import PeerSourcesError

_LOCK = threading.RLock()


class _VerifiedLoader(Loader):
    """Runs a source file only if its bytes have the recorded digest; writes no bytecode."""

    def __init__(self, path: Path, expected: str) -> None:
        self.path, self.expected = path, expected

    def exec_module(self, module: ModuleType) -> None:
        source = self.path.read_bytes()
        if sha256(source) != self.expected:
            raise PeerSourcesError([f"{self.path} changed while it was in use"])
        code: CodeType = compile(source, str(self.path), "exec", dont_inherit=True)
        exec(code, module.__dict__)


class Peer(MetaPathFinder):
    """Modules of one peer: verified source files, and stand-ins of ours for its dependencies."""

    def __init__(
        self,
        package: str,
        folder: Path,
        digests: Mapping[str, str],
        stand_ins: Mapping[str, str],
    ) -> None:
        """``package`` is the dotted name of ``folder``; ``digests`` maps the files below it to
        their sha256; ``stand_ins`` maps a module name to the module of ours that replaces it."""
        self.package, self.folder, self.digests = package, folder, digests
        self.stand_ins = stand_ins
        self._modules: dict[str, ModuleType] = {}
        # The packages around the sources: empty, so that no __init__ of the peer's runs.
        around = [package.rpartition(".")[0], *(n.rpartition(".")[0] for n in stand_ins)]
        self._namespaces = {p for name in around for p in _prefixes(name)}
        self._tops = {name.partition(".")[0] for name in self._namespaces}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in self._namespaces:
            return ModuleSpec(name, None, is_package=True)
        if name != self.package and not name.startswith(self.package + "."):
            return None
        stem = name[len(self.package) + 1 :].replace(".", "/")
        for relative in (f"{stem}.py", f"{stem}/__init__.py".lstrip("/")):
            if relative in self.digests:
                return self._spec(name, relative)
        return None

    def _spec(self, name: str, relative: str) -> ModuleSpec | None:
        file = self.folder / relative
        loader = _VerifiedLoader(file, self.digests[relative])
        spec = spec_from_file_location(name, file, loader=loader)
        if spec is not None and relative.endswith("__init__.py"):
            spec.submodule_search_locations = []  # a package, but only this finder looks into it
        return spec

    @contextmanager
    def active(self) -> Iterator[None]:
        """Let the peer's names mean our copies for the block (of this and every other thread)."""
        with _LOCK:
            others = self._take_out()
            sys.modules.update(self._modules)
            sys.meta_path.insert(0, self)
            try:
                self._install_stand_ins()
                yield
            finally:
                sys.meta_path.remove(self)
                self._modules = self._take_out()
                sys.modules.update(others)

    def module(self, name: str) -> Any:
        """The peer's module ``name``, dotted below the package. Call inside ``active()``."""
        return importlib.import_module(f"{self.package}.{name}")

    def _take_out(self) -> dict[str, ModuleType]:
        names = [n for n in sys.modules if n.partition(".")[0] in self._tops]
        return {n: sys.modules.pop(n) for n in names}

    def _install_stand_ins(self) -> None:
        for name, ours in self.stand_ins.items():
            parent, _, leaf = name.rpartition(".")
            module = importlib.import_module(ours)
            sys.modules[name] = module
            setattr(importlib.import_module(parent), leaf, module)


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts)) if parts[i]]
