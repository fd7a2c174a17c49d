"""What a file says about itself as RDF in XML, in the words of XMP, and back.

It is the same in every format. For what others have a term, it is theirs (Dublin Core, Creative
Commons); the rest is in a namespace of our own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from html import escape
from typing import NoReturn
from xml.parsers.expat import ExpatError, ParserCreate

_NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "cc": "http://creativecommons.org/ns#",
    "xmpRights": "http://ns.adobe.com/xap/1.0/rights/",
    "imprint": "urn:specdec:imprint#",
}

_TERMS = {
    "slug": "dc:identifier",
    "title": "dc:title",
    "description": "dc:description",
    "author": "dc:creator",
    "licence": "dc:rights",
    "licence_url": "xmpRights:WebStatement",
    "source": "dc:source",
}
"""Terms of others by the name that we have for them."""

_IN_A_LANGUAGE = ('<rdf:Alt><rdf:li xml:lang="x-default">', "</rdf:li></rdf:Alt>")
_CONTAINERS = {
    "dc:title": _IN_A_LANGUAGE,
    "dc:description": _IN_A_LANGUAGE,
    "dc:rights": _IN_A_LANGUAGE,
    "dc:creator": ("<rdf:Seq><rdf:li>", "</rdf:li></rdf:Seq>"),
}
"""What XMP wants around texts that may be in several languages, or of several people."""


_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def spelt_out(character: str) -> str:
    r"""Return a character that cannot be shown as its code point.

    >>> spelt_out("\x07")
    '⟨U+0007⟩'
    """
    return f"⟨U+{ord(character):04X}⟩"


def in_xml(text: str) -> str:
    """Return a text with what XML 1.0 cannot hold spelt out: most controls, lone surrogates."""
    return _NOT_IN_XML.sub(lambda character: spelt_out(character[0]), text)


def escaped(text: str) -> str:
    """Return a text as XML that is read as the same text; a CR as such would become LF."""
    return escape(text).replace("\r", "&#13;")


def rdf(said: Mapping[str, str]) -> str:
    """Return the element ``rdf:RDF`` that says all this.

    Args:
        said: texts, each `in_xml`, by names of ours; one is ``licence_url``.
    """
    namespaces = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in _NAMESPACES.items())
    properties = [_property(_term(name), text) for name, text in said.items()]
    licence = f'<cc:license rdf:resource="{escaped(said["licence_url"])}"/>'
    return "\n".join(
        [
            f"<rdf:RDF {namespaces}>",
            '<rdf:Description rdf:about="">',
            *properties,
            licence,
            "</rdf:Description>",
            "</rdf:RDF>",
        ]
    )


def _term(name: str) -> str:
    return _TERMS.get(name, f"imprint:{name}")


def _property(term: str, text: str) -> str:
    start, end = _CONTAINERS.get(term, ("", ""))
    return f"<{term}>{start}{escaped(text)}{end}</{term}>"


def read_rdf(xml: bytes, names: Iterable[str]) -> dict[str, str]:
    """Return what a document says, by names of ours; nothing if no word of ours is in it.

    It never fails. In what is no XML, all before the first fault counts; and so it is with a
    document that defines entities, a few of which could stand for any length of text.

    Args:
        xml: anything.
        names: to look for.
    """
    reader = _Reader(names)
    parser = ParserCreate(encoding="utf-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.EntityDeclHandler = reader.entity
    with suppress(ExpatError):
        parser.Parse(xml, True)
    said = {name: "".join(texts) for name, texts in reader.texts.items()}
    return said if said.keys() - _TERMS.keys() else {}


class _Reader:
    """Collects the texts of those elements that are terms for our names."""

    def __init__(self, names: Iterable[str]) -> None:
        self.texts: dict[str, list[str]] = {}
        self._names = {_expanded(_term(name)): name for name in names}
        self._here: list[str] | None = None

    def start(self, tag: str, _attributes: dict[str, str]) -> None:
        if tag in self._names:
            self._here = self.texts[self._names[tag]] = []

    def end(self, tag: str) -> None:
        if tag in self._names:
            self._here = None

    def data(self, text: str) -> None:
        if self._here is not None:
            self._here.append(text)

    def entity(self, *_definition: object) -> NoReturn:
        raise ExpatError


def _expanded(term: str) -> str:
    """Return a term as the parser names it."""
    prefix, _, name = term.partition(":")
    return f"{_NAMESPACES[prefix]} {name}"
