"""What a decode run is asked: requests that come and go, tokens, accepted counts.

Everything is drawn from one seed before anything runs, so that every model sees the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

SHORTEST, LONGEST = 6, 160  # steps a request lives, drawn log-uniformly
PROMPT = (3, 24)  # tokens of a prompt
EMPTY = 0.3  # chance that a place stays empty for some steps after its request has gone


@dataclass(frozen=True)
class Life:
    """One request from its prompt to its end.

    Attributes:
        number: counts the lives of the run.
        place: the step's request index it takes.
        first: step of its first decode.
        steps: how many steps it lives.
        prompt: tokens.
    """

    number: int
    place: int
    first: int
    steps: int
    prompt: tuple[int, ...]


@dataclass(frozen=True)
class Traffic:
    """All of a run's requests and tokens.

    Attributes:
        steps: steps of the run.
        lives: in the order they begin.
        tokens: ``[steps][places][width]``.
        accepted: ``[steps][places]``: accepted rows of the request's previous step.
    """

    steps: int
    lives: tuple[Life, ...]
    tokens: list[list[list[int]]] = field(repr=False)
    accepted: list[list[int]] = field(repr=False)

    @property
    def longest_rows(self) -> int:
        """Context rows the longest life can need."""
        width = len(self.tokens[0][0])
        return max(len(life.prompt) + (life.steps + 1) * width for life in self.lives)

    def starting(self, step: int) -> list[Life]:
        """Lives whose first step this is."""
        return [life for life in self.lives if life.first == step]

    def ending(self, step: int) -> list[Life]:
        """Lives whose last step this is."""
        return [life for life in self.lives if life.first + life.steps - 1 == step]

    def living(self, step: int) -> list[Life]:
        """Lives that take part in a step."""
        return [life for life in self.lives if life.first <= step < life.first + life.steps]


def draw_traffic(steps: int, places: int, width: int, vocab: int, seed: int) -> Traffic:
    """Traffic of ``steps`` steps of ``places`` requests with ``width`` rows each.

    The first place is taken at once by a long life, so that every age up to :data:`LONGEST` (or the
    run's end) is reached; the last place has a short one first and then stays empty for a while,
    so that there are padded steps and slots that are used again.
    """
    draw = random.Random(f"traffic/{seed}")
    lives: list[Life] = []
    for place in range(places):
        step = 0
        while step < steps:
            size = SHORTEST * (LONGEST / SHORTEST) ** draw.random()
            if step == 0 and place in (0, places - 1):
                size = LONGEST if place == 0 else SHORTEST
            length = min(steps - step, round(size))
            prompt = tuple(draw.randrange(vocab) for _ in range(draw.randint(*PROMPT)))
            lives.append(Life(0, place, step, length, prompt))
            step += length
            first = place == places - 1 and not any(life.place == place for life in lives[:-1])
            if first or draw.random() < EMPTY:
                step += draw.randint(1, 3)
    lives.sort(key=lambda life: (life.first, life.place))
    lives = [
        Life(n, life.place, life.first, life.steps, life.prompt) for n, life in enumerate(lives)
    ]
    tokens = [
        [[draw.randrange(vocab) for _ in range(width)] for _ in range(places)] for _ in range(steps)
    ]
    accepted = [[draw.randint(1, width) for _ in range(places)] for _ in range(steps)]
    for life in lives:
        accepted[life.first][life.place] = 1  # as a prefill leaves it
    return Traffic(steps, tuple(lives), tokens, accepted)
