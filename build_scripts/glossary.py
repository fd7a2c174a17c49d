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
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

PAGE = "glossary.md"

LINK_CLASS = "term"

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
_REFERENCES = re.compile(rf"\n\n(?:\[{_PREFIX}.*\n)+\Z")
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


def split_references(page: str) -> tuple[str, str]:
    r"""Return a page without the lines that `references` added, and these.

    >>> split_references("A residual." + references({"residual": "residual"}, "math.md"))
    ('A residual.', '\n\n[glossary/residual]: glossary.md#residual\n')
    """
    found = _REFERENCES.search(page)
    place = found.start() if found else len(page)
    return page[:place], page[place:]


def uses(text: str, references: str) -> Iterator[re.Match[str]]:
    """Yield every use of a term in ``text``, whatever it is part of.

    Args:
        text: of a page.
        references: of `split_references`, which name the terms.
    """
    names = re.findall(rf"^\[{_PREFIX}(.*?)\]: ", references, re.MULTILINE)
    yield from _any_of(_longest_first(map(unquote, names))).finditer(text) if names else ()


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
    """The addresses of the terms, and which of them a page has used."""

    def __init__(self, md: Markdown, addresses: dict[str, str]) -> None:
        self._md = md
        self._addresses = addresses
        self._names = _longest_first(addresses)
        self._used: set[str] = set()

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
        if type(text) is not str:  # none, or text that other extensions are to leave alone
            return
        place = 0 if after is None else list(parent).index(after) + 1
        done = 0
        for use, address in self._first_uses(text):
            before, done = text[done : use.start()], use.end()
            _put(parent, place, before)
            link = Element("a", {"class": LINK_CLASS, "href": address})
            link.text, link.tail = use[0], text[done:]
            parent.insert(place, link)
            place += 1

    def _first_uses(self, text: str) -> Iterator[tuple[re.Match[str], str]]:
        """Yield the first uses of terms, with their addresses, and note that they are used."""
        for use in _any_of(self._names).finditer(text):
            assert use.lastindex is not None, "each name is a group"
            address = self._addresses[self._names[use.lastindex - 1]]
            if address not in self._used and not self._inside_raw(text, use):
                self._used.add(address)
                yield use, address

    def _inside_raw(self, text: str, use: re.Match[str]) -> bool:
        """Return whether a use is in raw HTML, such as a token; the parser stows tags away."""
        opened = 0
        for tag in HTML_PLACEHOLDER_RE.finditer(text):
            if tag.start() > use.start():
                break
            if use.start() < tag.end():
                return True
            raw = str(self._md.htmlStash.rawHtmlBlocks[int(tag[1])])
            opened += 1 if _RAW_OPENS.match(raw) else -1 if raw.startswith("</") else 0
        return opened > 0


def _put(parent: Element, place: int, text: str) -> None:
    """Make ``text`` what stands before the child at a place."""
    if place:
        parent[place - 1].tail = text
    else:
        parent.text = text


def _longest_first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=len, reverse=True))


@lru_cache(maxsize=1)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for any name, in the singular or the plural: a group each, in this order."""
    any_name = "|".join(f"({re.escape(name)})" for name in names)
    return re.compile(rf"(?<!\w)(?:{any_name})(?:s|es)?(?!\w)", re.IGNORECASE)


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
