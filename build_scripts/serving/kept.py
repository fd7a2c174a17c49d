"""What one build leaves to the next: parts that are computed, and pages that look the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import jinja2
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from build_scripts.serving.inputs import Snapshot

Made = TypeVar("Made")

_NO_TEMPLATE_READS = (".md", ".css", ".js", ".woff2")
"""Files below ``docs/`` that no page but their own is made of."""

_READS_PAGES = re.compile(r"\[%[^%]*\.md[\"']")
"""A page that includes another, which none does today."""


class KeptParts:
    """Parts of a build by name, each with a digest of the files that it is made of.

    What a build made is kept only when no file has changed meanwhile (`settle`): the part may have
    come from the file as it was later.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._parts: dict[str, tuple[str, Any]] = {}
        self._fresh: set[str] = set()
        self._now = Snapshot({}, {})

    def start(self, now: Snapshot) -> None:
        """Begin a build from these files."""
        self._now = now
        self._fresh.clear()

    def __call__(self, name: str, make: Callable[[], Made], /) -> Made:
        """Return the part; see `build_scripts.cache.Keep`."""
        key = self._key(name)
        kept = self._parts.get(name)
        if kept and kept[0] == key:
            part: Made = kept[1]
            return part
        part = make()
        self._parts[name] = (key, part)
        self._fresh.add(name)
        return part

    def settle(self, *, steady: bool) -> None:
        """End a build, and drop what it made unless the files were steady."""
        for name in () if steady else self._fresh:
            self._parts.pop(name, None)

    def _key(self, name: str) -> str:
        now = self._now
        code = now.key("specdec/", "build_scripts/", but=(".html", ".md"))
        if name == "results":
            return now.key("data/") + code
        if name == "figures":
            return now.key("data/", "CITATION.cff") + code
        rest = now.key("data/", "specdec/", "build_scripts/", "CITATION.cff", "CHANGELOG.md")
        rest += now.key("docs/", but=_NO_TEMPLATE_READS)
        own = self._root / name
        if own.is_file() and _READS_PAGES.search(own.read_text("utf-8", "replace")):
            return rest + now.key("docs/")
        return rest + now.digests.get(name, "")


@dataclass
class _KeptPage:
    """A page as the last build left it.

    Attributes:
        source: a digest of all that its HTML is made of.
        content: the HTML of its Markdown.
        toc: its headings.
        title: as the page itself has it.
        anchors: what links can name on it.
        links: its links to anchors, by the path of the page that has them.
        theme: a digest of all that the finished page is made of.
        output: the finished page.
        entries: what the search finds of it.
    """

    source: str
    content: str
    toc: Any
    title: str | None
    anchors: set[str]
    links: dict[str, dict[str, str]]
    theme: str = ""
    output: str = ""
    entries: list[Any] = field(default_factory=list)


class NoSettings(Config):  # type: ignore[no-untyped-call]
    """Of a plugin that is not in ``mkdocs.yml``."""


