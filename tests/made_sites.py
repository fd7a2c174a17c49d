"""Sites of other data than the shipped, made in this process: no theme, and nothing is drawn.

A figure is words, data and a table before it is drawn; only the drawing is slow. Markdown becomes
HTML with the extensions of the project, and each page stands in an ``<article>``, so what reads
built sites reads these. The pages of figures, most of all pages, stay Markdown.
"""

from __future__ import annotations

import re
import shutil
from concurrent.futures import Executor, Future
from html import escape
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from markdown import Markdown
from mkdocs.utils.yaml import yaml_load

from build_scripts.figures import files
from build_scripts.generate import generate
from build_scripts.profile_results import ProfileResults
from build_scripts.results import Results, ScenarioResults
from specdec import load
from specdec.report import report
from tests.made_data import Files, write_files
from tests.site_checks import ROOT, BuiltSite, copy_project

BLANK = b"""<?xml version="1.0" encoding="utf-8" standalone="no"?>
<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>
"""


def made_project(folder: Path, data: Files, *, drawn: bool = False) -> Path:
    """Return a copy of the project with this data, and with what builds of ours remember.

    Args:
        folder: new.
        data: in the place of the shipped files.
        drawn: whether to remember pictures, too.
    """
    copy_project(folder)
    for name in ("claims", "runs", "wrong", *(("figures", "pages") if drawn else ())):
        if (ROOT / ".cache" / name).exists():
            shutil.copytree(ROOT / ".cache" / name, folder / ".cache" / name)
    write_files(data, folder / "data")
    return folder


def made_site(folder: Path, data: Files) -> BuiltSite:
    """Return the site of this data as files in a new folder."""
    project, site = made_project(folder / "project", data), folder / "site"
    tree, markdown = generate_undrawn(project), _markdown()
    for path, content in tree.items():
        is_page = path.endswith(".md") and not re.fullmatch("figures/.+/index.md", path)
        made = site / (path.removesuffix(".md") + ".html" if is_page else path)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(_page(markdown, content) if is_page else content)
    return BuiltSite(project, site, "")


def generate_undrawn(project: Path) -> dict[str, bytes]:
    """Return what a preview of a project generates, with blank pictures, which it remembers."""
    with patch.object(files, "on_all_cores", _here), patch.object(files, "for_pages", _blank):
        return generate(project, lambda _line: None, "", preview=True)[1]


def results_of(path: Path) -> Results:
    """Return the exact results of a data file, without random rounds and what is enumerated."""
    scenario, unused = load(path), cast(Any, None)
    home = object.__new__(ScenarioResults)
    home.file_name, home.name, home.slug, home.sha256 = path.name, path.stem, path.stem, "0" * 64
    home.scenario = scenario
    home.profiles = tuple(
        ProfileResults(path.name, "0" * 64, scenario, each, report(scenario, each), unused, unused)
        for each in scenario.profiles
    )
    return Results({path.stem: home}, unused, (), {})


class _Here(Executor):
    """Does at once what it is given."""

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(work(*arguments, **named))
        return done


def _here(work: Any, figures: Any, _cache: Path) -> list[Any]:
    return [work(_Here(), figure) for figure in figures]


def _blank(_figure: object) -> dict[str, bytes]:
    return {"svg": BLANK, "dark": BLANK}


def _markdown() -> Markdown:
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        listed = yaml_load(file)["markdown_extensions"]
    settings: dict[str, Any] = {}
    for each in listed:
        settings.update(each if isinstance(each, dict) else {each: {}})
    return Markdown(extensions=list(settings), extension_configs=settings)


def _page(markdown: Markdown, content: bytes) -> bytes:
    """Return a page with what stands in front of it, which the theme puts into its head."""
    _, front, text = content.decode().split("---\n", 2)
    markdown.reset()
    body = _to_html(markdown.convert(text))
    return f"<header><pre>{escape(front)}</pre></header><article>{body}</article>".encode()


def _to_html(html: str) -> str:
    """Return a page whose links lead to the pages as they are called here."""

    def renamed(link: re.Match[str]) -> str:
        address, hash_, anchor = link[1].partition("#")
        return f'href="{address.removesuffix(".md")}.html{hash_}{anchor}"'

    return re.sub(r'href="([^":]*\.md(?:#[^"]*)?)"', renamed, html)
