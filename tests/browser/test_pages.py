"""Every page in a browser: accessibility, width, paper."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from tests.browser.conftest import ADDRESS, NOTE_WHAT_MOVES, Open, until
from tests.site_checks import BuiltSite

PAGES = [
    "index.html",
    "nimbus.html",
    "profiles/index.html",
    "profiles/aligned.html",
    "profiles/divergent.html",
    "profiles/nimbus-mini.html",
    "profiles/divergent/embed/index.html",
    "compare.html",
    "math.html",
    "code.html",
    "misconceptions.html",
    "wrong.html",
    "convergence.html",
    "cost.html",
    "limits.html",
    "exercises/index.html",
    "exercises/sheet.html",
    "exercises/answers.html",
    "figures/index.html",
    "figures/outcome-tree-divergent/index.html",
    "figures/convergence-aligned/index.html",
    "edit.html",
    "publish.html",
    "cite/index.html",
    "glossary.html",
    "sources.html",
    "coverage.html",
    "benchmark.html",
    "changelog.html",
    "404.html",
]

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, *, within: str = "html") -> list[str]:
    """Return what axe finds in the part of a page that a selector names, one line per element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(
        "within => axe.run(within, {resultTypes: ['violations'], preload: false})", within
    )
    return [
        f"{rule['id']}: {node['html'][:160]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def test_every_page_is_looked_at(published: BuiltSite) -> None:
    """Each that is authored, and of those from a template at least one."""
    templates = [r"profiles/[^/]+\.html", r"profiles/[^/]+/embed/index\.html", r"figures/[^/]+/.*"]
    generated = [
        {path for path in published.pages if re.fullmatch(template, path)} - {"profiles/index.html"}
        for template in templates
    ]
    assert set(published.pages) - set().union(*generated) <= set(PAGES) <= set(published.pages)
    assert all(paths & set(PAGES) for paths in generated)


IS_DARK = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0] < 128"


