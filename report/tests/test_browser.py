"""The page in a real browser: nothing overflows, nothing complains, print loses no row."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay_report.certificate import Certificate
from assay_report.drift_rows import Comparison
from assay_report.kernels import Kernel
from assay_report.page import Extras, render_html

from .test_page import HOSTILE_DEVICE, HOSTILE_KERNEL

Document = dict[str, Any]
Read = Callable[[Document], Certificate]
WIDTHS = (390, 1280)

# The page sits in frames of the widths under test, because a headless window cannot be narrower than 500.
_HARNESS = """<!DOCTYPE html><meta charset="utf-8"><title>frames</title>{frames}
<pre id="answer"></pre><script>
window.onload = () => {{
  const lines = [];
  for (const frame of document.querySelectorAll("iframe")) {{
    const page = frame.contentDocument, root = page.documentElement;
    for (const fold of page.querySelectorAll("details")) fold.open = true;
    const right = [...page.body.querySelectorAll("td, th, p, dd, h1, h2, figure, code")]
      .map(item => item.getBoundingClientRect().right).reduce((a, b) => Math.max(a, b), 0);
    lines.push([frame.width, root.scrollWidth, Math.ceil(right),
      page.querySelectorAll("table").length, page.querySelectorAll("figure svg").length,
      page.querySelectorAll("script").length].join(" "));
  }}
  document.getElementById("answer").textContent = lines.join("\\n");
}};
</script>"""


def _browser() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("ASSAY_REQUIRE_BROWSER"):
            pytest.fail("no Chromium on PATH; on Debian: apt-get install chromium")
        pytest.skip("no Chromium on PATH")
    return found


def _chromium(profile: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [_browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += [
        f"--user-data-dir={profile}",
        "--enable-logging=stderr",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    ]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True, timeout=120)


@pytest.fixture
def page(read: Read, document: Document) -> str:
    """A page with everything in it: long names, failures, kernels, drift."""
    document["subject"]["name"] = HOSTILE_DEVICE
    document["invariants"][0].update(
        outcome="fail", reason="x" * 200, measured=1.0345, low=None, high=1.01, margin=-0.02
    )
    rows = tuple(Comparison(f"latency.l{i}", 1.0, 1.0, 0.0, 0.01) for i in range(60))
    return render_html(read(document), Extras((Kernel(HOSTILE_KERNEL, 0.33, 1.2),), rows))


def test_nothing_overflows_on_a_phone_or_a_desk_and_the_console_is_silent(tmp_path: Path, page: str) -> None:
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
    for width, scroll_width, right, tables, charts, scripts in rows:
        assert scroll_width <= width
        assert right <= width
        assert tables > 10
        assert charts == 5
        assert scripts == 0


def test_print_shows_every_fact_also_those_in_folds(
    tmp_path: Path, read: Read, document: Document, page: str
) -> None:
    if shutil.which("pdftotext") is None:
        if os.environ.get("ASSAY_REQUIRE_BROWSER"):
            pytest.fail("no pdftotext on PATH; on Debian: apt-get install poppler-utils")
        pytest.skip("no pdftotext on PATH")
    source, pdf = tmp_path / "page.html", tmp_path / "page.pdf"
    source.write_text(page, encoding="utf-8")
    _chromium(tmp_path / "profile", "--no-pdf-header-footer", f"--print-to-pdf={pdf}", source.as_uri())
    done = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True)
    # A long name may break over two lines; without white space it is whole again.
    printed = "".join(done.stdout.split())
    certificate = read(document)
    assert [fact.path for fact in certificate.facts.values() if fact.key not in printed] == []
    assert [item.id for item in certificate.invariants if item.id not in printed] == []
    assert done.stdout.count("\f") > 3
