"""A page without our extensions renders to what it renders to with them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from markdown import Markdown

from build_scripts.errors import SiteError
from build_scripts.glossary import references
from build_scripts.portable import OURS, portable

Extensions = list[str | dict[str, dict[str, bool]]]

PLAIN: Extensions = [
    "abbr",
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    {"toc": {"permalink": True}},
    "pymdownx.highlight",
    "pymdownx.superfences",
]
EXTENSIONS: Extensions = [*PLAIN, *sorted(OURS)]
TERMS = references({"draft": "draft", "draft model": "draft-model", "rate": "rate"}, "a/page.md")


def written_out(page: str) -> str:
    """Return a page as it is exported."""
    return portable({"page.md": page.encode()}, EXTENSIONS)["page.md"].decode()


def html(page: str, extensions: Extensions) -> str:
    names = [each if isinstance(each, str) else next(iter(each)) for each in extensions]
    settings = {name: each[name] for each in extensions if isinstance(each, dict) for name in each}
    text = Markdown(extensions=names, extension_configs=settings).convert(page)
    text = re.sub(r"<span>(<math.*?</math>)</span>", r"\1", text)
    text = re.sub(r'<a href="([^"]*)" class="term">', r'<a class="term" href="\1">', text)
    return re.sub(r"\n+", "\n", unescape(text))


@pytest.mark.parametrize(
    "page",
    [
        "A price of $5 and one of $6, and $p < q$.",
        "$x$ begins a line,\n$y$ another one; $z_1$!",
        "Not `$x$`, but $x$; not\n\n```text\n$x$ and $$y$$\n```\n\nand not\n\n    $x$\n",
        "An escaped \\$x\\$, and one in a formula: $a \\$ b$, and `\\$` in code.",
        "$$\n\\frac{a}{b}\n$$\n\nAfter it.\n\n$$x^2$$",
        "- in $x$, a list\n- $y$\n\n    further $z$\n\n1. $a * b * c$\n",
        "| a | b |\n|---|---|\n| $x \\mid y$ | $\\lvert z\\rvert$ |\n",
        "# About $\\alpha$ { #about }\n\nText[^1] with $x$.\n\n[^1]: Note on $y$.\n",
        '<div markdown="1">\n\nInside $x$.\n\n</div>\n\n<p>$raw$ <b>and</b></p>\n',
        '**$x$** and *$y_1 y_2$* and [$z$](page.md), [a $b$ c](x.md "t").',
        "Quoted:\n\n> $x$ is\n> $y$.\n\n!!! note\n\n    Here $z$.\n",
        "Term\n:   its $x$\n",
        "$\\{a\\}$ { .cls }\n\nA paragraph $x$\n{ .next }\n",
        "A draft model; the draft, drafts and **rate**: its _draft_, a `rate`, the Rate.",
        "The draft's rate $\\text{draft rate}$, [the rate](x.md), <b>draft</b> draft.",
        "## The draft\n\ndraft\nmodel of a draft model rate",
        "| draft | rate |\n|---|---|\n| a draft model | a rate |\n",
        "a \U000f0001draft \U000f0000\U000f0005 rate and $x$ \U000f000a",
        "",
        "Nothing here.",
    ],
)
def test_it_renders_to_the_same(page: str) -> None:
    exported = written_out(page + TERMS)
    assert html(exported, PLAIN) == html(page + TERMS, EXTENSIONS)
    assert "[glossary/" not in exported


def test_front_matter_stays_as_it_is() -> None:
    front = "---\ndescription: a draft of $x$\n---\n"
    assert written_out(f"{front}A rate.{TERMS}") == (
        f"{front}A [rate](../glossary.md#rate){{ .term }}."
    )


def test_a_page_without_formulas_and_terms_stays_as_it_is() -> None:
    page = "Any *text* with $5.\n\n\n<p>raw</p>  \n"
    assert written_out(page) == page


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("a $\\nothing$ b", "page.md: $\\nothing$: "),
        (
            "- a\n\n    $$x$$\n",
            "page.md: cannot be exported: a formula on its own line, ",
        ),
    ],
)
def test_what_cannot_be_written_out_is_named(page: str, message: str) -> None:
    with pytest.raises(SiteError) as refused:
        written_out(page)
    assert str(refused.value).startswith(message)
