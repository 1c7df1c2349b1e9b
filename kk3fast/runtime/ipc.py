"""Device memory that other processes map: CUDA's and HIP's IPC calls, through ctypes.

The two runtimes have the same calls under other names. On ROCm the memory is uncached, so that
peers see every store without a flush. Nothing here has run on hardware yet.
"""

from __future__ import annotations

import ctypes as ct
import functools
from collections.abc import Sequence
from dataclasses import dataclass

import torch

HANDLE_BYTES = 64
_LAZY_PEER_ACCESS = 1
_UNCACHED = 0x3
_LIBRARIES = {
    "hip": ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"),
    "cuda": ("libcudart.so", "libcudart.so.13", "libcudart.so.12"),
}


class IpcError(RuntimeError):
    """A runtime call failed, or there is no runtime; names the call and the reason."""


class Handle(ct.Structure):
    """An IPC handle; passed by value."""

    _fields_ = [("reserved", ct.c_char * HANDLE_BYTES)]


@dataclass(frozen=True)
class Runtime:
    """The IPC calls of one runtime.

    Attributes:
        prefix: ``hip`` or ``cuda``.
        library: its shared library.
    """

    prefix: str
    library: ct.CDLL

    def allocate(self, device: int, nbytes: int) -> int:
        """Zeroed memory that can be mapped elsewhere; its address."""
        self._call("SetDevice", ct.c_int(device))
        pointer = ct.c_void_p()
        if self.prefix == "hip":
            size, kind = ct.c_size_t(nbytes), ct.c_uint(_UNCACHED)
            self._call("ExtMallocWithFlags", ct.byref(pointer), size, kind)
        else:
            self._call("Malloc", ct.byref(pointer), ct.c_size_t(nbytes))
        self._call("Memset", pointer, ct.c_int(0), ct.c_size_t(nbytes))
        self._call("DeviceSynchronize")
        assert pointer.value is not None
        return pointer.value

    def handle(self, address: int) -> bytes:
        """What another process maps the memory by."""
        made = Handle()
        self._call("IpcGetMemHandle", ct.byref(made), ct.c_void_p(address))
        return bytes(ct.string_at(ct.byref(made), HANDLE_BYTES))

    def map(self, device: int, handle: bytes) -> int:
        """Map another process's memory; its address here."""
        self._call("SetDevice", ct.c_int(device))
        pointer, given = ct.c_void_p(), Handle()
        ct.memmove(ct.byref(given), handle, HANDLE_BYTES)
        self._call("IpcOpenMemHandle", ct.byref(pointer), given, ct.c_uint(_LAZY_PEER_ACCESS))
        assert pointer.value is not None
        return pointer.value

    def unmap(self, address: int) -> None:
        """Undo ``map``."""
        self._call("IpcCloseMemHandle", ct.c_void_p(address))

    def free(self, address: int) -> None:
        """Undo ``allocate``."""
        self._call("Free", ct.c_void_p(address))

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self.library, f"{self.prefix}{name}")(*arguments)
        if code:
            describe = getattr(self.library, f"{self.prefix}GetErrorString")
            describe.restype = ct.c_char_p
            reason = describe(code).decode()
            raise IpcError(f"{self.prefix}{name} failed with {code}: {reason}")


@functools.cache
def runtime(prefix: str) -> Runtime:
    """The runtime ``hip`` or ``cuda``.

    Raises:
        IpcError: its library cannot be loaded.
    """
    for name in _LIBRARIES[prefix]:
        try:
            return Runtime(prefix, ct.CDLL(name))
        except OSError:
            continue
    raise IpcError(f"none of {', '.join(_LIBRARIES[prefix])} can be loaded")


def of_torch() -> Runtime:
    """The runtime that torch was built for."""
    return runtime("hip" if torch.version.hip else "cuda")


def view(address: int, nbytes: int, device: torch.device) -> torch.Tensor:
    """Device memory as uint8 ``[nbytes]``; it is not owned."""
    return torch.as_tensor(_Bytes(address, nbytes), device=device)


class _Bytes:
    """``__cuda_array_interface__`` of raw memory."""

    def __init__(self, address: int, nbytes: int):
        shape: Sequence[int] = (nbytes,)
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }
