"""Acting on a module right after its first import, whoever imports it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

Action = Callable[[ModuleType], None]


def after_import(name: str, action: Action) -> None:
    """Run ``action(module)`` after the module ``name`` has run, at once if it has already.

    An error of the action is an error of the import: whoever needs the module fails with it.
    The same action is registered once, however often this is called.
    """
    finder = next((f for f in sys.meta_path if isinstance(f, _Finder)), None)
    if finder is None:
        finder = _Finder()
        sys.meta_path.insert(0, finder)
    if action in finder.actions.setdefault(name, []):
        return
    finder.actions[name].append(action)
    if name in sys.modules:
        action(sys.modules[name])


class _Finder(MetaPathFinder):
    """Finds what the other finders find, and wraps its loader."""

    def __init__(self) -> None:
        self.actions: dict[str, list[Action]] = {}
        self._looking: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.actions or name in self._looking:
            return None
        self._looking.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.actions[name])
        return spec


class _Loader(Loader):
    def __init__(self, inner: Loader, actions: list[Action]) -> None:
        self._inner, self._actions = inner, actions

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)
        for action in self._actions:
            action(module)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)  # get_source and the like
