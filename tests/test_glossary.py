"""The glossary: its terms, and the link that a page's first use of each becomes."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown

from build_scripts.glossary import read_terms, references
from tests.site_checks import ROOT, BuiltSite, article, attribute, shown

EXTENSIONS = ["attr_list", "def_list", "md_in_html", "tables", "build_scripts.mathml",
              "build_scripts.glossary"]  # fmt: skip

TERMS = {
    "draft": "draft",
    "draft step": "draft-step",
    "e[n]": "tokens",
    "expected tokens": "tokens",
}


def rendered(text: str, page: str = "page.md") -> str:
    return Markdown(extensions=EXTENSIONS).convert(text + references(TERMS, page))


def links(text: str, page: str = "page.md") -> list[tuple[str, str]]:
    """Return (text, address) of the terms that are linked."""
    found = BeautifulSoup(rendered(text, page), "html.parser").select("a.term")
    return [(link.get_text(), attribute(link, "href")) for link in found]


def test_the_terms_of_a_page() -> None:
    text = (
        "# Glossary\n\nDraft { #draft }\nDraft model\n:   A model.\n\nNo { #no }\n\n"
        "E[N] { #tokens }\n:   A mean of { #this }\n"
    )
    assert read_terms(text) == {"draft": "draft", "draft model": "draft", "e[n]": "tokens"}


def test_the_first_use_is_linked_and_no_other() -> None:
    assert links("A Draft.\n\nTwo drafts of a draft.") == [("Draft", "glossary.md#draft")]


def test_the_longest_term_wins_and_the_shorter_is_still_to_come() -> None:
    assert links("Draft steps of a draft.") == [
        ("Draft steps", "glossary.md#draft-step"),
        ("draft", "glossary.md#draft"),
    ]


def test_another_name_counts_as_a_use() -> None:
    assert links("The E[N], the expected tokens.") == [("E[N]", "glossary.md#tokens")]


def test_words_that_contain_a_term_are_no_use_of_it() -> None:
    assert links("Drafting, redraft, drafty, draft_step, overdrafts.") == []


@pytest.mark.parametrize("use", ["draft ſteps", "DRAFT STEPſ", "Draft", "drafts"])
def test_letters_that_only_ignoring_case_makes_equal_are_a_use(use: str) -> None:
    assert [text for text, _ in links(f"A {use} here.")] == [use]


def test_what_the_parser_stows_away_is_no_text() -> None:
    text = "a &#42; b <bdi>x</bdi> 0 c"
    terms = {str(n): "number" for n in range(6)} | {"wzxhzdk": "odd"}
    html = Markdown(extensions=EXTENSIONS).convert(text + references(terms, "page.md"))
    assert "wzxhzdk" not in html
    assert BeautifulSoup(html, "html.parser").get_text() == "a * b x 0 c"


def test_addresses_are_relative_to_the_page() -> None:
    assert links("A draft.", "cite/index.md") == [("draft", "../glossary.md#draft")]
    assert links("A draft.", "a/b/c.md") == [("draft", "../../glossary.md#draft")]


@pytest.mark.parametrize(
    "text",
    [
        "# A draft",
        "`draft`",
        "    draft",
        "[a draft](x.md)",
        "> a draft",
        "$draft$",
        "a <bdi>draft</bdi>",
        '<p class="x">draft</p>',
        '<figure markdown="1">\n\nA draft.\n\n</figure>',
        "Term draft\n:   Meaning",
        "- # A draft",
    ],
)
def test_what_is_no_prose_is_left_alone(text: str) -> None:
    assert links(text) == []
    assert links(text + "\n\nOf a draft.") == [("draft", "glossary.md#draft")]


@pytest.mark.parametrize(
    "text",
    [
        "- a *new* draft",
        "1. one\n\n    a draft",
        "Term\n:   A draft",
        "A **bold draft** indeed",
        "<bdi>x</bdi> draft",
        "| a |\n|---|\n| draft |",
        '<details markdown="1">\n<summary>Draft</summary>\n\nA draft.\n\n</details>',
    ],
)
def test_prose_of_any_kind_is_read(text: str) -> None:
    assert links(text) == [("draft", "glossary.md#draft")]


def test_nothing_but_the_link_changes() -> None:
    for text in ("One draft and *two drafts* and draft steps, E[N].", "a $x$ draft b"):
        linked = BeautifulSoup(rendered(text), "html.parser")
        for link in linked.select("a.term"):
            link.unwrap()
        plain = Markdown(extensions=EXTENSIONS).convert(text)
        assert str(linked) == str(BeautifulSoup(plain, "html.parser"))


def test_pages_without_references_are_left_alone() -> None:
    assert references({}, "page.md") == ""
    assert "term" not in Markdown(extensions=EXTENSIONS).convert("A draft.")


# On the site.


def test_every_page_links_the_terms_that_it_uses_first(site: BuiltSite) -> None:
    terms = read_terms((ROOT / "docs/glossary.md").read_text(encoding="utf-8"))
    assert len(set(terms.values())) > 30
    for path in ("index.html", "math.html", "cost.html", "profiles/divergent.html"):
        page = site.article(path)
        linked = [attribute(link, "href").rpartition("#")[2] for link in page.select("a.term")]
        assert len(set(linked)) == len(linked) >= 8, path
        prose = " ".join(
            shown(each) for each in page.select("p, li, dd") if not each.find_parent("figure")
        )
        for term in ("target", "draft", "acceptance rate", "residual", "bonus token"):
            if re.search(rf"(?<!\w){term}s?(?!\w)", prose, re.IGNORECASE):
                assert terms[term] in linked, (path, term)


def test_the_glossary_leads_to_itself_nowhere_and_shows_no_reference(site: BuiltSite) -> None:
    assert site.article("glossary.html").select("a.term") == []
    for path in site.pages:
        assert "[glossary/" not in shown(article(site.pages[path])), path
