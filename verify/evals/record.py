"""The evidence of one eval: pydantic models, one JSON file."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from verify.data import Check, Environment, Verdict

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class Served(_Model):
    """What a server with kk3's plugin told of itself, and what it did between two readings."""

    deployment: str
    """sha256 over model, ranks, widths, builds and versions: what a certificate certifies"""
    model: str
    """sha256 of the model's configuration"""
    tp: int
    """tensor-parallel ranks"""
    backend: str
    """``kk3`` or ``latency_specialized``"""
    kernels: str
    """``flydsl``, ``contract`` or ``simulated``"""
    opens: str
    """what its certificate opened"""
    device: str
    """GPU architecture of its workers, or ``cpu``"""
    planned: int
    """steps that ran the fused layers"""
    stock: int
    """steps of vLLM's layers"""


class Side(_Model):
    """What gave the answers of one side."""

    name: str
    """``off``, ``on``, or ``off again`` in an A/A run"""
    source: str
    """address of the server, or the logs' folder"""
    model: str
    """served model name"""
    mean_acceptance_length: float | None = None
    """tokens a speculative step over the whole run, 1 + accepted/drafts; None: not served"""
    served: Served | None = None
    """its gate's own account; None: it has no kk3 gate, or it changed during the run"""


class SideScore(_Model):
    """One side's answers to one task."""

    score: float
    """mean over the questions"""
    lower: float | None
    """lower confidence limit, clustered by question"""
    upper: float | None
    """upper confidence limit"""
    empty: int
    """answers without text"""
    malformed: int
    """answers in which the task's filter found nothing"""
    cut_off: int
    """answers that ended at the token limit, where the server says so"""


class Given(_Model):
    """One side's answer to one question."""

    right: bool
    """scored at least 0.5"""
    score: float
    """0 to 1"""
    answer: str
    """what the task's filter took"""
    text: str
    """what was generated, its last part if it is long"""


class Disagreement(_Model):
    """A question that the sides scored differently."""

    document: str
    """document id"""
    sample: int
    """which of the k samples"""
    question: str
    """end of the prompt"""
    target: str
    """expected answer"""
    off: Given
    """first side"""
    on: Given
    """second side"""


class Limits(_Model):
    """A confidence interval, as fractions."""

    lower: float
    """lower limit"""
    upper: float
    """upper limit"""
    confidence: float
    """two-sided level"""
    method: str
    """``tango`` (one answer a question, right or wrong) or ``clustered t``"""


class Excess(_Model):
    """off/on disagreement against that of the off/off control, on the same questions."""

    control_discordance: float
    """share of questions on which off disagreed with itself"""
    discordance: float
    """share on which on disagrees with off"""
    p: float
    """exact, two-sided"""
    p_holm: float
    """corrected over the tasks"""


class TaskResult(_Model):
    """One task."""

    task: str
    """name"""
    questions: int
    """different documents"""
    samples: int
    """answers a document, k"""
    off: SideScore
    """first side"""
    on: SideScore
    """second side"""
    difference: float
    """mean score on minus off"""
    b: int
    """answers right only off"""
    c: int
    """answers right only on"""
    p: float
    """two-sided: exact McNemar, or the clustered t test"""
    p_holm: float
    """corrected over the tasks"""
    interval: Limits
    """of the difference"""
    non_inferior: bool
    """the interval's lower limit is above −margin"""
    equivalent: bool
    """the whole interval is within ±margin"""
    detectable_difference: float | None
    """true difference the exact test finds at the wanted power; None: none, or k > 1"""
    discordance: float
    """share of answers right on one side only"""
    discordance_lower: float
    """lower limit (Clopper–Pearson; of one answer a question)"""
    discordance_upper: float
    """upper limit"""
    excess: Excess | None = None
    """against a control, where one was given"""
    same_text: float
    """share of answers that are the same text"""
    disagreements: list[Disagreement]
    """every answer scored differently"""
    scores: list[tuple[str, int, float, float]]
    """every answer: document, sample, score off, score on"""
    questions_digest: str
    """sha256 of the documents and prompts: what a control must share"""
    verdict: Verdict
    """of this task"""
    reason: str
    """why"""


class EvalRecord(_Model):
    """Accuracy of two servers, or of one server twice, on the same questions."""

    schema_version: int = SCHEMA_VERSION
    """version of this schema"""
    kind: Literal["eval"] = "eval"
    """what tells this record from others"""
    title: str
    """one line"""
    created: str
    """UTC time, ISO 8601"""
    command: str
    """the command that makes this record again"""
    environment: Environment
    """where the client ran"""
    mode: Literal["off/on", "A/A"]
    """two servers, or one twice"""
    sides: list[Side]
    """first, second"""
    alpha: float
    """two-sided level"""
    margin: float
    """largest loss that counts as none, fixed before the run"""
    power: float
    """of the detectable difference"""
    generation: dict[str, str | int | float | bool]
    """what was asked of the servers beside the tasks' own settings"""
    tasks: list[TaskResult]
    """in the order they were run"""
    checks: list[Check]
    """of the whole run"""
    verdict: Verdict
    """worst of tasks and checks"""
    seconds: float
    """wall time"""
