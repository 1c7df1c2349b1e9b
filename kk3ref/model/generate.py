"""Greedy decoding with draft tokens: propose, verify in one step, keep what the model agrees with.

Drafts change how many steps a text takes, never the text: a draft is kept only where it is the
token the model would have given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from kk3ref.model.model import Model
from kk3ref.model.state import Request, State

Propose = Callable[[Sequence[int], int], Sequence[int]]
"""``propose(text so far, count)``: up to ``count`` tokens that may follow"""


def prompt_lookup(text: Sequence[int], count: int, longest: int = 3) -> list[int]:
    """Drafts from the text itself: what followed its last tokens the last time they occurred.

    Args:
        text: prompt and generated tokens.
        count: drafts wanted.
        longest: tokens to match at most; the longest match wins, then the latest.

    Returns:
        at most ``count`` tokens; none where the last token is new.
    """
    for size in range(min(longest, len(text) - 1), 0, -1):
        wanted = list(text[-size:])
        for start in range(len(text) - size - 1, -1, -1):
            if list(text[start : start + size]) == wanted:
                return list(text[start + size : start + size + count])
    return []


class RandomDrafts:
    """A proposer that knows nothing: uniform tokens, nearly all of them rejected.

    Args:
        vocab_size: tokens to draw from.
        seed: the drafts depend on it and on the calls before.
    """

    def __init__(self, vocab_size: int, seed: int = 0):
        self._vocab_size = vocab_size
        self._generator = torch.Generator().manual_seed(seed)

    def __call__(self, text: Sequence[int], count: int) -> list[int]:
        """``count`` random tokens."""
        return torch.randint(self._vocab_size, (count,), generator=self._generator).tolist()


@dataclass
class Generation:
    """One request's result."""

    prompt: tuple[int, ...]
    """the tokens it started from"""
    tokens: list[int] = field(default_factory=list)
    """the generated tokens"""
    accepted: list[int] = field(default_factory=list)
    """rows accepted of each step, 1 to ``drafts + 1``"""


def accept_greedy(drafts: Sequence[int], choices: Sequence[int]) -> int:
    """Rows accepted of a step: the first, and one more for each leading draft that was right.

    Args:
        drafts: the step's ``L-1`` drafts.
        choices: ``L`` tokens, the largest logit of every row.
    """
    n = 1
    while n <= len(drafts) and drafts[n - 1] == choices[n - 1]:
        n += 1
    return n


def generate(
    model: Model,
    prompts: Sequence[Sequence[int]],
    n: int,
    *,
    drafts: int = 0,
    propose: Propose = prompt_lookup,
    state: State | None = None,
) -> list[Generation]:
    """Decode all prompts together, greedily; a tie goes to the lower token.

    A request that is done is padding for the rest.

    Args:
        prompts: at least one token each.
        n: tokens to generate for each.
        drafts: draft tokens a step; missing ones are filled up with the last token.
        propose: where drafts come from.
        state: with room for the prompts and steps of ``drafts + 1`` rows; made if None. The
            requests are freed at the end.

    Returns:
        one result a prompt.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    if state is None:
        longest = max(len(prompt) for prompt in prompts)
        state = model.new_state(len(prompts), drafts, longest + n + drafts)
    elif state.width != drafts + 1:
        raise ValueError(f"the state must have steps of {drafts + 1} rows, got {state.width}")
    results = [Generation(tuple(prompt)) for prompt in prompts]
    requests: list[Request | None] = []
    try:
        for result in results:
            request = state.allocate()
            requests.append(request)
            logits = model.prefill(state, request, torch.tensor(result.prompt, dtype=torch.long))
            result.tokens.append(int(logits.argmax()))
        counts = [1] * len(results)
        while _release_done(state, requests, results, n):
            _step(model, state, requests, results, counts, propose, n)
    finally:
        for live in requests:
            if live:
                state.free(live)
    return results


def _release_done(
    state: State, requests: list[Request | None], results: list[Generation], n: int
) -> bool:
    """Free the requests that have their tokens; whether any is left."""
    for m, (request, result) in enumerate(zip(requests, results, strict=True)):
        if request and len(result.tokens) >= n:
            requests[m] = None
            state.free(request)
    return any(requests)


def _step(
    model: Model,
    state: State,
    requests: list[Request | None],
    results: list[Generation],
    counts: list[int],
    propose: Propose,
    n: int,
) -> None:
    """One step of every live request; its tokens, and in ``counts`` its accepted rows."""
    width = state.width
    tokens = torch.zeros(len(requests), width, dtype=torch.long)
    for m, (request, result) in enumerate(zip(requests, results, strict=True)):
        if request:
            last = result.tokens[-1]
            given = list(propose([*result.prompt, *result.tokens], width - 1))[: width - 1]
            tokens[m] = torch.tensor([last, *given, *[last] * (width - 1 - len(given))])
    logits = model.decode_step(state, requests, tokens, torch.tensor(counts))
    choices = logits.argmax(-1).reshape(len(requests), width)
    for m, (request, result) in enumerate(zip(requests, results, strict=True)):
        if request:
            row = choices[m].tolist()
            counts[m] = accept_greedy(tokens[m, 1:].tolist(), row)
            result.accepted.append(counts[m])
            result.tokens += row[: min(counts[m], n - len(result.tokens))]
