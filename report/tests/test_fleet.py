from __future__ import annotations

import copy
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay_report.__main__ import run
from assay_report.charts.spread import sparkline
from assay_report.fleet import Fleet, read_fleet
from assay_report.fleet_page import MOST_ROWS, render_fleet_html, render_fleet_markdown
from assay_report.strict_json import InputError

from .conftest import EXAMPLE
from .html_check import Page
from .test_browser import _HARNESS, WIDTHS, _chromium

Document = dict[str, Any]
FLEET = EXAMPLE.parent / "fleet.json"
HOSTILE = 'n1"><script>alert(1)</script>|`x`'


@pytest.fixture
def fleet() -> Document:
    document: Document = json.loads(FLEET.read_text(encoding="utf-8"))
    return document


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Document], Fleet]:
    def write_and_read(document: Document) -> Fleet:
        path = tmp_path / "fleet.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return read_fleet(path)

    return write_and_read


Read = Callable[[Document], Fleet]


def test_the_page_is_whole_and_the_outliers_stand_first(read: Read, fleet: Document) -> None:
    text = render_fleet_html(read(fleet))
    page = Page(text)
    assert page.problems == []
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/)", text)
    failed = next(gpu for gpu in fleet["gpus"] if gpu["outcome"] == "fail")
    unsure = next(gpu for gpu in fleet["gpus"] if gpu["outcome"] == "inconclusive")
    assert page.text.index(failed["uuid"]) < page.text.index(unsure["uuid"])
    assert page.text.index(unsure["uuid"]) < page.text.rindex("Missing and no evidence")
    assert fleet["missing"][0]["host"] in page.text
    assert fleet["problems"][0]["what"] in page.text
    assert text.count("<figure><svg") == 2
    assert text.count('class="spark"') == sum(len(cohort["facts"]) for cohort in fleet["cohorts"])


def test_the_same_document_gives_the_same_bytes(read: Read, fleet: Document) -> None:
    assert render_fleet_html(read(fleet)) == render_fleet_html(read(fleet))


def test_hostile_names_are_text_in_the_page_and_in_markdown(read: Read, fleet: Document) -> None:
    for gpu in fleet["gpus"][:8]:
        gpu.update(host=HOSTILE, rack=HOSTILE, uuid=HOSTILE)
    fleet["gpus"][3]["reason"] = HOSTILE
    fleet["gpus"][3]["findings"][0]["path"] = HOSTILE
    fleet["cohorts"][0].update(product=HOSTILE, driver=HOSTILE)
    fleet["cohorts"][0]["facts"][0]["path"] = HOSTILE
    fleet["problems"][0].update(where=HOSTILE, what=HOSTILE)
    fleet["missing"][0].update(host=HOSTILE + "2", rack=HOSTILE)
    document = read(fleet)
    text = render_fleet_html(document)
    assert Page(text).problems == []
    assert "<script" not in text
    assert HOSTILE in Page(text).text
    markdown = render_fleet_markdown(document)
    assert "<script" not in re.sub("`[^`]*`", "", markdown)
    width = 0
    for line in markdown.splitlines():
        columns = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert columns == 0 or width in (0, columns), line
        width = columns


def test_a_rehearsal_says_first_that_it_certifies_no_machine(read: Read, fleet: Document) -> None:
    fleet["rehearsal"] = True
    assert render_fleet_markdown(read(fleet)).startswith("> Rehearsal")
    assert Page(render_fleet_html(read(fleet))).text.index("certifies no machine") < 200


def test_a_missing_host_is_the_worst_of_its_rack(read: Read, fleet: Document) -> None:
    document = read(fleet)
    hosts = {place.name: place for place in document.hosts()}
    assert hosts[fleet["missing"][0]["host"]].outcome == "no_evidence"
    assert document.hosts()[0].outcome == "fail"
    assert document.racks()[0].missing


def test_a_fleet_of_thousands_is_a_page_somebody_can_open(read: Read, fleet: Document) -> None:
    bad = next(gpu for gpu in fleet["gpus"] if gpu["outcome"] == "fail")
    fleet["gpus"] = [{**copy.deepcopy(bad), "uuid": f"GPU-{i}", "host": f"n{i // 8}"} for i in range(4000)]
    text = render_fleet_html(read(fleet))
    assert len(text) < 2_000_000
    assert f"{4000 - MOST_ROWS} more are in the document." in text


def test_a_fact_that_nobody_has_draws_nothing(read: Read, fleet: Document) -> None:
    fact = fleet["cohorts"][0]["facts"][0]
    fact.update(bins=[0] * 41, median=None, scale=None)
    document = read(fleet)
    assert sparkline(document.cohorts[0].facts[0]) == ""
    assert Page(render_fleet_html(document)).problems == []


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        ({"kind": "certificate"}, "assay fleet --json"),
        ({"schema": "2.0.0"}, "2.0.0"),
        ({"verdict": "fine"}, "fine"),
        ({"gpus": [{"host": "n1"}]}, "missing"),
    ],
)
def test_another_document_is_refused_by_name(read: Read, fleet: Document, edit: Document, named: str) -> None:
    with pytest.raises(InputError, match=named):
        read({**fleet, **edit})


@pytest.mark.parametrize("arguments", [[], ["--text", "a.txt"], [str(EXAMPLE), "--html", "a.html"]])
def test_a_command_line_that_means_nothing_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        run(["--fleet", str(FLEET), *arguments])
    assert refused.value.code == 2


def test_the_verb_writes_page_and_markdown(tmp_path: Path) -> None:
    page, summary = tmp_path / "fleet.html", tmp_path / "fleet.md"
    assert run(["--fleet", str(FLEET), "--html", str(page), "--markdown", str(summary)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert summary.read_text(encoding="utf-8").startswith("## FAIL: fleet of 24 GPUs")


def test_the_page_fits_a_phone_and_a_desk(tmp_path: Path, read: Read, fleet: Document) -> None:
    fleet["gpus"][3].update(host="h" * 120, reason="x" * 300)
    page = render_fleet_html(read(fleet))
    frames = "".join(
        f'<iframe width="{width}" height="900" srcdoc="{html.escape(page)}"></iframe>' for width in WIDTHS
    )
    harness = tmp_path / "harness.html"
    harness.write_text(_HARNESS.format(frames=frames), encoding="utf-8")
    done = _chromium(tmp_path / "profile", "--virtual-time-budget=8000", "--dump-dom", harness.as_uri())
    assert "CONSOLE" not in done.stderr
    answer = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert answer
    rows = [[int(number) for number in line.split()] for line in answer.group(1).splitlines()]
    assert [row[0] for row in rows] == list(WIDTHS)
    for width, scroll_width, right, _tables, charts, scripts in rows:
        assert scroll_width <= width
        assert right <= width
        assert charts == 2
        assert scripts == 0
