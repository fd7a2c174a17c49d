"""Pages that need none of our Markdown extensions: formulas and links to the glossary written out.

Which ``$`` opens a formula and which word is a first use, only Markdown can say. So a copy of the
page with a mark at each of these places is read by the very extensions, and what they find there
carries its mark: the place in the page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.serializers import to_xhtml_string
from markdown.treeprocessors import Treeprocessor

from build_scripts.errors import SiteError
from build_scripts.glossary import LINK_CLASS, split_references, uses
from build_scripts.mathml import MathError, arithmatex_elements, as_mathml
from build_scripts.wording import inert

OURS = frozenset({"build_scripts.glossary", "build_scripts.mathml"})
"""The extensions that a portable page does without."""

_FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
_OPENS_BLOCK = re.compile(r"(?:\A\s*|\n[ \t]*\n[ \t]*)\$\$")
_OPENS_INLINE = re.compile(r"(?<![$\\])\$(?![\s$])")
_ESCAPED_DOLLAR = re.compile(r"\\\$")
_BLOCK = re.compile(r"(?:\\.|[^\\])+?\$\$", re.DOTALL)
_INLINE = re.compile(r"(?:\\.|[^\\$])+?\$", re.DOTALL)
_TEXT_IN_TAGS = re.compile(r"(?<=>)[^<]+(?=<)")
_PRIVATE = range(0xF0000, 0xFFFFE)
"""Characters without a meaning; hardly any page has one."""


def portable(
    pages: Mapping[str, bytes], extensions: Iterable[str | dict[str, Any]]
) -> dict[str, bytes]:
    """Return Markdown pages without what only our extensions read.

    Args:
        pages: by path; each may begin with front matter.
        extensions: those of ``mkdocs.yml``, ours among them.

    Raises:
        SiteError: a formula or a link that cannot be written out, with its page.
    """
    settings: dict[str, dict[str, Any]] = {}
    for each in extensions:
        settings.update({each: {}} if isinstance(each, str) else each)
    markdown = Markdown(extensions=list(settings), extension_configs=settings)
    return {path: _portable(path, page.decode(), markdown) for path, page in pages.items()}


def _portable(path: str, page: str, markdown: Markdown) -> bytes:
    front = _FRONT_MATTER.match(page)
    begin = front.end() if front else 0
    text, references = split_references(page[begin:])
    marks = _Marks(text)
    finder = _Finder(marks, text, markdown)
    try:
        markdown.reset().convert(marks.marked(text, references) + references)
    except MathError as fault:
        raise SiteError(f"{path}: {fault}") from fault
    except _LostError as fault:
        raise SiteError(f"{path}: cannot be exported: {fault}") from fault
    return (page[:begin] + _edited(text, finder.edits)).encode()


class _LostError(Exception):
    """What an extension found stands nowhere in the page as it was found."""


class _Marks:
    """Writes places of a page into the page, in characters that it does not have."""

    def __init__(self, text: str) -> None:
        found = set(text)
        free = (chr(code) for code in _PRIVATE if chr(code) not in found)
        *digits, self._end = (next(free) for _ in range(11))
        self._written = str.maketrans("0123456789", "".join(digits))
        self._read = str.maketrans("".join(digits), "0123456789")
        one = f"([{''.join(digits)}]+){self._end}"
        self.pattern = re.compile(one)
        self.last = re.compile(f"{one}$")
        self.escape = re.compile(f"\x02{ord('$')}\x03{one}")

    def marked(self, text: str, references: str) -> str:
        """Return ``text`` with a mark where a formula, a term or an escaped dollar may be."""
        opens = (_OPENS_BLOCK, _OPENS_INLINE, _ESCAPED_DOLLAR)
        places = {found.end() for pattern in opens for found in pattern.finditer(text)}
        places |= {use.start() for use in uses(text, references)}
        parts, done = [], 0
        for place in sorted(places):
            parts += [text[done:place], str(place).translate(self._written), self._end]
            done = place
        return "".join((*parts, text[done:]))

    def place(self, found: re.Match[str] | None) -> int:
        """Return what a mark says."""
        if found is None:
            raise _LostError("no mark")
        return int(found[1].translate(self._read))

    def removed(self, text: str | None) -> str:
        """Return text without its marks."""
        return self.pattern.sub("", text or "")


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """What takes the place of a piece of a page."""

    start: int
    end: int
    text: str


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    parts, done = [], 0
    for edit in sorted(edits):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join((*parts, text[done:]))


class _Finder:
    """Notes what the extensions find in one page, as edits of that page."""

    def __init__(self, marks: _Marks, text: str, markdown: Markdown) -> None:
        self.edits: list[_Edit] = []
        self._marks = marks
        self._text = text
        # In the place of the extension that would replace the formulas; and after the glossary (4).
        markdown.treeprocessors.register(_Calls(self._note_formulas), "mathml", 9)
        markdown.treeprocessors.register(_Calls(self._note_rest), "portable", 3)

    def _note_formulas(self, root: Element) -> None:
        for parent, index, in_heading in arithmatex_elements(root):
            self.edits.append(self._formula(parent[index], in_heading=in_heading))

    def _formula(self, found: Element, *, in_heading: bool) -> _Edit:
        text = self._text
        start = self._marks.place(self._marks.pattern.match(found.text or ""))
        display = found.tag == "div"
        closing = (_BLOCK if display else _INLINE).match(text, start)
        if closing is None:
            raise _LostError(f"${self._marks.removed(found.text)}$")
        plain = Element(found.tag)
        plain.text = self._marks.removed(found.text)
        plain.tail = self._marks.removed(found.tail)
        formula = as_mathml(plain, in_heading=in_heading)
        end = closing.end()
        if formula.tag == "span":  # with the punctuation after it
            end += len(formula[0].tail or "")
        formula.tail = None
        begin = start - (2 if display else 1)
        line = text[text.rfind("\n", 0, begin) + 1 : begin]
        if display and line:
            raise _LostError(f"a formula on its own line, indented: {text[begin:end]}")
        if not display and not line.strip() and formula.tag == "math":
            # A line that begins with <math> would be a block of its own.
            wrapper = Element("span")
            wrapper.append(formula)
            formula = wrapper
        return _Edit(begin, end, _one_line_of_html(formula))

    def _note_rest(self, root: Element) -> None:
        for element in root.iter():
            for text in (element.text, element.tail):
                for escape in self._marks.escape.finditer(text or ""):
                    place = self._marks.place(escape)
                    self.edits.append(_Edit(place - 2, place, "&#36;"))
            for before, child in _with_text_before(element):
                if child.tag == "a" and child.get("class") == LINK_CLASS:
                    start = self._marks.place(self._marks.last.search(before))
                    self.edits.append(self._link(start, child))

    def _link(self, start: int, link: Element) -> _Edit:
        text = self._marks.removed(link.text)
        end = start + len(text)
        if self._text[start:end] != text:
            raise _LostError(f"the term {text}")
        return _Edit(start, end, f"[{text}]({link.get('href')}){{ .{LINK_CLASS} }}")


class _Calls(Treeprocessor):
    """Lets a function look at the tree of a page."""

    def __init__(self, look: Any) -> None:
        super().__init__()
        self._look = look

    def run(self, root: Element) -> None:
        """Let it look."""
        self._look(root)


def _with_text_before(element: Element) -> Iterator[tuple[str, Element]]:
    """Yield each child, and the text right before it."""
    before = element.text
    for child in element:
        yield before or "", child
        before = child.tail


def _one_line_of_html(formula: Element) -> str:
    """Return an element as HTML in whose text Markdown sees nothing but characters."""
    written = to_xhtml_string(formula)  # as Markdown writes a page
    return _TEXT_IN_TAGS.sub(lambda text: inert(html.unescape(text[0])), written)
