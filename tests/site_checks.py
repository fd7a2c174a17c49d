"""A built site read from its files as a browser would: pages, links, requests, structure."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import lxml.html
from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString
from lxml.html import HtmlElement

ROOT = Path(__file__).resolve().parent.parent

BASE = "https://site.invalid/"
"""Stands for the address of a site that was built without one."""

SUB_PATH = "http://specdec.localhost/x/y/"
"""A site that is not at the root of its host."""

_BUILT = re.compile(
    r"site|site\..*|build|dist|.*\.egg-info|\.(?:git|venv|cache|hypothesis|.*_cache)"
)
"""Names in the project folder of what is no part of it."""

_SETTINGS_THAT_CHANGE_A_BUILD = (
    "DIRECTORY_URLS",
    "KEPT",
    "OFFLINE_ZIP",
    "PREVIEW",
    "PYTHONHASHSEED",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSAFEPATH",
    "RELEASE",
    "SITE_URL",
    "SOURCE_DATE_EPOCH",
)

ELSEWHERE = {
    "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati",
}  # fmt: skip
"""What differs from machine to machine, and must not show."""


def copy_project(folder: Path) -> Path:
    """Copy what git tracks or would track; in a tarball without git, all but what is built."""
    for path in _files_of_git() or ():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target)
    if not folder.exists():
        shutil.copytree(ROOT, folder, ignore=_not_copied)
    return folder


def copy_cache(source: Path, project: Path, *, figures: bool = True) -> None:
    """Let a project remember what another has computed and, perhaps, drawn."""
    drawn = shutil.ignore_patterns("figures", "pages", "print", "slides")
    shutil.copytree(source / ".cache", project / ".cache", ignore=None if figures else drawn)


def _not_copied(folder: str, names: list[str]) -> set[str]:
    built = {name for name in names if _BUILT.fullmatch(name)} if folder == str(ROOT) else set()
    return {*built, "__pycache__"}


def _files_of_git() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    except OSError:
        return []
    paths = listed.stdout.decode("utf-8", "surrogateescape").split("\0")
    # A tarball unpacked inside somebody's repository is not that repository's.
    return [path for path in paths if (ROOT / path).is_file()] if "mkdocs.yml" in paths else []


def run(project: Path, *arguments: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m …`` in a project folder, its two outputs as one."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _SETTINGS_THAT_CHANGE_A_BUILD
    }
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        cwd=project,
        env={**kept, "NO_MKDOCS_2_WARNING": "1", **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )


Read = TypeVar("Read")


class _OfPages(Mapping[str, Read]):
    """Something of each page, read when somebody asks: all pages take a good part of a minute."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], Read]) -> None:
        self._paths = sorted(paths)
        self._read = read
        self._known: dict[str, Read] = {}

    def __getitem__(self, path: str) -> Read:
        if path not in self._paths:
            raise KeyError(path)
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def has_read(self, path: str) -> bool:
        return path in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@dataclass(frozen=True)
class BuiltSite:
    """A site, the project it was built from and what the build said."""

    project: Path
    folder: Path
    output: str

    @cached_property
    def pages(self) -> _OfPages[BeautifulSoup]:
        """Every HTML page by its path."""
        paths = (path for path in self.files if path.endswith(".html"))
        return _OfPages(paths, lambda path: parsed(self.folder / path))

    @cached_property
    def files(self) -> frozenset[str]:
        """The path of every file."""
        return frozenset(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file()
        )

    def article(self, path: str) -> Tag:
        """Return the part of a page that is its own."""
        return self._articles[path]

    @cached_property
    def _articles(self) -> Mapping[str, Tag]:
        def read(path: str) -> Tag:
            whole = self.pages.has_read(path)
            return article(self.pages[path] if whole else _parsed_article(self.folder / path))

        return _OfPages(self.pages, read)

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """What the own part of each page shows, by the page's path."""
        return _OfPages(self.pages, lambda path: shown(self.article(path)))

    @cached_property
    def elements(self) -> Mapping[str, list[HtmlElement]]:
        """Every element of each page, by the page's path, without what `parsed` takes time for."""
        return _OfPages(self.pages, lambda path: _elements(self.folder / path))

    @cached_property
    def anchors(self) -> Mapping[str, frozenset[str]]:
        """What a fragment can name on each page, by the page's path."""
        return _OfPages(self.pages, lambda path: _anchors(self.elements[path]))

    @cached_property
    def addresses(self) -> list[tuple[str, str, str]]:
        """Every address written in the site: (place, file that resolves it, address)."""
        return list(_addresses(self))

    def bytes(self) -> dict[str, bytes]:
        """Return every file's content by its path."""
        return {path: (self.folder / path).read_bytes() for path in self.files}


