"""The evidence of one replay run."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from verify.data import Build, CandidateInfo, Check, Environment, Simulation, StepInfo, Verdict

SCHEMA_VERSION = 1


class ReplayRecord(BaseModel):
    """What was launched over one memory, how often, and what was equal to what."""

    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )

    schema_version: int = SCHEMA_VERSION
    """version of this schema"""
    created: str
    """UTC time, ISO 8601"""
    command: str
    """the command that makes this record again"""
    environment: Environment
    """where"""
    candidate: CandidateInfo
    """what"""
    mode: str
    """``graph replay``, ``piecewise graph replay``, ``simulated replay`` or ``eager replay``"""
    notes: list[str]
    """what the mode leaves out, e.g. stages that could not be captured"""
    layer: str
    """layer kind"""
    layer_index: int
    """0-based decoder layer"""
    preset: str
    """preset or configuration source"""
    config_digest: str = ""
    """sha256 of the configuration"""
    weights: str
    """``synthetic:<seed>`` or the checkpoint's digest"""
    tp: int
    """tensor-parallel ranks"""
    seed: int
    """seed of the inputs"""
    family: str
    """input family"""
    step: StepInfo
    """the captured step"""
    launches: int
    """launches on the same inputs"""
    calls: int
    """back-to-back calls"""
    checks: list[Check]
    """every comparison"""
    builds: list[Build] = []
    """compiled kernels that were launched"""
    simulation: Simulation | None = None
    """how they were simulated, if they were"""
    hardware: Verdict = Verdict.NOT_CHECKED
    """verdict on the target accelerator; never ``pass`` for a run elsewhere"""
    verdict: Verdict
    """worst of the checks"""
    seconds: float
    """wall time"""
