from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay_report.certificate import Certificate
from assay_report.kernels import Kernel, KernelList, read_kernels
from assay_report.page import Extras, render_html
from assay_report.strict_json import InputError

from .conftest import EXAMPLE
from .html_check import Page

Document = dict[str, Any]
BENCH = EXAMPLE.parent / "bench.json"


def _bench(tmp_path: Path, change: Callable[[Document], None]) -> Path:
    document: Document = json.loads(BENCH.read_text(encoding="utf-8"))
    change(document)
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_results_of_a_bench_are_marked_or_named_with_the_reason(tmp_path: Path) -> None:
    def state_work(document: Document) -> None:
        document["results"][0].update(arithmetic_intensity=0.25, achieved_tflops=0.86)

    assert read_kernels(_bench(tmp_path, state_work)) == KernelList(
        (Kernel("saxpy", 0.25, 0.86),), ("throttled: inconclusive, all samples below 1768.5 MHz",)
    )


def test_a_result_without_stated_work_has_no_place_in_the_roofline() -> None:
    found = read_kernels(BENCH)
    assert found.kernels == ()
    assert found.left_out[0] == "saxpy: its bytes and FLOPs per call are not both stated"


def test_a_rate_that_is_no_number_is_refused_with_its_place(tmp_path: Path) -> None:
    def spoil(document: Document) -> None:
        document["results"][0].update(arithmetic_intensity=0.25, achieved_tflops=-1)

    with pytest.raises(InputError, match=r"results\[0\]\.achieved_tflops: -1 is no positive number"):
        read_kernels(_bench(tmp_path, spoil))


def test_what_was_left_out_stands_in_the_page(
    read: Callable[[Document], Certificate], document: Document
) -> None:
    html = render_html(read(document), Extras(left_out=("a<b>: void",)))
    assert "Kernel left out: a<b>: void" in Page(html).text
