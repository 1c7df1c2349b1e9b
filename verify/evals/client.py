"""lm-eval's side: a model that asks an endpoint through a journal, and a run of one task."""

from __future__ import annotations

import json
import logging
import os
import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from verify.evals.endpoint import Answer, Endpoint
from verify.evals.journal import Journal, request_key
from verify.evals.samples import Sample, SamplesError, of_entries
from verify.evals.tasks import SAMPLED, Task


@dataclass
class Client:
    """One side's way to its server.

    Attributes:
        side: ``off``, ``on`` or ``off again``.
        endpoint: the server.
        journal: where answers are kept.
        concurrency: requests in flight.
        chat: ask for chat completions.
        options: sent with every request; they win over the task's.
        seed: of sampling; sample i of a question uses seed + i.
        progress: called with the number of answers given so far and wanted.
        deployment: of the server's gate: answers of another one are not taken from the journal.
    """

    side: str
    endpoint: Endpoint
    journal: Journal
    concurrency: int = 8
    chat: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    progress: Callable[[str], None] = lambda _: None
    finishes: dict[tuple[str, str], str | None] = field(default_factory=dict)
    deployment: str = ""

    def ask(self, requests: Sequence[Any], number: int) -> list[str]:
        """Answers to lm-eval's ``generate_until`` instances, in their order."""
        done = 0

        def one(request: Any) -> str:
            nonlocal done
            prompt, wanted = request.args
            body = self._body(wanted, number)
            key = request_key(
                side=self.side,
                url=self.endpoint.url,
                model=self.endpoint.model,
                deployment=self.deployment,
                task=request.task_name,
                document=request.doc_id,
                number=number,
                prompt=prompt,
                body=body,
            )
            answer = self.journal.get(key)
            if answer is None:
                shown = json.loads(prompt) if self.chat else prompt
                answer = self.endpoint.complete(shown, body)
                self.journal.put(key, answer)
            done += 1
            self.progress(f"{done}/{len(requests)}")
            self.finishes[request.task_name, str(request.doc_id)] = answer.finish
            return _cut(answer, body.get("stop", []))

        pool = ThreadPoolExecutor(self.concurrency)
        try:
            return list(pool.map(one, requests))
        finally:
            # After an error or an interruption nothing that still waits is asked.
            pool.shutdown(wait=True, cancel_futures=True)

    def _body(self, wanted: dict[str, Any], number: int) -> dict[str, Any]:
        """A task's generation settings as an OpenAI request."""
        given = {**wanted, **self.options}
        sampled = bool(given.pop("do_sample", float(given.get("temperature", 0.0)) > 0))
        until = given.pop("until", None) or []
        stop = [until] if isinstance(until, str) else list(until)
        tokens = given.pop("max_gen_toks", given.pop("max_tokens", 1024))
        body = {"max_tokens": int(tokens), "seed": self.seed + number, **given}
        body["temperature"] = float(given.get("temperature", 1.0)) if sampled else 0.0
        if stop:
            body["stop"] = stop[:4]  # an OpenAI server takes four; _cut sees to the others
        return body


def _cut(answer: Answer, stop: Sequence[str]) -> str:
    text = answer.text
    for word in stop:
        text = text.split(word)[0] if word else text
    return text


def run_task(
    client: Client,
    task: Task,
    limit: int | None = None,
    tasks_folder: str | None = None,
    tokenizer: str | None = None,
    wanted_filter: str | None = None,
) -> list[Sample]:
    """Ask one task's questions k times and score the answers.

    Raises:
        SamplesError: lm-eval cannot make the task here (no such name, no data), or it does not
            generate text.
        EndpointError: the server failed.
    """
    os.environ.setdefault("TQDM_DISABLE", "1")  # the command has its own progress
    from lm_eval.evaluator import evaluate
    from lm_eval.tasks import TaskManager

    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    metadata: dict[str, Any] = {}
    if task.lengths:
        if tokenizer is None:
            raise SamplesError(
                f"{task.name}: RULER sizes its texts with the model's tokenizer; "
                "--tokenizer must name it or its folder, got nothing"
            )
        metadata = {"max_seq_lengths": list(task.lengths), "tokenizer": tokenizer}
    named = any(isinstance(m, str) and not m.endswith((".yaml", ".yml")) for m in task.members)
    # Reading the names of all of lm-eval's tasks takes seconds: only where one is asked for.
    manager = TaskManager(
        include_path=tasks_folder, include_defaults=named, metadata=metadata or None
    )
    found: list[Sample] = []
    for number in range(task.samples):
        numbered = client
        if task.samples > 1:
            numbered = replace(client, options={**SAMPLED, **client.options})
        for member in task.members:
            try:
                random.seed(0)
                loaded = manager.load([member])
                _prepare(loaded["tasks"].values(), task.fewshot)
                result = evaluate(
                    _model(numbered, number),
                    loaded,
                    limit=limit,
                    bootstrap_iters=0,
                    apply_chat_template=client.chat,
                    fewshot_as_multiturn=client.chat,
                    log_samples=True,
                )
            except (KeyError, ValueError, OSError, ImportError, AssertionError) as error:
                text = f"{type(error).__name__}: {error}"
                raise SamplesError(f"{task.name} cannot be made by lm-eval here: {text}") from error
            for name, entries in result["samples"].items():
                scored = of_entries(name, entries, number, wanted_filter)
                found += [_placed(s, task, name, numbered) for s in scored]
    return found


def _prepare(tasks: Iterable[Any], fewshot: int | None) -> None:
    """The same examples, in the same order, whenever and for whichever side a task is made."""
    random.seed(0)  # some tasks shuffle their choices with the module's generator
    for task in tasks:
        own = task.get_config("num_fewshot")
        if fewshot is not None and own != 0:  # 0 in a task's file means that it takes none
            task.set_config(key="num_fewshot", value=fewshot)
        elif own is None:
            task.set_config(key="num_fewshot", value=0)
        task.set_fewshot_seed(seed=1234)


def _placed(sample: Sample, task: Task, member: str, client: Client) -> Sample:
    """A member's sample under the task's name; pooled members keep theirs in the document id."""
    suffix = sample.task.partition("@")[2]
    pooled = len(task.members) > 1
    return replace(
        sample,
        task=f"{task.name}@{suffix}" if suffix else task.name,
        document=f"{member}:{sample.document}" if pooled else sample.document,
        finish=client.finishes.get((member, sample.document)),
    )


def _model(client: Client, number: int) -> Any:
    """An lm-eval model; made here, for lm-eval is only imported where it is used."""
    from lm_eval.api.model import LM

    class Served(LM):
        tokenizer_name = ""

        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            return client.ask(requests, number)

        def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> Any:
            raise SamplesError(
                "tasks must generate text (output_type generate_until): a served fast path "
                "is judged by what it writes, got a log-likelihood task"
            )

        loglikelihood_rolling = loglikelihood

        def apply_chat_template(
            self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
        ) -> str:
            return json.dumps(chat_history, ensure_ascii=False)

        def chat_template(self, chat_template: bool | str = False) -> str:
            return ""

    return Served()
