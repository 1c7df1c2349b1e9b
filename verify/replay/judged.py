"""A launch that has been made, judged against the reference's bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from verify.candidates import LayerCall
from verify.data import CandidateInfo, Check, Verdict, worst_verdict
from verify.inputs import Case
from verify.run import failures, verify_case


class Recorded:
    """The values of an earlier launch in a candidate's place."""

    name = "recorded"
    description = "values of an earlier launch"

    def __init__(self, taps: Sequence[Mapping[str, Tensor]]):
        self._taps = [{n: t.cpu() for n, t in values.items()} for values in taps]

    def available(self) -> tuple[bool, str]:
        return True, "recorded"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        inner = []
        for buffers, values in zip(call.buffers, self._taps, strict=True):
            for name, buffer in buffers.items():
                buffer.copy_(values[name])
            inner.append({n: t for n, t in values.items() if n not in buffers})
        return inner


def judge_taps(
    name: str,
    case: Case,
    taps: Sequence[Mapping[str, Tensor]],
    info: CandidateInfo,
    command: str,
) -> Check:
    """The stages' criteria, as one check.

    Args:
        name: the check's.
        case: what was launched.
        taps: everything it left.
    """
    record = verify_case(case, Recorded(taps), info, command).record
    verdict = worst_verdict(r.verdict for s in record.stages for r in s.outputs if not r.covered_by)
    found = [f"{where}: {check.name}: {check.message}" for where, check in failures(record)]
    if found:
        return Check.none_of(name, found)
    open_ = [
        f"{s.stage}.{r.output}"
        for s in record.stages
        for r in s.outputs
        if r.verdict is Verdict.NOT_CHECKED and not r.covered_by
    ]
    message = f"not checked: {', '.join(open_)}" if open_ else ""
    return Check(name=name, verdict=verdict, message=message)
