"""Launchers named on the command line: ``file.py:function`` and ``vllm:k1``."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from kk3fast.compile import flydsl_private as flydsl
from kk3fast.compile.artefact import Artefact
from kk3fast.compile.cache import ArtefactCache
from kk3fast.compile.environment import offline
from kk3fast.compile.errors import ToolchainError
from kk3fast.compile.identity import parameters_of
from kk3fast.compile.launcher import compile_launcher
from kk3fast.compile.linker import private_rocm_path


class TargetError(ToolchainError):
    """What is named on the command line does not exist: nothing was checked."""


def parse_parameters(texts: Sequence[str]) -> dict[str, Any]:
    """``name=value`` texts as a mapping; a value is a Python literal, else text."""
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise TargetError(f"a parameter must be name=value, got {text!r}")
        try:
            values[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            values[name] = value
    return values


def compile_file(
    target: str,
    parameters: Mapping[str, Any],
    arguments: str | None,
    *,
    arch: str,
    hsaco: bool,
    cache: ArtefactCache | None,
) -> Artefact:
    """Compile ``path/to/file.py:name``.

    ``name`` is a ``@flyc.jit`` launcher, or a function that returns one when called with
    ``parameters``. ``arguments`` names a function of the file that returns the example arguments;
    without it every scalar is 0.
    """
    path, _, name = target.rpartition(":")
    file = Path(path)
    if not name or not file.is_file():
        raise TargetError(f"a launcher must be given as path/to/file.py:function, got {target!r}")
    with offline(arch, private_rocm_path()), _imported(file) as module:
        launch = _member(module, name)
        if not flydsl.is_launcher(launch):
            if not callable(launch):
                raise TargetError(f"{target} is neither a launcher nor a function that makes one")
            launch = launch(**parameters)
        if arguments is None:
            examples = zero_arguments(launch)
        else:
            examples = list(_member(module, arguments)())
        return compile_launcher(
            launch,
            examples,
            parameters=parameters_of(parameters),
            root=file.parent,
            target=arch,
            hsaco=hsaco,
            cache=cache,
        )


def zero_arguments(launch: Any) -> list[Any]:
    """0 for every scalar parameter of a launcher, the default where there is one.

    Raises ``TargetError`` naming the parameters that need an example (tensors).
    """
    numeric = flydsl.module("expr.numeric").Numeric
    values, missing = [], []
    signature = inspect.signature(flydsl.launcher_function(launch), eval_str=True)
    for name, parameter in signature.parameters.items():
        kind = parameter.annotation
        if parameter.default is not inspect.Parameter.empty:
            values.append(parameter.default)
        elif isinstance(kind, type) and issubclass(kind, numeric):
            values.append(0)
        else:
            missing.append(f"{name}: {getattr(kind, '__name__', kind)}")
    if missing:
        raise TargetError(
            f"these parameters need example arguments (--args NAME): {', '.join(missing)}"
        )
    return values


@contextmanager
def _imported(file: Path) -> Any:
    """The file as a module, its folder importable meanwhile, as if it were run."""
    name = f"_kk3_target_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    if spec is None or spec.loader is None:
        raise TargetError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(file.resolve().parent))
        sys.modules.pop(name, None)


def _member(module: ModuleType, name: str) -> Any:
    if not hasattr(module, name):
        raise TargetError(f"{module.__file__} has no {name}")
    return getattr(module, name)
