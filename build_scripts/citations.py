"""How to cite a figure, or the site: as BibTeX, RIS, CSL-JSON and a line of text.

A title comes from a data file and may hold any text, so each format keeps it from meaning more
than its characters. No citation has a day of access: it would differ from build to build.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from build_scripts.wording import capitalised, isolated
from build_scripts.work import CONTENT_LICENCE, CONTENT_LICENCE_URL, UNPUBLISHED, Work

SITE = "site"
"""The key of the site itself; no figure has it."""

_LICENCE = f"Licence: {CONTENT_LICENCE} ({CONTENT_LICENCE_URL})"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""BibTeX's own names, which each style words in its language."""

# In names: BibTeX counts even a brace that is escaped, and TeX's oldest fonts have ¡, ¿ and — where
# ASCII has <, > and |.
_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "$&#%_"},
        "\\": r"{\textbackslash}",
        "{": r"{\textbraceleft}",
        "}": r"{\textbraceright}",
        "~": r"{\textasciitilde}",
        "^": r"{\textasciicircum}",
        "<": r"{\textless}",
        ">": r"{\textgreater}",
        "|": r"{\textbar}",
    }
)
_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=[`!?])(?=`)")
"""Where TeX would draw two characters as another one: a dash, a quotation mark, ¡ or ¿."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What is cited: a figure, or the site.

    Attributes:
        key: names it among all that can be cited; a slug.
        title: any text.
        address: of its page, a full URL; empty while there is none.
        details: what else pins it down, such as the hash of its data; may be empty.
    """

    key: str
    title: str
    address: str
    details: str


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation in each format.

    Attributes:
        bibtex: an entry; lines end in LF, the last one in nothing.
        ris: a record; every line ends in CRLF, as RIS wants it.
        csl: a JSON array of one item; lines end in LF, the last one in nothing.
        text: one line.
    """

    bibtex: str
    ris: str
    csl: str
    text: str


def the_site(work: Work, details: str) -> Cited:
    """Return the site as what is cited."""
    return Cited(SITE, work.title, work.cited_at(""), details)


def cite(work: Work, cited: Cited) -> Citation:
    """Return how to cite a part of a work, or the work.

    White space of any kind and length counts as one space: neither BibTeX nor RIS can hold more.
    """
    cited = replace(cited, title=_one_line(cited.title), details=_one_line(cited.details))
    return Citation(_bibtex(work, cited), _ris(work, cited), _csl(work, cited), _text(work, cited))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _bibtex(work: Work, cited: Cited) -> str:
    """Return an entry for BibTeX, and for those who read it in its stead.

    Inner braces keep a name in one piece, and a title in its case. An address stands as it is,
    since styles that know of addresses make it a link; the oldest leave it out.
    """
    fields = {
        "author": _braced(_braced(_latex(work.author))),
        "title": _braced(_braced(_latex(cited.title))),
        "year": _braced(str(work.released.year)),
        "month": _MONTHS[work.released.month - 1],
        "howpublished": _braced(_latex(_source(work, cited))),
        "url": cited.address and _braced(cited.address),
        "note": _braced(_latex(_about(cited))),
    }
    lines = [f"  {name} = {value},\n" for name, value in _given(fields).items()]
    return f"@misc{{{_identifier(cited)},\n{''.join(lines)}}}"


def _ris(work: Work, cited: Cited) -> str:
    """Return a record for Zotero, EndNote and others.

    A web page (ELEC), also for a figure: as FIGURE, Zotero loses the title of the site. The comma
    after the author says that this was all of the last name; without it EndNote would find a
    person called “contributors”.
    """
    part = cited.key != SITE
    fields = {
        "TY": "ELEC",
        "TI": cited.title,
        "AU": f"{work.author},",
        "PY": str(work.released.year),
        "DA": f"{work.released:%Y/%m/%d}",
        "T2": work.title if part else "",
        "M3": "Figure" if part else "",
        "UR": cited.address,
        "N1": f"{_sentence(capitalised(_edition(work, cited)))} {_about(cited)}",
    }
    lines = [f"{tag}  - {value}\r\n" for tag, value in _given(fields).items()]
    return f"{''.join(lines)}ER  - \r\n"


def _csl(work: Work, cited: Cited) -> str:
    """Return what citation processors read.

    The licence stands in the note: CSL 1.0.2 has a variable for it, but its schema of data does
    not.
    """
    part = cited.key != SITE
    fields = {
        "id": _identifier(cited),
        "type": "graphic" if part else "webpage",
        "title": cited.title,
        "author": [{"literal": work.author}],
        "issued": {"date-parts": [[work.released.year, work.released.month, work.released.day]]},
        "container-title": work.title if part else "",
        "version": work.version,
        "status": "" if cited.address else UNPUBLISHED,
        "URL": cited.address,
        "note": _about(cited),
    }
    return json.dumps([_given(fields)], ensure_ascii=False, indent=2)


def _text(work: Work, cited: Cited) -> str:
    """Return a line to paste; no full stop sticks to an address, lest it become part of it."""
    parts = (
        f"{work.author} ({work.released.year}).",
        isolated(_sentence(cited.title)),
        _sentence(_source(work, cited)),
        cited.address,
        _about(cited),
    )
    return " ".join(part for part in parts if part)


def _identifier(cited: Cited) -> str:
    return f"specdec-{cited.key}"


def _source(work: Work, cited: Cited) -> str:
    """Return what a part is part of, or only which edition of the work this is."""
    edition = _edition(work, cited)
    return capitalised(edition) if cited.key == SITE else f"In: {work.title}, {edition}"


def _edition(work: Work, cited: Cited) -> str:
    version = f"version {work.version}"
    return version if cited.address else f"{version}, {UNPUBLISHED}"


def _about(cited: Cited) -> str:
    parts = (capitalised(cited.details), _LICENCE)
    return " ".join(_sentence(part) for part in parts if part)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def _braced(text: str) -> str:
    return f"{{{text}}}"


def _latex(text: str) -> str:
    r"""Return ``text`` so that LaTeX prints its characters; what is not ASCII stays as it is.

    >>> print(_latex("50% of {x}_1 -- all"))
    50\% of {\textbraceleft}x{\textbraceright}\_1 -{}- all
    """
    return _LIGATURE.sub("{}", text.translate(_LATEX))
