"""What a reader meets on a page, piece by piece, so that two versions of it can be compared.

Nothing of a page is left out: what is no text is a piece, too, though of a kind that no reader
meets as words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Any

import markdown
from mkdocs.utils import meta

HEADING, SENTENCE, ROW, CAPTION, CODE = "heading", "sentence", "table row", "caption", "code"
ALT, LABEL, TITLE, ABOUT = "alternative text", "label", "title", "description"
LINK, ANCHOR, MARKUP, METADATA, VALUE = "link", "anchor", "markup", "metadata", "value"

UNSEEN = frozenset({LINK, ANCHOR, MARKUP, METADATA})
"""The kinds of what nobody reads: addresses, names, bars and their lengths, words for programs."""

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_KINDS = {
    **dict.fromkeys(_HEADINGS, HEADING),
    **dict.fromkeys(("caption", "figcaption"), CAPTION),
    "pre": CODE,
    "title": TITLE,
}
_ATTRIBUTES = {
    "alt": ALT,
    "title": LABEL,
    "aria-label": LABEL,
    "href": LINK,
    "src": LINK,
    "id": ANCHOR,
}
_FRONT_MATTER = {"title": TITLE, "description": ABOUT}
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "code", "em", "i", "input", "kbd", "label", "math", "output", "s"}
    | {"small", "span", "strong", "sub", "sup", "time"}
    | {"g", "path", "rect", "svg"}
)
_CELLS = frozenset({"td", "th"})
_SPACE = re.compile(r"[ \t\n\r\f\u00a0]+")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?…]) +(?=\S)")
BETWEEN_CELLS = " | "


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a page or file.

    Attributes:
        kind: one of those above.
        text: a sentence, a row, a value.
        near: the heading above it on a page, with the frame or table around; the pointer to it in
            a JSON file.
    """

    kind: str
    text: str
    near: str = ""


def page_units(markdown_text: str, convert: Callable[[str], str]) -> list[Unit]:
    """Return the units of a page of Markdown.

    Args:
        markdown_text: the page, with its front matter.
        convert: returns Markdown as HTML.
    """
    text, front = meta.get_data(markdown_text)
    return [*_front_units(front), *html_units(convert(text))]


def _front_units(front: Mapping[str, Any]) -> Iterator[Unit]:
    for name, value in front.items():
        if kind := _FRONT_MATTER.get(name):
            yield from spoken(kind, unescape(str(value)))
        else:
            read = json.loads(value) if name == "json_ld" else value
            for pointer, leaf in leaves(read, name):
                yield Unit(METADATA, f"{pointer}: {leaf}")


def html_units(html: str) -> list[Unit]:
    """Return the units of a page of HTML, or of a part of one."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.flush()
    return reader.units


def json_units(content: bytes) -> list[Unit]:
    """Return the values of a JSON file, each near its pointer."""
    return [Unit(VALUE, text, pointer) for pointer, text in leaves(json.loads(content))]


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value that holds no other, as JSON, with its pointer.

    Objects in a list that have an ``id`` are pointed to by it: their place varies.
    """
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from leaves(each, f"{pointer}/{key}")
    elif isinstance(value, list) and value:
        for number, each in enumerate(value):
            key = each.get("id", number) if isinstance(each, dict) else number
            yield from leaves(each, f"{pointer}/{key}")
    else:
        yield pointer, json.dumps(value, ensure_ascii=False, default=str)


def spoken(kind: str, text: str, near: str = "") -> list[Unit]:
    """Return each sentence of a text as a unit."""
    return [Unit(kind, each, near) for each in _SENTENCE_ENDS.split(text) if each]


def converter(extensions: list[str | dict[str, Any]]) -> Callable[[str], str]:
    """Return what turns the Markdown of a page into HTML.

    Args:
        extensions: as ``mkdocs.yml`` lists them, some with their settings.
    """
    settings = [each if isinstance(each, dict) else {each: {}} for each in extensions]
    configs = {name: given for each in settings for name, given in each.items()}

    def convert(text: str) -> str:
        # A new one per page: it remembers references and the ids of headings.
        return markdown.markdown(text, extensions=list(configs), extension_configs=configs)

    return convert


def _is_of_pages(tag: str, attributes: Mapping[str, str]) -> bool:
    """Say whether an element is what every heading or bar has, and names nothing to read."""
    return tag == "pattern" or attributes.get("class") == "headerlink"


