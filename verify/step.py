"""The shape of a speculative step: how many requests bring how many rows."""

from __future__ import annotations

import random
from dataclasses import dataclass

MAX_ROWS = 8


class UsageError(ValueError):
    """Something asked for cannot be done; the message lists every reason."""


@dataclass(frozen=True)
class Step:
    """One uniform step.

    Attributes:
        requests: R.
        drafts: speculative tokens a request, L - 1.
        accepted: accepted rows of each request's previous step, each in 1…L.
        padded: how many of the last requests are padding.
    """

    requests: int
    drafts: int
    accepted: tuple[int, ...]
    padded: int = 0

    @property
    def width(self) -> int:
        """Rows a request, L."""
        return self.drafts + 1

    @property
    def rows(self) -> int:
        """Rows of the step, S = R·L."""
        return self.requests * self.width

    @property
    def live_rows(self) -> int:
        """Rows of requests that are not padding."""
        return (self.requests - self.padded) * self.width

    @classmethod
    def resolve(
        cls,
        rows: int | None = None,
        drafts: int | None = None,
        requests: int | None = None,
        accepted: tuple[int, ...] | None = None,
        padded: int = 0,
        seed: int = 0,
    ) -> Step:
        """Fill in what was not given: 8 rows, 3 drafts (fewer where rows demand it), random counts.

        Raises:
            UsageError: lists everything that does not fit together.
        """
        problems: list[str] = []
        if rows is None:
            rows = MAX_ROWS if requests is None or drafts is None else requests * (drafts + 1)
        if drafts is None:
            if requests is not None:
                if requests > 0 and rows % requests == 0:
                    drafts = rows // requests - 1
                else:
                    problems.append(f"--requests must divide --rows {rows}, got {requests}")
                    drafts = 0
            else:
                drafts = next(d for d in (3, 1, 0) if rows % (d + 1) == 0)
        width_known = not problems  # else the counts have nothing to be judged by
        if requests is None:
            requests = rows // (drafts + 1) if drafts >= 0 else 0
        if not 1 <= rows <= MAX_ROWS:
            problems.append(f"--rows must be in 1…{MAX_ROWS}, got {rows}")
        if drafts < 0:
            problems.append(f"--drafts must be 0 or more, got {drafts}")
        elif not problems and requests * (drafts + 1) != rows:
            problems.append(
                f"--rows must be requests·(drafts + 1), got rows {rows}, "
                f"requests {requests}, drafts {drafts}"
            )
        requests = max(0, requests)
        if not 0 <= padded <= requests:
            problems.append(f"--padded must be in 0…{requests}, got {padded}")
        if accepted is None:
            draw = random.Random(seed)
            accepted = tuple(draw.randint(1, max(1, drafts + 1)) for _ in range(max(0, requests)))
        elif len(accepted) == 1:
            accepted = accepted * max(1, requests)
        if len(accepted) != requests:
            problems.append(
                f"--accepted must give one count or one a request ({requests}), got {len(accepted)}"
            )
        bad = [n for n in accepted if not 1 <= n <= drafts + 1]
        if bad and width_known:
            problems.append(f"--accepted counts must be in 1…{drafts + 1}, got {bad}")
        if problems:
            raise UsageError("\n".join(problems))
        # A padded request counts as one accepted row, as a padded graph replay has it.
        live = requests - padded
        return cls(requests, drafts, accepted[:live] + (1,) * padded, padded)
