"""The evidence record of one verification: pydantic models, one JSON file a run."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from verify.data.errors import Errors

SCHEMA_VERSION = 1
MAX_MESSAGES = 4
"""Messages a check keeps."""


class Verdict(str, enum.Enum):
    """Outcome of a check, a stage or a run."""

    PASS = "pass"
    FAIL = "fail"
    NOT_CHECKED = "not_checked"

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 2 could not check."""
        return {"pass": 0, "fail": 1, "not_checked": 2}[self.value]


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """fail before not_checked before pass; nothing at all is not_checked."""
    seen = set(verdicts)
    for verdict in (Verdict.FAIL, Verdict.NOT_CHECKED, Verdict.PASS):
        if verdict in seen:
            return verdict
    return Verdict.NOT_CHECKED


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class Worst(_Model):
    """The element that came nearest to, or went farthest over, its bound."""

    index: list[int]
    """element index within the rank's tensor"""
    rank: int
    """tensor-parallel rank"""
    candidate: float
    """the candidate's value"""
    oracle: float
    """the float64 value from the candidate's own stage inputs"""
    error: float
    """``|candidate - oracle|``"""
    bound: float
    """derived bound of this element"""
    point: str
    """rounding point with the largest share of the bound"""
    points: dict[str, float]
    """share of each rounding point in the bound, in the element's units"""


class Metrics(_Model):
    """Figures of an output, over all ranks."""

    max_error: float
    """largest absolute error against the oracle"""
    max_over_bound: float
    """largest error divided by its own bound; above 1 fails"""
    nrmse: float
    """root mean square error over root mean square of the oracle"""
    worst_row: int
    """row with the largest relative L2 error"""
    worst_row_rel_l2: float
    """that error"""
    baseline_error: float | None = None
    """largest error of the baseline precision on the same inputs"""
    equal_fraction: float
    """share of elements equal to the oracle rounded to the output's dtype"""
    bound_width: float
    """median bound over the root mean square of the values; above 1 the bound shows nothing"""
    flips: int = 0
    """discrete values (ids, codes) that differ within the oracle's margin"""


class Check(_Model):
    """One criterion applied to one output."""

    name: str
    """criterion: ``dtype``, ``finite``, ``exact``, ``bound``, ``ratio``, ``picks``, …"""
    verdict: Verdict
    """outcome"""
    value: float | None = None
    """what was measured"""
    limit: float | None = None
    """what it must not exceed"""
    message: str = ""
    """for a failure: stage, index, rank, rounding point, and what was expected"""

    @classmethod
    def none_of(cls, name: str, problems: Sequence[str], count: int | None = None) -> Check:
        """A check that allows no problem.

        Args:
            problems: one message each; the first few are kept.
            count: how many there are, where a message stands for several.
        """
        count = len(problems) if count is None else count
        message = "\n".join(problems[:MAX_MESSAGES])
        if count > MAX_MESSAGES:
            message += f"\n{count} in all"
        verdict = Verdict.FAIL if problems else Verdict.PASS
        return cls(name=name, verdict=verdict, value=float(count), limit=0.0, message=message)

    @classmethod
    def unbounded(cls, count: int, what: str) -> Check:
        """Discrete values without a finite bound: they show nothing, so they do not pass."""
        message = f"no finite bound for {what}"
        verdict = Verdict.NOT_CHECKED
        return cls(name="bounded", verdict=verdict, value=float(count), limit=0.0, message=message)

    @classmethod
    def flips(cls, count: int, what: str) -> Check:
        """How many discrete values differ from the oracle's within its margin."""
        message = f"{what} that differ from the oracle's within its margin"
        return cls(name="flips", verdict=Verdict.PASS, value=float(count), message=message)


class OutputReport(_Model):
    """One output of one stage."""

    output: str
    """tap name"""
    kind: str
    """how it is judged"""
    verdict: Verdict
    """worst of its checks"""
    checks: list[Check]
    """every criterion applied"""
    elements: int = 0
    """elements that were compared, over the ranks; what ranks share counts once"""
    covered_by: str | None = None
    """for an output the candidate does not expose: the stage it was judged together with"""
    metrics: Metrics | None = None
    """figures, where the output has values to compare"""
    worst: Worst | None = None
    """the worst element"""
    saved: str | None = None
    """safetensors file with candidate, oracle and bound, for a failing output"""
    errors: Errors | None = None
    """where its errors are and how large, in small"""


class StageReport(_Model):
    """One stage."""

    stage: str
    """stage name"""
    scope: str
    """rank, replicated or collective"""
    verdict: Verdict
    """worst of its outputs"""
    outputs: list[OutputReport]
    """in the order the stage gives them"""
    note: str = ""
    """e.g. which inputs the candidate does not expose"""


