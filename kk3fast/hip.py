"""The few HIP calls that loading and launching a code object takes, through the runtime's C API.

Only on a ROCm machine; importing this module needs nothing. Nothing here has run on hardware yet.
"""

from __future__ import annotations

import ctypes as ct
import functools
from dataclasses import dataclass

_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 3
"""HIP_LAUNCH_PARAM_BUFFER_POINTER, …_SIZE, …_END: arguments as one packed buffer"""
_UNCACHED = 0x3
"""hipDeviceMallocUncached: peers see every store without a flush"""
_ALREADY_ENABLED = 704


class HipError(RuntimeError):
    """A HIP call failed; names the call and the runtime's reason."""


@functools.cache
def runtime() -> ct.CDLL:
    """The HIP runtime. Raises ``HipError`` where there is none."""
    for name in ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"):
        try:
            return ct.CDLL(name)
        except OSError:
            continue
    raise HipError("the HIP runtime (libamdhip64.so) cannot be loaded: this needs ROCm")


def _check(name: str, *arguments: object) -> None:
    library = runtime()
    code = getattr(library, name)(*arguments)
    if code:
        describe = library.hipGetErrorString
        describe.restype = ct.c_char_p
        raise HipError(f"{name} failed with {code}: {describe(code).decode()}")


@dataclass(frozen=True)
class Function:
    """A kernel of a loaded code object on one device."""

    handle: ct.c_void_p
    module: ct.c_void_p

    @classmethod
    def load(cls, code: bytes, symbol: str, device: int) -> Function:
        """Load a code object (HSACO) on a device and find a kernel in it."""
        _check("hipSetDevice", ct.c_int(device))
        module, handle = ct.c_void_p(), ct.c_void_p()
        _check("hipModuleLoadData", ct.byref(module), ct.c_char_p(code))
        _check("hipModuleGetFunction", ct.byref(handle), module, ct.c_char_p(symbol.encode()))
        return cls(handle, module)

    def launch(
        self, grid: tuple[int, int, int], block: tuple[int, int, int], packed: bytes, stream: int
    ) -> None:
        """Queue a launch on a stream (its raw handle); it may be captured into a graph."""
        buffer = ct.create_string_buffer(packed, len(packed))
        size = ct.c_size_t(len(packed))
        extra = (ct.c_void_p * 5)(
            _BUFFER_POINTER,
            ct.cast(buffer, ct.c_void_p),
            _BUFFER_SIZE,
            ct.cast(ct.byref(size), ct.c_void_p),
            _END,
        )
        _check(
            "hipModuleLaunchKernel",
            self.handle,
            *(ct.c_uint(n) for n in (*grid, *block)),
            ct.c_uint(0),
            ct.c_void_p(stream),
            None,
            extra,
        )


def allocate_uncached(device: int, nbytes: int) -> int:
    """Device memory that every peer may map and poll; its address."""
    _check("hipSetDevice", ct.c_int(device))
    pointer = ct.c_void_p()
    _check("hipExtMallocWithFlags", ct.byref(pointer), ct.c_size_t(nbytes), ct.c_uint(_UNCACHED))
    assert pointer.value is not None
    _check("hipMemset", pointer, ct.c_int(0), ct.c_size_t(nbytes))
    return pointer.value


def free(device: int, address: int) -> None:
    """Give memory of ``allocate_uncached`` back."""
    _check("hipSetDevice", ct.c_int(device))
    _check("hipFree", ct.c_void_p(address))


def copy(target: int, source: int, nbytes: int) -> None:
    """Copy between any two addresses the runtime knows, synchronously."""
    _check("hipMemcpy", ct.c_void_p(target), ct.c_void_p(source), ct.c_size_t(nbytes), ct.c_int(4))


def enable_peers(devices: int) -> None:
    """Let every device reach every other's memory."""
    for device in range(devices):
        _check("hipSetDevice", ct.c_int(device))
        for peer in range(devices):
            if peer != device:
                code = runtime().hipDeviceEnablePeerAccess(ct.c_int(peer), ct.c_uint(0))
                if code not in (0, _ALREADY_ENABLED):
                    raise HipError(f"device {device} cannot reach device {peer} (code {code})")