def built_once(
    base: Path, name: str, make: Callable[[Path], BuiltSite], patience: float = 300
) -> BuiltSite:
    """Return what ``make`` builds in a new folder, built by whichever worker asks first.

    A lock by folder: `xdist_group` does not keep tests together under every pytest.

    Args:
        base: a folder that the workers share.
        name: of the new folder.
        make: builds a site in it.
        patience: seconds to wait for another worker.
    """
    folder, done = base / name, base / f"{name}.json"
    try:
        folder.mkdir()
    except FileExistsError:
        end = time.monotonic() + patience
        while not done.exists():
            assert time.monotonic() < end, f"no other worker has built {name}"
            time.sleep(0.05)
        project, site, output = json.loads(done.read_text(encoding="utf-8"))
        assert project, output
        return BuiltSite(Path(project), Path(site), output)
    try:
        site_built = make(folder)
        entry = [str(site_built.project), str(site_built.folder), site_built.output]
    except BaseException as fault:
        entry = ["", "", f"another worker could not build {name}: {fault}"]
        raise
    finally:
        draft = base / f"{name}.draft"
        draft.write_text(json.dumps(entry), encoding="utf-8")
        draft.rename(done)
    return site_built


def build(
    project: Path, folder: Path | None = None, *, command: str = "site", **settings: str
) -> BuiltSite:
    """Build a project's site with the command of ``make site``, or that of ``make offline``."""
    where = folder or project / "site"
    arguments: list[str | Path] = ["--folder", where] if folder else []
    done = run(project, "build_scripts", command, *arguments, **settings)
    assert done.returncode == 0, done.stdout
    return BuiltSite(project, where, done.stdout)


def parsed(path: Path) -> BeautifulSoup:
    """Parse one page, without the isolates around texts that turn the direction of writing.

    A reader does not see them; that they are there is tested on the page's own text.
    """
    return _parsed(path.read_text(encoding="utf-8"))


def _parsed_article(path: Path) -> BeautifulSoup:
    """Parse the part of a page that is its own: most of many a page is the menu."""
    text = path.read_text(encoding="utf-8")
    start, end = text.find("<article"), text.rfind("</article>")
    return _parsed(text if start < 0 else text[start:end])


def _parsed(html: str) -> BeautifulSoup:
    return BeautifulSoup(without_isolates(html), "html.parser")


def without_isolates(text: str) -> str:
    """Return a text without the characters that isolate one, ours and any of its own."""
    return text.translate(dict.fromkeys(map(ord, "\u2068\u2069")))


def _anchors(elements: Iterable[HtmlElement]) -> frozenset[str]:
    return frozenset(
        element.attrib[name]
        for element in elements
        for name in ("id", "name")
        if name in element.attrib and (name == "id" or element.tag == "a")
    )


def _elements(path: Path) -> list[HtmlElement]:
    page = lxml.html.document_fromstring(path.read_text(encoding="utf-8"))
    return list(page.iter("*"))


def article(page: BeautifulSoup) -> Tag:
    """Return the part of a page that is its own; a page to embed has no theme around it."""
    found = page.find("article") or page.find("main")
    assert isinstance(found, Tag)
    return found


def attribute(element: Tag, name: str) -> str:
    """Return an attribute that has to be there."""
    value = element[name]
    return value if isinstance(value, str) else " ".join(value)


def one_line(text: str) -> str:
    """Return text with its white space collapsed, as HTML shows it outside tokens."""
    return re.sub(r"[ \t\n\r\f]+", " ", text).strip(" ")


# fmt: off
_BLOCKS = frozenset((
    "blockquote", "caption", "dd", "div", "dl", "dt", "figure", "h1", "h2", "h3", "h4", "h5", "h6",
    "li", "ol", "p", "pre", "table", "td", "th", "tr", "ul",
))
# fmt: on


