"""The runtime's structures as ctypes, checked against the loaded runtime's own layout."""

from __future__ import annotations

import ctypes as ct
import functools
from typing import Any

from kk3fast.sim.backend import BackendError, architecture, backend

U8, U32, I32, U64, I64, P = (
    ct.c_uint8,
    ct.c_uint32,
    ct.c_int32,
    ct.c_uint64,
    ct.c_int64,
    ct.c_void_p,
)
MAX_WAVES, WATCH, BUCKETS, LANES = 16, 48, 8192, 64
REGION_SHIFT = 36
LDS_TAG, PRIVATE_TAG = 1 << 62, 1 << 61

COUNTS = (
    "ops",
    "load_plain",
    "load_nt",
    "load_device",
    "load_system",
    "store_plain",
    "store_nt",
    "store_device",
    "store_system",
    "lds_load",
    "lds_store",
    "mfma",
    "barriers",
    "polls_waited",
    "polls",
    "sleeps",
    "atomics",
)
"""What is counted a workgroup and stage: wave-operations, bytes, issues, events."""


PROVIDE = ct.CFUNCTYPE(U32, U64, U64)
"""(region, page) -> 0 when the page is there, 1 to give up."""


class SiteStruct(ct.Structure):
    _fields_ = [(n, U32) for n in ("space", "bytes", "elem", "aux", "stage", "flags", "op", "pad")]


class IoStruct(ct.Structure):
    _fields_ = [("a32", U32 * LANES), ("a64", U64 * LANES), ("data", (U32 * LANES) * 32)]


class RegionStruct(ct.Structure):
    _fields_ = [
        ("size", U64),
        ("host", P),
        ("pages", P),
        ("page_shift", U32),
        ("writable", U32),
        ("rank", I32),
        ("track_init", U32),
        ("init", P),
        ("shadow", P),
        ("depth", P),
    ]


class ShadowStruct(ct.Structure):
    """What the sanitizer knows of one 4-byte word; 1024 a page of 4096 bytes."""

    _fields_ = [
        (n, U32)
        for n in (
            "writer",
            "wseq",
            "wsite",
            "waux",
            "wtime",
            "generation",
            "reader",
            "rseq",
            "rsite",
        )
    ]


class FindingStruct(ct.Structure):
    _fields_ = [
        *(
            (n, U32)
            for n in (
                "kind",
                "site",
                "other_site",
                "kernel",
                "other_kernel",
                "lane",
                "wave",
                "wg",
                "other_wg",
                "count",
            )
        ),
        ("rank", I32),
        ("other_rank", I32),
        ("addr", U64),
        ("clock", U64),
        ("extra", U64),
        ("bid", U32 * 3),
        ("other_bid", U32 * 3),
    ]


class LaunchStruct(ct.Structure):
    _fields_ = [
        ("fn", P),
        ("sites", P),
        ("args", P),
        ("grid", U32 * 3),
        ("block", U32 * 3),
        *(
            (n, U32)
            for n in ("nwg", "nwaves", "lds_bytes", "private_bytes", "kernel", "nstages", "nsites")
        ),
        ("rank", I32),
        *((n, U32) for n in ("first_gid", "started", "finished")),
        ("start_clock", U64),
        ("resident", U32),
        ("after", U32),
        ("end_clock", U64),
        ("counts", P),
        ("depth", P),
    ]


class WaveStruct(ct.Structure):
    _fields_ = [
        ("mask0", U64),
        ("args", P),
        ("io", P),
        ("ops", U64),
        ("index", U32),
        ("budget", U32),
        ("bid", U32 * 3),
        ("grid", U32 * 3),
        ("sp", P),
        ("stack", P),
        ("wg", P),
        ("sim", P),
        ("sites", P),
        ("counts", P),
        ("ops_seen", U64),
        ("state", U32),
        ("last_site", U32),
        ("slept", U32),
        ("nwatch", U32),
        ("watch_since", U64),
        ("watch", ct.c_uint16 * WATCH),
        ("private_mem", P),
        ("private_init", P),
        ("seq", U32),
        ("pad", U32),
        ("K", U32 * MAX_WAVES),
        ("P", U32 * MAX_WAVES),
    ]


