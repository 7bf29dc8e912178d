from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from assay_report.certificate import Certificate
from assay_report.charts.roofline import peak_labels
from assay_report.drift_rows import Comparison
from assay_report.kernels import Kernel, advice
from assay_report.page import Extras, kernel_rows, render_html

from .html_check import Page

Document = dict[str, Any]
Read = Callable[[Document], Certificate]

HOSTILE_KERNEL = "void reduce<256, op<float>>(const float*, T&&)"
HOSTILE_DEVICE = 'A & B "C" <script>alert(1)</script>'


def test_the_page_is_whole_and_needs_nothing_from_outside(read: Read, document: Document) -> None:
    html = render_html(read(document))
    page = Page(html)
    assert page.problems == []
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/)", html)


def test_every_fact_and_every_invariant_stands_in_the_page(read: Read, document: Document) -> None:
    certificate = read(document)
    text = Page(render_html(certificate)).text
    assert [fact.path for fact in certificate.facts.values() if fact.key not in text] == []
    assert [item.id for item in certificate.invariants if item.id not in text] == []


def test_the_same_certificate_gives_the_same_bytes(read: Read, document: Document) -> None:
    certificate = read(document)
    assert render_html(certificate) == render_html(certificate)


def test_case_d08_names_are_text_and_a_missing_number_is_no_value(read: Read, document: Document) -> None:
    document["subject"]["name"] = HOSTILE_DEVICE
    document["facts"]["dram_bw.read"]["value"] = None
    document["facts"]["dram_bw.read"]["reason"] = "contended: <b>other</b> process"
    html = render_html(read(document), Extras(kernels=(Kernel(HOSTILE_KERNEL, 0.33, 1.2),)))
    page = Page(html)
    assert page.problems == []
    assert "<script" not in html
    assert "&lt;256, op&lt;float&gt;&gt;" in html
    assert HOSTILE_KERNEL in page.text
    assert HOSTILE_DEVICE in page.text
    assert "contended: <b>other</b> process" in page.text
    assert "no value" in page.text
    assert not re.search(r"\bnan\b", page.text, re.IGNORECASE)


def test_a_replay_says_first_that_it_certifies_nothing(read: Read, document: Document) -> None:
    assert "certifies nothing" not in render_html(read(document))
    document["kind"] = "replay"
    text = Page(render_html(read(document))).text
    assert text.index("certifies nothing about this machine") < text.index(document["subject"]["name"], 60)


@pytest.mark.parametrize("outcome", ["fail", "no_evidence", "inconclusive", "waived"])
def test_what_did_not_pass_is_on_top_with_its_numbers(read: Read, document: Document, outcome: str) -> None:
    claim = document["invariants"][0]
    claim.update(
        outcome=outcome, reason="measured too high", measured=1.0345, low=None, high=1.01, margin=-0.024
    )
    section = render_html(read(document)).split('id="ceilings"')[0]
    for text in (
        claim["id"],
        "measured too high",
        "1.0345",
        "at most 1.0100",
        "-2.4 %",
        f"assay explain {claim['id']}",
    ):
        assert text in section


def test_waivers_skips_and_missing_evidence_are_shown(read: Read, document: Document) -> None:
    document["waivers"] = [
        {
            "id": "w1",
            "invariant": "dram.peak",
            "issue": "T-7",
            "author": "somebody",
            "expires": "2026-01-01",
            "expired": True,
        }
    ]
    document["completeness"]["skipped"] = [
        {"what": "power.cap", "reason": "level full only", "outcome": "not_applicable"}
    ]
    document["completeness"]["missing"] = [
        {"what": "latency.l2", "reason": "no such fact", "outcome": "no_evidence"}
    ]
    text = Page(render_html(read(document))).text
    for part in ("T-7", "somebody", "2026-01-01 (expired)", "level full only", "latency.l2", "no such fact"):
        assert part in text


def test_charts_appear_with_their_facts_and_are_absent_without(read: Read, document: Document) -> None:
    assert render_html(read(document)).count("<svg") >= 2
    drawn = {
        "latency",
        "dram_bw",
        "l2_bw",
        "l1_bw",
        "atomics_f32",
        "atomics_u32",
        "occupancy_knees_fma_tflops",
    }
    kept = {path: fact for path, fact in document["facts"].items() if path.split(".")[0] not in drawn}
    kept = {path: fact for path, fact in kept.items() if not path.startswith("occupancy_knees")}
    document["facts"] = kept
    html = render_html(read(document))
    assert "<svg" not in html
    assert html.count("This run has no facts for it.") == 4


def test_the_drift_map_counts_what_is_over_and_what_is_unknown(read: Read, document: Document) -> None:
    rows = (
        Comparison("dram_bw.read", 4600.0, 4620.0, -0.004, 0.02),
        Comparison("dram_bw.write", 4300.0, 4700.0, -0.085, 0.02),
        Comparison("latency.l2", None, 281.0, None, 0.01),
    )
    html = render_html(read(document), Extras(comparisons=rows))
    chart = html[html.index('aria-label="Drift of 3 facts') :]
    assert "Drift of 3 facts by family, 1 over tolerance" in chart
    assert chart.count("var(--bad)") > 0
    assert chart.count("var(--good)") > 0


def test_a_kernel_stands_beside_the_measured_roof(read: Read, document: Document) -> None:
    certificate = read(document)
    bandwidth = certificate.number("dram_bw.read")
    assert bandwidth is not None
    row = kernel_rows(certificate, (Kernel("k", 1.0, bandwidth / 2000),))[0]
    assert row.share_of_roof == pytest.approx(0.5)
    assert "occupancy first" in row.advice


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.81, "stop here"), (0.80, "some way"), (0.60, "some way"), (0.59, "occupancy first"), (1.02, "fault")],
)
def test_advice_follows_the_share_of_the_roof(share: float, text: str) -> None:
    assert text in advice(share)


def test_labels_of_peaks_that_lie_close_share_a_line() -> None:
    peaks = [("FP64", 66.8), ("FP32", 65.98), ("TF32 tensor", 448.5)]
    assert peak_labels(peaks) == [(448.5, "TF32 tensor 448.5"), (66.8, "FP64 66.80, FP32 65.98")]
