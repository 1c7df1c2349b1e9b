"""Load on an OpenAI-compatible server: streamed completions at one concurrency, timed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import requests

from verify.bench.serve_record import ServeRun
from verify.evals.endpoint import Endpoint

_WORDS = (
    "anchor", "barley", "copper", "dial", "ember", "flint", "garnet", "harbor", "indigo", "jasper",
    "kelp", "lantern", "meadow", "needle", "onyx", "pepper", "quartz", "ribbon", "saddle", "timber",
)  # fmt: skip


@dataclass(frozen=True)
class Load:
    """What one run asks.

    Attributes:
        concurrency: requests in flight.
        requests: in all.
        input_words: words of a prompt.
        output_tokens: generated a request; the end-of-text token is ignored.
        timeout: seconds a request may take.
    """

    concurrency: int
    requests: int
    input_words: int
    output_tokens: int
    timeout: float = 3600.0


@dataclass(frozen=True)
class Timed:
    """One request's times, in seconds, and its tokens; ``error`` if it failed."""

    first: float = 0.0
    total: float = 0.0
    tokens: int = 0
    error: str = ""

    @property
    def tpot(self) -> float:
        """Mean time a token after the first."""
        return (self.total - self.first) / (self.tokens - 1)


def prompts(load: Load, seed: int) -> list[str]:
    """The run's prompts: random words, alike for both sides, unlike each other from the start."""
    draw = random.Random(f"bench:{seed}")
    return [
        f"{draw.getrandbits(48):012x} " + " ".join(draw.choices(_WORDS, k=load.input_words))
        for _ in range(load.requests)
    ]


def run(
    endpoint: Endpoint, load: Load, side: Literal["off", "on"], seed: int, place: int
) -> ServeRun:
    """One run: one request to warm up, then all at the wanted concurrency.

    Raises:
        ValueError: no request was answered; says what the first one's error was.
    """
    texts = prompts(load, seed)
    one_request(endpoint, "warm up " + texts[0][:200], min(8, load.output_tokens), load.timeout)
    started = time.perf_counter()
    with ThreadPoolExecutor(load.concurrency) as pool:
        timed = list(
            pool.map(
                lambda text: one_request(endpoint, text, load.output_tokens, load.timeout), texts
            )
        )
    seconds = time.perf_counter() - started
    good = [one for one in timed if not one.error]
    if not good:
        raise ValueError(f"{endpoint.url}: no request was answered: {timed[0].error}")
    tpots = np.array([one.tpot for one in good]) * 1e3
    tokens = sum(one.tokens for one in good)
    return ServeRun(
        side=side,
        seed=seed,
        place=place,
        requests=len(good),
        failed=len(timed) - len(good),
        output_tokens=tokens,
        seconds=seconds,
        tpot_p50_ms=float(np.percentile(tpots, 50)),
        tpot_p90_ms=float(np.percentile(tpots, 90)),
        ttft_p50_ms=float(np.percentile([one.first * 1e3 for one in good], 50)),
        output_tokens_per_s=tokens / seconds,
    )


def one_request(endpoint: Endpoint, prompt: str, tokens: int, timeout: float) -> Timed:
    """One streamed completion."""
    body: Any = {
        "model": endpoint.model,
        "prompt": prompt,
        "max_tokens": tokens,
        "temperature": 0.0,
        "ignore_eos": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    started = time.perf_counter()
    first = last = 0.0
    pieces, counted = 0, None
    try:
        with requests.post(
            f"{endpoint.url}/completions", json=body, stream=True, timeout=timeout
        ) as reply:
            if not reply.ok:
                return Timed(error=f"{reply.status_code}: {reply.text[:200]}")
            for event in _events(reply):
                usage = event.get("usage")
                if usage:
                    counted = int(usage["completion_tokens"])
                if any(choice.get("text") for choice in event.get("choices", [])):
                    last = time.perf_counter() - started
                    first = first or last
                    pieces += 1
    except (requests.RequestException, ValueError, KeyError, TypeError) as error:
        return Timed(error=str(error))
    # A speculative step streams several tokens in one piece: only the server's count is right.
    if counted is None:
        return Timed(error="the stream gave no usage: tokens cannot be counted")
    if counted < 2 or pieces < 2:
        return Timed(error=f"at least two tokens in two pieces are needed, got {counted}, {pieces}")
    return Timed(first, last, counted)


def _events(reply: requests.Response) -> Iterator[dict[str, Any]]:
    for line in reply.iter_lines(chunk_size=1):
        if line.startswith(b"data:"):
            data = line[5:].strip()
            if data == b"[DONE]":
                return
            yield json.loads(data)
