"""A request alone and among others: batch invariance, or at least both within the bound."""

from __future__ import annotations

from collections.abc import Callable

from kk3ref.stages import Role
from verify.candidates import Candidate
from verify.data import CandidateInfo, Check, Verdict
from verify.inputs import Case
from verify.memory import same_bits
from verify.replay.judged import judge_taps
from verify.replay.launch import Taps
from verify.replay.variants import BY_REQUEST, alone, rows_of


def alone_checks(
    case: Case,
    among: Taps,
    fresh: Callable[[Case], Taps],
    candidate: Candidate,
    progress: Callable[[str], None],
) -> list[Check]:
    """The first and the last live request (a layer without state: row) by themselves.

    Args:
        among: everything the full step left.
        fresh: launches a case.

    Returns:
        one check a request: bit for bit where the candidate declares ``batch_invariant``, otherwise
        the lone step within the derived bound; the message says which held and how much differs.
    """
    stateless = not set(case.inputs[0]) & set(BY_REQUEST)
    count = case.step.rows if stateless else case.step.requests - case.step.padded
    if count < 2:
        return []
    declared = bool(getattr(candidate, "batch_invariant", False))
    what = "row" if stateless else "request"
    checks = []
    for number in (0, count - 1):
        progress(f"alone: {what} {number}")
        single = alone(case, number)
        taps = fresh(single)
        differ, elements = _differing(case, single, number, among, taps)
        name = f"alone_{what}_{number}"
        told = f"{differ} of {elements} elements differ from the {what} among others"
        if differ == 0:
            checks.append(Check(name=name, verdict=Verdict.PASS, message="bit for bit"))
        elif declared:
            told += "; the candidate declares batch invariance"
            checks.append(Check.none_of(name, [told], differ))
        else:
            info = CandidateInfo(name=candidate.name, description=candidate.description)
            check = judge_taps(name, single, taps, info, "")
            if check.verdict is Verdict.PASS:
                told += "; within the derived bound (batch invariance is not declared)"
            message = f"{told}\n{check.message}".strip()
            checks.append(check.model_copy(update={"message": message}))
    return checks


def _differing(case: Case, single: Case, number: int, among: Taps, taps: Taps) -> tuple[int, int]:
    """How many elements of the request differ, and how many there are."""
    rows, written = rows_of(case, number), single.written()
    roles = case.layer.roles
    differ = elements = 0
    for full, lone in zip(among, taps, strict=True):
        for name, mine in lone.items():
            theirs = full.get(name)
            if theirs is None:
                continue
            if roles[name] is Role.STATE:
                if name not in written:  # the blocks: by row
                    theirs = theirs[rows]
                else:
                    mask = written[name].to(mine.device)
                    mine, theirs = mine[mask], theirs[mask]
            elif theirs.shape[:1] == (case.step.rows,):
                theirs = theirs[rows]
            if mine.shape != theirs.shape:
                differ, elements = differ + mine.numel(), elements + mine.numel()
                continue
            differ += int((~same_bits(mine, theirs)).sum())
            elements += mine.numel()
    return differ, elements
