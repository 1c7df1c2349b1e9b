"""Offline compilation of FlyDSL launchers: kernel-level IR, LLVM IR, ISA and HSACO without a GPU.

Importing this package needs neither FlyDSL nor a linker and changes no setting; what is missing is
named by a ``ToolchainError`` when it is wanted.
"""

from kk3fast.compile.artefact import Artefact
from kk3fast.compile.cache import ArtefactCache
from kk3fast.compile.errors import CacheError, CompileError, IdentityError, ToolchainError
from kk3fast.compile.identity import BuildIdentity, Parameters, parameters_of
from kk3fast.compile.isa import IsaFacts, static_facts
from kk3fast.compile.launcher import Call, Declaration, compile_declared, compile_launcher

__all__ = [
    "Artefact",
    "ArtefactCache",
    "BuildIdentity",
    "CacheError",
    "Call",
    "CompileError",
    "Declaration",
    "IdentityError",
    "IsaFacts",
    "Parameters",
    "ToolchainError",
    "compile_declared",
    "compile_launcher",
    "parameters_of",
    "static_facts",
]