class EndToEnd(_Model):
    """Free-running comparison of a layer output; informative."""

    output: str
    """tap name"""
    cosine: float
    """cosine similarity with the free-running oracle"""
    rel_l2: float
    """relative L2 error"""
    worst_row_rel_l2: float
    """the worst row's relative L2 error"""
    upstream: str = ""
    """the threshold used upstream for this tensor"""


class Vacuity(_Model):
    """Proof that the inputs could have failed: a planted fault and what it did."""

    fault: str
    """what was planted"""
    stage: str
    """stage it was planted in"""
    seen: bool
    """whether the checks caught it on these inputs"""
    by: list[str]
    """criteria that failed"""


class StepInfo(_Model):
    """The step that was run."""

    rows: int
    """rows of the step, S"""
    drafts: int
    """speculative tokens a request"""
    requests: int
    """requests, R; rows = requests·(drafts + 1)"""
    accepted: list[int]
    """accepted rows of each request's previous step"""
    padded: int
    """requests that are padding (null slot)"""


class LaunchReport(_Model):
    """A launch that followed on the same memory, with other inputs and metadata."""

    launch: str
    """``reordered``, ``one-request``, ``padded``, ``among`` or ``alone``"""
    step: StepInfo
    """its step"""
    ranks: list[int]
    """ranks whose stages were judged; the layer's checks are of all ranks"""
    stages: list[StageReport]
    """in layer order"""
    checks: list[Check]
    """checks of the whole layer"""
    verdict: Verdict
    """worst of stages and checks"""
    note: str = ""
    """why it was not run"""


class Build(_Model):
    """A compiled kernel that was run, named by its digests."""

    kernel: str
    """symbol"""
    ir_sha256: str
    """of the kernel-level IR text, without locations"""
    isa_sha256: str | None
    """of the ISA text; never of the ELF, whose bytes depend on the linker"""
    source_digest: str
    """of the kernel sources"""
    parameters: dict[str, str | int | float | bool | None]
    """build parameters"""
    flydsl_version: str
    """compiler version"""
    target: str
    """GPU architecture"""


class Simulation(_Model):
    """A run of compiled kernels on the simulator, in place of the hardware."""

    schedule: str
    """how waves were interleaved; repeats the run"""
    models: dict[str, str]
    """choices where the hardware's rounding is a model"""
    sanitize: bool
    """whether scopes, waits and barriers were followed"""
    virtual_us: float
    """the simulator's clock at the end; not a prediction of time on hardware"""
    wave_ops: int
    """operations executed, one a wave"""
    seconds: float
    """wall time"""
    longest_chain: int
    """longest chain of dependent hand-offs between workgroups"""
    findings: list[str]
    """what the simulator reported"""


class CandidateInfo(_Model):
    """What was verified."""

    name: str
    """candidate name or ``path.py:factory``"""
    description: str = ""
    """one line"""
    source_digest: str | None = None
    """sha256 of the file it was loaded from"""


class Environment(_Model):
    """Where the run took place."""

    kk3: str
    """kk3 version"""
    python: str
    """Python version"""
    torch: str
    """torch version"""
    platform: str
    """operating system and machine"""
    device: str
    """where the candidate ran"""
    threads: int
    """torch threads"""
    driver: str | None = None
    """GPU driver"""
    clocks: str | None = None
    """GPU clocks as they were found after the run"""
    accelerator: str | None = None
    """the target accelerator, e.g. ``8 × gfx950``, if the candidate's kernels ran on it"""
    harness: str = ""
    """sha256 of the sources of reference and harness"""


class Record(_Model):
    """The evidence of one run of one layer on one input family."""

    schema_version: int = SCHEMA_VERSION
    """version of this schema"""
    created: str
    """UTC time, ISO 8601"""
    command: str
    """the command that made this record, and makes it again"""
    environment: Environment
    """where"""
    candidate: CandidateInfo
    """what"""
    layer: str
    """layer kind"""
    layer_index: int
    """0-based decoder layer"""
    preset: str
    """preset or configuration source"""
    config_digest: str
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
    """the step"""
    stages: list[StageReport]
    """in layer order"""
    layer_checks: list[Check]
    """checks of the whole layer: ranks, pools, guard bands, padding"""
    end_to_end: list[EndToEnd]
    """informative free-running figures"""
    vacuity: list[Vacuity]
    """what the inputs were shown to catch"""
    launches: list[LaunchReport] = []
    """launches that followed on the same memory"""
    builds: list[Build] = []
    """compiled kernels that were run"""
    simulation: Simulation | None = None
    """how they were simulated, if they were"""
    hardware: Verdict = Verdict.NOT_CHECKED
    """verdict on the target accelerator; never ``pass`` for a run elsewhere"""
    verdict: Verdict
    """worst of stages, layer checks, vacuity and launches"""
    seconds: float
    """wall time of the run"""
    peak_memory_mb: float
    """peak resident memory of the process, MiB"""
