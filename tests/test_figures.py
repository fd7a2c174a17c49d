"""Figures: drawn inside their canvas, in either palette, literally, and only when they change."""

from __future__ import annotations

import json
import re
from dataclasses import astuple
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure as Canvas
from matplotlib.text import Text

from build_scripts.figure_pages import PUBLISHED
from build_scripts.figures.drawing import HOUSE_STYLE, for_pages, for_print, slide
from build_scripts.figures.figure import Figure, Provenance
from build_scripts.figures.files import FORMATS
from build_scripts.figures.palette import DARK, LIGHT, in_the_dark
from build_scripts.figures.registry import all_figures
from build_scripts.figures.table import Table
from build_scripts.figures.text import label, width
from build_scripts.results import Results, compute
from tests.hostile import TOKENS
from tests.site_checks import ROOT, BuiltSite

RECORD = json.loads(PUBLISHED.read_bytes())
SLUGS = RECORD["slugs"]


@pytest.fixture(scope="module")
def results() -> Results:
    return compute(ROOT)


def pictured(kind: str, data: dict[str, Any], subject: str = "Subject") -> Figure:
    """Return a figure of other data than the site's."""
    nothing = Table((), ())
    return Figure(
        "slug", kind, "Title", subject, "", "", "", "", data, nothing, Provenance("", "", "")
    )


def drawn(figure: Figure) -> Canvas:
    """Draw as for the site, but keep the drawing."""
    draw = import_module(f"build_scripts.figures.{figure.kind}").draw
    settings: Any = LIGHT.settings
    with matplotlib.rc_context(settings, fname=HOUSE_STYLE):
        canvas = Canvas()
        draw(canvas, figure, LIGHT)
        canvas.draw_without_rendering()
    return canvas


def texts(canvas: Canvas) -> list[Text]:
    found = canvas.findobj(lambda artist: isinstance(artist, Text) and artist.get_visible())
    return [text for text in found if isinstance(text, Text) and text.get_text().strip()]


def outside(canvas: Canvas) -> list[str]:
    """Return the texts that stick out of the canvas by more than a pixel."""
    width, height = canvas.get_size_inches() * canvas.dpi
    found = []
    for text in texts(canvas):
        box = text.get_window_extent()
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            found.append(f"{text.get_text()!r} at {box}")
    return found


