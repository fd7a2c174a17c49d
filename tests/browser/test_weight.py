"""What a first visit transfers, and how much of it the theme alone would."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from mkdocs.utils.yaml import yaml_load
from playwright.sync_api import Page

from tests.browser.conftest import HOST, Handler, Launch, serving
from tests.site_checks import ROOT, BuiltSite, run

PAGES = ["index.html", "profiles/aligned.html", "math.html", "convergence.html"]
"""The heaviest among them; the others are lighter and of another kind."""

MORE_PAGES = ["wrong.html", "benchmark.html", "exercises/index.html", "figures/index.html"]

MORE_BYTES = 60_000
"""So many at most, compressed, the font included."""

MORE_REQUESTS = 8
"""Four style sheets, three scripts, the font and the site map, less the index of the search."""

OWN_SCRIPTS = 8_000

SEARCH = "search/search_index.json"
"""All prose of the site; it is fetched when somebody is about to search."""

LAST = {"ours": "sitemap.xml", "empty": SEARCH}
"""What a page of each site asks for last."""

_COMPRESSED = (".css", ".html", ".js", ".json", ".svg", ".xml")

Sent = dict[str, int]
"""The bytes of each file that was sent, by its path."""


def compressed(content: bytes) -> bytes:
    return gzip.compress(content, 6, mtime=0)


class Scales(Handler):
    """Serves two sites, compressed, and writes down how many bytes each answer has."""

    folders: dict[str, Path]
    sent: Sent

    def do_GET(self) -> None:  # noqa: N802  # the name is given
        site, _, path = unquote(self.path.partition("?")[0])[1:].partition("/")
        file = self.folders[site] / path
        content = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if path.endswith(_COMPRESSED):
            content = compressed(content)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.sent[path] = len(content)


@pytest.fixture(scope="module")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of the same theme whose only page is a heading."""
    folder = tmp_path_factory.mktemp("empty")
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        theme = yaml_load(file)["theme"]
    settings = {
        "site_name": "Empty",
        "theme": {name: theme[name] for name in ("name", "font", "palette")},
        "plugins": ["search"],
        "use_directory_urls": False,
    }
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text("# Empty\n", encoding="utf-8")
    done = run(folder, "mkdocs", "build", "--strict")
    assert done.returncode == 0, done.stdout
    return folder / "site"


Visit = Callable[[str], Sent]


@pytest.fixture(scope="module")
def visit(published: BuiltSite, empty_site: Path, launch: Launch) -> Iterator[Visit]:
    """Return a function that opens an address for the first time and says what was sent."""
    sent: Sent = {}
    folders = {"ours": published.folder, "empty": empty_site}
    handler = type("Weighing", (Scales,), {"folders": folders, "sent": sent})
    with serving(handler) as port:
        browser = launch(port)

        def visit(address: str) -> Sent:
            sent.clear()
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            page.goto(f"http://{HOST}/{address}")
            wait_for_all(page, sent, LAST[address.partition("/")[0]])
            context.close()
            return {path: size for path, size in sent.items() if not is_drawing(path)}

        yield visit
        browser.close()


def wait_for_all(page: Page, sent: Sent, last: str) -> None:
    """Wait until what is asked for last was sent, and nothing more is."""
    for _ in range(80):
        before = len(sent)
        page.wait_for_timeout(250)
        if last in sent and len(sent) == before:
            return
    raise AssertionError(f"expected {last} within twenty seconds, got {sent.keys()}")


def is_drawing(path: str) -> bool:
    """Say whether a file is fetched when a figure comes into view, or is about to."""
    return path.startswith("figures/") and path.endswith(".svg")


@pytest.fixture(scope="module")
def theme_alone(visit: Visit) -> Sent:
    return visit("empty/index.html")


def test_the_heaviest_page_is_weighed(published: BuiltSite) -> None:
    sizes = {
        path: len(compressed((published.folder / path).read_bytes())) for path in published.pages
    }
    assert max(sizes, key=sizes.__getitem__) in PAGES


@pytest.mark.parametrize(
    "path", [*PAGES, *(pytest.param(path, marks=pytest.mark.long) for path in MORE_PAGES)]
)
def test_a_page_is_little_heavier_than_the_theme(
    visit: Visit, theme_alone: Sent, path: str
) -> None:
    ours = visit(f"ours/{path}")
    assert theme_alone.keys() <= ours.keys() | {"index.html", SEARCH}, "expected the same theme"
    assert SEARCH not in ours
    assert sum(ours.values()) - sum(theme_alone.values()) <= MORE_BYTES, ours
    assert len(ours) - len(theme_alone) <= MORE_REQUESTS, ours.keys() - theme_alone.keys()
    scripts = [size for name, size in ours.items() if name.startswith("javascripts/")]
    assert scripts
    assert sum(scripts) <= OWN_SCRIPTS