class KeptPages(BasePlugin[NoSettings]):  # type: ignore[no-untyped-call]
    """Spares MkDocs the pages of which nothing has changed.

    It renders an empty text in place of their Markdown and a template of one word in place of the
    theme's, and this puts in what the last build made. All by events that plugins have.
    """

    def __init__(self, explain: Callable[[BaseException, str], str]) -> None:
        """Take what says in a line what an exception in the Markdown of a page means."""
        self._explain = explain
        self._kept: dict[str, _KeptPage] = {}
        self._env: tuple[str, jinja2.Environment] | None = None
        self.start(Snapshot({}, {}), [])

    def start(self, now: Snapshot, faults: list[str]) -> None:
        """Begin a build from these files, with a list for its faults."""
        self._now = now
        self._faults = faults
        self._reading: tuple[str, str, int] | None = None
        self._spared: set[str] = set()
        self._same_markdown: set[str] = set()
        self._whole: dict[str, str] = {}
        self._indexed: list[Any] = []
        self._seen = 0
        self._fresh: set[str] = set()

    def settle(self, *, steady: bool) -> None:
        """End a build, and drop what it made unless the files were steady."""
        if not steady:
            self._env = None
            for path in self._fresh:
                self._kept.pop(path, None)

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Note what the HTML of every page depends on: settings, code, addresses of all files."""
        addresses = repr(sorted((each.src_uri, each.url, each.inclusion.name) for each in files))
        extensions = self._now.key("mkdocs.yml", "build_scripts/mathml.py", "build_scripts/gloss")
        self._files, self._config = files, config
        self._all = _digest(addresses, extensions)
        self._nav = repr([_entry(item) for item in nav.items])

    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        """Have MkDocs render nothing where the result is known."""
        path, source = page.file.src_uri, _digest(self._all, markdown)
        kept = self._kept.get(path)
        self._reading = (path, source, len(self._faults))
        if kept and kept.source == source:
            self._same_markdown.add(path)
            return ""
        return markdown

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put in what the last build made of the Markdown, or keep what this one has made."""
        assert self._reading
        path, source, faults = self._reading
        self._reading = None
        if path in self._same_markdown:
            kept = self._kept[path]
            if page.title != kept.title:
                page.title = kept.title  # else an empty page has its file's name
            page.toc = kept.toc
            page.present_anchor_ids = kept.anchors
            page.links_to_anchors = dict(_by_file(kept.links, files))
            return kept.content
        self._kept.pop(path, None)
        if len(self._faults) == faults:  # a warning is due again as long as its cause is there
            self._kept[path] = _KeptPage(
                source,
                html,
                page.toc,
                page.title,
                page.present_anchor_ids or set(),
                {each.src_uri: links for each, links in (page.links_to_anchors or {}).items()},
            )
            self._fresh.add(path)
        return html

    def on_build_error(self, *, error: Exception) -> None:
        """After a fault in the Markdown of one page, find those of all others."""
        if self._reading is None:
            return
        path = self._reading[0]
        self._faults.append(self._explain(error, path))
        files = self._files.documentation_pages()
        first = next(n for n, each in enumerate(files) if each.src_uri == path)
        for file in files[first + 1 :]:
            page = file.page or Page(None, file, self._config)
            try:
                page.read_source(self._config)
                kept = self._kept.get(file.src_uri)
                if not (kept and kept.source == _digest(self._all, page.markdown or "")):
                    page.render(self._config, self._files)
            except Exception as fault:  # whatever it is, it is told
                self._faults.append(self._explain(fault, file.src_uri))

    def on_env(
        self, env: jinja2.Environment, *, config: MkDocsConfig, files: Files
    ) -> jinja2.Environment:
        """Choose the pages that need not go through the theme again."""
        theme = _digest(self._now.key("mkdocs.yml", "overrides/"), repr(config.theme.dirs))
        if self._env is None or self._env[0] != theme:
            assert env.loader
            env.loader = jinja2.ChoiceLoader([env.loader, jinja2.DictLoader({_SPARED: "spared"})])
            self._env = (theme, env)
        around = _digest(theme, self._nav, repr(config.extra), repr(config.site_url))
        for file in files.documentation_pages(inclusion=InclusionLevel.is_in_serve):
            page, kept = file.page, self._kept.get(file.src_uri)
            if page is None or kept is None:
                continue
            whole = _digest(
                around, kept.source, repr(page.meta), repr(page.title), page.update_date
            )
            if kept.theme == whole:
                self._spared.add(file.src_uri)
                page.meta = {**page.meta, "template": _SPARED, "search": {"exclude": True}}
            self._whole[file.src_uri] = whole
        return self._env[1]

    @event_priority(-100)
    def on_page_context(
        self, context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Keep what the search has just been given of a page."""
        index = _search_entries(config) or []
        kept = self._kept.get(page.file.src_uri)
        if kept and page.file.src_uri not in self._spared:
            kept.entries = index[self._seen :]
        self._indexed += kept.entries if kept else index[self._seen :]
        self._seen = len(index)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Put in the page that the last build made, or keep this one."""
        path = page.file.src_uri
        kept = self._kept.get(path)
        if path in self._spared and kept:
            return kept.output
        if kept:
            kept.theme, kept.output = self._whole[path], output
            self._fresh.add(path)
        return output

    @event_priority(100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Give the search the entries of all pages, in their order, before it writes them."""
        index = _search_entries(config)
        if index is not None:
            index[:] = self._indexed


_SPARED = "specdec/spared.html"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _by_file(
    links: dict[str, dict[str, str]], files: Files
) -> Iterator[tuple[File, dict[str, str]]]:
    for path, anchors in links.items():
        if file := files.get_file_from_path(path):
            yield file, anchors


def _search_entries(config: MkDocsConfig) -> list[Any] | None:
    """Return the list that the theme's search collects, if there is one."""
    plugin: Any = config.plugins.get("material/search") or config.plugins.get("search")
    entries = getattr(getattr(plugin, "search_index", None), "entries", None)
    return entries if isinstance(entries, list) else None


def _entry(item: Any) -> Any:
    """Return what the theme shows of an entry of the navigation."""
    if isinstance(item, Page):
        return item.title, item.url, repr(item.meta)
    return item.title, getattr(item, "url", None), [_entry(each) for each in item.children or ()]
