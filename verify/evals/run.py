"""Ask both sides every question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verify.evals.client import Client, run_task
from verify.evals.endpoint import mean_acceptance
from verify.evals.gate import first_reading, served_between
from verify.evals.record import Side
from verify.evals.samples import Sample
from verify.evals.tasks import Task


def ask(
    clients: Sequence[Client],
    tasks: Sequence[Task],
    progress: Callable[[str], None],
    limit: int | None = None,
    tasks_folder: str | None = None,
    tokenizer: str | None = None,
    wanted_filter: str | None = None,
) -> tuple[list[Side], list[list[Sample]]]:
    """Ask every task of both sides, task by task, so that both meet the same state of the world.

    Raises:
        SamplesError, EndpointError: see :func:`verify.evals.client.run_task`.
    """
    samples: list[list[Sample]] = [[] for _ in clients]
    before = [client.endpoint.drafts() for client in clients]
    gates = [
        first_reading(c.journal.beside("gate.json"), c.endpoint.gate(), c.journal.resumed > 0)
        for c in clients
    ]
    for client, gate in zip(clients, gates, strict=True):
        client.deployment = gate.told.get("deployment", "") if gate else ""
    for place, task in enumerate(tasks, 1):
        for client, kept in zip(clients, samples, strict=True):
            title = f"{task.name} {client.side} ({place}/{len(tasks)})"
            progress(title)
            client.progress = lambda text, title=title: progress(f"{title}: {text}")  # type: ignore[misc]
            kept += run_task(client, task, limit, tasks_folder, tokenizer, wanted_filter)
    sides = [
        Side(
            name=client.side,
            source=client.endpoint.url,
            model=client.endpoint.model,
            mean_acceptance_length=mean_acceptance(seen, client.endpoint.drafts()),
            served=served_between(gate, client.endpoint.gate()),
        )
        for client, seen, gate in zip(clients, before, gates, strict=True)
    ]
    return sides, samples
