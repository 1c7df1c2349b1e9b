"""LLVM IR -> machine code of this computer, through llvmlite."""

from __future__ import annotations

import functools
import hashlib
import importlib
import platform
from pathlib import Path
from typing import Any

from kk3fast.sim.cache import ObjectCache

_SWITCH = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


_CODE = {
    "x86_64": {"reloc": "static", "codemodel": "large"},
    "aarch64": {"reloc": "pic", "codemodel": "small"},
}
"""In a large process free memory may lie in pieces more than 2 GiB apart: no section may be reached
by a 32-bit distance, which LLVM's runtime linker does not check before it aborts the process. Of
the large model's relocations it knows the absolute ones only. On AArch64 it bridges distances
itself, and llvmlite's memory manager keeps an object together."""


class BackendError(RuntimeError):
    """This computer cannot run the simulator."""


def architecture() -> str:
    """``x86_64`` or ``aarch64``. Raises ``BackendError`` on others."""
    machine = platform.machine().lower()
    if machine not in _SWITCH:
        raise BackendError(f"the processor must be x86-64 or AArch64, got {machine!r}")
    return _SWITCH[machine]


class Backend:
    """Compiles modules for the host and keeps them loaded. One a process: ``backend()``."""

    def __init__(self) -> None:
        llvmlite: Any = importlib.import_module("llvmlite")
        llvm: Any = importlib.import_module("llvmlite.binding")

        self.llvm = llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()
        self.triple = llvm.get_process_triple()
        self.cpu = llvm.get_host_cpu_name()
        self.features = llvm.get_host_cpu_features().flatten()
        self.code = _CODE[architecture()]
        self.identity = (
            f"llvmlite {llvmlite.__version__}, {self.triple}, {self.cpu}, {self.features}, "
            f"{self.code}"
        )
        self.cache = ObjectCache()
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self.machine(2))
        self.loaded: set[str] = set()
        self._load_runtime()

    def machine(self, level: int) -> Any:
        """A target machine of this computer."""
        target = self.llvm.Target.from_triple(self.triple)
        return target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=level, jit=True, **self.code
        )

    def compile(self, text: str, level: int, passes: tuple[str, ...] = ()) -> bytes:
        """An object file: ``passes`` by name, or the whole pipeline of ``level`` when empty."""
        llvm = self.llvm
        module = llvm.parse_assembly(f'target triple = "{self.triple}"\n{text}')
        machine = self.machine(level)
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        options.loop_vectorization = options.slp_vectorization = level > 1 and not passes
        builder = llvm.create_pass_builder(machine, options)
        if passes:
            manager = llvm.create_new_module_pass_manager()
            for name in passes:
                getattr(manager, f"add_{name}_pass")()
        else:
            manager = builder.getModulePassManager()
        manager.run(module, builder)
        out: bytes = machine.emit_object(module)
        return out

    def load(self, key: str, body: bytes) -> None:
        """Link an object file into the process, once a key."""
        if key in self.loaded:
            return
        self.engine.add_object_file(self.llvm.ObjectFileRef.from_data(body))
        self.engine.finalize_object()
        self.loaded.add(key)

    def address(self, symbol: str) -> int:
        """Where a function or table lies. Raises ``BackendError`` when it is not loaded."""
        found: int = self.engine.get_function_address(symbol)
        if not found:
            raise BackendError(f"no symbol {symbol} in the loaded objects")
        return found

    def build(self, key: str, text: str, level: int, passes: tuple[str, ...] = ()) -> bool:
        """Compile (or take from the cache) and load; whether the cache had it."""
        full = (
            f"{key}\n{self.identity}\n{level} {passes}\n{hashlib.sha256(text.encode()).hexdigest()}"
        )
        if full in self.loaded:
            return True
        body = self.cache.load(full)
        known = body is not None
        if body is None:
            body = self.compile(text, level, passes)
            self.cache.store(full, body)
        self.load(full, body)
        return known

    def _load_runtime(self) -> None:
        folder = Path(__file__).parent / "runtime"
        text = (folder / "runtime.ll").read_text()
        switch = (folder / f"switch_{architecture()}.s").read_text()
        assembly = "".join(f'module asm "{line}"\n' for line in switch.splitlines())
        self.build("runtime", assembly + text, 3)


@functools.cache
def backend() -> Backend:
    """The process's backend. Raises ``BackendError`` when llvmlite is missing (extra ``sim``)."""
    try:
        return Backend()
    except ImportError as e:
        raise BackendError("the simulator needs llvmlite: pip install 'kk3[sim]'") from e
