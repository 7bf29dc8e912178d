"""The certificate as Markdown for a pull request, and as plain text."""

from __future__ import annotations

import re

from .certificate import Certificate
from .numbers import band_text, fact_text, number_text, percent_text
from .page import environment, not_passed, rated_facts

# What Markdown or the HTML in it would read as markup, in a name that anybody may have chosen.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


def cell(text: object) -> str:
    """`text` as plain text on one line of a Markdown table."""
    one_line = " ".join(str(text).split())
    return _MARKUP.sub(
        lambda match: f"&#{ord(match.group(1))};" if match.group(1) in "<>&" else "\\" + match.group(1),
        one_line,
    )


def code(text: object) -> str:
    """`text` between backticks of the template: no backtick, no bar, one line."""
    return " ".join(str(text).split()).replace("`", "'").replace("|", "/")


def render_markdown(certificate: Certificate) -> str:
    """Verdict first; what to act on; facts against ceilings; drift; counts."""
    templates = environment()
    templates.autoescape = False
    templates.filters["cell"] = cell
    templates.filters["code"] = code
    text = templates.get_template("summary.md.j2").render(
        certificate=certificate, rated=rated_facts(certificate), not_passed=not_passed(certificate)
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def render_text(certificate: Certificate) -> str:
    """The same for a terminal or a log, without markup."""
    lines = (
        ["REPLAY of a recorded dossier: certifies nothing about this machine"]
        if certificate.is_replay
        else []
    )
    lines += [
        f"verdict  {certificate.headline}",
        f"device   {certificate.subject['name']}, {certificate.subject['uuid']}",
        f"driver   {certificate.subject['driver'] or 'unknown'}",
        f"run      {certificate.run_id}, {certificate.created_utc}, level {certificate.level}",
        "",
    ]
    for fact in rated_facts(certificate):
        share = percent_text(fact.percent / 100 if fact.percent is not None else None)
        lines.append(f"  {fact.path:<40} {fact_text(fact):>24}  {share:>8} of {number_text(fact.ceiling)}")
    lines.append("")
    for item in not_passed(certificate):
        band = f"{number_text(item.measured)}, allowed {band_text(item.low, item.high)}"
        lines.append(f"{item.outcome}  {item.id}: {item.reason} ({band}, margin {percent_text(item.margin)})")
    for gap in certificate.missing:
        lines.append(f"missing  {gap.what}: {gap.reason}")
    lines.append(
        f"counts   {len(certificate.invariants)} invariants, {certificate.count('pass')} pass; "
        f"{len(certificate.missing)} missing, {len(certificate.skipped)} skipped"
    )
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"