def shown(element: Tag, *, code: bool = True) -> str:
    """Return what an element shows, a space between blocks, no permalinks, no TeX.

    Args:
        element: of a parsed page.
        code: whether to include code.
    """
    return one_line("".join(_texts(element, code=code)))


def _texts(element: Tag, *, code: bool) -> Iterator[str]:
    for child in element.children:
        if isinstance(child, Tag):
            block = child.name in _BLOCKS
            if child.name in {"annotation", "script", "style"} or (
                (child.name == "a" and "headerlink" in (child.get("class") or ""))
                or (not code and child.name in {"code", "pre"})
            ):
                continue
            yield " " * block
            yield from _texts(child, code=code)
            yield " " * block
        elif type(child) is NavigableString:  # comments and the like are subclasses
            yield child


# Links.


def broken_links(site: BuiltSite, base: str = BASE) -> list[str]:
    """Return every address of the site itself that leads nowhere.

    Args:
        site: as built.
        base: the address it was built for.
    """
    fault_of: dict[str, str] = {}
    faults = []
    for place, page, written in site.addresses:
        address = urljoin(base + page, written)
        if address not in fault_of:
            fault_of[address] = _fault(site, base, address)
        if fault_of[address]:
            faults.append(f"{place}: {written}: {fault_of[address]}")
    return faults


def _fault(site: BuiltSite, base: str, address: str) -> str:
    """Say why an address of the site does not resolve, or nothing."""
    plain, fragment = urldefrag(address)
    parts = urlsplit(plain)
    if parts.scheme in {"http", "https", "mailto"} and not plain.startswith(base):
        return "outside the sub-path" if parts.netloc == urlsplit(base).netloc else ""
    if parts.scheme == "data":
        return ""
    if not plain.startswith(base):
        return f"a link of scheme {parts.scheme}"
    path = unquote(urlsplit(plain[len(base) :]).path)
    if path == "" or path.endswith("/"):
        path += "index.html"
    if path not in site.files:
        return f"no file {path}"
    if fragment and path.endswith(".html") and unquote(fragment) not in site.anchors[path]:
        return f"no #{unquote(fragment)} in {path}"
    return ""


def _addresses(site: BuiltSite) -> Iterator[tuple[str, str, str]]:
    """Yield (place, file that resolves it, address) of every address written in the site."""
    for path, elements in site.elements.items():
        for element in elements:
            for written in _addresses_of(element):
                yield f"{path}: <{element.tag}>", path, written
    for path in sorted(site.files):
        if path.endswith((".css", ".js")):
            text = (site.folder / path).read_text(encoding="utf-8")
            for written in _css_addresses(text) if path.endswith(".css") else ():
                yield path, path, written
            for written in re.findall(r"[#@] sourceMappingURL=(\S+)", text):
                yield path, path, written
        if path == "sitemap.xml":
            text = (site.folder / path).read_text(encoding="utf-8")
            for written in re.findall(r"<loc>(.*?)</loc>", text):
                yield path, path, written


_LINKS = ("action", "background", "cite", "data", "formaction", "href", "poster", "src")


def _addresses_of(element: HtmlElement) -> Iterator[str]:
    written = element.attrib
    for name in (*_LINKS, "xlink:href"):
        if name in written and element.tag != "base":
            yield written[name]
    for name in ("srcset", "imagesrcset"):
        yield from (each.split()[0] for each in written.get(name, "").split(",") if each)
    yield from _css_addresses(written.get("style", ""))
    if element.tag == "style":
        yield from _css_addresses(element.text_content())
    if element.tag == "meta" and written.get("http-equiv") == "refresh":
        yield written["content"].partition("url=")[2]


def _css_addresses(css: str) -> Iterator[str]:
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    for quoted in re.findall(r"url\(\s*(\"[^\"]*\"|'[^']*'|[^)]*?)\s*\)", css):
        yield quoted.strip("\"'")
    yield from re.findall(r"@import\s+[\"']([^\"']*)", css)


# Requests to other hosts.


