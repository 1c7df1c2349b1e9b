"""The page: what it says first, that it needs nothing from outside, and what it leaves out."""

from __future__ import annotations

import copy
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports.page import build
from reports.records import read_all
from verify.cli.main import main

VOID = {"meta", "link", "img", "br", "input", "hr"}


class Checked(HTMLParser):
    """Tags that close, ids that are unique, and every address the page names."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        named = {name: value or "" for name, value in attrs}
        self.ids += [named["id"]] if "id" in named else []
        self.links += [named[n] for n in ("href", "src", "xlink:href") if n in named]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()


def check(page: Path) -> Checked:
    found = Checked()
    found.feed(page.read_text())
    assert not found.open
    assert len(found.ids) == len(set(found.ids))
    for link in found.links:
        if link.startswith("#"):
            assert link[1:] in found.ids
        elif not link.startswith("data:"):
            assert (page.parent / link).is_file()
    assert "script" not in found.tags
    assert not re.search(r"url\((?!#)", page.read_text())
    return found


@pytest.fixture(scope="module")
def failing_page(failing: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("page")
    build(read_all([failing]), out)
    return out


@pytest.fixture(scope="module")
def passing_page(passing: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("page")
    build(read_all([passing]), out)
    return out


def test_a_failing_record_says_so_first(failing_page: Path) -> None:
    check(failing_page / "index.html")
    text = (failing_page / "index.html").read_text()
    first = text[: text.index("<section")]
    assert "✗ fail" in first
    assert "✗ shut" in first
    assert "experts_down, output moe_partial, rank 3" in text
    assert "python -m verify layer k2 --preset tiny" in text


def test_a_passing_record_draws_too_and_opens_nothing(passing_page: Path) -> None:
    check(passing_page / "index.html")
    text = (passing_page / "index.html").read_text()
    first = text[: text.index("<section")]
    assert "✓ pass" in first
    assert "○ shut" in first
    assert "hardware (gfx950) not checked" in first
    names = {path.stem.partition("-0-")[2] for path in (passing_page / "figures").glob("*.png")}
    assert {"over-bound", "ulps", "rows", "scatter", "bound-shares"} <= names
    assert "map-experts_up.h_codes" in names


def test_every_figure_is_a_png_and_a_csv(failing_page: Path) -> None:
    pngs = {path.stem for path in (failing_page / "figures").glob("*.png")}
    csvs = {path.stem for path in (failing_page / "figures").glob("*.csv")}
    assert pngs == csvs
    assert len(pngs) >= 7
    assert (failing_page / "index.html").read_text().count("<svg") == len(pngs)


def test_the_map_points_at_the_swapped_rows(failing_page: Path) -> None:
    path = next((failing_page / "figures").glob("*map-experts_down.moe_partial.csv"))
    cells = pd.read_csv(path)
    bad = cells[cells["over_bound"] > 1]
    assert set(bad["rank"]) == {3}
    assert set(bad["row"]) == {2, 5}
    detail = pd.read_csv(next((failing_page / "figures").glob("*detail-experts_down*.csv")))
    assert set(detail[detail["over_bound"] > 1]["row"]) == {2, 5}


def test_a_failing_record_without_its_tensors_keeps_its_map(failing: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.json"
    alone.write_text(failing.read_text())
    build(read_all([alone]), tmp_path / "page")
    names = {path.name for path in (tmp_path / "page" / "figures").glob("*.csv")}
    assert any("map-experts_down" in name for name in names)
    assert not any("detail" in name for name in names)


def test_colours_follow_the_theme(passing_page: Path) -> None:
    text = (passing_page / "index.html").read_text()
    body = text[text.index("<main") :]
    assert "var(--first)" in body
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert body.count('id="dark-') == body.count('id="light-') > 0


def test_a_record_without_pictures_says_so(passing: Path, tmp_path: Path) -> None:
    old = json.loads(passing.read_text())
    for stage in old["stages"]:
        for output in stage["outputs"]:
            output.pop("errors")
    path = tmp_path / "old.json"
    path.write_text(json.dumps(old))
    made = build(read_all([path]), tmp_path / "page")
    check(made.page)
    assert "are not in this record" in made.page.read_text()


def test_what_is_missing_is_named(passing_page: Path) -> None:
    text = (passing_page / "index.html").read_text()
    assert "Not in these records: replays" in text


def several(passing: Path, folder: Path) -> list[Path]:
    """Records of other layers, families, schedules and kinds, made of one."""
    record: dict[str, Any] = json.loads(passing.read_text())
    paths = []
    for index, family, schedule in ((10, "ties", "forward"), (50, "normal", "random:7")):
        other = copy.deepcopy(record)
        other |= {"layer_index": index, "family": family}
        other["simulation"] = {
            "schedule": schedule,
            "models": {},
            "sanitize": True,
            "virtual_us": 1.0,
            "wave_ops": 5,
            "seconds": 1.0,
            "longest_chain": 3,
            "findings": ["a <script>alert(1)</script> finding"],
        }
        paths.append(folder / f"{index}-{family}.json")
        paths[-1].write_text(json.dumps(other))
    check = {"name": "repeated", "verdict": "fail", "value": 1.0, "limit": 0.0, "message": "x"}
    replay = {k: v for k, v in record.items() if k not in ("stages", "layer_checks")}
    replay |= {"mode": "eager replay", "launches": 300, "calls": 3, "notes": [], "verdict": "fail"}
    replay |= {"checks": [check, check | {"name": "lengths changed", "verdict": "pass"}]}
    paths.append(folder / "replay.json")
    paths[-1].write_text(json.dumps(replay))
    plant = {"plant": "late", "kind": "kda", "runs": 3, "detected": 3, "checks": {"exact": 1.0}}
    plant |= {"cheapest": "normal", "missed_seeds": []}
    fault = {"fault": "F1", "title": "late commit", "reveals": "", "plants": [plant]}
    fault |= {"rate": 1.0, "verdict": "pass"}
    missed = plant | {"detected": 0, "checks": {"bound": 0.0}, "missed_seeds": [1, 2, 3]}
    other = fault | {"fault": "F2", "plants": [missed], "rate": 0.0, "verdict": "fail"}
    suite = {k: record[k] for k in ("created", "command", "environment", "preset", "tp", "seconds")}
    suite |= {"schema_version": 1, "seeds": [1], "faults": [fault, other], "kernel_faults": []}
    suite |= {"control": None, "verdict": "fail"}
    paths.append(folder / "suite.json")
    paths[-1].write_text(json.dumps(suite))
    counts = {"load_plain": 5_000_000, "store_plain": 1000, "mfma": 3}
    compiled = {"build": "k1 8 rows", "identity": {}, "facts": {}, "counts": counts}
    isa = {"builds": [compiled | {"handoffs": 7, "predicted_us": 36.7}]}
    paths.append(folder / "isa.json")
    paths[-1].write_text(json.dumps(isa))
    timed = {"kind": "k1", "rows": 8, "what": "triton", "median_us": 9.0, "low_us": 8.0}
    timed |= {"high_us": 10.0, "floor_us": 5.0, "note": ""}
    failed = timed | {"what": "chain", "median_us": None, "note": "RuntimeError"}
    bench = {"copy_bytes_per_second": 4e12, "driver": "1", "rows": [timed, failed]}
    paths.append(folder / "layers.json")
    paths[-1].write_text(json.dumps(bench))
    return paths


def test_several_records_are_drawn_together(passing: Path, tmp_path: Path) -> None:
    paths = [passing, *several(passing, tmp_path)]
    made = build(read_all(paths), tmp_path / "page", detail=1)
    check(made.page)
    names = {path.stem for path in (tmp_path / "page" / "figures").glob("*.csv")}
    assert {"families", "schedules", "planted", "suite-faults", "depth"} | {
        "isa-predicted",
        "layers-measured",
    } <= names
    schedules = pd.read_csv(tmp_path / "page" / "figures" / "schedules.csv")
    assert "schedule random:7" in set(schedules["run"])
    assert set(schedules[schedules["verdict"] == "fail"]["check"]) == {"repeated"}
    found = pd.read_csv(tmp_path / "page" / "figures" / "suite-faults.csv")
    assert set(found[found["verdict"] == "fail"]["fault"]) == {"F2 late commit"}
    assert set(found[found["verdict"] == "pass"]["check"]) == {"every run", "exact"}
    text = made.page.read_text()
    assert "Figures left out here" in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<script" not in text
    summary = made.summary.read_text()
    assert summary.startswith("### kk3: ✗ fail · gate shut")
    assert "| k2 layer 10, ties, contract | layer |" in summary


def test_the_command(passing: Path, failing: Path, tmp_path: Path, capsys: Any) -> None:
    words = ["report", str(passing), str(failing), "-o", str(tmp_path / "p"), "--json"]
    assert main([*words, "--detail", "0"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "fail"
    assert found["gate"] == "shut"
    assert Path(found["page"]).is_file()
    assert main([*words, "--detail", "0", "--strict"]) == 1


def test_unreadable_files_are_all_named(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "odd.json").write_text('{"a": 1}')
    (tmp_path / "new.json").write_text('{"verdict": "pass", "schema_version": 9}')
    (tmp_path / "none").mkdir()
    out = tmp_path / "page"
    words = [str(tmp_path / n) for n in ("bad.json", "list.json", "odd.json", "new.json")]
    words += [str(tmp_path / n) for n in ("missing.json", "none")]
    assert main(["report", *words, "-o", str(out)]) == 2
    error = capsys.readouterr().err
    for name in ("bad.json", "list.json", "odd.json", "new.json", "missing.json", "none"):
        assert name in error
    assert not out.exists()
