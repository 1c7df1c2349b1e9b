"""The evidence of one multi-step run."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from verify.data import Build, CandidateInfo, Check, Environment, Verdict

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class Growth(_Model):
    """Errors of one value of one layer at one range of ages."""

    view: str
    """``state``: only the state is the shadow's own; ``depth``: everything but picks and codes"""
    what: str
    """value compared"""
    layer: int
    """0-based decoder layer"""
    ages: tuple[int, int]
    """first and last age, in steps since the request's prefill"""
    lives: int
    """requests that reached these ages"""
    candidate: float
    """mean of the candidate's relative L2 error: the geometric mean of ``e + f``, less ``f``"""
    baseline: float
    """the same of the baseline, on the same tokens and accepted counts"""
    ratio: float
    """geometric mean over the lives of (candidate + f) / (baseline + f)"""
    limit: float
    """what that mean must not exceed"""
    worst_life: float
    """the largest ratio of one life"""
    life_limit: float
    """what one life must not exceed"""


class Flips(_Model):
    """Discrete values the free-running float64 shadow would have chosen otherwise."""

    what: str
    """tap"""
    candidate: int
    """of the candidate's run"""
    baseline: int
    """of the baseline's run"""
    limit: float
    """what the candidate's must not exceed"""


class StepsRecord(_Model):
    """Error growth over many decode steps, beside the baseline's."""

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
    preset: str
    """preset or configuration source"""
    config_digest: str = ""
    """sha256 of the configuration"""
    weights: str
    """``synthetic:<seed>`` or the checkpoint's digest"""
    tp: int
    """tensor-parallel ranks"""
    seed: int
    """seed of the traffic"""
    steps: int
    """decode steps"""
    requests: int
    """requests a step"""
    drafts: int
    """speculative tokens a request"""
    layers: list[int]
    """decoder layers the candidate ran"""
    kinds: list[str]
    """fused layers the candidate ran"""
    coverage: dict[str, int]
    """what happened in the run"""
    checks: list[Check]
    """in order"""
    growth: list[Growth]
    """by view, value, layer and age"""
    flips: list[Flips]
    """by discrete value"""
    notes: list[str]
    """what could not be compared"""
    csv: str = ""
    """errors by step, beside the record"""
    plot: str = ""
    """PNG, if matplotlib is installed"""
    builds: list[Build] = []
    """compiled kernels that were run, each once"""
    hardware: Verdict = Verdict.NOT_CHECKED
    """verdict on the target accelerator; never ``pass`` for a run elsewhere"""
    verdict: Verdict
    """worst of the checks"""
    seconds: float
    """wall time"""
