"""A strict look at a page: tags in balance, ids unique, nothing from outside, no script."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "br", "img", "hr", "link", "input", "col"}


class Page(HTMLParser):
    """Parses once; `problems` lists what is wrong, `text` holds what a reader sees."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.problems += [f"never closed: {tag}" for tag in self._open]
        self.problems += [f"id twice: {name}" for name in set(self.ids) if self.ids.count(name) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in _VOID:
            self._open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("src", "srcset", "action") or name.startswith("on"):
                self.problems.append(f"attribute {name} on {tag}")
            if name == "href" and not (value or "").startswith("#"):
                self.problems.append(f"link to {value}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"closed out of order: {tag}")

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.text += data
