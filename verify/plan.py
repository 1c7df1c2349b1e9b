"""One run of ``verify layer``, resolved from its command line: what other commands repeat and vary.

(run,) = plan(["k1", "--preset", "tiny", "--rows", "2"])
outcome = run.verify()
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import torch

from kk3ref.checkpoint import Source
from kk3ref.stages import LayerOptions
from verify.candidates import Candidate, CandidateError, load
from verify.cli import layer as command_line
from verify.data import CandidateInfo
from verify.inputs import Case
from verify.jobs import Job
from verify.placement import Placement
from verify.run import Outcome, verify_case
from verify.step import UsageError

PREFIX = ("python", "-m", "verify", "layer")


@dataclass(frozen=True)
class Planned:
    """One layer, one input family, one candidate.

    Attributes:
        arguments: the parsed command line.
        job: layer kind, decoder layer, family and step.
        source: weights.
        model: how the configuration is named in the record.
        options: storage choices.
        command: the command that repeats exactly this run.
    """

    arguments: argparse.Namespace
    job: Job
    source: Source
    model: str
    options: LayerOptions
    command: str

    @property
    def words(self) -> list[str]:
        """``command`` behind ``python -m verify layer``."""
        return words_of(self.command)

    @property
    def spec(self) -> str:
        """The candidate as it was resolved: a built-in name, or ``path/to/file.py:factory``."""
        words = self.words
        return words[words.index("--candidate") + 1]

    @property
    def device(self) -> str:
        """Where the candidate runs: ``cpu``, or a torch device."""
        return str(getattr(self.arguments, "device", "cpu"))

    def case(self) -> Case:
        """Weights and inputs."""
        given = self.arguments
        return self.job.case(self.source, given.tp, given.seed, self.model)

    def candidate(self) -> tuple[Candidate, CandidateInfo]:
        """The candidate, loaded anew.

        Raises:
            UsageError: it is not available here.
        """
        simulated = command_line.resolve_run_options(self.arguments)
        return load(self.spec, self.job.layer, simulated)

    def verify(self, progress: Callable[[str], None] = lambda _: None) -> Outcome:
        """Run the candidate and judge it.

        Raises:
            UsageError: the candidate is not available or broke the protocol.
        """
        candidate, info = self.candidate()
        only = frozenset(self.arguments.stage) if self.arguments.stage else None
        elsewhere = {"place": Placement(torch.device(self.device))} if self.device != "cpu" else {}
        run: Callable[..., Outcome] = verify_case
        try:
            return run(
                self.case(),
                candidate,
                info,
                self.command,
                progress,
                only,
                self.job.sequence,
                **elsewhere,
            )
        except CandidateError as error:
            raise UsageError(str(error)) from error


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def plan(words: Sequence[str]) -> list[Planned]:
    """Resolve the words behind ``python -m verify layer``.

    Raises:
        UsageError: lists everything that does not fit together.
    """
    top = _Parser(add_help=False)
    command_line.add_parser(top.add_subparsers())
    return plan_arguments(top.parse_args(["layer", *words]))


def plan_arguments(arguments: argparse.Namespace) -> list[Planned]:
    """:func:`plan` of a command line that is parsed already (``arguments.layer`` is the kind)."""
    source, model = command_line.resolve_source(arguments)
    options = command_line.resolve_options(arguments)
    jobs = command_line.resolve_jobs(arguments, source.config, options)
    return [
        Planned(arguments, job, source, model, options, command_line.repro_command(arguments, job))
        for job in jobs
    ]


def words_of(command: str) -> list[str]:
    """The words of a record's command behind ``python -m verify layer``.

    Raises:
        UsageError: it is another command.
    """
    words = shlex.split(command)
    if tuple(words[: len(PREFIX)]) != PREFIX:
        raise UsageError(f"the command must begin with {' '.join(PREFIX)!r}, got {command!r}")
    return words[len(PREFIX) :]
