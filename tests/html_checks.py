r"""What went wrong with maths without an error: TeX that a reader of the built page would see."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SILENT = frozenset(
    {"annotation", "code", "kbd", "pre", "samp", "script", "style", "template", "textarea"}
)
_SPOKEN = frozenset({"alt", "aria-label", "content", "title"})
# A dollar that is no price, a LaTeX delimiter, or a command such as \frac.
_TEX = re.compile(r"\$\$?(?!\d)[^$]*\$?\$?|\\[()\[\]]|\\[A-Za-z]+")


def find_leftovers(html: str) -> list[str]:
    r"""Return every piece of TeX that shows in ``html``, in order, with its line number.

    Code, scripts and the annotation inside MathML may hold TeX; text and the attributes that
    are read out or shown may not.

    >>> find_leftovers(r"<p>price $5, <code>$\alpha$</code></p>")
    []
    >>> find_leftovers(r"<p>mean \frac{1}{2}</p>")
    ['line 1: \\frac']
    """
    finder = _LeftoverFinder()
    finder.feed(html)
    finder.close()
    return finder.found


class _LeftoverFinder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._silent_within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent_within.append(tag)
        elif not self._silent_within:
            for name, value in attrs:
                if name in _SPOKEN:
                    self._look(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _SILENT:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent_within:
            while self._silent_within.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._silent_within:
            self._look(data)

    def _look(self, text: str) -> None:
        for match in _TEX.finditer(text):
            line = self.getpos()[0] + text.count("\n", 0, match.start())
            self.found.append(f"line {line}: {' '.join(match[0].split())[:60]}")
