"""Links to the glossary: a page's first use of each term leads to what it means.

The glossary is a page: its definition list is the only list of the terms. Pages get the addresses
of all terms as reference definitions, which show nothing; the Markdown extension makes a link where
a term is first used, and the generator checks and adjusts the link as it does any other.
List ``build_scripts.glossary`` in ``markdown_extensions``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

PAGE = "glossary.md"

_PREFIX = "glossary/"
_ENTRY = re.compile(
    r"^(?P<term>\S.*?) \{ #(?P<anchor>[a-z0-9-]+) \}\n(?P<others>(?:[^:\s].*\n)*):   ", re.MULTILINE
)
_PROSE = frozenset({"p", "li", "dd", "td"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NOT_INSIDE = _HEADINGS | {
    "a",
    "blockquote",
    "code",
    "dt",
    "em",
    "figure",
    "math",
    "pre",
    "summary",
}
_RAW_OPENS = re.compile(r"<[a-zA-Z]")


def read_terms(glossary: str) -> dict[str, str]:
    r"""Return the anchor of every term of the glossary, and of every other name for it.

    Args:
        glossary: the page, as Markdown. An entry is ``Term { #anchor }``, other names on the next
            lines, then the definition.

    >>> read_terms("Residual { #residual }\nLeftover\n:   What is left.\n")
    {'residual': 'residual', 'leftover': 'residual'}
    """
    return {
        name.lower(): entry["anchor"]
        for entry in _ENTRY.finditer(glossary)
        for name in (entry["term"], *entry["others"].splitlines())
    }


def references(terms: Mapping[str, str], page: str) -> str:
    """Return the addresses of terms as the last lines of a page; it shows none of them.

    Args:
        terms: of `read_terms`.
        page: its path below ``docs/``.
    """
    path = posixpath.relpath(PAGE, posixpath.dirname(page) or ".")
    lines = (f"[{_PREFIX}{quote(term)}]: {path}#{anchor}\n" for term, anchor in terms.items())
    return "\n\n" + "".join(lines) if terms else ""


class GlossaryTreeprocessor(Treeprocessor):
    """Links the first use of each term in the prose of a page."""

    def run(self, root: Element) -> None:
        """Make the links below ``root``, in place."""
        addresses = {
            unquote(name.removeprefix(_PREFIX)): address
            for name, (address, _title) in self.md.references.items()
            if name.startswith(_PREFIX)
        }
        if addresses:
            _Links(self.md, addresses).make(root)


class _Links:
    """The terms that a page has not used yet."""

    def __init__(self, md: Markdown, addresses: dict[str, str]) -> None:
        self._md = md
        self._addresses = addresses

    def make(self, root: Element) -> None:
        """Link first uses in the order of reading."""
        for prose in list(_prose(root)):
            self._read(prose)

    def _read(self, element: Element) -> None:
        self._link(element, None)
        for child in list(element):
            if child.tag not in _NOT_INSIDE | _PROSE:
                self._read(child)
            self._link(element, child)

    def _link(self, parent: Element, after: Element | None) -> None:
        """Link the terms in the text of ``parent`` that follows a child, or precedes all."""
        text = parent.text if after is None else after.tail
        found = self._first(text) if type(text) is str else None
        if text is None or found is None:
            return
        link = Element("a", {"class": "term", "href": self._take(found[0])})
        link.text, link.tail = found[0], text[found.end() :]
        before = text[: found.start()]
        if after is None:
            parent.text, place = before, 0
        else:
            after.tail, place = before, list(parent).index(after) + 1
        parent.insert(place, link)
        self._link(parent, link)

    def _first(self, text: str) -> re.Match[str] | None:
        return next((use for use in self._uses(text) if not self._inside_raw(text, use)), None)

    def _uses(self, text: str) -> Iterator[re.Match[str]]:
        """Yield uses of the terms that are left, the longest name where several begin."""
        if self._addresses:
            stowed = [tag.span() for tag in HTML_PLACEHOLDER_RE.finditer(text)]
            any_name = "|".join(map(_uses_of, _longest_first(self._addresses)))
            for use in re.finditer(rf"(?<!\w)(?:{any_name})(?!\w)", text, re.IGNORECASE):
                if not any(start <= use.start() < end for start, end in stowed):
                    yield use

    def _inside_raw(self, text: str, use: re.Match[str]) -> bool:
        """Return whether a use is inside raw HTML, such as a token; the parser stows tags away."""
        opened = 0
        for tag in HTML_PLACEHOLDER_RE.finditer(text, 0, use.start()):
            raw = str(self._md.htmlStash.rawHtmlBlocks[int(tag[1])])
            opened += 1 if _RAW_OPENS.match(raw) else -1 if raw.startswith("</") else 0
        return opened > 0

    def _take(self, used: str) -> str:
        """Return the address of a term, and forget the term with all its names."""
        address = next(
            self._addresses[term]
            for term in _longest_first(self._addresses)
            if re.fullmatch(_uses_of(term), used, re.IGNORECASE)
        )
        self._addresses = {
            term: leads for term, leads in self._addresses.items() if leads != address
        }
        return address


def _longest_first(terms: Iterable[str]) -> list[str]:
    return sorted(terms, key=len, reverse=True)


def _uses_of(term: str) -> str:
    """Return a pattern for a term, in the singular or the plural."""
    return rf"{re.escape(term)}(?:s|es)?"


def _prose(root: Element) -> Iterator[Element]:
    """Yield the elements with running text, in order, each once."""
    for child in root:
        if child.tag in _NOT_INSIDE:
            continue
        if child.tag in _PROSE:
            yield child
        yield from _prose(child)


class GlossaryExtension(Extension):
    """Python-Markdown extension: first uses of terms become links to the glossary."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Python-Markdown's name)
        """Register the tree processor."""
        # After the formulas (9) are no longer text, and before the generator's links (0).
        md.treeprocessors.register(GlossaryTreeprocessor(md), "glossary", 4)


def makeExtension(**settings: Any) -> GlossaryExtension:  # noqa: N802 (Python-Markdown's name)
    """Return the extension; Python-Markdown calls this by name."""
    return GlossaryExtension(**settings)
