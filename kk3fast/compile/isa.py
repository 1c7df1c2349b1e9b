"""Figures read from AMDGPU assembly text: registers, LDS, occupancy, instruction counts.

They describe the code as compiled, not as run: a load in a loop counts once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from kk3fast.compile.errors import CompileError

# CDNA3/CDNA4: 512 unified VGPRs a lane and SIMD, given out by eights; 4 SIMDs of at most 8 waves.
_VGPRS_A_SIMD, _VGPR_STEP, _SIMDS, _WAVES_A_SIMD, _WAVE = 512, 8, 4, 8, 64
_LDS_BYTES = {"gfx942": 64 * 1024, "gfx950": 160 * 1024}

_MEMORY = re.compile(r"(?:buffer|global|flat)_(load|store|atomic)_?(\w*)")
_WIDTH = {"dwordx4": 16, "dwordx3": 12, "dwordx2": 8, "dword": 4, "ushort": 2, "short": 2}
_WIDTH |= {"sshort": 2, "ubyte": 1, "sbyte": 1, "byte": 1}
_COUNTER = re.compile(r"(?:vmcnt|lgkmcnt|expcnt)\(\d+\)")


@dataclass(frozen=True)
class IsaFacts:
    """Static facts about one kernel. Counts are of instructions in the text, widths per lane."""

    kernel: str
    target: str
    workgroup_size: int
    """Largest workgroup the kernel was compiled for, in threads."""
    vgpr: int
    agpr: int
    sgpr: int
    allocated_vgpr: int
    """Unified vector registers a wave takes, AGPRs and alignment included."""
    lds_bytes: int
    scratch_bytes: int
    """Private segment per thread."""
    vgpr_spills: int
    sgpr_spills: int
    kernarg_bytes: int
    waves_per_simd: int
    """Waves of this kernel that a SIMD's registers hold, at most 8."""
    workgroups_per_cu: int
    """Resident workgroups a CU, by registers and LDS together."""
    instructions: int
    mfma: Mapping[str, int]
    """MFMA instructions by mnemonic."""
    waits: Mapping[str, int]
    """``s_waitcnt`` operands, e.g. ``vmcnt(0)``; one instruction may count twice."""
    loads: Mapping[str, int]
    """Vector memory loads by cache policy: ``plain``, ``nt``, ``sc1``, ``sc0 sc1``, …"""
    stores: Mapping[str, int]
    atomics: Mapping[str, int]
    load_bytes: Mapping[str, int]
    """Bytes a lane loads by cache policy."""
    store_bytes: Mapping[str, int]
    lds_reads: int
    lds_writes: int
    scratch_accesses: int
    scalar_loads: int
    barriers: int
    sleeps: int
    branches: int


def kernel_names(isa: str) -> list[str]:
    """The kernels defined in an assembly text, in order."""
    return re.findall(r"^\s*\.amdhsa_kernel (\S+)", isa, re.MULTILINE)


