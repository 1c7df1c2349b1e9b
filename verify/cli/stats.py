"""``verify stats``: plan and judge a paired accuracy eval (off against on)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from verify import stats
from verify.cli.table import make_console
from verify.stats.arguments import Reasons
from verify.step import UsageError

NOTE = "Non-significance is not equivalence: a large p only says that no difference was found."
APPROXIMATIONS = {
    "exact": "exact McNemar test, unconditional",
    "connor": "normal approximation, variance under each hypothesis (Connor 1987)",
    "normal": "normal approximation, variance under no difference",
}

EXAMPLES = f"""examples:
  python -m verify stats power --n 1319 --discordance 0.03 --margin 0.01
  python -m verify stats sample-size --effect 0.005 --discordance 0.03
  python -m verify stats mcnemar --b 27 --c 18 --n 1319 --margin 0.01 --json
  python -m verify stats holm 0.01 0.04 0.03

{NOTE}
Every rate, effect and margin is a fraction: 0.01 is one point.
"""
POWER_EXAMPLES = """examples:
  python -m verify stats power --n 1319 --discordance 0.03
  python -m verify stats power --n 1319 --discordance 0.03 --margin 0.01 --power 0.9 --json

exit codes: 0 done; 2 wrong arguments
"""
SIZE_EXAMPLES = """examples:
  python -m verify stats sample-size --effect 0.005 --discordance 0.03
  python -m verify stats sample-size --effect 0.01 --discordance 0.05 --power 0.9 --json

exit codes: 0 done; 2 wrong arguments
"""
MCNEMAR_EXAMPLES = """examples:
  python -m verify stats mcnemar --b 27 --c 18 --n 1319
  python -m verify stats mcnemar --b 27 --c 18 --n 1319 --margin 0.01 --json

exit codes: 0 non-inferior at the margin, or no margin given; 1 non-inferiority not shown;
            2 wrong arguments
"""
HOLM_EXAMPLES = """examples:
  python -m verify stats holm 0.01 0.04 0.03
  python -m verify stats holm 0.01 0.04 0.03 --alpha 0.1 --json

