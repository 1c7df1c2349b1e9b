"""The only module that touches FlyDSL's private API.

FlyDSL has no public way to stop after lowering. Here a launcher call is stopped where it would
hand its module to the compiler, and FlyDSL's own passes are then run one at a time. The names used
are checked on first use, next to the version, so that a FlyDSL that moved them is refused with one
clear message instead of failing somewhere inside.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from kk3fast.compile.errors import CompileError, ToolchainError

SUPPORTED = "flydsl>=0.4.2,<0.6"
_LOWEST, _BELOW = (0, 4, 2), (0, 6)
_KERNEL_STAGE_END = "gpu.module(convert-scf-to-cf"
_BINARY_STAGE = "gpu-module-to-binary"
_ISA_PIPELINE = 'builtin.module(gpu-module-to-binary{format=isa opts="" section= toolkit=})'
_NEEDED = (
    "MlirCompiler",
    "JitFunction",
    "_create_mlir_context",
    "_extract_llvm_ir",
    "_pipeline_fragments_for_mode",
)


def installed_version() -> str:
    """Version of the installed FlyDSL. Raises ``ToolchainError`` where there is none."""
    try:
        return metadata.version("flydsl")
    except metadata.PackageNotFoundError:
        raise ToolchainError(
            f"FlyDSL is not installed; expected {SUPPORTED} (pip install 'kk3[sim]')"
        ) from None


def check_version(found: str) -> None:
    """Raise ``ToolchainError`` unless ``found`` lies in ``SUPPORTED``."""
    numbers = tuple(int(n) for n in re.findall(r"\d+", found)[:3])
    if not numbers or numbers < _LOWEST or numbers >= _BELOW:
        raise ToolchainError(f"FlyDSL {found} is installed; supported: {SUPPORTED}")


def supported_version() -> str:
    """Version of the installed FlyDSL, which is a supported one (else ``ToolchainError``)."""
    found = installed_version()
    check_version(found)
    return found


def toolchain_fingerprint() -> str:
    """What pip recorded about the FlyDSL installation (its files and their hashes).

    Two installations of one version that differ in a file differ here. Imports nothing.
    """
    return metadata.distribution("flydsl").read_text("RECORD") or installed_version()


def module(name: str) -> Any:
    """FlyDSL's module ``flydsl.<name>``, of a supported version (else ``ToolchainError``)."""
    version = supported_version()
    try:
        return import_module(f"flydsl.{name}")
    except ImportError as error:
        raise ToolchainError(
            f"FlyDSL {version} has no usable flydsl.{name} ({error}); written for {SUPPORTED}"
        ) from error


def package_folder() -> Path:
    """The folder of the installed ``flydsl`` package."""
    return Path(module("compiler").__file__).resolve().parents[1]


def _jit_module() -> Any:
    """FlyDSL's ``jit_function`` module, with every private name this file uses present."""
    jit_function = module("compiler.jit_function")
    missing = [n for n in _NEEDED if not hasattr(jit_function, n)]
    if not missing and not callable(getattr(jit_function.MlirCompiler, "compile", None)):
        missing.append("MlirCompiler.compile")
    if missing:
        raise ToolchainError(
            f"FlyDSL {installed_version()} has no flydsl.compiler.jit_function."
            f"{{{', '.join(missing)}}}; "
            f"written for {SUPPORTED}"
        )
    return jit_function


def is_launcher(value: object) -> bool:
    """Whether ``value`` is a ``@flyc.jit`` launcher."""
    return isinstance(value, _jit_module().JitFunction)


def launcher_function(launch: object) -> Callable[..., None]:
    """The Python function behind a launcher."""
    if not is_launcher(launch):
        raise CompileError(f"a @flyc.jit launcher was expected, got {type(launch).__name__}")
    function: Callable[..., None] = launch.func  # type: ignore[attr-defined]
    return function


def mlir_dialects() -> tuple[Any, ...]:
    """``(ir, arith, llvm, rocdl)``: the raw dialect builders, for code that emits single ops."""
    dialects = (module(f"_mlir.dialects.{name}") for name in ("arith", "llvm", "rocdl"))
    return (module("_mlir.ir"), *dialects)


@dataclass(frozen=True)
class Traced:
    """A launcher's module as traced, before any pass.

    ``source_ir`` is MLIR text with locations; ``pipeline`` FlyDSL's passes in order, the last one
    making the binary; ``llvm_options`` the launcher's own LLVM options.
    """

    source_ir: str
    pipeline: tuple[str, ...]
    llvm_options: tuple[tuple[str, Any], ...] = ()


class _Stopped(Exception):
    """Carries the traced module out of the launcher call."""

    def __init__(self, traced: Traced) -> None:
        super().__init__("stopped before compilation")
        self.traced = traced


def _traced(jit: Any, source: Any, keywords: Mapping[str, Any]) -> Traced:
    """The arguments of ``MlirCompiler.compile`` as a ``Traced``."""
    if "config" in keywords:  # 0.5: module text and resolved pipeline
        text, config = source, keywords["config"]
    else:  # 0.4: the module itself, before the launcher's compile hints are lowered into it
        if keywords.get("link_libs"):
            raise CompileError("device libraries are linked by FlyDSL 0.5, not by 0.4")
        hints = jit.CompilationContext.get_compile_hints()
        backend = jit.get_backend(arch=keywords["arch"])
        hinted = jit.ir.Module.parse(source.operation.get_asm(enable_debug_info=True))
        backend.lower_compile_hints(hinted, compile_hints=hints)
        config = jit._pipeline_fragments_for_mode(backend, compile_hints=hints)
        text = hinted.operation.get_asm(enable_debug_info=True)
    return Traced(text, tuple(config.fragments), tuple(sorted((config.llvm_opts or {}).items())))


