"""Others read citations as what they are, whatever the title; CITATION.cff fits the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import citeproc
import citeproc.source.json
import pybtex
import pytest
import rispy
from hypothesis import example, given
from hypothesis import strategies as st
from pybtex.database import Entry, parse_string
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

import specdec
from build_scripts.citations import SITE, Cited, cite, the_site
from build_scripts.work import CONTENT_LICENCE, CONTENT_LICENCE_URL, UNPUBLISHED, Work, read_work
from specdec.checks import UNSHOWABLE
from tests.hostile import TOKENS

ROOT = Path(__file__).resolve().parent.parent

WORK = Work(
    title="Speculative decoding, exactly",
    author="The speculative-decoding-site contributors",
    version="0.1.0",
    released=date(2026, 3, 9),
    address="https://example.org/spec_dec/",
)
FIGURE = Cited(
    key="outcome-tree-aligned",
    title="Outcome tree of a round: A closely aligned draft, 50% & more",
    address="https://example.org/spec_dec/figures/outcome-tree-aligned.html?a=1&b=%20#x~y",
    details="engine 0.1.0, data SHA-256 1a2b3c…",
)
UNPUBLISHED_WORK = replace(WORK, address="")
UNPUBLISHED_FIGURE = replace(FIGURE, address="")
SITE_AS_A_WHOLE = the_site(WORK, "")

HOSTILE = (
    *(text for text in TOKENS if text.strip()),
    r"$\foo$",
    "50% & {x}_1 ~^",
    "<b>",
    "👩 e\u0301",
    "two\nlines\r\nand\u2028more",
    "ends in a backslash\\",
    "}} never opened",
    "{{ never closed",
    r"\{ escaped \}",
    "---''``,,!`?`",
    "ER  - \r\nTY  - JOUR",
    "}, title = {x",
    "@misc{x,",
    "ends in a question?",
    "a and b, c",
)
TITLES = st.text(
    st.characters(exclude_categories=["Cs"]).filter(
        lambda c: c.isspace() or not UNSHOWABLE.match(c)
    ),
    min_size=1,
).filter(str.strip)
"""What a data file may hold, and line ends, which none may."""


def titles(test: Callable[[str], None]) -> Callable[[], None]:
    """Run a test with every hostile title, and with many others."""
    for title in HOSTILE:
        test = example(title)(test)
    return given(TITLES)(test)


def one_line(title: str) -> str:
    return re.sub(r"\s+", " ", title).strip()


# How others read them.


def bibtex_entry(cited: Cited, work: Work = WORK) -> Entry:
    (entry,) = parse_string(cite(work, cited).bibtex, "bibtex").entries.values()
    return entry


def latex_reader() -> LatexNodes2Text:
    """Return a reader of LaTeX that also knows characters which it leaves out by default."""
    names = {
        "textbraceleft": "{",
        "textbraceright": "}",
        "textless": "<",
        "textgreater": ">",
        "textbar": "|",
        "textasciicircum": "^",
    }
    known = get_default_latex_context_db()
    known.add_context_category(
        "names",
        prepend=True,
        macros=[MacroTextSpec(name, simplify_repl=text) for name, text in names.items()],
    )
    return LatexNodes2Text(latex_context=known, strict_latex_spaces=True)


LATEX = latex_reader()


def printed(latex: str) -> str:
    text: str = LATEX.latex_to_text(latex, tolerant_parsing=False)
    return text


def ris_record(cited: Cited, work: Work = WORK) -> dict[str, Any]:
    (record,) = rispy.loads(cite(work, cited).ris)
    return dict(record)


def csl_item(cited: Cited, work: Work = WORK) -> dict[str, Any]:
    (item,) = json.loads(cite(work, cited).csl)
    return dict(item)


def bibliography_by_csl(cited: Cited, work: Work = WORK) -> str:
    """Return a bibliography of one as a CSL processor prints it, in a style that is not ours."""
    item = csl_item(cited, work)
    style = citeproc.CitationStylesStyle("harvard-cite-them-right", validate=False)
    bibliography = citeproc.CitationStylesBibliography(
        style, citeproc.source.json.CiteProcJSON([item]), citeproc.formatter.plain
    )
    bibliography.register(citeproc.Citation([citeproc.CitationItem(item["id"])]))
    (entry,) = bibliography.bibliography()
    return str(entry)


def bibliography_by_bibtex(cited: Cited, work: Work = WORK) -> str:
    text: str = pybtex.format_from_string(
        cite(work, cited).bibtex, style="plain", output_backend="plaintext"
    )
    return text


# Whole, for a figure and the site.


def test_bibtex_of_a_figure() -> None:
    assert (
        cite(WORK, FIGURE).bibtex
        == r"""@misc{specdec-outcome-tree-aligned,
  author = {{The speculative-decoding-site contributors}},
  title = {{Outcome tree of a round: A closely aligned draft, 50\% \& more}},
  year = {2026},
  month = mar,
  howpublished = {In: Speculative decoding, exactly, version 0.1.0},
  url = {https://example.org/spec_dec/figures/outcome-tree-aligned.html?a=1&b=%20#x~y},
  note = {Engine 0.1.0, data SHA-256 1a2b3c… Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).},
}"""
    )


def test_ris_of_a_figure() -> None:
    assert cite(WORK, FIGURE).ris.split("\r\n") == [
        "TY  - ELEC",
        "TI  - Outcome tree of a round: A closely aligned draft, 50% & more",
        "AU  - The speculative-decoding-site contributors,",
        "PY  - 2026",
        "DA  - 2026/03/09",
        "T2  - Speculative decoding, exactly",
        "M3  - Figure",
        "UR  - https://example.org/spec_dec/figures/outcome-tree-aligned.html?a=1&b=%20#x~y",
        "N1  - Version 0.1.0. Engine 0.1.0, data SHA-256 1a2b3c… "
        "Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).",
        "ER  - ",
        "",
    ]


def test_csl_of_a_figure() -> None:
    assert (
        cite(WORK, FIGURE).csl
        == """[
  {
    "id": "specdec-outcome-tree-aligned",
    "type": "graphic",
    "title": "Outcome tree of a round: A closely aligned draft, 50% & more",
    "author": [
      {
        "literal": "The speculative-decoding-site contributors"
      }
    ],
    "issued": {
      "date-parts": [
        [
          2026,
          3,
          9
        ]
      ]
    },
    "container-title": "Speculative decoding, exactly",
    "version": "0.1.0",
    "URL": "https://example.org/spec_dec/figures/outcome-tree-aligned.html?a=1&b=%20#x~y",
    "note": "Engine 0.1.0, data SHA-256 1a2b3c… Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)."
  }
]"""
    )


def test_text_of_a_figure() -> None:
    assert cite(WORK, FIGURE).text == (
        "The speculative-decoding-site contributors (2026). "
        "Outcome tree of a round: A closely aligned draft, 50% & more. "
        "In: Speculative decoding, exactly, version 0.1.0. "
        "https://example.org/spec_dec/figures/outcome-tree-aligned.html?a=1&b=%20#x~y "
        "Engine 0.1.0, data SHA-256 1a2b3c… "
        "Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)."
    )


def test_the_site_is_part_of_nothing() -> None:
    citation = cite(WORK, SITE_AS_A_WHOLE)
    assert (
        citation.bibtex
        == r"""@misc{specdec-site,
  author = {{The speculative-decoding-site contributors}},
  title = {{Speculative decoding, exactly}},
  year = {2026},
  month = mar,
  howpublished = {Version 0.1.0},
  url = {https://example.org/spec_dec/},
  note = {Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).},
}"""
    )
    assert ris_record(SITE_AS_A_WHOLE) == {
        "type_of_reference": "ELEC",
        "title": "Speculative decoding, exactly",
        "authors": ["The speculative-decoding-site contributors,"],
        "year": "2026",
        "date": "2026/03/09",
        "urls": ["https://example.org/spec_dec/"],
        "notes": [
            "Version 0.1.0. Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)."
        ],
    }
    assert csl_item(SITE_AS_A_WHOLE) == {
        "id": "specdec-site",
        "type": "webpage",
        "title": "Speculative decoding, exactly",
        "author": [{"literal": "The speculative-decoding-site contributors"}],
        "issued": {"date-parts": [[2026, 3, 9]]},
        "version": "0.1.0",
        "URL": "https://example.org/spec_dec/",
        "note": "Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).",
    }
    assert citation.text == (
        "The speculative-decoding-site contributors (2026). Speculative decoding, exactly. "
        "Version 0.1.0. https://example.org/spec_dec/ "
        "Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)."
    )


def test_another_part_with_the_title_of_the_site_is_a_part() -> None:
    namesake = replace(FIGURE, title=WORK.title)
    assert namesake.key != SITE
    assert csl_item(namesake)["container-title"] == WORK.title
    assert ris_record(namesake)["secondary_title"] == WORK.title
    assert f" {WORK.title}. In: {WORK.title}, version " in cite(WORK, namesake).text


# Printed.


def test_a_csl_processor_prints_a_figure() -> None:
    assert bibliography_by_csl(FIGURE) == (
        "The speculative-decoding-site contributors (2026) "
        "Outcome tree of a round: A closely aligned draft, 50% & more, "
        "Speculative decoding, exactly. Available at: "
        "https://example.org/spec_dec/figures/outcome-tree-aligned.html?a=1&b=%20#x~y."
    )


def test_a_bibtex_processor_prints_a_figure() -> None:
    assert bibliography_by_bibtex(FIGURE) == (
        "[1] The speculative-decoding-site contributors. "
        "Outcome tree of a round: A closely aligned draft, 50% & more. "
        "In: Speculative decoding, exactly, version 0.1.0, March 2026. "
        "Engine 0.1.0, data SHA-256 1a2b3c… "
        "Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). "
        "URL: https://example.org/spec_dec/figures/outcome-tree-aligned.html?a=1&b=%20#x~y.\n"
    )


# Any title survives.


@titles
def test_a_title_survives_bibtex(title: str) -> None:
    entry = bibtex_entry(replace(FIGURE, title=title))
    assert printed(entry.fields["title"]) == one_line(title)
    assert list(entry.fields) == ["title", "year", "month", "howpublished", "url", "note"]


@titles
def test_a_title_survives_ris(title: str) -> None:
    assert ris_record(replace(FIGURE, title=title)) == {
        **ris_record(FIGURE),
        "title": one_line(title),
    }


@titles
def test_a_title_survives_csl(title: str) -> None:
    item = csl_item(replace(FIGURE, title=title))
    assert item == {**csl_item(FIGURE), "title": one_line(title)}


@titles
def test_a_title_survives_as_text(title: str) -> None:
    text = cite(WORK, replace(FIGURE, title=title)).text
    assert one_line(title) in text
    assert text.splitlines() == [text]


@titles
def test_details_and_the_title_of_the_site_are_escaped_like_a_title(text: str) -> None:
    line = one_line(text)
    entry = bibtex_entry(replace(FIGURE, details=text), replace(WORK, title=line))
    assert printed(entry.fields["howpublished"]) == f"In: {line}, version 0.1.0"
    assert printed(entry.fields["note"]).startswith(line[0].upper() + line[1:])
    assert len(ris_record(replace(FIGURE, details=text))["notes"]) == 1


@titles
def test_latex_of_a_title_has_only_commands_that_are_meant(title: str) -> None:
    latex = bibtex_entry(replace(FIGURE, title=title)).fields["title"]
    commands = {r"\$", r"\&", r"\#", r"\%", r"\_"} | {
        rf"\text{name}"
        for name in (
            *("backslash", "braceleft", "braceright", "asciitilde", "asciicircum"),
            *("less", "greater", "bar"),
        )
    }
    assert set(re.findall(r"\\(?:[a-z]+|.?)", latex)) <= commands
    assert not re.search(r"[$&#%_~^<>|]", re.sub(r"\\[$&#%_]", "", latex))
    assert not re.search(r"--|''|``|,,|[!?]`", latex)


def test_a_mark_of_direction_turns_only_the_title() -> None:
    assert "\u2068\u202eabc.\u2069 In: " in cite(WORK, replace(FIGURE, title="\u202eabc")).text


@pytest.mark.parametrize("end", [".", "!", "?", "…"])
def test_a_title_that_ends_a_sentence_gets_no_full_stop(end: str) -> None:
    assert f" What now{end} In: " in cite(WORK, replace(FIGURE, title=f"What now{end}")).text


# An author is one name; an address is given or not.


@pytest.mark.parametrize("author", [WORK.author, "One and Two of von Three", "R & D {Lab}"])
def test_an_author_is_never_split(author: str) -> None:
    work = replace(WORK, author=author)
    (person,) = bibtex_entry(FIGURE, work).persons["author"]
    assert [printed(name) for name in person.last_names] == [author]
    assert person.first_names + person.middle_names + person.prelast_names == []
    assert ris_record(FIGURE, work)["authors"] == [f"{author},"]
    assert csl_item(FIGURE, work)["author"] == [{"literal": author}]
    assert cite(work, FIGURE).text.startswith(f"{author} (2026). ")
    assert bibliography_by_csl(FIGURE, work).startswith(f"{author} (2026) ")


@pytest.mark.parametrize(
    "cited", [UNPUBLISHED_FIGURE, the_site(UNPUBLISHED_WORK, "")], ids=["figure", "site"]
)
def test_what_is_unpublished_says_so_and_has_no_address(cited: Cited) -> None:
    citation = cite(UNPUBLISHED_WORK, cited)
    assert f"ersion 0.1.0, {UNPUBLISHED}" in bibtex_entry(cited).fields["howpublished"]
    assert ris_record(cited)["notes"][0].startswith(f"Version 0.1.0, {UNPUBLISHED}. ")
    assert csl_item(cited)["status"] == UNPUBLISHED
    assert f"ersion 0.1.0, {UNPUBLISHED}. " in citation.text
    assert "url" not in bibtex_entry(cited).fields
    assert "urls" not in ris_record(cited)
    assert "URL" not in csl_item(cited)
    for text in (citation.bibtex, citation.ris, citation.csl, citation.text):
        assert re.findall(r"https?://[^\s)]*", text) == [CONTENT_LICENCE_URL]


@pytest.mark.parametrize("cited", [FIGURE, SITE_AS_A_WHOLE], ids=["figure", "site"])
def test_what_is_published_does_not_say_otherwise(cited: Cited) -> None:
    citation = cite(WORK, cited)
    for text in (citation.bibtex, citation.ris, citation.csl, citation.text):
        assert UNPUBLISHED not in text
        assert cited.address in text


@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_has_its_name(month: int) -> None:
    entry = bibtex_entry(FIGURE, replace(WORK, released=date(2026, month, 1)))
    assert entry.fields["month"] == date(2026, month, 1).strftime("%B")


# CSL, by its own schema.


def csl_allows(kind: str) -> set[str]:
    """Return the names that the schema of CSL 1.0.2 lists under a kind."""
    schema = files("citeproc") / "data/schema/schemas/styles/csl.rng"
    grammar = "{http://relaxng.org/ns/structure/1.0}"
    root = ElementTree.fromstring(schema.read_text(encoding="utf-8"))
    return {
        value.text or ""
        for define in root.iter(f"{grammar}define")
        if define.get("name", "").startswith(kind)
        for value in define.iter(f"{grammar}value")
    }


@pytest.mark.parametrize(
    "cited",
    [FIGURE, UNPUBLISHED_FIGURE, SITE_AS_A_WHOLE],
    ids=["figure", "unpublished figure", "site"],
)
def test_csl_allows_the_type_and_every_variable(cited: Cited) -> None:
    item = csl_item(cited)
    assert item["type"] in csl_allows("item-types")
    assert set(item) - {"id", "type"} <= csl_allows("variables")
    bibliography_by_csl(cited)  # which warns of variables that it does not know


# CITATION.cff and what else names author, version and licences.


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def cff_list(key: str) -> list[str]:
    """Return a list of CITATION.cff by another route than YAML."""
    block = re.search(rf"^{key}:\n((?:  - .*\n)+)", read("CITATION.cff"), re.MULTILINE)
    assert block
    return [line.removeprefix("  - ") for line in block[1].splitlines()]


def test_version_of_the_citation_is_that_of_the_engine() -> None:
    assert read_work(ROOT, "").version == specdec.__version__


def test_author_is_one_organisation_without_a_comma() -> None:
    assert cff_list("authors") == [f"name: {read_work(ROOT, '').author}"]
    assert "," not in read_work(ROOT, "").author  # RIS would take what follows for a first name


@pytest.mark.parametrize("name", ["LICENSE", "LICENSE-CONTENT"])
def test_copyright_is_that_of_the_author_from_the_year_of_release(name: str) -> None:
    work = read_work(ROOT, "")
    author = work.author[0].lower() + work.author[1:]
    assert f"Copyright (c) {work.released.year} {author}\n" in read(name)


def test_licences_of_the_citation_are_those_of_code_and_content() -> None:
    assert cff_list("license") == ["MIT", CONTENT_LICENCE.replace(" ", "-")]


def test_address_of_the_content_licence_fits_its_name() -> None:
    _, kind, version = CONTENT_LICENCE.lower().split()
    assert f"https://creativecommons.org/licenses/{kind}/{version}/" == CONTENT_LICENCE_URL


def test_licence_files_hold_the_licences() -> None:
    assert read("LICENSE").startswith("MIT License\n")
    assert f"({CONTENT_LICENCE}):\n\n    {CONTENT_LICENCE_URL}\n" in read("LICENSE-CONTENT")
    assert "The code is under the MIT licence, see LICENSE." in read("LICENSE-CONTENT")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mkdocs.yml", f"copyright: Text, figures and data {CONTENT_LICENCE}, code MIT\n"),
        (
            "README.md",
            "Code is under the [MIT licence](LICENSE); "
            f"text, figures and data are under [{CONTENT_LICENCE}](LICENSE-CONTENT).",
        ),
        ("pyproject.toml", 'license = "MIT"\nlicense-files = ["LICENSE", "LICENSE-CONTENT"]\n'),
        ("mkdocs.yml", f"site_name: {read_work(ROOT, '').title}\n"),
    ],
    ids=["licences in mkdocs.yml", "licences in README.md", "licences in pyproject.toml", "title"],
)
def test_what_is_said_elsewhere_fits(name: str, words: str) -> None:
    assert words in read(name)
