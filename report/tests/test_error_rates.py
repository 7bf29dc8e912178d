from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from assay_report.certificate import Certificate
from assay_report.markdown import render_markdown
from assay_report.page import render_html
from assay_report.strict_json import InputError

from .conftest import EXAMPLE
from .html_check import Page

Document = dict[str, Any]
Read = Callable[[Document], Certificate]

_BOUND = {"confidence": 0.95, "low": 0.0, "high": 0.0362, "upper": 0.0295}


@pytest.fixture
def counted(document: Document) -> Document:
    """A certificate of a product whose error rates were counted and modelled."""
    power = json.loads((EXAMPLE.parent / "power.json").read_text(encoding="utf-8"))
    suite = document["suite"]
    document["error_rates"] = {
        "measured": {
            "source": "device",
            "document_sha256": "0" * 64,
            "suite": suite,
            "same_judging": True,
            "sessions": 2,
            "runs": 101,
            "decided": 100,
            "failed": 0,
            "failure_rate": _BOUND,
        },
        "model": {
            "source": "model",
            "document_sha256": "0" * 64,
            "run_id": power["run_id"],
            "suite": suite,
            "same_judging": False,
            "facts_drawn": 3,
            "facts_between": 0,
            "rows": power["rows"],
        },
        "absent": [],
    }
    return document


def test_measured_and_model_stand_apart_with_their_bounds(read: Read, counted: Document) -> None:
    page = Page(render_html(read(counted)))
    assert page.problems == []
    assert "0 of 100 decided runs of healthy devices failed, in 2 sessions: at most 2.95 %" in page.text
    assert "Model, not measured" in page.text
    assert "judged with other rules" in page.text
    for row in counted["error_rates"]["model"]["rows"]:
        assert f"{row['failed']} of {row['runs']}" in page.text
        assert row["title"] in page.text


def test_markdown_states_them_too(read: Read, counted: Document) -> None:
    text = render_markdown(read(counted))
    assert "measured: 0 of 100 decided runs of healthy devices failed, at most 2.95 %." in text
    assert "modelled (other rules): healthy (same device): 0 of 30;" in text


def test_what_is_not_known_is_said(read: Read, document: Document) -> None:
    document["error_rates"] = {"measured": None, "model": None, "absent": ["no counted <runs>", "no model"]}
    certificate = read(document)
    assert "Not known: no counted <runs>" in Page(render_html(certificate)).text
    assert "Error rates not known: no counted &#60;runs&#62;" in render_markdown(certificate)


def test_error_rates_of_another_shape_are_refused(read: Read, counted: Document) -> None:
    del counted["error_rates"]["measured"]["failure_rate"]["upper"]
    with pytest.raises(InputError, match="missing 'upper'"):
        read(counted)


def test_a_fact_over_its_tolerance_stands_in_the_page(read: Read, document: Document) -> None:
    document["drift"] = {
        "pinned": {"run_id": "r", "sha256": "0" * 64},
        "same_device": True,
        "pass": False,
        "compared": 1,
        "over_tol": 1,
        "worst_rel": -0.5,
        "over": [
            {
                "path": "latency.l2",
                "current": 1.0,
                "pinned": 2.0,
                "rel": -0.5,
                "tolerance": 0.01,
                "direction": "better",
            }
        ],
        "missing": [],
        "added": [],
        "differences": [],
    }
    assert "1 over tolerance" in Page(render_html(read(document))).text
