"""Data that try to break out, in a browser: nothing runs, and every text is shown as it is.

The browser's own parser is asked what a page says, other readers what a file says, and the data
files themselves what was meant.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import (
    ADDRESS,
    Context,
    Handler,
    Launch,
    Open,
    contexts_of,
    serving,
    until,
)
from tests.hostile import ANYWHERE, ONLY_AT_THE_START, debris, plainly, texts_of, unlike
from tests.plain import scenarios
from tests.site_checks import BuiltSite

READ = """html => {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const kinds = new Set(), texts = [page.title];
  for (const element of page.querySelectorAll('*')) {
    kinds.add(element.localName);
    for (const { name, value } of element.attributes) {
      kinds.add(`${element.localName} ${name}`);
      if (name !== 'id' && value[0] !== '#') texts.push(value); // made of headings
    }
    for (const name of element.classList) kinds.add(`.${name}`);
  }
  for (const script of page.querySelectorAll('script[type$=json]')) {
    JSON.parse(script.textContent, (_, value) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
  }
  // Code to copy has formats of its own, and tests of its own.
  for (const other of page.querySelectorAll('script, style, pre')) other.remove();
  // Blocks apart, as they are for a reader.
  for (const element of page.querySelectorAll('p, li, td, th, dt, dd, h1, h2, h3, caption, pre')) {
    element.append(' ');
  }
  return [[...kinds], [...texts, page.body.textContent]];
}"""
"""What a page consists of, and all that it says."""


def kind_of(path: str) -> str:
    """Return what pages of one template have in common; an authored page is its own kind."""
    for template in (r"profiles/(?!index)[^/]+\.html", r".*/embed/.*", r"figures/.+/index\.html"):
        if re.fullmatch(template, path):
            return template
    return path


@pytest.fixture
def blank(context: Context) -> Iterator[Page]:
    """Return a page that is nowhere."""
    page = context().new_page()
    yield page
    page.close()


def test_no_text_of_the_data_becomes_markup_or_anything_but_itself(
    site: BuiltSite, hostile_site: BuiltSite, blank: Page
) -> None:
    texts = texts_of(hostile_site.project / "data")
    known: dict[str, set[str]] = defaultdict(set)
    for path in site.pages:
        kinds, said = blank.evaluate(READ, (site.folder / path).read_text("utf-8"))
        known[kind_of(path)].update(kinds)
        assert [found for each in said for found in debris(each, [])] == [], path
    looked_at = unlike(hostile_site)
    assert len(looked_at) > 50
    new: dict[str, set[str]] = {}
    changed: dict[str, list[str]] = {}
    for path in looked_at:
        kinds, said = blank.evaluate(READ, (hostile_site.folder / path).read_text("utf-8"))
        new[path] = set(kinds) - known[kind_of(path)] - OF_OTHER_DATA
        changed[path] = [found for each in said for found in debris(each, texts)]
    assert {path: kinds for path, kinds in new.items() if kinds} == {}
    assert {path: found for path, found in changed.items() if found} == {}


OF_OTHER_DATA = {".context", ".step-thin"}
"""A context, and more positions than the shipped data have."""


def said_in(content: bytes, ending: str) -> Iterator[str]:
    """Yield every text in a file, by a reader of its format."""
    if ending == ".json":
        strings: list[str] = []
        json.loads(content, object_pairs_hook=lambda pairs: strings.extend(texts_among(pairs)))
        yield from strings
    elif ending == ".csv":
        for row in csv.reader(io.StringIO(content.decode(), newline=""), strict=True):
            yield from (cell.removeprefix("'") for cell in row)
    else:
        for element in ElementTree.fromstring(content).iter():
            yield from filter(None, (element.text, element.tail, *element.attrib.values()))


def texts_among(pairs: list[tuple[str, Any]]) -> Iterator[str]:
    for key, value in pairs:
        if key in ("bibtex", "ris", "csl"):  # formats of their own, read in test_citations
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                yield each
            elif isinstance(each, list):
                yield from (inner for inner in each if isinstance(inner, str))


def test_no_text_of_the_data_is_changed_in_a_file(hostile_site: BuiltSite) -> None:
    texts = texts_of(hostile_site.project / "data")
    read = 0
    for path in sorted(hostile_site.files):
        ending = Path(path).suffix
        if (
            ending in (".json", ".csv", ".svg")
            and ".schema." not in path
            and path.startswith(("figures/", "frames/", "data/"))
            and not re.search(r"twelve|draft-1|draft-7", path)
        ):
            for said in said_in((hostile_site.folder / path).read_bytes(), ending):
                assert debris(said, texts) == [], path
            read += 1
    assert read > 250


def test_the_search_index_says_titles_as_they_are(hostile_site: BuiltSite, blank: Page) -> None:
    texts = texts_of(hostile_site.project / "data")
    index = json.loads((hostile_site.folder / "search/search_index.json").read_bytes())
    by_place = {entry["location"]: entry for entry in index["docs"]}
    for profile in profiles(hostile_site):
        title = blank.evaluate(READ, by_place[f"profiles/{profile['id']}.html"]["title"])[1][-1]
        assert plainly(title) == plainly(profile["title"])
    for entry in index["docs"]:
        for part in (entry["title"], entry["text"]):
            kinds, said = blank.evaluate(READ, part)
            assert set(kinds) <= IN_THE_INDEX, entry["location"]
            assert [found for each in said for found in debris(each, texts)] == []


IN_THE_INDEX = {
    "html", "head", "body", "p", "ul", "ol", "li", "pre", "code", "title", "em", "strong", "sup",
}  # fmt: skip


def profiles(site: BuiltSite) -> list[dict[str, Any]]:
    return [
        each.profile for several in scenarios(site.project / "data").values() for each in several
    ]


def test_the_snippet_to_embed_a_player_is_one_frame_and_no_more(
    hostile_site: BuiltSite, blank: Page
) -> None:
    for profile in profiles(hostile_site):
        page = hostile_site.article(f"profiles/{profile['id']}.html")
        (snippet,) = page.select("pre.snippet")
        body, names, title = blank.evaluate(
            """html => {
              const { body } = new DOMParser().parseFromString(html, 'text/html');
              const [frame] = body.children;
              return [body.childNodes.length, frame.getAttributeNames(), frame.title];
            }""",
            snippet.get_text(),
        )
        assert (body, names) == (1, ["src", "title", "width", "height", "loading"])
        assert plainly(title) == plainly(profile["title"])


# Alive.


@pytest.fixture
def open_hostile(open_page: Open, hostile_context: Context) -> Open:
    """Return `open_page` for the hostile site at the address of the other, without any policy."""
    return partial(open_page, width=360, within=hostile_context)


@pytest.fixture(scope="module")
def hostile_context(hostile_site: BuiltSite, launch: Launch) -> Iterator[Context]:
    """Return a function that makes contexts of a browser that finds the hostile site."""
    places = "".join(f"<url><loc>{ADDRESS}{page}</loc></url>" for page in hostile_site.pages)

    class Hostile(Handler):
        """Serves a site map of a site with an address, too: the theme goes by it."""

        def send_head(self) -> io.BytesIO | BinaryIO | None:
            if not self.path.endswith("/sitemap.xml"):
                return super().send_head()
            self.send_response(200)
            self.send_header("Content-Type", "text/xml")
            self.end_headers()
            return io.BytesIO(f"<urlset>{places}</urlset>".encode())

    with serving(partial(Hostile, directory=str(hostile_site.folder))) as port:
        browser = launch(port)
        yield contexts_of(browser)
        browser.close()


def test_what_would_run_is_noticed(context: Context) -> None:
    """Else the tests here would notice nothing, whatever ran."""
    noticed: list[str] = []

    def close(dialog: Dialog) -> None:
        noticed.append(dialog.message)
        dialog.dismiss()

    page = context().new_page()
    page.on("dialog", close)
    for text in (*ONLY_AT_THE_START, *ANYWHERE):
        page.set_content(text)
        page.wait_for_timeout(20 * ("alert" in text))
    page.close()
    assert len(noticed) >= 4


def test_nothing_runs_from_page_to_page_without_loading_anew(
    open_hostile: Open, hostile_site: BuiltSite
) -> None:
    page = open_hostile("index.html")
    page.wait_for_load_state("networkidle")  # the theme has to know the pages of the site first
    page.evaluate("window.same = true")
    visited = {each["id"]: each["title"] for each in profiles(hostile_site)}
    for name in ("tokens", "texts-0", "texts-1", "texts-2", "odd", "equal"):
        page.evaluate(
            f"document.querySelector('.md-nav a[href$=\"profiles/{name}.html\"]').click()"
        )
        until(page, f"document.querySelector('h1').id === '{name}'")
        shown = page.evaluate("document.querySelector('h1').firstChild.textContent")
        assert plainly(shown) == plainly(visited[name])
        assert plainly(page.title()).startswith(plainly(visited[name]))
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        for action in ("next", "last", "first"):
            page.evaluate(f"document.querySelector('button[data-do={action}]').click()")
    page.evaluate("document.querySelector('a[href$=\"positions-equal/index.html\"]').click()")
    until(page, "location.pathname.endsWith('/positions-equal/index.html')")
    expect(page.locator("h2#cite")).to_have_count(1)
    page.go_back()
    until(page, "location.pathname.endsWith('/equal.html')")
    assert page.evaluate("window.same") is True


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("onerror", "</script><img src=x onerror=alert(1)>"),
        ("endobj", ")) >> endobj"),
        ("jour", "ER - TY - JOUR"),
        ("calc", "=cmd|' /C calc'!A0"),
    ],
)
def test_search_results_show_what_was_searched_and_run_nothing(
    open_hostile: Open, words: str, found: str
) -> None:
    page = open_hostile(f"index.html?q={words}")
    results = page.locator(".md-search-result__item")
    expect(results.first).to_be_visible(timeout=20_000)
    assert any(found in plainly(each) for each in results.all_inner_texts())
    kinds = page.evaluate(
        "[...new Set([...document.querySelectorAll('.md-search-result__list *')]"
        ".map(element => element.localName))]"
    )
    assert set(kinds) <= {
        "li", "a", "article", "div", "h1", "h2", "p", "mark", "details", "summary", "ul", "ol",
        "code", "pre", "nav", "label", "span", "small", "strong", "em",
    }  # fmt: skip


def test_a_picture_opened_by_itself_runs_nothing(open_page: Open, hostile_site: BuiltSite) -> None:
    page = open_page((hostile_site.folder / "figures/positions-tokens.svg").as_uri())
    for name in ("positions-texts-0", "timeline-texts-1.dark", "outcome-tree-tokens", "agreement"):
        page.goto((hostile_site.folder / f"figures/{name}.svg").as_uri())
        assert page.evaluate("document.documentElement.localName") == "svg"
        assert (
            page.evaluate("document.querySelectorAll('script, foreignObject, image, a').length")
            == 0
        )


RUNS_ON = """() => [...document.querySelectorAll('figcaption')].map(caption => {
  const walk = document.createTreeWalker(caption, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const at = node.data.search(/averaged|target/);
    if (at < 0) continue;
    const x = index => {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      return range.getBoundingClientRect().x;
    };
    return x(at) < x(at + 2);
  }
})"""


def test_a_title_that_turns_the_direction_turns_nothing_after_it(
    open_page: Open, hostile_site: BuiltSite
) -> None:
    turning = [each["id"] for each in profiles(hostile_site) if "\u202e" in each["title"]]
    assert turning
    for name in turning:
        page = open_page((hostile_site.folder / f"profiles/{name}.html").as_uri())
        runs_on = page.evaluate(RUNS_ON)
        assert len(runs_on) > 5
        assert all(runs_on)
