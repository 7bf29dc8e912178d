from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from assay_report.certificate import Certificate
from assay_report.markdown import cell, render_markdown, render_text

Document = dict[str, Any]
Read = Callable[[Document], Certificate]


def test_every_row_of_a_table_has_the_columns_of_its_head(read: Read, document: Document) -> None:
    document["invariants"][0].update(
        outcome="fail", reason="a | b\n`c` <b>", measured=2.0, low=0.9, high=1.0, margin=-1.0
    )
    width = 0
    for line in render_markdown(read(document)).splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        columns = len(re.findall(r"(?<!\\)\|", line))
        assert width in (0, columns), line
        width = columns


def test_names_cannot_inject_markup() -> None:
    assert cell("a|b <script> [x](y) `z`\n| new") == r"a\|b &#60;script&#62; \[x\]\(y\) \`z\` \| new"


def test_the_verdict_comes_first_and_the_numbers_follow(read: Read, document: Document) -> None:
    document["invariants"][0].update(
        outcome="fail", reason="too high", measured=1.0345, high=1.01, low=None, margin=-0.02
    )
    document["statement"]["verdict"] = "fail"
    text = render_markdown(read(document))
    assert text.startswith("## FAIL: NVIDIA H200")
    assert "1.0345 | at most 1.0100 | -2.0 %" in text


def test_a_replay_is_marked_before_the_verdict(read: Read, document: Document) -> None:
    document["kind"] = "replay"
    assert render_markdown(read(document)).startswith("> Replay of a recorded dossier")
    assert render_text(read(document)).startswith("REPLAY of a recorded dossier")


def test_text_has_one_line_for_each_fact_with_a_ceiling(read: Read, document: Document) -> None:
    certificate = read(document)
    text = render_text(certificate)
    rated = [
        path for path, fact in certificate.facts.items() if fact.percent is not None and "_zeros" not in path
    ]
    assert [path for path in rated if text.count(f"  {path} ") != 1] == []