def in_both_schemes(page: Page) -> Iterator[str]:
    """Turn a page to light and to dark, as a reader's system does while it is open."""
    for scheme, condition in (("light", f"!({IS_DARK})"), ("dark", IS_DARK)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        until(page, condition)
        yield scheme


Look = tuple[int, str]
"""A width and a scheme."""

LOOKS: list[Look] = [(1280, "light"), (360, "dark")]
"""Each page in both schemes and at both widths, each of these once."""

OTHER_LOOKS: list[Look] = [(1280, "dark"), (360, "light")]

OF_ONE_TEMPLATE: dict[str, list[Look]] = {
    "profiles/aligned.html": OTHER_LOOKS[:1],
    "profiles/nimbus-mini.html": OTHER_LOOKS[1:],
    "figures/convergence-aligned/index.html": OTHER_LOOKS,
}
"""Pages that only together are looked at as `LOOKS` says, and in the other two ways."""

CONTENT = ".md-content, main:not(.md-main)"
"""What differs from page to page. What is around it is looked at in each way on home."""


def looks_at(path: str) -> list[Look]:
    return OF_ONE_TEMPLATE.get(path, LOOKS)


def other_looks_at(path: str) -> list[Look]:
    return [look for look in LOOKS + OTHER_LOOKS if look not in looks_at(path)]


@pytest.mark.parametrize(
    ("path", "looks"),
    [
        *((path, looks_at(path)) for path in PAGES),
        *(pytest.param(path, other_looks_at(path), marks=pytest.mark.long) for path in PAGES),
    ],
)
def test_axe_finds_nothing_and_nothing_moves_or_scrolls_sideways(
    open_page: Open, path: str, looks: list[Look]
) -> None:
    page = open_page("404.html", reduced_motion="reduce")
    page.add_init_script(NOTE_WHAT_MOVES)
    for number, (width, scheme) in enumerate(looks):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(ADDRESS + path)
        page.wait_for_timeout(200)
        assert page.evaluate(IS_DARK) is (scheme == "dark")
        assert page.evaluate("moved") == []
        whole = number == 0 or path == "index.html"
        assert violations(page, within="html" if whole else CONTENT) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_axe_finds_nothing_at_any_frame(open_page: Open) -> None:
    page = open_page("nimbus.html", reduced_motion="reduce")
    page.get_by_label("Predict first").check()
    for _ in range(4):
        page.get_by_role("button", name="Next", exact=True).click()
        for scheme in in_both_schemes(page):
            assert violations(page, within="specdec-player") == [], scheme


def test_axe_finds_nothing_with_the_menu_and_the_search_open(open_page: Open) -> None:
    page = open_page("index.html", width=360, reduced_motion="reduce")
    page.locator(".md-header label[for=__drawer]").click()
    page.wait_for_timeout(400)
    assert violations(page, within=".md-sidebar--primary") == []
    page.keyboard.press("Escape")
    wide = open_page("index.html", reduced_motion="reduce")
    wide.locator(".md-search__input").click()
    wide.keyboard.type("residual")
    wide.wait_for_timeout(600)
    assert violations(wide, within=".md-header") == []


def test_nothing_in_the_data_widens_a_page(hostile_site: BuiltSite, open_page: Open) -> None:
    """Twelve positions, tokens of 400 characters, and what tries to break out."""
    page = open_page((hostile_site.folder / "index.html").as_uri(), width=360)
    pages = set(hostile_site.pages) - {"404.html"}  # which is for a server only
    # Of figures, three of the hardest profile: the others differ in numbers.
    hard = re.compile(r"figures/((positions|timeline|outcome-tree)-tokens/|agreement/|)index\.html")
    pages = {path for path in pages if not path.startswith("figures/") or hard.fullmatch(path)}
    assert len([path for path in pages if path.startswith("figures/")]) == 5
    for path in sorted(pages):
        page.goto((hostile_site.folder / path).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        assert page.evaluate(SPILT) == [], path


def test_nothing_scrolls_sideways_where_no_script_runs(open_page: Open) -> None:
    page = open_page("404.html", width=360, java_script_enabled=False)
    for path in PAGES:
        page.goto(ADDRESS + path)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, path


def test_every_position_can_be_reached_on_a_phone(open_page: Open) -> None:
    page = open_page("profiles/divergent.html#divergent-1", width=360)
    columns = page.locator("#divergent-1 .columns")
    assert columns.evaluate("e => e.scrollWidth > e.clientWidth")
    columns.focus()
    columns.evaluate("e => e.scrollTo(e.scrollWidth, 0)")
    last = page.locator("#divergent-1 .position").last.bounding_box()
    assert last is not None
    assert last["x"] + last["width"] <= 360


BARS = """() => [...document.querySelectorAll('svg.pair')]
  .map(bar => bar.getBoundingClientRect())
  .filter(box => box.height)
  .map(box => [box.width, box.right])"""


@pytest.mark.parametrize("path", ["index.html", "nimbus.html", "profiles/divergent.html"])
def test_bars_have_room_on_every_screen(open_page: Open, path: str) -> None:
    page = open_page(path)
    for width in (1280, 1024, 768, 600, 360):
        page.set_viewport_size({"width": width, "height": 900})
        bars = page.evaluate(BARS)
        assert bars
        assert min(bar for bar, _right in bars) >= 30, width
        assert page.evaluate(SPILT) == [], width


SPILT = """() => [...document.querySelectorAll('.position')]
  .filter(box => box.scrollWidth > box.clientWidth)
  .map(box => `${box.closest('.frame').id}: ${box.scrollWidth} in ${box.clientWidth}`)"""
"""Positions whose numbers stick out into the next."""


def test_bars_have_room_on_paper_and_none_is_cut_off(open_page: Open) -> None:
    page = open_page("profiles/aligned.html", width=700)
    page.emulate_media(media="print")
    bars = page.evaluate(BARS)
    assert min(bar for bar, _right in bars) >= 25
    assert max(right for _bar, right in bars) <= 700


@pytest.mark.parametrize(
    "path",
    ["index.html", "nimbus.html", pytest.param("profiles/aligned.html", marks=pytest.mark.long)],
)
def test_on_paper_every_frame_is_there_and_light(
    open_page: Open, published: BuiltSite, tmp_path: Path, path: str
) -> None:
    page = open_page(path)
    for _scheme in in_both_schemes(page):
        page.emulate_media(media="print")
        assert page.evaluate(
            "getComputedStyle(document.querySelector('specdec-player')).backgroundColor"
        ) == ("rgb(255, 255, 255)")
        hidden = page.evaluate(
            "[...document.querySelectorAll('.frame-caption')]"
            ".filter(e => getComputedStyle(e).visibility !== 'visible' || !e.offsetHeight).length"
        )
        assert hidden == 0
        page.emulate_media(media="null")
    sheet = tmp_path / "page.pdf"
    page.pdf(path=str(sheet), format="A4")
    captions = [
        " ".join(caption.get_text().split())
        for caption in published.pages[path].select(".frame-caption")
    ]
    assert captions
    text = words_of(sheet)
    for caption in captions:
        assert letters(caption) in text


FIGURES = "document.querySelectorAll('figure img')"


ON_A_PROFILE = (
    "positions", "residual", "acceptance", "expected-tokens", "outcome-tree", "tokens-per-round",
    "draft-cost", "timeline", "convergence", "histograms",
)  # fmt: skip


def shown_figures(page: Page) -> list[str]:
    """Return the file names of the figures that take up room."""
    names: list[str] = page.evaluate(
        f"[...{FIGURES}].filter(e => e.offsetWidth).map(e => e.src.split('/').pop())"
    )
    return names


@pytest.mark.parametrize(("scheme", "ending"), [("light", ".svg"), ("dark", ".dark.svg")])
def test_a_figure_is_there_once_in_the_colours_of_the_page(
    open_page: Open, scheme: str, ending: str
) -> None:
    page = open_page("profiles/aligned.html", scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
    wanted = [f"{kind}-aligned{ending}" for kind in ON_A_PROFILE]
    assert shown_figures(page) == wanted
    for name in wanted:
        page.locator(f"img[src$='/{name}']").scroll_into_view_if_needed()
    until(page, f"[...{FIGURES}].filter(e => e.complete && e.naturalWidth).length >= {len(wanted)}")
    fetched = {name for name in asked if name.endswith(".svg")}
    assert fetched <= set(wanted), "the other is not fetched"


def test_figures_have_their_room_before_they_are_fetched(open_page: Open) -> None:
    page = open_page("convergence.html")
    sizes = page.evaluate(
        f"[...{FIGURES}].filter(e => e.offsetWidth).map(e => "
        "[e.offsetHeight / e.offsetWidth, e.getAttribute('height') / e.getAttribute('width')])"
    )
    assert len(sizes) == 5
    for ratio, promised in sizes:
        assert abs(ratio - promised) < 0.01


def test_on_paper_figures_are_light_and_drawn(open_page: Open, tmp_path: Path) -> None:
    page = open_page("profiles/aligned.html", scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert shown_figures(page) == [f"{kind}-aligned.svg" for kind in ON_A_PROFILE]
    page.pdf(path=str(tmp_path / "page.pdf"), format="A4")
    drawn = page.evaluate(f"[...{FIGURES}].filter(e => e.offsetWidth && e.naturalWidth).length")
    assert drawn == len(ON_A_PROFILE)


def test_a_wide_figure_scrolls_inside_itself_on_a_phone(open_page: Open) -> None:
    page = open_page("convergence.html", width=360)
    box = page.locator(".figure-scroll").first
    assert box.evaluate("e => e.scrollWidth > e.clientWidth")
    box.focus()
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('.figure-scroll').scrollLeft > 0")


def words_of(sheet: Path) -> str:
    """Return the letters and digits of a PDF."""
    return letters("".join(page.extract_text() for page in PdfReader(sheet).pages))


def letters(text: str) -> str:
    """Return letters and digits, ligatures taken apart: the rest depends on fonts and lines."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))
