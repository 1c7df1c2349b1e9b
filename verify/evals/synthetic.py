"""kk3's own small tasks: made from a seed, no network, nothing taken from a published set.

They measure whether two servers answer alike, not how good a model is: no score of theirs may be
quoted beside one of GSM8K or RULER, whose shapes they have.
"""

from __future__ import annotations

import random
from typing import Any

ARITHMETIC = "kk3_arithmetic"
NEEDLE_SINGLE = "kk3_needle_single"
NEEDLE_MULTIKEY = "kk3_needle_multikey"
NAMES = (ARITHMETIC, NEEDLE_SINGLE, NEEDLE_MULTIKEY)

_PEOPLE = ("Ada", "Bela", "Chidi", "Dora", "Emre", "Fen", "Gita", "Hugo", "Ines", "Jomo")
_THINGS = ("bolts", "crates", "lamps", "seeds", "shells", "spools", "tiles", "valves")
_PLACES = ("a shed", "the depot", "the lab", "the market", "the mill", "the quay")
_TONES = ("amber", "brisk", "coral", "dusty", "early", "frosty", "gentle", "hollow", "iron", "jade")
_BEASTS = ("badger", "curlew", "dolphin", "egret", "falcon", "gecko", "heron", "ibis", "lynx")
_FILLER = (
    "The tide tables were pinned beside the door.",
    "Two barges waited for the lock to fill.",
    "Somebody had painted the railings green again.",
    "A kettle began to hum in the next room.",
    "The ferry left four minutes after the bell.",
    "Rain had darkened the slates by noon.",
    "Her bicycle stood where it always stood.",
    "The ledger listed rope, tar and lamp oil.",
)


def arithmetic(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Word problems of two to four steps.

    Returns:
        ``question`` and ``answer``, the latter worked out and ending in ``#### n``.
    """
    draw = random.Random(f"{ARITHMETIC}:{seed}")
    return [_problem(draw) for _ in range(count)]


def _problem(draw: random.Random) -> dict[str, Any]:
    who, thing = draw.choice(_PEOPLE), draw.choice(_THINGS)
    total = draw.randint(5, 60)
    text = [f"{who} has {total} {thing} at {draw.choice(_PLACES)}."]
    steps = []
    for _ in range(draw.randint(2, 4)):
        kind = draw.choice(("add", "take", "times"))
        before = total
        if kind == "times" and total < 200:
            n = draw.randint(2, 4)
            total *= n
            text.append(f"Then the number grows to {n} times as many.")
            steps.append(f"{before} * {n} = {total}")
        elif kind == "take" and total > 6:
            n = draw.randint(1, total - 3)
            total -= n
            text.append(f"{draw.choice(_PEOPLE)} carries {n} of them away.")
            steps.append(f"{before} - {n} = {total}")
        else:
            n = draw.randint(2, 40)
            total += n
            text.append(f"A cart brings {n} more.")
            steps.append(f"{before} + {n} = {total}")
    text.append(f"How many {thing} are there now?")
    return {"question": " ".join(text), "answer": "\n".join([*steps, f"#### {total}"])}


def needles(count: int, words: int, keys: int = 1, seed: int = 0) -> list[dict[str, Any]]:
    """Numbers hidden in filler.

    Args:
        count: documents.
        words: length of the text in words (an English tokenizer makes some 1.3 tokens a word).
        keys: labelled numbers hidden in it; one of them is asked for.
        seed: of everything.

    Returns:
        ``context``, ``label`` (which number is asked for) and ``answer``.
    """
    draw = random.Random(f"needle:{keys}:{words}:{seed}")
    return [_haystack(draw, words, keys) for _ in range(count)]


def _haystack(draw: random.Random, words: int, keys: int) -> dict[str, Any]:
    pairs = [f"{tone}-{beast}" for tone in _TONES for beast in _BEASTS]
    labels = draw.sample(pairs, keys)
    numbers = draw.sample(range(1_000_000, 10_000_000), keys)
    hidden = [
        f"The locker code of {label} is {number}."
        for label, number in zip(labels, numbers, strict=True)
    ]
    lines: list[str] = []
    length = sum(len(line.split()) for line in hidden)
    while length < words:
        lines.append(draw.choice(_FILLER))
        length += len(lines[-1].split())
    for line in hidden:
        lines.insert(draw.randint(0, len(lines)), line)
    asked = draw.randrange(keys)
    return {"context": " ".join(lines), "label": labels[asked], "answer": str(numbers[asked])}
