"""How simulated runs go into a record."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from verify.candidates.base import RunOptions
from verify.data import Build, Simulation

if TYPE_CHECKING:
    from kk3fast.compile import BuildIdentity
    from kk3fast.sim import Result


def simulation_record(result: Result, options: RunOptions) -> Simulation:
    """What a run did, and under which models."""
    from kk3fast.sim import Models

    return Simulation(
        schedule=result.schedule.describe(),
        models=asdict(Models(mfma_order=options.mfma_order)),
        sanitize=options.sanitize,
        virtual_us=result.virtual_seconds * 1e6,
        wave_ops=result.wave_ops,
        seconds=result.seconds,
        longest_chain=result.longest_chain,
        findings=[str(finding) for finding in result.findings],
    )


def build_record(identity: BuildIdentity) -> Build:
    """A compiled build's identity."""
    return Build(**(asdict(identity) | {"parameters": dict(identity.parameters)}))
