r"""TeX to MathML while the site is built, so that a page needs no maths script.

`pymdownx.arithmatex` finds ``$…$`` and ``$$…$$`` in Markdown, one tree processor puts MathML
in their place. Templates, whose raw HTML Markdown does not read, call `tex_to_mathml`.
List ``build_scripts.mathml`` alone in ``markdown_extensions``: it brings arithmatex along,
with the settings the tree processor relies on.
"""

from __future__ import annotations

import html
import re
import sys
from functools import lru_cache
from html.entities import html5
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString
from math_core import LatexError, LatexToMathML

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

# A strict Content-Security-Policy blocks style attributes, so each declaration math-core
# writes for the TeX used here has a class in docs/stylesheets/maths.css. Any other is refused.
CLASSES = {
    "text-align:left": "tex-left",
    "justify-items:start": "tex-left",
    "text-align:right": "tex-right",
    "justify-items:end": "tex-right",
    "padding-left:0": "tex-tight-left",
    "padding-right:0": "tex-tight-right",
    "padding-left:1em": "tex-gap-left",
    "margin-left:-0.16666667em": "tex-negthin",
}
PRIME_CLASS = "tex-prime"
DISPLAY_CLASS = "tex-display"

_PRIMES = frozenset("′″‴")
_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))
_XML_ENTITIES = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_NAMED_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*;)")
_SPACES = re.compile(r"\s+")
_ROW_SPACING = re.compile(r"\\\\\[[^\]]*\d(?:pt|em|ex|mm|cm|in|mu)\]")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ARITHMATEX = "pymdownx.arithmatex"
_SETTINGS = {
    "generic": True,
    "smart_dollar": True,
    "inline_syntax": ["dollar"],
    "block_syntax": ["dollar"],
    "tex_inline_wrap": ["", ""],
    "tex_block_wrap": ["", ""],
}


class MathError(ValueError):
    r"""TeX that cannot become MathML; the message is one line that quotes the TeX."""

    def __init__(self, tex: str, problem: str) -> None:
        super().__init__(f"${_one_line(tex)}$: {problem}")
        self.tex = tex
        self.problem = problem


def tex_to_mathml(tex: str, *, display: bool) -> str:
    r"""Return HTML that shows ``tex``: a formula in the line, or one on a line of its own.

    A display formula comes in a ``<div>`` that scrolls inside itself when it is wider than
    the page and that the keyboard can therefore reach.

    Raises:
        MathError: math-core does not know a command, or the result would not show as meant.

    >>> tex_to_mathml(r"\alpha", display=False)  # doctest: +ELLIPSIS
    '<math><semantics><mrow><mi>α</mi></mrow><annotation encoding="application/x-tex"...
    """
    element = _formula(tex, display=display, annotate=True)
    return ElementTree.tostring(element, encoding="unicode", short_empty_elements=False)


class MathmlTreeprocessor(Treeprocessor):
    """Puts MathML where arithmatex left TeX."""

    def run(self, root: Element) -> None:
        """Replace every element of arithmatex below ``root``, in place."""
        for parent, index, in_heading in list(arithmatex_elements(root)):
            parent[index] = as_mathml(parent[index], in_heading=in_heading)


def as_mathml(found: Element, *, in_heading: bool) -> Element:
    """Return what takes the place of an element of arithmatex.

    Raises:
        MathError: as `tex_to_mathml`; while a site is built, one that the generator reports.
    """
    display = found.tag == "div"
    text = found.text or ""
    tex = html.unescape(text) if display else text  # only block TeX arrives escaped
    try:
        if (found.tail or "").startswith("$"):
            raise MathError(tex, "$$ needs a blank line before and after its formula")
        formula = _formula(tex, display=display, annotate=not in_heading)
    except MathError as error:
        raise _for_site_generator(error) from None
    formula.tail = found.tail
    return formula if display else _keep_with_punctuation(formula)