class _Reader(HTMLParser):
    """Takes HTML apart; what no block tag divides is one text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.units: list[Unit] = []
        self._open: list[tuple[str, dict[str, str]]] = []
        self._depth: Counter[str] = Counter()
        self._hidden = 0
        self._heading = self._table = ""
        self._text = ""
        self._formula = {"math": "", "annotation": ""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "svg":
            self._add(" ")
        elif tag not in _INLINE and tag != "dd":  # a term and its description are one text
            self._pause()
        attributes = {name: value or "" for name, value in attrs}
        self._unseen(f"<{tag}>")
        for name, value in attributes.items():
            kind = _ATTRIBUTES.get(name, MARKUP)
            self._attribute(MARKUP if _is_of_pages(tag, attributes) else kind, tag, name, value)
        if tag == "math":
            self._formula = {"math": "", "annotation": ""}
        elif tag == "table":
            self._table = ""
        if tag not in _VOID:
            self._open.append((tag, attributes))
            self._count(tag, attributes, 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._close(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "math":
            self._add(f"${tex}$" if (tex := self._formula["annotation"]) else self._formula[tag])
        if tag in _CELLS:
            self._text = self._text.rstrip() + BETWEEN_CELLS
        elif tag == "dt":
            self._text = self._text.rstrip() + ": "
        elif tag == "tr":
            self.flush()
        elif tag not in _INLINE:
            self._pause()
        self._close(tag)

    def handle_data(self, data: str) -> None:
        if self._within("math"):
            innermost = "annotation" if self._within("annotation") else "math"
            self._formula[innermost] += data.strip()
        elif self._hidden:
            if data.strip():
                self._unseen(data)
        else:
            self._add(data, literal=self._within("bdi") or self._within("pre"))

    def handle_comment(self, data: str) -> None:
        self._unseen(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._unseen(f"<!{decl}>")

    def flush(self) -> None:
        """End a text."""
        text, self._text = self._text, ""
        kind = next(
            (_KINDS[tag] for tag, _ in reversed(self._open) if tag in _KINDS),
            ROW if self._within("tr") else SENTENCE,
        )
        if kind == CODE:
            self.units += [Unit(kind, line, self._place) for line in text.splitlines() if line]
            return
        text = text.strip(" ")
        if kind == ROW:
            self.units.append(Unit(kind, text.removesuffix(BETWEEN_CELLS.rstrip()), self._place))
        elif kind == HEADING and text:
            self._heading = text
            self.units.append(Unit(kind, text, text))
        else:
            self.units += spoken(kind, text, self._place)
        if kind == CAPTION and text:
            self._table = text

    def _pause(self) -> None:
        """End a text where a block begins or ends, but in a row: a cell may hold paragraphs."""
        if self._within("math"):
            return
        if self._within("tr"):
            self._add(" ")
        else:
            self.flush()

    @property
    def _place(self) -> str:
        """The heading above, and the frame or table around."""
        frames = [given["id"] for tag, given in self._open if tag == "li" and "id" in given]
        table = self._table if self._within("table") else ""
        return ", ".join(filter(None, [self._heading, *frames, table]))

    def _close(self, tag: str) -> None:
        """Close an element, and those in it that nobody has closed."""
        closed = ""
        while self._within(tag) and closed != tag:
            closed, attributes = self._open.pop()
            self._count(closed, attributes, -1)

    def _count(self, tag: str, attributes: Mapping[str, str], by: int) -> None:
        self._depth[tag] += by
        if attributes.get("aria-hidden") == "true" or _is_of_pages(tag, attributes):
            self._hidden += by

    def _within(self, tag: str) -> bool:
        return self._depth[tag] > 0

    def _add(self, text: str, *, literal: bool = False) -> None:
        if not literal:
            text = _SPACE.sub(" ", text)
            text = text.lstrip(" ") if not self._text or self._text.endswith(" ") else text
        self._text += text

    def _attribute(self, kind: str, tag: str, name: str, value: str) -> None:
        if kind in (ALT, LABEL):
            self.units += spoken(kind, value, self._place)
        else:
            shown = value if kind in UNSEEN - {MARKUP} else f"<{tag} {name}={value!r}>"
            self.units.append(Unit(kind, shown, self._heading))

    def _unseen(self, text: str) -> None:
        self.units.append(Unit(MARKUP, text, self._heading))