def static_facts(isa: str, kernel: str | None = None) -> IsaFacts:
    """Facts about ``kernel``, or about the only kernel of the text.

    Raises ``CompileError`` where that kernel is not there or a figure cannot be found.
    """
    names = kernel_names(isa)
    if kernel is None and len(names) == 1:
        kernel = names[0]
    if kernel is None or kernel not in names:
        raise CompileError(f"one of the kernels {names} must be named, got {kernel!r}")
    figures = _Figures(isa, kernel)
    counts = _Counts(_body(isa, kernel))
    total, lds = figures.directive("next_free_vgpr"), figures.directive("group_segment_fixed_size")
    size = figures.metadata("max_flat_workgroup_size")
    target = figures.target()
    waves = min(_WAVES_A_SIMD, _VGPRS_A_SIMD // max(_VGPR_STEP, _round_up(total)))
    return IsaFacts(
        kernel=kernel,
        target=target,
        workgroup_size=size,
        vgpr=figures.symbol("num_vgpr"),
        agpr=figures.symbol("num_agpr"),
        sgpr=figures.symbol("numbered_sgpr"),
        allocated_vgpr=_round_up(total),
        lds_bytes=lds,
        scratch_bytes=figures.directive("private_segment_fixed_size"),
        vgpr_spills=figures.metadata("vgpr_spill_count"),
        sgpr_spills=figures.metadata("sgpr_spill_count"),
        kernarg_bytes=figures.directive("kernarg_size"),
        waves_per_simd=waves,
        workgroups_per_cu=_workgroups(waves, size, lds, target),
        instructions=counts.mnemonics.total(),
        mfma=_sorted({n: c for n, c in counts.mnemonics.items() if "mfma" in n}),
        waits=_sorted(counts.waits),
        loads=_sorted(counts.accesses["load"]),
        stores=_sorted(counts.accesses["store"]),
        atomics=_sorted(counts.accesses["atomic"]),
        load_bytes=_sorted(counts.bytes["load"]),
        store_bytes=_sorted(counts.bytes["store"]),
        lds_reads=counts.starting("ds_read"),
        lds_writes=counts.starting("ds_write"),
        scratch_accesses=counts.starting("scratch_"),
        scalar_loads=counts.starting("s_load", "s_buffer_load"),
        barriers=counts.starting("s_barrier"),
        sleeps=counts.starting("s_sleep"),
        branches=counts.starting("s_branch", "s_cbranch"),
    )


def _round_up(registers: int) -> int:
    return -(-registers // _VGPR_STEP) * _VGPR_STEP


def _workgroups(waves_a_simd: int, size: int, lds: int, target: str) -> int:
    waves = -(-size // _WAVE)
    by_registers = waves_a_simd * _SIMDS // waves
    available = _LDS_BYTES.get(target)
    if available is None:
        raise CompileError(f"the LDS size of {target} is known for {sorted(_LDS_BYTES)} only")
    return min(by_registers, available // lds) if lds else by_registers


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    def natural(item: tuple[str, int]) -> list[tuple[int, str]]:
        return [(int(p or 0), t) for t, p in re.findall(r"(\D*)(\d*)", item[0])]

    return dict(sorted(counts.items(), key=natural))


def _body(isa: str, kernel: str) -> list[str]:
    lines = isa.splitlines()
    start = lines.index(f"{kernel}:") + 1
    end = next((i for i in range(start, len(lines)) if lines[i].startswith(".Lfunc_end")), None)
    return lines[start:end]


class _Figures:
    """Numbers of one kernel in the directives, symbols and metadata of a text."""

    def __init__(self, isa: str, kernel: str) -> None:
        self.isa, self.kernel = isa, kernel
        begin = isa.index(f".amdhsa_kernel {kernel}\n")
        self.block = isa[begin : isa.index(".end_amdhsa_kernel", begin)]
        entries = re.split(r"^  - ", isa[isa.index("amdhsa.kernels:") :], flags=re.MULTILINE)
        own = [e for e in entries if re.search(rf"\.name:\s+{re.escape(kernel)}\s", e)]
        self.entry = own[0] if own else ""

    def _number(self, pattern: str, text: str) -> int:
        found = re.search(pattern, text)
        if not found:
            raise CompileError(f"the assembly of {self.kernel} has no {pattern}")
        return int(found.group(1))

    def directive(self, name: str) -> int:
        return self._number(rf"\.amdhsa_{name} (\d+)", self.block)

    def symbol(self, name: str) -> int:
        return self._number(rf"\.set \.L{re.escape(self.kernel)}\.{name}, (\d+)", self.isa)

    def metadata(self, name: str) -> int:
        return self._number(rf"\.{name}:\s+(\d+)", self.entry)

    def target(self) -> str:
        found = re.search(r"\.amdgcn_target \"\S*?(gfx\w+)", self.isa)
        return found.group(1) if found else "unknown"


class _Counts:
    """Instructions of a kernel body by mnemonic, wait operand and cache policy."""

    def __init__(self, body: list[str]) -> None:
        self.mnemonics: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()
        self.accesses = {k: Counter[str]() for k in ("load", "store", "atomic")}
        self.bytes = {k: Counter[str]() for k in ("load", "store", "atomic")}
        for line in body:
            words = line.split(";")[0].split(None, 1)
            if not words or not line[:1].isspace() or words[0].startswith("."):
                continue
            mnemonic, operands = words[0], words[1] if len(words) > 1 else ""
            self.mnemonics[mnemonic] += 1
            if mnemonic == "s_waitcnt":
                self.waits.update(_COUNTER.findall(operands))
            access = _MEMORY.fullmatch(mnemonic)
            if access:
                flags = operands.split()
                policy = " ".join(b for b in ("sc0", "sc1", "nt") if b in flags) or "plain"
                self.accesses[access.group(1)][policy] += 1
                self.bytes[access.group(1)][policy] += _width(access.group(2))

    def starting(self, *prefixes: str) -> int:
        return sum(c for n, c in self.mnemonics.items() if n.startswith(prefixes))


def _width(suffix: str) -> int:
    return next((n for name, n in _WIDTH.items() if suffix.startswith(name)), 0)
