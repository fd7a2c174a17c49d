"""Getting around without a mouse, without motion, and past the menu."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Open, until

CONTROLS = [
    "profiles/divergent.html",
    "profiles/divergent/embed/index.html",
    "exercises/index.html",
    "figures/outcome-tree-divergent/index.html",
    "cite/index.html",
]
"""Pages that have every kind of control between them."""

MORE_CONTROLS = ["index.html", "math.html", "convergence.html", "figures/index.html"]

HEADED = ["index.html", "profiles/divergent.html", "cite/index.html"]

WATCH = """() => {
  window.seen = [];
  addEventListener("focusin", ({target}) => {
    const shows = (e) => e && getComputedStyle(e).outlineStyle !== "none"
      && parseFloat(getComputedStyle(e).outlineWidth) > 0;
    const label = target.type === "radio" && target.nextElementSibling;
    const box = target.getBoundingClientRect();
    const header = document.querySelector(".md-header");
    const under = header && !header.contains(target) && !target.closest(".md-skip")
      && box.top < header.offsetHeight;
    const ring = shows(target) || shows(label);
    window.seen.push({target, ring, under, html: target.outerHTML.slice(0, 120),
      out: box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth});
  });
}"""

REACHABLE = """() => [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0
    && (e.type !== "radio" || e.checked) && !e.closest("[inert]"))"""


def walk(page: Page) -> None:
    """Press Tab until the focus has gone all the way round."""
    page.evaluate(WATCH)
    stops = page.evaluate(f"({REACHABLE})().length")
    assert stops > 3
    for _ in range(stops + 3):
        page.keyboard.press("Tab")


@pytest.mark.parametrize(
    "path", [*CONTROLS, *(pytest.param(path, marks=pytest.mark.long) for path in MORE_CONTROLS)]
)
def test_the_keyboard_reaches_everything_and_the_focus_shows(open_page: Open, path: str) -> None:
    page = open_page(path, reduced_motion="reduce")
    walk(page)
    missed = page.evaluate(
        f"""() => {{ const seen = new Set(window.seen.map(each => each.target));
        return ({REACHABLE})().filter(e => !seen.has(e)).map(e => e.outerHTML.slice(0, 120)) }}"""
    )
    assert missed == []
    for fault in ("under", "out"):
        assert page.evaluate(f"window.seen.filter(each => each.{fault}).map(e => e.html)") == []
    assert page.evaluate("window.seen.filter(each => !each.ring).map(e => e.html)") == []


@pytest.mark.parametrize("path", HEADED)
def test_the_first_stop_leads_past_the_menu(open_page: Open, path: str) -> None:
    page = open_page(path)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.md-skip')"), path
    page.keyboard.press("Enter")
    until(page, "location.hash.length > 1")
    assert page.evaluate(
        "!!document.getElementById(decodeURIComponent(location.hash.slice(1))).closest('article')"
    )
    page.keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('article')")


LINK = ".md-sidebar--secondary a[href$='#convergence']"
"""Leads to another place of the page of a profile."""


@pytest.mark.parametrize("elsewhere_first", [False, True])
def test_a_link_within_the_page_leaves_what_the_reader_did(
    open_page: Open, elsewhere_first: bool
) -> None:
    """The theme would fetch the page again, and replace it."""
    page = open_page("cost.html" if elsewhere_first else "profiles/divergent.html")
    page.wait_for_load_state("networkidle")  # the theme has to know the pages of the site first
    if elsewhere_first:
        page.locator(".md-sidebar--primary a[href$='profiles/divergent.html']").evaluate(CLICK)
        until(page, "!!document.querySelector('#divergent')")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_role("button", name="Next", exact=True).click()
    page.evaluate("document.querySelector('article').same = true")
    page.evaluate(f"({CLICK})(document.querySelector({LINK!r}))")
    until(page, "location.hash === '#convergence'")
    until(page, "scrollY > 300")
    page.go_back()
    until(page, "location.hash === '#divergent-3'")
    page.wait_for_timeout(500)
    assert page.evaluate("document.querySelector('article').same") is True
    assert page.locator("#divergent-3").evaluate("e => e.hasAttribute('data-current')")
    assert not [url for url in asked if url.endswith(".html")]


CLICK = "link => link.click()"


@pytest.mark.parametrize("path", ["index.html", "profiles/divergent.html", "exercises/index.html"])
def test_nothing_moves_for_those_who_want_no_motion(open_page: Open, path: str) -> None:
    page = open_page(path, reduced_motion="reduce")
    assert page.evaluate("document.getAnimations().length") == 0
    if page.locator("specdec-player").count():
        page.get_by_role("button", name="Next", exact=True).first.click()
        page.get_by_role("button", name="Next", exact=True).first.click()
    if page.locator("summary").count():
        page.locator("summary").first.click()
    moving = (
        "document.getAnimations().filter(e => e.effect.getComputedTiming().duration > 1).length"
    )
    assert page.evaluate(moving) == 0
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_an_answer_opens_when_asked_for_and_closes_again(open_page: Open) -> None:
    page = open_page("exercises/index.html")
    answer = page.locator("details.answer").nth(3)
    text = answer.locator("p").first
    assert not text.is_visible()
    answer.locator("summary").focus()
    page.keyboard.press("Enter")
    assert text.is_visible()
    page.keyboard.press("Enter")
    assert not text.is_visible()


def test_answers_open_without_a_script(open_page: Open) -> None:
    page = open_page("exercises/index.html", java_script_enabled=False)
    page.locator("summary").first.click()
    assert page.locator("details.answer p").first.is_visible()


@pytest.mark.parametrize(("width", "sign"), [(1280, "key"), (1280, "pointer"), (360, "tap")])
def test_the_search_is_fetched_when_it_is_wanted_and_finds(
    open_page: Open, width: int, sign: str
) -> None:
    page = open_page("index.html", width=width)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(300)
    assert not [url for url in asked if "search_index" in url]
    if sign == "key":
        page.keyboard.press("/")
    elif sign == "pointer":
        page.locator(".md-search__input").click()
    else:
        page.locator(".md-header label[for=__search]").first.click()
    page.keyboard.type("break even")
    until(page, "document.querySelectorAll('.md-search-result__item').length > 0")
    assert len([url for url in asked if "search_index" in url]) == 1
    page.locator(".md-search-result__item a", has_text="Break-even").first.click()
    until(page, "!location.pathname.endsWith('index.html')")


def test_a_link_to_results_finds_at_once(open_page: Open) -> None:
    page = open_page("index.html?q=residual")
    until(page, "document.querySelectorAll('.md-search-result__item').length > 0")


def test_a_term_leads_to_its_meaning(open_page: Open) -> None:
    page = open_page("index.html")
    page.locator("a.term", has_text="acceptance rates").click()
    page.wait_for_url("**/glossary.html#acceptance-rate")
    meaning = page.locator("dt#acceptance-rate")
    box = meaning.bounding_box()
    header = page.locator(".md-header").bounding_box()
    assert box is not None
    assert header is not None
    assert header["height"] <= box["y"] < 900
