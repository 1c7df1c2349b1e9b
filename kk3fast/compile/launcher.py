"""Offline compilation of one launcher, through the cache.

Two ways in. ``compile_launcher`` traces the launcher every time and looks its traced module up:
always right, since the module is the key. ``compile_declared`` looks a declaration of the build up
first and traces nothing on a hit; it is for builds whose parameters and sources are known to be
complete (a parameter left out would make two builds share one artefact).
"""

from __future__ import annotations

import json
import re
import sysconfig
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kk3fast.compile import flydsl_private as flydsl
from kk3fast.compile.artefact import Artefact
from kk3fast.compile.cache import ArtefactCache
from kk3fast.compile.digests import sha256, source_digest
from kk3fast.compile.environment import DEFAULT_TARGET, offline
from kk3fast.compile.errors import CompileError
from kk3fast.compile.identity import BuildIdentity, Parameters
from kk3fast.compile.linker import install_linker, private_rocm_path
from kk3fast.compile.locations import located_files, relative_locations

_KEY_FORMAT = 1  # to be raised whenever the same inputs come to give another artefact
_KERNEL = re.compile(r"gpu\.func @([\w$.]+)\(.*\) kernel\b")


@dataclass(frozen=True)
class Declaration:
    """A build named before it is traced: nothing else may change what is compiled."""

    name: str
    parameters: Parameters
    source_digest: str
    """Of every source file of the kernel, helpers included."""


@dataclass(frozen=True)
class Call:
    """A launcher and the arguments to trace it with."""

    launch: Any
    args: Sequence[Any] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()
    roots: tuple[tuple[str, Path], ...] = ()
    """Labels and folders that shorten file names in debug locations."""


def compile_launcher(
    launch: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    parameters: Parameters = (),
    root: Path | None = None,
    sources: Iterable[Path] | None = None,
    target: str = DEFAULT_TARGET,
    isa: bool = True,
    hsaco: bool = False,
    cache: ArtefactCache | None = None,
) -> Artefact:
    """Compile ``launch(*args, **kwargs)``, a ``@flyc.jit`` launcher, for ``target``.

    ``args`` are CPU tensors, integers or FlyDSL values; only types and layouts matter. ``sources``
    (files or folders) enter the source digest, by default the launcher's file and every file that
    a debug location names; ``root``, by default the launcher's folder, is what their names are
    relative to. ``isa=False`` stops at the LLVM dialect (for a simulator). ``cache=None`` compiles
    afresh. Raises ``CompileError`` (``ToolchainError`` for FlyDSL or the linker).
    """
    version = flydsl.supported_version()
    own_file = Path(flydsl.launcher_function(launch).__code__.co_filename).resolve()
    folder = own_file.parent if root is None else root.resolve()
    call = Call(launch, args, tuple((kwargs or {}).items()), (("", folder),))
    start = time.perf_counter()
    with offline(target, private_rocm_path()):
        traced = flydsl.trace(launch, args, dict(call.kwargs))
    seconds = time.perf_counter() - start
    files = (own_file, *located_files(traced.source_ir)) if sources is None else tuple(sources)
    digest = source_digest(_kernel_sources(files), folder)
    inputs = {
        "module": relative_locations(traced.source_ir, _roots(call)),
        "pipeline": traced.pipeline,
        "llvm_options": repr(traced.llvm_options),
    }
    key = _key("traced", version, target, digest, parameters, inputs)

    def make() -> Artefact:
        return _finish(traced, call, digest, parameters, target, isa)

    found = _through_cache(key, make, target, isa, hsaco, cache)
    return replace(found, timings={"trace": seconds, **found.timings})


def compile_declared(
    declaration: Declaration,
    call: Callable[[], AbstractContextManager[Call]],
    *,
    target: str = DEFAULT_TARGET,
    isa: bool = True,
    hsaco: bool = False,
    cache: ArtefactCache | None = None,
) -> Artefact:
    """The build that ``declaration`` names; ``call`` gives the launcher where it must be traced.

    The context ``call`` opens is held while tracing, inside the offline environment. On a hit
    neither FlyDSL nor the kernel is imported. Options and errors as for ``compile_launcher``.
    """
    version = flydsl.supported_version()
    d = declaration
    key = _key("declared", version, target, d.source_digest, d.parameters, {"name": d.name})

    def make() -> Artefact:
        start = time.perf_counter()
        with offline(target, private_rocm_path()), call() as made:
            traced = flydsl.trace(made.launch, made.args, dict(made.kwargs))
        seconds = time.perf_counter() - start
        built = _finish(traced, made, d.source_digest, d.parameters, target, isa)
        return replace(built, timings={"trace": seconds, **built.timings})

    return _through_cache(key, make, target, isa, hsaco, cache)


