"""Let the C library keep freed memory: large temporaries are made again and again."""

from __future__ import annotations

import ctypes
import platform

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_MIB = 1 << 20


def keep_freed_memory(mmap_mib: int = 256, trim_mib: int = 512) -> bool:
    """Raise glibc's thresholds; returns whether this C library has them.

    By default glibc maps every block of 32 MiB and more anew and gives the top of the heap back at
    once. Verifying K2 at production shapes then spends half its time in page faults.

    Args:
        mmap_mib: blocks from this size on are mapped on their own, MiB.
        trim_mib: free memory at the top of the heap that is kept, MiB.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    mapped = mallopt(_M_MMAP_THRESHOLD, mmap_mib * _MIB)
    trimmed = mallopt(_M_TRIM_THRESHOLD, trim_mib * _MIB)
    return bool(mapped == trimmed == 1)
