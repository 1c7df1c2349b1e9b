"""A compiled simulator of FlyDSL kernels for gfx950: runs, checks and counts them on any CPU."""

from kk3fast.sim.backend import BackendError
from kk3fast.sim.codegen.kernel import UnknownOperation
from kk3fast.sim.findings import Finding, SimulationError, SimulationTimeout
from kk3fast.sim.kernel import CompiledKernel, compile_kernel
from kk3fast.sim.memory import Region
from kk3fast.sim.models import Models
from kk3fast.sim.native import COUNTS
from kk3fast.sim.result import LaunchCounts, Result
from kk3fast.sim.schedule import TICKS_PER_SECOND, Kill, Schedule, Stall, Starve
from kk3fast.sim.simulator import Simulator
from kk3fast.sim.syntax import ReadError
from kk3fast.sim.writers import Writer, Writers

__all__ = [
    "COUNTS",
    "TICKS_PER_SECOND",
    "BackendError",
    "CompiledKernel",
    "Finding",
    "Kill",
    "LaunchCounts",
    "Models",
    "ReadError",
    "Region",
    "Result",
    "Schedule",
    "SimulationError",
    "SimulationTimeout",
    "Simulator",
    "Stall",
    "Starve",
    "UnknownOperation",
    "Writer",
    "Writers",
    "compile_kernel",
]
