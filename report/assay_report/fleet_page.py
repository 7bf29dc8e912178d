"""The fleet's page and its Markdown: outliers first, then groups, cohorts, racks, hosts."""

from __future__ import annotations

import re

from .charts.spread import sparkline, spread_chart
from .fleet import FactSpread, Fleet
from .markdown import cell, code
from .page import TEMPLATES, environment

# What a page can hold that somebody reads; all of it is in the document.
MOST_ROWS = 500
MOST_CHARTS = 12
MOST_MARKDOWN_ROWS = 20


def charted(fleet: Fleet) -> list[tuple[int, FactSpread]]:
    """Facts worth a chart, with their cohort: those that something was found in."""
    wanted = {(gpu.cohort, finding.path) for gpu in fleet.gpus for finding in gpu.findings}
    wanted |= {(group["cohort"], group["path"]) for group in fleet.groups}
    facts = [
        (index, fact)
        for index, cohort in enumerate(fleet.cohorts)
        for fact in cohort.facts
        if fact.shifted or (index, fact.path) in wanted
    ]
    return facts[:MOST_CHARTS]


def render_fleet_html(fleet: Fleet) -> str:
    """The whole page; the same document gives the same bytes."""
    charts = [spread_chart(fact, number) for number, (_, fact) in enumerate(charted(fleet))]
    templates = environment()
    templates.globals["sparkline"] = sparkline
    return templates.get_template("fleet.html.j2").render(
        fleet=fleet,
        style=(TEMPLATES / "style.css").read_text(encoding="utf-8"),
        charts=[chart for chart in charts if chart is not None],
        most=MOST_ROWS,
    )


def render_fleet_markdown(fleet: Fleet) -> str:
    """Verdict, who is missing, the outliers, racks and cohorts; for a pull request or a message."""
    templates = environment()
    templates.autoescape = False
    templates.filters["cell"] = cell
    templates.filters["code"] = code
    text = templates.get_template("fleet.md.j2").render(fleet=fleet, most=MOST_MARKDOWN_ROWS)
    return re.sub(r"\n{3,}", "\n\n", text)
