"""Open a report in a headless Chromium: no console message, no request, and screenshots to look at.

    pip install playwright    # and a Chromium: Debian's, or `playwright install chromium`
    python tests/browser/check_page.py report/index.html -o screenshots/

Exit codes: 0 clean, 1 the page complained, loaded something, or cannot be walked with the keyboard.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
FLAGS += ["--disable-component-update", "--disable-sync"]


def main() -> int:
    """Check one page."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("page", type=Path)
    p.add_argument("-o", "--out", type=Path, default=Path("screenshots"))
    p.add_argument("--chromium", default=shutil.which("chromium"), help="executable")
    arguments = p.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=arguments.chromium, args=FLAGS)
        for scheme in ("light", "dark"):
            for width in (1200, 420):
                problems += _open(browser, arguments.page, scheme, width, arguments.out)
        browser.close()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{arguments.page}: {'clean' if not problems else f'{len(problems)} problems'}")
    return 1 if problems else 0


def _open(browser: Browser, path: Path, scheme: str, width: int, out: Path) -> list[str]:
    problems: list[str] = []
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    address = path.resolve().as_uri()
    page.on("console", lambda m: problems.append(f"{scheme} {width}: console: {m.text}"))
    page.on("pageerror", lambda e: problems.append(f"{scheme} {width}: error: {e}"))
    page.on(
        "request",
        lambda r: (
            None
            if r.url.startswith("data:") or r.url == address
            else problems.append(f"{scheme} {width}: request for {r.url}")
        ),
    )
    page.goto(address)
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if overflow > 0:
        problems.append(f"{scheme} {width}: the page is {overflow} px too wide")
    repeated = page.evaluate(
        "(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
        " return ids.filter((id, i) => ids.indexOf(id) !== i).length })()"
    )
    if repeated:
        problems.append(f"{scheme} {width}: {repeated} ids stand twice")
    problems += [f"{scheme} {width}: {text}" for text in _keyboard(page)]
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.screenshot(path=str(out / f"{scheme}-{width}.png"), full_page=True)
    if scheme == "dark" and width > 1000:
        # Printing takes the light colours whatever the reader's theme is.
        page.pdf(path=str(out / "print.pdf"), format="A4", print_background=True)
    context.close()
    return problems


def _keyboard(page: Page) -> list[str]:
    """Every link, fold and scrolling table is reached with the tab key."""
    wanted = page.evaluate(
        "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]"
        ".filter(e => e.checkVisibility()).length"
    )
    reached = set()
    for _ in range(wanted + 2):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]"
                ".indexOf(document.activeElement)"
            )
        )
    missed = wanted - len(reached - {-1})
    return [f"{missed} of {wanted} controls are not reached by the tab key"] if missed > 0 else []


if __name__ == "__main__":
    sys.exit(main())