def overlapping(canvas: Canvas) -> list[str]:
    """Return pairs of texts that cover each other."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts(canvas)]
    return [
        f"{one!r} and {other!r}"
        for n, (one, box) in enumerate(boxes)
        for other, second in boxes[n + 1 :]
        if box.x0 < second.x1 - 1
        and second.x0 < box.x1 - 1
        and box.y0 < second.y1 - 1
        and second.y0 < box.y1 - 1
    ]


# What there is.


def test_slugs_are_for_ever(results: Results) -> None:
    """A slug that somebody may have cited leads to a figure, though not always of that name."""
    there = [figure.slug for figure in all_figures(results)]
    lost = set(SLUGS) - set(there) - set(RECORD["moved"])
    assert not lost, f"published, and gone: say in {PUBLISHED.name}, under moved, where they are"
    assert set(RECORD["moved"].values()) <= set(there)
    assert set(there) <= set(SLUGS), f"new slugs are recorded in {PUBLISHED.name}"
    assert len(there) == len(set(there))
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug) for slug in there)


def test_each_figure_is_on_the_site_for_light_and_for_dark(site: BuiltSite) -> None:
    for slug in SLUGS:
        light = (site.folder / f"figures/{slug}.svg").read_text(encoding="utf-8")
        dark = (site.folder / f"figures/{slug}.dark.svg").read_text(encoding="utf-8")
        assert in_the_dark(unsealed(light)) == unsealed(dark)
        for picture, ground in ((light, LIGHT.ground), (dark, DARK.ground)):
            assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
            assert ground in picture
            assert "<script" not in picture
            assert "<text" not in picture, "a reader's fonts have no say"
        assert set(re.findall("#[0-9a-f]{6}(?![0-9a-f])", drawing(dark))) <= set(astuple(DARK))


def unsealed(svg: str) -> str:
    """Return a picture without the seal in its last line."""
    return svg[: svg.rindex("<!--")]


def drawing(svg: str) -> str:
    """Return a picture without what it says about itself."""
    return unsealed(svg).partition("</metadata>")[2]


def test_each_picture_has_words_and_room(each_site: BuiltSite) -> None:
    seen = 0
    for path in each_site.pages:
        for picture in each_site.elements[path]:
            if picture.tag != "img" or next(picture.iterancestors("figure"), None) is None:
                continue
            seen += 1
            assert len(picture.attrib["alt"]) > 80
            assert picture.attrib["loading"] == "lazy"
            name = picture.attrib["src"].rsplit("/", 1)[1]
            svg = (each_site.folder / "figures" / name).read_text(encoding="utf-8")
            found = re.search(r'width="(\d+)" height="(\d+)" viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
            assert found
            assert found.groups()[:2] == (picture.attrib["width"], picture.attrib["height"])
            for pixels, points in zip(found.groups()[:2], found.groups()[2:], strict=True):
                assert abs(int(pixels) - float(points) * 4 / 3) <= 0.5
    assert seen > 100


def test_of_a_large_vocabulary_the_likeliest_tokens_are_drawn(hostile_site: BuiltSite) -> None:
    assert len(TOKENS) > 40
    text = hostile_site.texts["profiles/tokens.html"]
    assert f"The 40 likeliest of {len(TOKENS):,} tokens." in text


# How they are drawn.


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_is_cut_off_and_no_two_texts_meet(results: Results, slug: str) -> None:
    figure = next(each for each in all_figures(results) if each.slug == slug)
    canvas = drawn(figure)
    assert outside(canvas) == []
    assert overlapping(canvas) == []


def test_texts_that_break_out_are_drawn_and_fit(hostile_site: BuiltSite) -> None:
    """And so do twelve positions: warnings are errors here."""
    figures = [
        each
        for each in all_figures(compute(hostile_site.project))
        if each.slug.endswith(("-tokens", "-twelve"))
    ]
    assert len(figures) == 20
    for figure in figures:
        canvas = drawn(figure)
        assert outside(canvas) == [], figure.slug
        assert overlapping(canvas) == [], figure.slug


def test_a_figure_is_drawn_the_same_each_time(results: Results) -> None:
    figure = next(each for each in all_figures(results) if each.kind == "draft_cost")
    assert for_pages(figure) == for_pages(figure)
    assert for_print(figure) == for_print(figure)
    assert slide(figure, "Credit") == slide(figure, "Credit")


def panel(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Position 1",
        "note": "reached by\n100.0% of rounds",
        "first": 10,
        "last": 1000,
        "rounds": [10, 100, 1000],
        "distance": [0.1, 0.0, 0.01],
        "expected": [0.1, 0.03, 0.01],
        "low": [0.0, 0.0, 0.0],
        "high": [0.2, 0.06, 0.02],
        **changes,
    }


@pytest.mark.parametrize("panels", [1, 2, 3, 4, 7, 13])
def test_any_number_of_positions_fits(panels: int) -> None:
    canvas = drawn(pictured("convergence", {"panels": [panel() for _ in range(panels)]}))
    assert outside(canvas) == []
    assert overlapping(canvas) == []
    assert len([axes for axes in canvas.axes if axes.get_visible()]) == panels


def test_a_position_that_no_round_reached_and_one_that_is_certain() -> None:
    nothing: dict[str, Any] = {"rounds": [], "distance": [], "expected": [], "low": [], "high": []}
    panels = [
        panel(note="never reached", **nothing),
        panel(note="one token is certain", **nothing),
    ]
    canvas = drawn(pictured("convergence", {"panels": panels}))
    said = [text.get_text() for text in texts(canvas)]
    assert "never reached" in said
    assert any("one token is certain" in text for text in said)


TEXTS = [
    r"$\foo$", "$x^2$", "<b>", "a&b", "a|b", "😀", "שלום", "日本", "  two spaces", "%s {x}", "_i_",
    "x" * 400,
]  # fmt: skip


def test_any_token_is_drawn_as_it_is() -> None:
    data = {
        "tokens": TEXTS,
        "few": "after 100 rounds",
        "many": "after 1,000 rounds",
        "panels": [
            {"name": "Position 1", "target": [1 / 12] * 12, "few": [], "many": [1 / 12] * 12}
        ],
    }
    subject = r"A subject with $\foo$, 😀 and " + "x" * 400
    canvas = drawn(pictured("histogram", data, subject))  # warnings are errors here
    said = [text.get_text() for text in texts(canvas)]
    assert {r"$\foo$", "$x^2$", "<b>", "a&b", "a|b", "␣␣two spaces"} <= set(said)
    assert "⟨U+65E5⟩⟨U+672C⟩" in said, "the font has no such characters"
    assert outside(canvas) == []


@pytest.mark.parametrize(
    ("token", "drawn_as"),
    [
        ("cat", "cat"),
        (" cat", "␣cat"),
        ("cat  ", "cat␣␣"),
        ("a b", "a b"),
        ("   ", "␣␣␣"),
        ("", ""),
        ("\u202eabc", "⟨U+202E⟩abc"),
    ],
)
def test_labels(token: str, drawn_as: str) -> None:
    assert label(token, inches=2, size=9) == drawn_as


@pytest.mark.parametrize("token", ["i" * 400, "W" * 400, "日" * 20])
def test_what_is_too_wide_is_cut(token: str) -> None:
    cut = label(token, inches=1, size=9)
    assert cut.endswith("…")
    assert 0.8 < width(cut, 9) <= 1


def test_no_two_figures_share_a_file() -> None:
    """Whatever profiles are called: their ids are the ends of slugs."""
    slugs = ("near", "near-dark", "dark", "near-slide", "slide")
    files = [f"{slug}{ending}" for slug in slugs for ending in FORMATS.values()]
    assert len(set(files)) == len(slugs) * len(FORMATS)


# When.


def test_only_what_changed_is_drawn_again(site: BuiltSite) -> None:
    assert sorted(re.findall(r"drawing (\S+)", site.output)) == sorted(SLUGS)


def test_colours_are_those_of_the_pages() -> None:
    css = (ROOT / "docs/stylesheets/tokens.css").read_text(encoding="utf-8")
    named = dict(re.findall(r"--sd-([a-z-]+): light-dark\((.*)\);", css))
    for name, token in (
        ("ground", "bg"), ("text", "fg"), ("muted", "muted"), ("line", "line"),
        ("target", "target"), ("draft", "draft"), ("share", "share"), ("kept", "kept"),
        ("rejected", "rejected"), ("draft_text", "draft-text"),
    ):  # fmt: skip
        assert named[token] == f"{getattr(LIGHT, name)}, {getattr(DARK, name)}"
