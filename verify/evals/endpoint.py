"""An OpenAI-compatible server."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from verify.evals.gate import GateReading, read_gate

KEY = "OPENAI_API_KEY"
"""Environment variable whose value, if any, is sent as bearer token."""
TRIES = 4
_DRAFTS = "vllm:spec_decode_num_drafts_total"
_ACCEPTED = "vllm:spec_decode_num_accepted_tokens_total"


class EndpointError(RuntimeError):
    """The server cannot be used; the message says which and why."""


@dataclass(frozen=True)
class Answer:
    """One completion."""

    text: str
    """what was generated, without the prompt"""
    finish: str | None
    """``stop``, ``length`` (cut off), or what else the server says"""
    tokens: int | None
    """tokens generated, if the server counts them"""


@dataclass(frozen=True)
class Drafts:
    """What a server has counted of speculative decoding since it started."""

    drafts: float
    """drafts proposed"""
    accepted: float
    """draft tokens accepted"""


@dataclass
class Endpoint:
    """A server, by the address that ends in ``/v1``.

    Raises (every method):
        EndpointError: no answer after a few tries, an HTTP error, or an answer of another form.
    """

    url: str
    model: str = ""
    timeout: float = 3600.0
    _session: requests.Session = field(default_factory=requests.Session, repr=False)

    def __post_init__(self) -> None:
        self.url = self.url.rstrip("/")
        retry = Retry(
            total=TRIES,
            backoff_factor=0.5,
            status_forcelist=(429, 502, 503, 504),
            allowed_methods=None,
            raise_on_status=False,
        )
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=256, max_retries=retry))
        key = os.environ.get(KEY)
        if key:
            self._session.headers["Authorization"] = f"Bearer {key}"

    def models(self) -> list[str]:
        """Names of the models that are served."""
        data = self._json(self._call("GET", "/models"))
        try:
            return [str(entry["id"]) for entry in data["data"]]
        except (KeyError, TypeError) as error:
            raise EndpointError(f"{self.url}/models must list models, got {data!r}") from error

    def choose_model(self) -> str:
        """The model asked for, or the only one served."""
        names = self.models()
        if self.model and self.model not in names:
            raise EndpointError(f"{self.url}: --model must be among {names}, got {self.model!r}")
        if not self.model:
            if len(names) != 1:
                raise EndpointError(f"{self.url} serves {names}: --model must name one of them")
            self.model = names[0]
        return self.model

    def complete(self, prompt: str | list[dict[str, str]], options: dict[str, Any]) -> Answer:
        """One completion of a text, or of chat messages."""
        chat = not isinstance(prompt, str)
        body = {"model": self.model, **options}
        body |= {"messages": prompt} if chat else {"prompt": prompt}
        path = "/chat/completions" if chat else "/completions"
        data = self._json(self._call("POST", path, body))
        try:
            choice = data["choices"][0]
            text = choice["message"]["content"] if chat else choice["text"]
            finish = choice.get("finish_reason")
            tokens = (data.get("usage") or {}).get("completion_tokens")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise EndpointError(
                f"{self.url}{path} must answer with choices, got {str(data)[:300]}"
            ) from error
        return Answer(text or "", finish, tokens)

    def drafts(self) -> Drafts | None:
        """Counters of speculative decoding from ``/metrics``; None where none are served."""
        text = self._metrics()
        found = {}
        for name in (_DRAFTS, _ACCEPTED):
            lines = re.findall(rf"^{name}(?:\{{[^}}]*\}})?\s+(\S+)", text, re.M)
            if not lines:
                return None
            found[name] = sum(float(value) for value in lines)
        return Drafts(found[_DRAFTS], found[_ACCEPTED])

    def gate(self) -> GateReading | None:
        """What kk3's gate says there; None without one."""
        return read_gate(self._metrics())

    def _metrics(self) -> str:
        try:
            reply = self._session.get(
                f"{self.url.removesuffix('/v1')}/metrics", timeout=self.timeout
            )
        except requests.RequestException:
            return ""
        return reply.text if reply.ok else ""

    def _call(self, method: str, path: str, body: Any = None) -> requests.Response:
        try:
            reply = self._session.request(
                method, f"{self.url}{path}", json=body, timeout=self.timeout
            )
        except requests.RequestException as error:
            raise EndpointError(f"{self.url}{path} must answer: {error}") from error
        if not reply.ok:
            raise EndpointError(
                f"{self.url}{path} must answer 200, got {reply.status_code}: {reply.text[:300]}"
            )
        return reply

    def _json(self, reply: requests.Response) -> Any:
        try:
            return reply.json()
        except ValueError as error:
            raise EndpointError(f"{reply.url} must answer JSON, got {reply.text[:300]}") from error


def mean_acceptance(before: Drafts | None, after: Drafts | None) -> float | None:
    """Tokens a step between two readings: 1 + accepted/drafts; None where nothing was drafted."""
    if before is None or after is None or after.drafts <= before.drafts:
        return None
    return 1 + (after.accepted - before.accepted) / (after.drafts - before.drafts)
