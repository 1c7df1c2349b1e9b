"""A layer whose ranks run in processes of their own: the followers' part, and what is compared."""

from __future__ import annotations

from collections.abc import Callable

from verify.candidates import Candidate
from verify.checks.compare import differences
from verify.data import Check
from verify.inputs import Case
from verify.launch import Launched, Storage, check_layer, launch
from verify.placement import Placement
from verify.sequence import follow

Progress = Callable[[str], None]
ONE_PROCESS = "one_process"


def attend(case: Case, candidate: Candidate, place: Placement, sequence: bool) -> None:
    """What a follower does while rank 0 runs ``verify_case``: every launch, and no judgement.

    Raises:
        CandidateError: what the candidate gave does not fit the layer.
    """
    storage = Storage(place)
    first = launch(case, candidate, storage, _silent)
    place.merged(check_layer(first))
    process_checks(first, candidate, place)
    for followed in follow(first, candidate, storage, _silent) if sequence else ():
        if followed.launched is not None:
            place.merged([*check_layer(followed.launched), *followed.checks])


def process_checks(first: Launched, candidate: Candidate, place: Placement) -> list[Check]:
    """The links that were crossed, and the same step with all ranks in rank 0's process.

    Nothing where all ranks run in this process anyway.
    """
    if place.ranks is None:
        return []
    problems: list[str] = []
    if not place.follower:
        storage = Storage(Placement(place.device))
        together = launch(first.case, candidate, storage, _silent)
        problems = differences(together.taps, first.taps)
    checks = [Check.none_of(ONE_PROCESS, problems), place.ranks.links()]
    return place.merged(checks)


def _silent(text: str) -> None:
    """Rank 0 shows the progress."""
