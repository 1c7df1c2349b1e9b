"""A small OpenAI-compatible server on loopback, and two things that answer for it."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.model import Model, generate
from kk3ref.precision import CONTRACT
from kk3ref.presets import preset
from kk3ref.stages import RankContext, Stage, Taps
from verify.evals import synthetic

Engine = Callable[[str, dict[str, Any]], str]


@dataclass
class Served:
    """A running server: its address, what it was asked, and a switch that makes it fail."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    fail_after: int | None = None


@contextmanager
def serve(
    engine: Engine, drafts: tuple[int, int] | None = None, told: Sequence[str] = ()
) -> Iterator[Served]:
    """Serve ``engine`` on a free port of loopback.

    Args:
        drafts: drafts and accepted tokens counted for each request, or no metrics.
        told: metrics before the first request and after it.
    """
    served = Served("")
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def reply(self, body: str, kind: str = "application/json", code: int = 200) -> None:
            data = body.encode()
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            if self.path == "/v1/models":
                self.reply(json.dumps({"data": [{"id": "tiny"}]}))
            elif self.path == "/metrics" and told:
                self.reply(told[bool(served.asked)], "text/plain")
            elif self.path == "/metrics" and drafts:
                n = len(served.asked)
                lines = [
                    f'vllm:spec_decode_num_drafts_total{{engine="0"}} {float(n * drafts[0])}',
                    f'vllm:spec_decode_num_accepted_tokens_total{{engine="0"}} {n * drafts[1]}',
                ]
                self.reply("\n".join(lines) + "\n", "text/plain")
            else:
                self.reply("{}", code=404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                served.asked.append(body)
                stop = served.fail_after is not None and len(served.asked) > served.fail_after
            if stop:
                self.reply('{"error": "told to fail"}', code=400)
                return
            chat = self.path.endswith("/chat/completions")
            prompt = body["messages"][-1]["content"] if chat else body["prompt"]
            text = engine(prompt, body)
            choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
            choice |= {"message": {"content": text}} if chat else {"text": text}
            self.reply(json.dumps({"choices": [choice], "usage": {"completion_tokens": 5}}))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def share(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def solver(
    wrong: float = 0.2, salt: str = "", also_wrong: float = 0.0, noise: bool = False
) -> Engine:
    """Answers kk3's own tasks; which questions it gets wrong depends on their text.

    Args:
        wrong: share of questions answered wrongly, the same ones for every salt.
        salt, also_wrong: a perturbation: a further share, which depends on the salt.
        noise: half of the wrong answers are empty or without a number.
    """
    answers = {d["question"]: d["answer"] for d in synthetic.arithmetic(3000)}

    def answer(prompt: str, body: dict[str, Any]) -> str:
        bad = share(prompt) < wrong or share(salt, prompt) < also_wrong
        if body["temperature"] > 0:
            bad = share(salt, prompt, body["seed"]) < wrong + also_wrong
        if bad and noise:
            return ("", "   ", "I cannot say.", "#### -1")[int(4 * share("kind", prompt))]
        needle = re.search(r"What is the locker code of (\S+)\?", prompt)
        if needle:
            found = re.search(rf"locker code of {needle[1]} is (\d+)", prompt)
            assert found
            return str(int(found[1]) + bad)
        question = prompt.split("Question: ")[-1].removesuffix("\nAnswer:")
        right = answers[question]
        return f"{right}1" if bad else right

    return answer


class TinyModel:
    """Really generates: kk3's reference model at preset ``tiny``, greedily, two letters a token.

    Args:
        damage: what is added to every routed output, as a share of it: a planted fault.
        tokens: tokens of an answer.
    """

    def __init__(self, damage: float = 0.0, tokens: int = 4):
        def damaged(stage: Stage, context: RankContext, taps: Taps) -> Taps:
            if stage.name != "experts_down":
                return taps
            return {name: value * (1 + damage) for name, value in taps.items()}

        weights = SyntheticWeights(preset("tiny"), 0)
        self._model = Model(weights, CONTRACT, intercept=damaged if damage else None)
        self._tokens = tokens
        self._vocab = weights.config.vocab_size
        self._lock = threading.Lock()

    def __call__(self, prompt: str, body: dict[str, Any]) -> str:
        """Generate for the question, the prompt's last line."""
        question = prompt.splitlines()[-1]
        tokens = [int(share(i, letter) * self._vocab) for i, letter in enumerate(question)]
        with self._lock:
            (result,) = generate(self._model, [tokens], self._tokens)
        return " ".join(chr(97 + t // 26 % 26) + chr(97 + t % 26) for t in result.tokens)