exit codes: 0 done; 2 wrong arguments
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand and its own subcommands."""
    p = _parser(commands, "stats", "statistics of a paired accuracy eval", EXAMPLES)
    below = p.add_subparsers(dest="stats_command", required=True, metavar="COMMAND")

    p = _parser(below, "power", "what a number of questions can show", POWER_EXAMPLES)
    p.add_argument("--n", type=int, required=True, help="questions")
    _discordance(p)
    p.add_argument("--margin", type=float, help="chance to show non-inferiority at this margin")
    _alpha(p)
    _power(p)
    _finish(p, _run_power)

    p = _parser(below, "sample-size", "questions needed to find a difference", SIZE_EXAMPLES)
    p.add_argument("--effect", type=float, required=True, help="difference to find")
    _discordance(p)
    _alpha(p)
    _power(p)
    _finish(p, _run_sample_size)

    p = _parser(below, "mcnemar", "judge one eval from its discordant counts", MCNEMAR_EXAMPLES)
    p.add_argument("--b", type=int, required=True, help="questions right only off")
    p.add_argument("--c", type=int, required=True, help="questions right only on")
    p.add_argument("--n", type=int, required=True, help="all questions")
    p.add_argument("--margin", type=float, help="largest acceptable loss of accuracy")
    _alpha(p)
    _power(p)
    _finish(p, _run_mcnemar)

    p = _parser(below, "holm", "correct the p values of several tasks", HOLM_EXAMPLES)
    p.add_argument("p", type=float, nargs="+", help="p values, one a task")
    _alpha(p)
    _finish(p, _run_holm)


def _parser(commands: Any, name: str, what: str, examples: str) -> argparse.ArgumentParser:
    p: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=what[0].upper() + what[1:] + ".",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return p


def _discordance(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--discordance",
        type=float,
        required=True,
        help="share of questions right in one run only, e.g. of an off/off control",
    )


def _alpha(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        help="two-sided level; one-sided tests use half of it (default: 0.05)",
    )


def _power(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--power", type=float, default=0.8, help="chance to find the effect (default: 0.8)"
    )


Run = Callable[[argparse.Namespace], tuple[dict[str, Any], int]]


def _finish(p: argparse.ArgumentParser, run: Run) -> None:
    p.add_argument("--json", action="store_true", help="print the result as JSON")

    def command(arguments: argparse.Namespace) -> int:
        try:
            found, code = run(arguments)
        except ValueError as error:
            raise UsageError(str(error)) from error
        if arguments.json:
            print(json.dumps(found, indent=2))
        else:
            _show(make_console(), found)
        return code

    p.set_defaults(run=command)


def _levels(reasons: Reasons, arguments: argparse.Namespace) -> None:
    """Check what several functions below share, so that one message lists every reason."""
    if reasons.inside("alpha", arguments.alpha, 0, 1):
        reasons.inside("power", arguments.power, arguments.alpha, 1)
    if arguments.margin is not None:
        reasons.inside("margin", arguments.margin, 0, 1)
    reasons.stop()


def _run_power(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    n, rate, alpha, power = (getattr(arguments, k) for k in ("n", "discordance", "alpha", "power"))
    reasons = Reasons()
    reasons.count("n", n, 1)
    reasons.share("discordance", rate)
    _levels(reasons, arguments)
    mde = stats.minimum_detectable_effect(n, rate, alpha, power)
    found = {"n": n, "discordance": rate, "alpha": alpha, "power": power}
    found["minimum_detectable_effect"] = asdict(mde)
    if arguments.margin is not None:
        chance = stats.noninferiority_power(n, rate, arguments.margin, 0.0, alpha / 2)
        found["margin"] = arguments.margin
        found["noninferiority_power"] = asdict(chance)
    return found | {"note": NOTE}, 0


def _run_sample_size(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    names = ("effect", "discordance", "alpha", "power")
    given = {name: getattr(arguments, name) for name in names}
    size = stats.sample_size(**given)
    return given | {"sample_size": asdict(size), "note": NOTE}, 0


def _run_mcnemar(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    b, c, n, alpha = (getattr(arguments, k) for k in ("b", "c", "n", "alpha"))
    reasons = Reasons()
    reasons.pairs(b, c, n)
    _levels(reasons, arguments)
    interval = stats.tango_interval(b, c, n, 1 - alpha)
    control = stats.discordance(b, c, n, 1 - alpha)
    # Nothing differed: plan with the largest discordance that the counts still allow.
    rate = control.rate or control.upper
    mde = stats.minimum_detectable_effect(n, rate, alpha, arguments.power)
    p = stats.mcnemar_exact(b, c).p
    found: dict[str, Any] = {
        "b": b,
        "c": c,
        "n": n,
        "alpha": alpha,
        "power": arguments.power,
        "p": p,
        "significant": p <= alpha,
        "interval": asdict(interval),
        "discordance": {k: getattr(control, k) for k in ("rate", "lower", "upper")},
        "minimum_detectable_effect": asdict(mde) | {"at_discordance": rate},
    }
    code = 0
    if arguments.margin is not None:
        margin = arguments.margin
        safe = stats.noninferiority(b, c, n, margin, alpha / 2)
        found["noninferiority"] = asdict(safe)
        found["equivalence"] = asdict(stats.tost_paired(b, c, n, margin, alpha / 2))
        code = 0 if safe.shown else 1
    return found | {"note": NOTE}, code


def _run_holm(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    return asdict(stats.holm(arguments.p, arguments.alpha)) | {"note": NOTE}, 0


def _show(console: Console, found: dict[str, Any]) -> None:
    if "rejected" in found:
        _show_holm(console, found)
    elif "interval" in found:
        _show_mcnemar(console, found)
    else:
        _show_plan(console, found)
    console.print(found["note"], soft_wrap=True, highlight=False)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i in (0, 2) else "right", overflow="fold")
    return table


def _points(value: float | None, sign: bool = False) -> str:
    if value is None:
        return "none"
    return f"{100 * value:{'+' if sign else ''}.2f} points"


def _chance(value: float) -> str:
    return f"{100 * value:.1f} %"


def _show_plan(console: Console, found: dict[str, Any]) -> None:
    title = f"{_chance(found['discordance'])} discordance, two-sided alpha {found['alpha']:g}"
    table = _table(title, "what", "value", "how")
    wanted = f"at {_chance(found['power'])} power"
    if "sample_size" in found:
        name = f"questions to find {_points(found['effect'])} {wanted}"
        for i, (key, value) in enumerate(found["sample_size"].items()):
            table.add_row(name if i == 0 else "", f"{value}", APPROXIMATIONS[key])
    else:
        name = f"detectable difference of {found['n']} questions {wanted}"
        for i, (key, value) in enumerate(found["minimum_detectable_effect"].items()):
            table.add_row(name if i == 0 else "", _points(value), APPROXIMATIONS[key])
    if "noninferiority_power" in found:
        name = f"chance to show non-inferiority at {_points(found['margin'])}"
        chance = found["noninferiority_power"]
        how = "score test, no true difference"
        table.add_row(name, _chance(chance["exact"]), f"{how}, exact")
        table.add_row("", _chance(chance["normal"]), f"{how}, normal approximation")
    console.print(table)


def _show_mcnemar(console: Console, found: dict[str, Any]) -> None:
    interval, rate = found["interval"], found["discordance"]
    mde = found["minimum_detectable_effect"]
    sure = _chance(interval["confidence"])
    title = f"{found['n']} questions: {found['b']} right only off, {found['c']} right only on"
    table = _table(title, "what", "value", "how")
    table.add_row("on − off", _points(interval["difference"], True), "(c − b)/n")
    low, high = (_points(interval[k], True) for k in ("lower", "upper"))
    table.add_row(f"{sure} interval", f"{low} to {high}", "Tango score")
    verdict = "a difference" if found["significant"] else "no difference found"
    table.add_row("p", f"{found['p']:.4g}", f"exact McNemar, two-sided: {verdict}")
    limits = f"{100 * rate['lower']:.2f} to {100 * rate['upper']:.2f} %, Clopper–Pearson"
    table.add_row("discordance", f"{100 * rate['rate']:.2f} %", limits)
    wanted = f"at {_chance(found['power'])} power, {100 * mde['at_discordance']:.2f} % discordance"
    for key in ("exact", "connor", "normal"):
        name = "detectable difference" if key == "exact" else ""
        how = f"{wanted}; {APPROXIMATIONS[key]}" if key == "exact" else APPROXIMATIONS[key]
        table.add_row(name, _points(mde[key]), how)
    if "noninferiority" in found:
        for key, name in (("noninferiority", "non-inferior"), ("equivalence", "equivalent")):
            test = found[key]
            word = "[green]shown[/]" if test["shown"] else "[red]not shown[/]"
            how = f"p = {test['p']:.4g} against one-sided alpha {test['alpha']:g}"
            table.add_row(f"{name} within {_points(test['margin'])}", word, how)
    console.print(table)


def _show_holm(console: Console, found: dict[str, Any]) -> None:
    table = _table(f"Holm, alpha {found['alpha']:g} over the family", "p", "adjusted", "verdict")
    for p, adjusted, rejected in zip(found["p"], found["adjusted"], found["rejected"], strict=True):
        verdict = "a difference" if rejected else "no difference found"
        table.add_row(f"{p:.4g}", f"{adjusted:.4g}", verdict)
    console.print(table)
