"""Compiled artefacts on disk, shared by every process of a user.

A file holds a checksum of its contents and the key it was stored under; anything that does not
check out (cut short, edited, renamed, of another format) counts as absent and is built again.
Files appear whole: they are written beside their place and renamed into it.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kk3fast.compile.artefact import Artefact
from kk3fast.compile.digests import sha256
from kk3fast.compile.errors import CacheError, IdentityError
from kk3fast.compile.folders import OVERRIDE, cache_folder

DEFAULT_MAX_BYTES = 2 * 1024**3
_MAGIC = b"kk3-artefact-1\n"
_SUFFIX = ".artefact"
_TEMPORARY = ".tmp"


class ArtefactCache:
    """Artefacts in one folder, the least recently used removed past ``max_bytes``."""

    def __init__(self, folder: Path | None = None, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        """``folder`` defaults to ``compiled`` in ``folders.cache_folder()``, made on first use."""
        self.folder = cache_folder() / "compiled" if folder is None else folder
        self.max_bytes = max_bytes

    def path(self, key: str) -> Path:
        """The file of ``key`` (64 hex digits), whether or not it exists."""
        return self.folder / f"{key}{_SUFFIX}"

    def load(self, key: str) -> Artefact | None:
        """The artefact stored under ``key``, or None where there is no sound one."""
        path = self.path(key)
        try:
            artefact = _decode(path.read_bytes(), key)
        except (OSError, ValueError, KeyError, TypeError, zlib.error, IdentityError):
            return None
        with suppress(OSError):
            os.utime(path)  # marks it as used for prune()
        return artefact

    def store(self, key: str, artefact: Artefact) -> None:
        """Put ``artefact`` under ``key``, over what was there. Raises ``CacheError``."""
        self._make_folder()
        try:
            handle, name = tempfile.mkstemp(suffix=_TEMPORARY, prefix=key[:16], dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_encode(artefact, key))
                os.replace(name, self.path(key))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise self._unusable(error) from error
        self.prune()

    @contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Hold ``key`` so that one process builds it and the others wait for the result."""
        self._make_folder()
        try:
            import fcntl
        except ImportError:  # no advisory locks here: at worst two processes build the same
            yield
            return
        try:
            handle = os.open(self.folder / f"{key}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)  # released by the system if this process dies
            yield
        finally:
            os.close(handle)

    def prune(self) -> int:
        """Remove the least recently used artefacts past ``max_bytes``. Returns how many."""
        found = sorted(self._artefacts(), key=lambda entry: entry[0], reverse=True)
        total = removed = 0
        for _, size, path in found:
            total += size
            if total > self.max_bytes:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def size_bytes(self) -> int:
        """Bytes taken by artefacts."""
        return sum(size for _, size, _ in self._artefacts())

    def clear(self) -> int:
        """Remove every artefact and whatever an interrupted write left. Returns how many files."""
        files = [p for s in (_SUFFIX, _TEMPORARY) for p in self.folder.glob(f"*{s}")]
        for path in files:
            path.unlink(missing_ok=True)
        return len(files)

    def _artefacts(self) -> list[tuple[int, int, Path]]:
        found = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with suppress(FileNotFoundError):  # another process may prune at the same time
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        return found

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> CacheError:
        return CacheError(
            f"the cache folder {self.folder} cannot be written ({error.strerror or error}); "
            f"set {OVERRIDE} to a writable folder, or compile with cache=None (--no-cache)"
        )


def _encode(artefact: Artefact, key: str) -> bytes:
    body = zlib.compress(json.dumps({"key": key, "artefact": artefact.to_json()}).encode(), 1)
    return _MAGIC + sha256(body).encode() + b"\n" + body


def _decode(data: bytes, key: str) -> Artefact:
    header = len(_MAGIC) + 65
    checksum, body = data[len(_MAGIC) : header - 1], data[header:]
    if not data.startswith(_MAGIC) or checksum != sha256(body).encode():
        raise ValueError("not a whole artefact")
    content = json.loads(zlib.decompress(body))
    if content["key"] != key:
        raise ValueError("stored under another key")
    return Artefact.from_json(content["artefact"])
