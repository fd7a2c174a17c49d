"""The page of a figure as a teacher uses it: copy a citation, take a file, follow the figure."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open

FIGURE = "figures/outcome-tree-divergent/index.html"
FORMATS = ("Text", "BibTeX", "RIS", "CSL-JSON")


def citation(page: Page, what: str) -> str:
    """Return the text that a button is to copy."""
    text = page.locator(f"specdec-copy[data-what='{what}'] pre").text_content()
    assert text
    return text


@pytest.mark.parametrize("what", FORMATS)
def test_a_citation_is_copied_and_the_page_says_so(open_page: Open, what: str) -> None:
    page = open_page(FIGURE)
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async text => { window.copied = text; } } })"
    )
    page.get_by_role("button", name=f"Copy {what}", exact=True).click()
    box = page.locator(f"specdec-copy[data-what='{what}']")
    expect(box.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("window.copied") == citation(page, what)


@pytest.mark.parametrize("clipboard", ["undefined", "{ writeText: () => Promise.reject() }"])
@pytest.mark.parametrize(
    ("copies", "said"), [("true", "Copied"), ("false", "Selected: copy it with Ctrl+C or ⌘C")]
)
def test_without_a_clipboard_the_citation_is_selected(
    open_page: Open, clipboard: str, copies: str, said: str
) -> None:
    page = open_page(FIGURE)
    page.evaluate(f"Object.defineProperty(navigator, 'clipboard', {{ value: {clipboard} }})")
    page.evaluate(f"document.execCommand = () => {copies}")
    button = page.get_by_role("button", name="Copy BibTeX", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    box = page.locator("specdec-copy[data-what='BibTeX']")
    expect(box.get_by_role("status")).to_have_text(said)
    assert page.evaluate("getSelection().toString().trim()") == citation(page, "BibTeX").strip()
    expect(button).to_be_focused()


def test_buttons_are_there_once_after_instant_navigation_and_back(open_page: Open) -> None:
    page = open_page("figures/index.html")
    page.wait_for_load_state("networkidle")  # the theme has to know the pages of the site first
    page.evaluate("window.same = true")
    page.locator("a[href$='outcome-tree-divergent/index.html']").click()
    expect(page.locator("h1")).to_have_text(
        "A round commits one to six tokens, most often two (44%)¶"
    )
    assert page.evaluate("window.same") is True
    expect(page.get_by_role("button", name="Copy")).to_have_count(len(FORMATS))
    page.go_back()
    page.go_forward()
    expect(page.get_by_role("button", name="Copy")).to_have_count(len(FORMATS))


def test_without_scripts_the_citations_are_text(open_page: Open) -> None:
    page = open_page(FIGURE, java_script_enabled=False)
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    for what in FORMATS:
        assert "Speculative decoding, exactly" in citation(page, what)


def test_a_figure_in_the_prose_leads_to_its_page(open_page: Open) -> None:
    page = open_page("cost.html")
    page.locator("figcaption a").first.click()
    expect(page.locator("h2#cite")).to_be_visible()
    assert "/figures/timeline-aligned/" in page.url


def test_the_whole_card_of_the_gallery_is_the_link(open_page: Open) -> None:
    page = open_page("figures/index.html", width=360)
    card = page.locator("ul.gallery > li").first
    box = card.bounding_box()
    assert box
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    expect(page.locator("h2#download")).to_be_visible()


def test_the_page_describes_the_figure_to_programs(open_page: Open) -> None:
    page = open_page(FIGURE)
    text = page.locator("head script[type='application/ld+json']").text_content()
    assert text
    kinds = [each["@type"] for each in json.loads(text)["@graph"]]
    assert kinds == ["ImageObject", "LearningResource"]