def trace(launch: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Traced:
    """Trace ``launch(*args, **kwargs)`` and stop before FlyDSL compiles it.

    Arguments are CPU tensors, integers or FlyDSL values; nothing is read from them but types and
    layouts. Call inside ``environment.offline``. FlyDSL's own errors pass through unchanged.
    """
    jit = _jit_module()
    original = jit.MlirCompiler.__dict__["compile"]
    caller = threading.get_ident()

    def stop(cls: Any, source: Any, **keywords: Any) -> Any:
        if threading.get_ident() != caller:  # another thread's own compilation goes on
            return original.__func__(cls, source, **keywords)
        raise _Stopped(_traced(jit, source, keywords))

    jit.MlirCompiler.compile = classmethod(stop)
    try:
        launch(*args, **kwargs)
    except _Stopped as stopped:
        return stopped.traced
    finally:
        jit.MlirCompiler.compile = original
    raise CompileError("the launcher returned without reaching FlyDSL's compiler")


@contextmanager
def _context(llvm_options: tuple[tuple[str, Any], ...] = ()) -> Iterator[Any]:
    jit = _jit_module()
    ir = module("_mlir.ir")
    scope = (
        module("compiler.llvm_options").llvm_options(dict(llvm_options))
        if llvm_options
        else nullcontext()
    )
    context = jit._create_mlir_context()
    with context, ir.Location.unknown(context), scope:
        yield ir


def _run(mlir_module: Any, pipeline: str) -> None:
    manager = module("_mlir.passmanager").PassManager.parse(pipeline)
    manager.enable_verifier(True)
    try:
        manager.run(mlir_module.operation)
    except Exception as error:
        raise CompileError(f"FlyDSL's pass {pipeline} failed: {error}") from error


@dataclass(frozen=True)
class Lowered:
    """The texts of a lowered launcher: kernel-level IR, the same with locations, LLVM dialect."""

    kernel_ir: str
    located_ir: str
    llvm_dialect: str


def lower(traced: Traced) -> Lowered:
    """Run FlyDSL's passes up to the binary and keep the texts on the way."""
    kernel_ir = located_ir = ""
    with _context(traced.llvm_options) as ir:
        traced_module = ir.Module.parse(traced.source_ir)
        for fragment in traced.pipeline:
            name = fragment.strip()
            if name.startswith(_BINARY_STAGE):
                break
            if name.startswith(_KERNEL_STAGE_END):
                kernel_ir = traced_module.operation.get_asm(enable_debug_info=False)
                located_ir = traced_module.operation.get_asm(enable_debug_info=True)
            _run(traced_module, f"builtin.module({fragment})")
        llvm_dialect = traced_module.operation.get_asm(enable_debug_info=False)
    if not kernel_ir:
        raise ToolchainError(
            f"FlyDSL {installed_version()}'s pipeline has no {_KERNEL_STAGE_END}…) stage: "
            f"{', '.join(traced.pipeline)}; written for {SUPPORTED}"
        )
    return Lowered(kernel_ir, located_ir, llvm_dialect)


def llvm_ir(llvm_dialect: str) -> str:
    """LLVM IR text, before optimisation, of the one ``gpu.module`` in ``llvm_dialect``."""
    with _context() as ir:
        text = _jit_module()._extract_llvm_ir(ir.Module.parse(llvm_dialect))
    if not text:
        raise CompileError("FlyDSL could not translate the module to LLVM IR")
    return str(text)


def _binary(
    llvm_dialect: str, pipeline: str, llvm_options: tuple[tuple[str, Any], ...]
) -> bytes | str:
    with _context(llvm_options) as ir:
        gpu = module("_mlir.dialects.gpu")
        lowered = ir.Module.parse(llvm_dialect)
        _run(lowered, pipeline)
        objects = [
            gpu.ObjectAttr(o).object
            for op in lowered.body.operations
            if op.operation.name == "gpu.binary"
            for o in ir.ArrayAttr(op.operation.attributes["objects"])
        ]
    if len(objects) != 1:
        raise CompileError(f"one GPU object was expected, the module holds {len(objects)}")
    found: bytes | str = objects[0]
    return found


def isa(llvm_dialect: str, llvm_options: tuple[tuple[str, Any], ...] = ()) -> str:
    """AMDGPU assembly text of a lowered module. Needs no linker."""
    text = _binary(llvm_dialect, _ISA_PIPELINE, llvm_options)
    return text.decode() if isinstance(text, bytes) else text


def hsaco(
    llvm_dialect: str, binary_stage: str, llvm_options: tuple[tuple[str, Any], ...] = ()
) -> bytes:
    """Linked ELF bytes. Needs ``$ROCM_PATH/llvm/bin/ld.lld`` (see ``linker``)."""
    code = _binary(llvm_dialect, f"builtin.module({binary_stage})", llvm_options)
    return code.encode("latin-1") if isinstance(code, str) else code
