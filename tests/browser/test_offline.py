"""The zip of the site, unpacked and opened from its folder, without a network."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Open, until
from tests.site_checks import BuiltSite

ICON = ".md-header__button[for=__search]"


def opened(site: BuiltSite, path: str, open_page: Open, width: int) -> tuple[Page, list[str]]:
    """Open a page from its folder; the second is all that it asks for elsewhere."""
    page = open_page((site.folder / path).as_uri(), width=width, offline=True)
    asked: list[str] = []

    def listen(request: Request) -> None:
        if not request.url.startswith((site.folder.as_uri(), "data:")):
            asked.append(request.url)

    page.on("request", listen)
    page.reload()
    return page, asked


def search(page: Page, words: str, width: int) -> None:
    """Search as a person does: with the field, which on a phone is behind an icon."""
    if width < 960:
        expect(page.locator(ICON)).to_be_visible()
        page.locator(ICON).click()
    page.locator(".md-search__input").click()
    page.keyboard.type(words)
    expect(page.locator(".md-search-result__meta")).to_contain_text("matching document")


@pytest.mark.parametrize("width", [1280, 360])
def test_the_player_search_and_the_pages_work(
    unzipped: BuiltSite, open_page: Open, width: int
) -> None:
    page, asked = opened(unzipped, "profiles/divergent.html", open_page, width)
    page.get_by_role("button", name="Next", exact=True).click()
    assert page.evaluate("location.hash") == "#divergent-2"
    expect(page.locator("#divergent-2")).to_have_css("visibility", "visible")
    expect(page.locator("#divergent-1")).to_have_css("visibility", "hidden")
    search(page, "softmax", width)
    page.locator(".md-search-result__link[href$='#softmax-the-residual']").first.click()
    page.wait_for_url(f"{(unzipped.folder / 'wrong.html').as_uri()}#softmax-the-residual")
    expect(page.locator("#softmax-the-residual")).to_be_in_viewport()
    page.locator(".md-footer__link--next").click()
    page.wait_for_url("**/convergence.html")
    page.locator("figure img:visible").first.scroll_into_view_if_needed()
    until(page, "[...document.images].some(e => e.offsetWidth && e.complete && e.naturalWidth)")
    assert asked == []


def test_where_search_cannot_start_nothing_offers_it(published: BuiltSite, open_page: Open) -> None:
    """Without the zip's script, a browser starts no worker from a folder."""
    page = open_page((published.folder / "limits.html").as_uri())
    until(page, "document.querySelector('.md-search').hidden")
    expect(page.locator(".md-search__input")).to_be_hidden()
    page.set_viewport_size({"width": 360, "height": 900})
    expect(page.locator(ICON)).to_be_hidden()
    expect(open_page("limits.html", width=360).locator(ICON)).to_be_visible()