def foreign_requests(site: BuiltSite, base: str = BASE) -> list[str]:
    """Return every address of another host that a browser would load by itself."""
    faults = [
        f"{place}: {written}"
        for place, page, written in site.addresses
        if not place.endswith("<a>") and _is_foreign(urljoin(base + page, written), base)
    ]
    for path, elements in site.elements.items():
        for link in elements:
            address = link.attrib.get("href", "") if link.tag == "a" else ""
            if _is_foreign(urljoin(base, address), base) and not (
                address.startswith("https://") and "ping" not in link.attrib
            ):
                faults.append(f"{path}: <a>: {address}")
    return faults


def _is_foreign(address: str, base: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme != "data" and (
        parts.scheme not in {"http", "https"} or parts.netloc != urlsplit(base).netloc
    )


# Structure.


def structure_faults(page: BeautifulSoup) -> list[str]:
    """Return what is wrong with a page as a document, own content and theme together."""
    faults = []
    html = page.find("html")
    if not isinstance(html, Tag) or html.get("lang") != "en":
        faults.append("no language")
    if page.find("title") is None:
        faults.append("no title")
    if len(page.find_all("h1")) != 1:
        faults.append(f"{len(page.find_all('h1'))} h1")
    ids = Counter(attribute(element, "id") for element in page.find_all(id=True))
    faults += [f"id {name} {times} times" for name, times in ids.items() if times > 1]
    content = article(page)
    faults += _heading_faults(content) + _table_faults(content)
    for element in content.find_all(True):
        if element.name in {"style", "script", "iframe", "object", "embed", "base", "font"}:
            faults.append(f"<{element.name}>")
        if element.name == "img" and not element.has_attr("alt"):
            faults.append(f"<img> without alt: {element.get('src')}")
        if element.name == "svg" and not (
            element.find_parent("svg")
            or element.get("aria-hidden") == "true"
            or element.get("aria-label")
            or element.title
        ):
            faults.append("<svg> neither hidden nor named")
        faults += [f"<{element.name} style>"] * element.has_attr("style")
        faults += [
            f"<{element.name} {name}>" for name in element.attrs if name.lower().startswith("on")
        ]
    return faults


def _heading_faults(content: Tag) -> list[str]:
    levels = [int(heading.name[1]) for heading in content.find_all(re.compile("^h[1-6]$"))]
    faults = [] if levels[:1] == [1] else ["the first heading is no h1"]
    steps = pairwise(levels)
    return faults + [f"h{low} after h{high}" for high, low in steps if low > high + 1]


def _table_faults(content: Tag) -> list[str]:
    """Every table says what it is, and what each of its rows and columns is."""
    faults = []
    for table in content.find_all("table"):
        name = shown(table.caption) if table.caption else ""
        faults += [] if name else ["a table without a caption"]
        faults += [f"{name}: th without scope"] * any(
            not th.get("scope") for th in table.find_all("th")
        )
        faults += [f"{name}: no head"] * (table.thead is None)
        widths = {
            sum(
                int(attribute(cell, "colspan")) if cell.has_attr("colspan") else 1
                for cell in row.find_all(["td", "th"])
            )
            for row in table.find_all("tr")
        }
        faults += [f"{name}: rows of different widths"] * (len(widths) != 1)
    return faults


# Tables.


@dataclass(frozen=True)
class Table:
    """A table of results: its caption, and each row as (name, cells)."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    foot: tuple[str, ...]


def tables(content: Tag) -> Mapping[str, Table]:
    """Return the tables of results of a page by caption."""
    found = [
        Table(
            caption=shown(table.caption),
            columns=_cells(table.thead.tr),
            rows=tuple(_cells(row) for row in table.tbody.find_all("tr")),
            foot=_cells(table.tfoot.tr) if table.tfoot else (),
        )
        for table in content.select("table.results")
        if table.caption and table.thead and table.thead.tr and table.tbody
    ]
    by_caption = {table.caption: table for table in found}
    assert len(by_caption) == len(found) == len(content.select("table.results"))
    return by_caption


def _cells(row: Tag | None) -> tuple[str, ...]:
    assert row is not None
    return tuple(_cell(cell) for cell in row.find_all(["th", "td"]))


def _cell(cell: Tag) -> str:
    """Return what a cell shows; a token is returned with all its spaces, without any note."""
    named = cell.find("bdi")
    return named.get_text() if isinstance(named, Tag) else shown(cell)
