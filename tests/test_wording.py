"""Numbers round right, lists read right, and no text turns into markup."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import markdown
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markupsafe import Markup

from build_scripts import wording
from specdec.checks import UNSHOWABLE
from tests.hostile import TOKENS

TEXTS = st.text(st.characters(exclude_categories=["Cs"]).filter(lambda c: not UNSHOWABLE.match(c)))
"""What the loader lets through."""

MARKDOWN = markdown.Markdown(
    extensions=[
        *("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables"),
        *("toc", "pymdownx.highlight", "pymdownx.superfences", "build_scripts.mathml"),
    ]
)
"""As in mkdocs.yml."""


# Numbers.


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        pytest.param(Fraction(64267, 24576), 2, "2.62", id="just above a half: floats fail"),
        pytest.param(Fraction(64267, 16384), 2, "3.92", id="the tokens behind it"),
        pytest.param(Fraction(1, 8), 2, "0.13", id="a half goes up"),
        pytest.param(Fraction(3, 8), 2, "0.38", id="a half goes up, not to even"),
        pytest.param(Fraction(-1, 8), 2, "-0.13", id="a half goes away from zero"),
        pytest.param(Fraction(-1, 1000), 2, "0.00", id="no minus before zero"),
        pytest.param(Fraction(1249999, 10**7), 2, "0.12", id="just below a half"),
        pytest.param(Fraction(5, 2), 0, "3", id="no places"),
        pytest.param(0, 2, "0.00", id="zero"),
        pytest.param(7, 3, "7.000", id="a whole number"),
        pytest.param(Fraction(999, 1000), 2, "1.00", id="a carry"),
    ],
)
def test_decimal(value: Fraction | int, places: int, text: str) -> None:
    assert wording.decimal(value, places) == text


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.integers(0, 4))
def test_decimal_agrees_with_the_decimal_module(units: int, scale: int, places: int) -> None:
    quantum = Decimal(1).scaleb(-places)
    expected = Decimal(units).scaleb(-scale).quantize(quantum, ROUND_HALF_UP)
    shown = wording.decimal(Fraction(units, 10**scale), places)
    assert Decimal(shown) == expected
    assert shown == str(abs(expected) if expected == 0 else expected)


@given(st.fractions(), st.integers(0, 4))
def test_decimal_is_the_nearest(value: Fraction, places: int) -> None:
    assert abs(Fraction(wording.decimal(value, places)) - value) <= Fraction(1, 2 * 10**places)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(Fraction(64267, 16384), "64267/16384 ≈ 3.92", id="rounded"),
        pytest.param(Fraction(3, 2), "3/2 = 1.5", id="short: equal, no idle zero"),
        pytest.param(Fraction(1, 4), "1/4 = 0.25", id="two places: equal"),
        pytest.param(Fraction(1, 1000), "1/1000 ≈ 0.00", id="too small"),
        pytest.param(Fraction(-3, 2), "-3/2 = -1.5", id="negative"),
    ],
)
def test_about(value: Fraction, text: str) -> None:
    assert wording.about(value) == Markup(f'<span class="number">{text}</span>')


def test_about_a_whole_number() -> None:
    assert wording.about(Fraction(4, 2)) == Markup("2")


def test_over() -> None:
    assert [wording.over(Fraction(n, 8), 8) for n in (0, 1, 4, 8)] == ["0", "1/8", "4/8", "8/8"]


def test_over_refuses_another_denominator() -> None:
    with pytest.raises(ValueError, match=r"^expected a multiple of 1/8, got 1/3$"):
        wording.over(Fraction(1, 3), 8)


def test_times_and_percent() -> None:
    assert wording.times(Fraction(64267, 24576)) == "2.62×"
    assert wording.percent(Fraction(1, 8), 1) == "12.5%"
    assert wording.percent(Fraction(1, 200)) == "1%"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "zeroth"), (1, "first"), (12, "twelfth"), (13, "13th"), (21, "21st"), (22, "22nd"),
     (23, "23rd"), (24, "24th"), (101, "101st"), (111, "111th"), (112, "112th"), (113, "113th"),
     (1002, "1002nd")],
)  # fmt: skip
def test_ordinal(value: int, text: str) -> None:
    assert wording.ordinal(value) == text


@pytest.mark.parametrize(
    ("value", "noun", "plural", "text"),
    [
        (0, "token", None, "no tokens"),
        (1, "token", None, "one token"),
        (2, "pass", "passes", "two passes"),
        (12, "token", None, "twelve tokens"),
        (13, "token", None, "13 tokens"),
        (5000, "pair", None, "5,000 pairs"),
    ],
)
def test_count(value: int, noun: str, plural: str | None, text: str) -> None:
    assert wording.count(value, noun, plural) == text


@pytest.mark.parametrize(
    ("denominator", "text"),
    [(2, "halves"), (4, "quarters"), (8, "eighths"), (10, "tenths"), (21, "21sts"),
     (1000, "1000ths")],
)  # fmt: skip
def test_parts(denominator: int, text: str) -> None:
    assert wording.parts(denominator) == text


# Lists.


@pytest.mark.parametrize(
    ("items", "last", "text"),
    [
        ([], "and", ""),
        (["a"], "and", "a"),
        (["a", "b"], "or", "a or b"),
        (["a", "b", "c"], "and", "a, b and c"),
        ([Markup("<b>a</b>"), "<b>"], "and", "<b>a</b> and &#60;b&#62;"),
    ],
)
def test_listing(items: list[object], last: str, text: str) -> None:
    listed = wording.listing(items, last=last)
    assert listed == Markup(text)
    assert isinstance(listed, Markup)


def test_quoted() -> None:
    assert wording.quoted(" b") == Markup('“<bdi class="token">&#32;b</bdi>”')
    assert wording.quoted("*") == Markup('“<bdi class="token">&#42;</bdi>”')


def test_capitalised() -> None:
    assert [wording.capitalised(text) for text in ("", "one token", "2 tokens")] == [
        "",
        "One token",
        "2 tokens",
    ]


def test_link() -> None:
    assert wording.link("a](b)", "cost.md#x") == Markup("[a&#93;&#40;b&#41;](cost.md#x)")


# Markup.


def rendered(source: str) -> str:
    MARKDOWN.reset()
    return MARKDOWN.convert(source)


def every_example(test: Callable[..., None]) -> Callable[..., None]:
    for text in TOKENS:
        test = example(text)(test)
    return test


@every_example
@given(TEXTS)
def test_a_paragraph_shows_the_text_and_nothing_else(text: str) -> None:
    shown = rendered(f"{wording.inert(text)}\n")
    if not text.strip():
        assert html.unescape(re.sub("</?p>", "", shown)).strip() == ""
        return
    assert shown.startswith("<p>")
    assert shown.endswith("</p>")
    inner = shown.removeprefix("<p>").removesuffix("</p>")
    assert "<" not in inner
    assert html.unescape(inner).strip() == text.strip()


def with_token(source: str) -> str:
    """Render, and leave out what is around a token that has an end of an isolate or a start."""
    return re.sub("\u2068+(?=<bdi)|(?<=</bdi>)\u2069+", "", rendered(source))


@every_example
@given(TEXTS)
def test_a_token_keeps_every_character(text: str) -> None:
    shown = with_token(f"A token, {wording.token(text)}, here.")
    before, after = '<p>A token, <bdi class="token">', "</bdi>, here.</p>"
    assert shown.startswith(before)
    assert shown.endswith(after)
    inner = shown.removeprefix(before).removesuffix(after)
    assert "<" not in inner
    assert html.unescape(inner) == text


@every_example
@given(TEXTS)
def test_a_token_in_raw_html_keeps_every_character(text: str) -> None:
    source = f"<table>\n<tr><td>{wording.token(text)}</td></tr>\n</table>"
    shown = with_token(source)
    inner = re.fullmatch(
        r'<table>\n<tr><td><bdi class="token">(.*)</bdi></td></tr>\n</table>', shown, re.DOTALL
    )
    assert inner
    assert "<" not in inner[1]
    assert html.unescape(inner[1]) == text


@every_example
@given(TEXTS)
def test_a_token_in_a_markdown_table_keeps_every_character(text: str) -> None:
    shown = with_token(f"| a | b | c |\n| - | - | - |\n| a | {wording.token(text)} | c |")
    inner = re.search(
        r'<td>a</td>\n<td><bdi class="token">(.*)</bdi></td>\n<td>c</td>', shown, re.DOTALL
    )
    assert inner
    assert "<" not in inner[1]
    assert html.unescape(inner[1]) == text


@every_example
@given(TEXTS)
def test_a_link_shows_the_text(text: str) -> None:
    shown = rendered(f"See {wording.link(text, 'cost.md')}.")
    inner = re.fullmatch(r'<p>See <a href="cost\.md">(.*)</a>\.</p>', shown, re.DOTALL)
    if text.strip():
        assert inner
        assert "<" not in inner[1]
        assert (
            html.unescape(inner[1]).strip("\u2068\u2069").strip()
            == text.strip("\u2068\u2069").strip()
        )


@every_example
@given(TEXTS)
def test_an_attribute_holds_the_text(text: str) -> None:
    assert not re.search("[\"'<>]", wording.inert(text))
    assert html.unescape(wording.inert(text)) == text


def test_a_mark_of_direction_turns_nothing_around_it() -> None:
    assert wording.isolated("plain שלום") == "plain שלום"
    assert wording.isolated("\u202eabc") == "\u2068\u202eabc\u2069"
    assert wording.isolated("\u2069\u202eabc") == "\u2068\u2068\u2069\u202eabc\u2069"
    assert wording.isolated("\u2067a\u2066b\u2069") == "\u2068\u2067a\u2066b\u2069\u2069\u2069"
    assert wording.token("\u2069a") == Markup('\u2068<bdi class="token">\u2069a</bdi>\u2069')


@every_example
@given(TEXTS)
def test_an_attribute_that_markdown_reads_holds_the_text(text: str) -> None:
    shown = rendered(f'<div title="{wording.read_twice(text)}" markdown="1">\na\n</div>\n')
    inner = re.fullmatch(r'<div title="([^"]*)">\n<p>a</p>\n</div>', shown, re.DOTALL)
    assert inner
    assert html.unescape(inner[1]) == wording.isolated(text)
