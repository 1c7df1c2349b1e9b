"""A list of checks on a terminal, and its record on disk: shared by commands that compare runs."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from verify.cli.table import COLORS
from verify.data import Check, Verdict
from verify.data.store import write_atomic


def show_checks(console: Console, title: str, checks: list[Check]) -> None:
    """One line a check; messages of failed ones below."""
    table = Table(title=title, title_justify="left")
    for name in ("check", "verdict", "what"):
        table.add_column(name, no_wrap=name != "what", overflow="fold")
    for check in checks:
        failed = check.verdict is Verdict.FAIL
        told = "see below" if failed else check.message.split("\n")[0]
        table.add_row(check.name, f"[{COLORS[check.verdict]}]{check.verdict.value}[/]", told)
    console.print(table)
    for check in checks:
        if check.verdict is Verdict.FAIL:
            console.print(f"[red]{check.name}[/]")
            console.print(check.message, markup=False, highlight=False, soft_wrap=True)


def show_verdict(console: Console, verdict: Verdict, path: Path, command: str) -> None:
    """The last line, and how to repeat what did not pass."""
    if verdict is not Verdict.PASS:
        console.print(f"repeat: {command}", markup=False, highlight=False, soft_wrap=True)
    color = COLORS[verdict]
    line = f"verdict: [bold {color}]{verdict.value}[/]   record: {path}"
    console.print(line, soft_wrap=True)


def save_model(record: BaseModel, folder: Path, stem: str) -> Path:
    """Write a record as ``<folder>/<stem>.json``, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.json"
    write_atomic(path, record.model_dump_json(indent=2) + "\n")
    return path