class MathmlExtension(Extension):
    """Python-Markdown extension: ``$…$`` and ``$$…$$`` become MathML."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Python-Markdown's name)
        """Register arithmatex as the parser and the tree processor as the writer."""
        md.registerExtensions([_ARITHMATEX], {_ARITHMATEX: _SETTINGS})
        # After prettify (10), which would add line breaks; before abbr (7) and toc (5).
        md.treeprocessors.register(MathmlTreeprocessor(md), "mathml", 9)


def makeExtension(**settings: Any) -> MathmlExtension:  # noqa: N802 (Python-Markdown's name)
    """Return the extension; Python-Markdown calls this by name."""
    return MathmlExtension(**settings)


def arithmatex_elements(root: Element) -> Iterator[tuple[Element, int, bool]]:
    """Yield (parent, index in it, whether inside a heading) of every formula below ``root``."""
    waiting = [(root, False)]
    while waiting:
        parent, in_heading = waiting.pop()
        for index, child in enumerate(parent):
            if child.get("class") == "arithmatex" and isinstance(child.text, AtomicString):
                yield parent, index, in_heading
            else:
                waiting.append((child, in_heading or child.tag in _HEADINGS))


def _keep_with_punctuation(formula: Element) -> Element:
    """Return ``formula``, or a span of it and the punctuation after it, which must not wrap."""
    tail = formula.tail or ""
    rest = tail.lstrip(",.;:!?)]’”")
    if rest == tail:
        return formula
    span = ElementTree.Element("span", {"class": "tex-nowrap"})
    span.append(formula)
    formula.tail = AtomicString(tail[: len(tail) - len(rest)])
    span.tail = rest
    return span


def _formula(tex: str, *, display: bool, annotate: bool) -> Element:
    """Return ``tex`` as an element of its own; unannotated it is the bare text of a heading."""
    math = ElementTree.fromstring(_convert(tex, display))
    for element in math.iter():
        _restyle(element, tex)
        if not annotate:
            _make_visible(element)
    if annotate:
        _annotate(math, tex)
    for element in math.iter():
        if element.text:
            element.text = AtomicString(element.text)  # other extensions leave it alone
    if not display:
        return math
    math.set("data-search-exclude", "")  # flattened, it would be noise between two sentences
    label = {"role": "group", "aria-label": "Formula", "tabindex": "0"}
    wrapper = ElementTree.Element("div", {"class": DISPLAY_CLASS, **label})
    wrapper.append(math)
    return wrapper


@lru_cache(maxsize=1)
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


def _convert(tex: str, display: bool) -> str:
    """Return math-core's MathML as well-formed XML."""
    if not tex.strip():
        raise MathError(tex, "empty formula")
    if spacing := _ROW_SPACING.search(tex):
        raise MathError(tex, f"row spacing {spacing[0]} would be printed, not obeyed")
    try:
        mathml = _converter().convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        offset, _, problem = str(error).partition(": ")
        place = len(_SPACES.sub(" ", tex[: int(offset)].lstrip())) + 1  # in the TeX as quoted
        raise MathError(tex, f"{problem.strip().removesuffix('.')}, at character {place}") from None
    return _NAMED_ENTITY.sub(_entity_to_character, mathml)


def _entity_to_character(entity: re.Match[str]) -> str:
    name = entity[1]
    if name in _XML_ENTITIES:
        return entity[0]
    return "\u2061" if name == "ApplyFunction;" else html5[name]


def _restyle(element: Element, tex: str) -> None:
    """Turn the style attribute into classes; refuse what the style sheet has no class for."""
    if element.tag == "menclose":
        raise MathError(tex, "boxes and strikes (menclose) do not show in every browser")
    classes = []
    for declaration in element.attrib.pop("style", "").split(";"):
        key = declaration.replace(" ", "")
        if key and key not in CLASSES:
            raise MathError(tex, f"needs the inline style “{declaration.strip()}”, not allowed")
        if key:
            classes.append(CLASSES[key])
    if element.tag == "mo" and element.text in _PRIMES:
        classes.append(PRIME_CLASS)
    if classes:
        element.set("class", " ".join(dict.fromkeys(classes)))


def _make_visible(element: Element) -> None:
    """Drop invisible operators: a heading is also a title, a menu entry and a search result."""
    if element.text and element.text.translate(_INVISIBLE) == "":
        element.text = ""
        element.set("lspace", element.get("lspace", "0"))  # else the empty operator is spaced
        element.set("rspace", element.get("rspace", "0"))


def _annotate(math: Element, tex: str) -> None:
    """Wrap the content of ``math`` so that it carries its TeX, which search leaves out."""
    row = ElementTree.Element("mrow")
    row.extend(list(math))
    for child in row:
        math.remove(child)
    semantics = ElementTree.SubElement(math, "semantics")
    semantics.append(row)
    attributes = {"encoding": "application/x-tex", "data-search-exclude": ""}
    ElementTree.SubElement(semantics, "annotation", attributes).text = _one_line(tex)


def _for_site_generator(error: MathError) -> MathError:
    """Return the error as one that a running MkDocs reports in a line, without a traceback.

    MkDocs names the page and stops when a ``BuildError`` is raised while it renders; any
    other exception it lets through. Outside MkDocs nothing is imported and nothing changes.
    """
    for generator in ("properdocs", "mkdocs"):
        if exceptions := sys.modules.get(f"{generator}.exceptions"):
            bases = (MathError, exceptions.BuildError)
            page_error: MathError = type("MathError", bases, {})(error.tex, error.problem)
            page_error.message = str(error)  # type: ignore[attr-defined]
            return page_error
    return error


def _one_line(tex: str) -> str:
    return " ".join(tex.split())
