"""The export built by other generators: its player and its search, as a person meets them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from build_scripts.publishing import Rule, rules, script_hashes
from tests.browser.conftest import ADDRESS, Handler, Launch, elsewhere, failed, serving
from tests.conftest import ExportOf
from tests.generators import COMMANDS
from tests.site_checks import BuiltSite

STYLES = {"zensical": "style-src 'self' 'unsafe-inline'"}
"""What a policy has to say of styles instead: the search there writes them into the page."""


AUTOFOCUS = "info: Autofocus processing was blocked because a document's URL has a fragment"


def policy_for(generator: str, built: Path) -> list[Rule]:
    """Return the headers to be published, with what a generator needs beyond them."""
    styles = STYLES.get(generator, "style-src 'self'")
    return [
        Rule(
            rule.pattern,
            {name: text.replace("style-src 'self'", styles) for name, text in rule.headers.items()},
        )
        for rule in rules(script_hashes(built))
    ]


@pytest.fixture(scope="module", params=COMMANDS)
def generator(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def other_browser(
    generator: str, site: BuiltSite, export_of: ExportOf, launch: Launch
) -> Iterator[Browser]:
    """Return a browser that finds what the generator has built, with our headers on it."""
    built = export_of(site, generator).folder
    handler = type("Other", (Handler,), {"rules": policy_for(generator, built)})
    with serving(partial(handler, directory=str(built))) as port:
        browser = launch(port)
        yield browser
        browser.close()


@pytest.fixture
def page(other_browser: Browser) -> Iterator[Page]:
    """Return a page; at the end its console was silent, and it asked no other host for anything.

    But for a note of the browser's on the field that Zensical adds, which has `autofocus`.
    """
    page = other_browser.new_page(viewport={"width": 1280, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("requestfailed", lambda request: said.extend(failed(request)))
    page.on("request", lambda request: said.extend(elsewhere(request.url)))
    yield page
    page.close()
    assert [line for line in said if not line.startswith(AUTOFOCUS)] == []


def test_the_player_steps_and_the_address_follows(page: Page) -> None:
    page.goto(f"{ADDRESS}profiles/divergent.html")
    for name, shown in (("Next", 2), ("Last", 5), ("Previous", 4)):
        page.get_by_role("button", name=name, exact=True).first.click()
        assert page.evaluate("location.hash") == f"#divergent-{shown}"
        visible = page.locator("specdec-player .frame:visible").evaluate_all(
            "frames => frames.filter(e => getComputedStyle(e).visibility == 'visible')"
            ".map(e => e.id)"
        )
        assert visible == [f"divergent-{shown}"]


def test_a_link_to_a_frame_shows_it(page: Page) -> None:
    page.goto(f"{ADDRESS}profiles/divergent.html#divergent-3")
    expect(page.locator("#divergent-3")).to_have_css("visibility", "visible")
    expect(page.locator("#divergent-1")).to_have_css("visibility", "hidden")


def test_search_finds_a_section(page: Page) -> None:
    page.goto(f"{ADDRESS}limits.html")
    page.keyboard.press("/")
    expect(page.locator("input:focus")).to_be_visible()
    page.keyboard.type("softmax")
    page.locator("a[href$='#softmax-the-residual']:visible").first.click()
    page.wait_for_url(f"{ADDRESS}wrong.html**#softmax-the-residual")
    expect(page.locator("#softmax-the-residual")).to_be_in_viewport()