class WgStruct(ct.Structure):
    _fields_ = [
        ("launch", P),
        *(
            (n, U32)
            for n in ("gid", "local", "nwaves", "live", "at_barrier", "barriers", "active", "depth")
        ),
        ("bid", U32 * 3),
        ("xcd", U32),
        ("rank", I32),
        ("not_before", U64),
        ("killed_at", U64),
        ("starve", U32),
        ("mark", U32),
        ("lds", P),
        ("lds_init", P),
        ("waves", P),
        ("lds_shadow", P),
        ("known", P),
    ]


class SimStruct(ct.Structure):
    _fields_ = [
        ("regions", P),
        ("nregions", U64),
        ("launches", P),
        ("nlaunches", U32),
        ("nwgs", U32),
        ("wgs", P),
        ("stack_arena", P),
        ("stack_bytes", U64),
        ("nstacks", U64),
        ("free_stacks", P),
        ("nfree", U64),
        ("io", P),
        ("findings", P),
        ("nfindings", U32),
        ("cap_findings", U32),
        *((n, U32) for n in ("order", "shuffle_waves", "quantum", "random_quantum")),
        *(
            (n, U64)
            for n in (
                "rng",
                "tick",
                "clock",
                "rounds",
                "switches",
                "idle_rounds",
                "progress",
                "max_idle",
                "max_clock",
                "idle_cap",
            )
        ),
        *(
            (n, U32)
            for n in (
                "mfma_order",
                "mfma_denormals",
                "trans_rounding",
                "trans_denormals",
                "fp8_overflow",
                "sanitize",
                "checks",
                "xcds",
            )
        ),
        ("main_sp", P),
        ("current", P),
        ("yield_kind", U32),
        ("status", U32),
        ("want_region", U64),
        ("want_page", U64),
        ("active", P),
        *((n, U32) for n in ("nactive", "cap_active", "next_launch_scan", "started_wgs")),
        ("stamp", P),
        ("poll_switches", U64),
        ("stacks_peak", U32),
        ("arch", U32),
        ("stack_peak_bytes", U64),
        ("next_event", I64),
        ("shadow_pages", P),
        ("nshadow", U64),
        ("provide", PROVIDE),
    ]


FINISHED, FAULT, PAGE, DEADLOCK, PAUSED = range(5)
"""What ``kk3_run`` returns."""


class Native:
    """The loaded runtime's functions and the offsets generated code needs."""

    def __init__(self) -> None:
        b = backend()
        self.run: Any = ct.CFUNCTYPE(U32, P, U64)(b.address("kk3_run"))
        self.free: Any = ct.CFUNCTYPE(None, P)(b.address("kk3_free"))
        read = ct.CFUNCTYPE(ct.POINTER(U64), ct.POINTER(U32))(b.address("kk3_layout"))
        n = U32()
        table = read(ct.byref(n))
        got = [table[i] for i in range(n.value)]
        structs = (
            SiteStruct,
            IoStruct,
            RegionStruct,
            FindingStruct,
            LaunchStruct,
            WaveStruct,
            WgStruct,
            SimStruct,
        )
        fields = ("mask0", "args", "io", "ops", "index", "budget", "bid", "grid")
        self.layout = {name: getattr(WaveStruct, name).offset for name in fields}
        want = [ct.sizeof(s) for s in structs] + list(self.layout.values())
        want += [IoStruct.a32.offset, IoStruct.a64.offset, IoStruct.data.offset]
        want += [ct.sizeof(ShadowStruct), ShadowStruct.writer.offset, ShadowStruct.wsite.offset]
        if got[: len(want)] != want or got[-1] != len(COUNTS):
            raise BackendError(f"the runtime's layout must be {want}, got {got}")
        self.architecture = 0 if architecture() == "x86_64" else 1


@functools.cache
def native() -> Native:
    """The process's runtime."""
    return Native()