def _key(
    way: str, version: str, target: str, digest: str, parameters: Parameters, rest: dict[str, Any]
) -> str:
    inputs = {
        "format": _KEY_FORMAT,
        "way": way,
        "flydsl": version,
        "toolchain": sha256(flydsl.toolchain_fingerprint()),
        "target": target,
        "sources": digest,
        "parameters": parameters,
        **rest,
    }
    return sha256(json.dumps(inputs, sort_keys=True))


def _through_cache(
    key: str,
    make: Callable[[], Artefact],
    target: str,
    isa: bool,
    hsaco: bool,
    cache: ArtefactCache | None,
) -> Artefact:
    def complete(artefact: Artefact) -> bool:
        return (artefact.isa is not None or not isa) and (artefact.hsaco is not None or not hsaco)

    def load() -> Artefact | None:
        start = time.perf_counter()
        artefact = cache.load(key) if cache else None
        if artefact is None:
            return None
        return replace(artefact, timings={"cache": time.perf_counter() - start})

    found = load()
    if found and complete(found):
        return found
    with cache.lock(key) if cache else nullcontext():
        found = load() or make()  # another process may have built it while this one waited
        if not complete(found):
            found = _add_code(found, target, isa, hsaco)
        elif cache and "cache" in found.timings:
            return found
        if cache:
            cache.store(key, found)
    return found


def _finish(
    traced: flydsl.Traced,
    call: Call,
    digest: str,
    parameters: Parameters,
    target: str,
    isa: bool,
) -> Artefact:
    start = time.perf_counter()
    with offline(target, private_rocm_path()):
        lowered = flydsl.lower(traced)
        llvm_ir = flydsl.llvm_ir(lowered.llvm_dialect)
    kernels = _KERNEL.findall(lowered.kernel_ir)
    if not kernels:
        raise CompileError("the launcher starts no kernel")
    identity = BuildIdentity(
        kernel="+".join(kernels),
        ir_sha256=sha256(lowered.kernel_ir),
        isa_sha256=None,
        source_digest=digest,
        parameters=parameters,
        flydsl_version=flydsl.supported_version(),
        target=target,
    )
    artefact = Artefact(
        identity=identity,
        kernel_ir=lowered.kernel_ir,
        located_ir=relative_locations(lowered.located_ir, _roots(call)),
        llvm_dialect=lowered.llvm_dialect,
        llvm_ir=llvm_ir,
        binary_stage=traced.pipeline[-1],
        llvm_options=traced.llvm_options,
        timings={"lower": time.perf_counter() - start},
    )
    return _add_code(artefact, target, isa=isa, hsaco=False)


def _add_code(artefact: Artefact, target: str, isa: bool, hsaco: bool) -> Artefact:
    options = artefact.llvm_options
    if isa and artefact.isa is None:
        start = time.perf_counter()
        with offline(target, private_rocm_path()):
            text = flydsl.isa(artefact.llvm_dialect, options)
        identity = replace(artefact.identity, isa_sha256=sha256(text))
        timings = {**artefact.timings, "isa": time.perf_counter() - start}
        artefact = replace(artefact, identity=identity, isa=text, timings=timings)
    if hsaco and artefact.hsaco is None:
        start = time.perf_counter()
        with offline(target, install_linker()):
            code = flydsl.hsaco(artefact.llvm_dialect, artefact.binary_stage, options)
        timings = {**artefact.timings, "hsaco": time.perf_counter() - start}
        artefact = replace(artefact, hsaco=code, timings=timings)
    return artefact


def _library_folders() -> dict[str, Path]:
    return {
        "flydsl/": flydsl.package_folder(),
        "python/": Path(sysconfig.get_path("stdlib")).resolve(),
    }


def _kernel_sources(files: Iterable[Path]) -> list[Path]:
    libraries = _library_folders().values()
    return [f for f in files if f.exists() and not any(f.is_relative_to(x) for x in libraries)]


def _roots(call: Call) -> dict[str, Path]:
    return {**_library_folders(), **dict(call.roots)}
