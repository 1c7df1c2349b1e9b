"""Errors of the offline compiler. Each message states what was found and what was expected."""

from __future__ import annotations


class CompileError(Exception):
    """A launcher could not be compiled; the message lists every reason known."""


class ToolchainError(CompileError):
    """A part of the toolchain (FlyDSL, the linker) is missing or of an unsupported version.

    Nothing can be said about the kernel itself: the command line reports "could not check".
    """


class CacheError(CompileError):
    """The cache folder cannot be used (not a folder, not writable)."""


class IdentityError(CompileError):
    """A build identity could not be read, or two identities that must agree do not."""
