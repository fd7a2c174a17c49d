"""The export outlives its generator: others build it into the same pages, frames and numbers."""

from __future__ import annotations

import re
import subprocess
from functools import cached_property
from html import unescape
from urllib.parse import unquote

import pytest

from tests.conftest import ExportOf
from tests.generators import COMMANDS, PYTHON
from tests.html_checks import find_leftovers
from tests.site_checks import ROOT, BuiltSite, broken_links

_THEME = re.compile(r"404\.html|assets/.*|search.*\.json|sitemap\.xml(?:\.gz)?")
"""What each generator brings itself."""

_ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)
_GENERATOR = re.compile(rb'<meta name="generator" content="[^"]*">')
_CODE = re.compile(r"<(code|pre|script)\b.*?</\1>", re.DOTALL)
_UNREAD = re.compile(
    r"\[\[|\]\]|\[%|%\]|\{\{|\}\}|\{%|%\}|^ *:::|\{ ?[.#:]|markdown=|!!!|\]\(", re.MULTILINE
)
"""Templates, containers, attributes, admonitions and links in the languages of some generator."""

_ID = re.compile(r'<[^>]*\sid="?([^"\s>]+)')
_LINK = re.compile(r'<[^>]*\s(?:href|src)="([^"]*)"')
_OF_ONE_GENERATOR = re.compile(r'\s*<a id="__skip" tabindex="-1"></a>| data-search-exclude(?:="")?')
"""Where Zensical's way past the menu ends; what search leaves out, and Zensical out of pages."""


def own_files(site: BuiltSite) -> set[str]:
    return {path for path in site.files if not _THEME.fullmatch(path)}


def own_part(site: BuiltSite, path: str) -> list[str]:
    """Return the lines of a page's own part; of a page that is nothing else, all."""
    text = (site.folder / path).read_text(encoding="utf-8")
    found = _ARTICLE.search(text)
    plain = _OF_ONE_GENERATOR.sub("", found[0] if found else text)
    # Zensical writes the spaces of an address as they are.
    plain = re.sub(r'(?<=href=")[^"]*', lambda address: unquote(unescape(address[0])), plain)
    return [line.strip() for line in plain.splitlines() if line.strip()]


def test_the_environment_has_nothing_of_this_project() -> None:
    names = ["build_scripts", "specdec", "math_core", "numpy", "matplotlib", "zensical"]
    code = f"import importlib.util as u; print([n for n in {names} if u.find_spec(n)])"
    done = subprocess.run([PYTHON, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['zensical']\n"


def test_the_export_says_how_it_is_built(site: BuiltSite, export_of: ExportOf) -> None:
    project = export_of(site, "mkdocs").project
    readme = (project / "README.md").read_text(encoding="utf-8")
    for generator, arguments in COMMANDS.items():
        assert f"\n.venv/bin/{' '.join((generator, *arguments))}\n" in readme
    pinned = (project / "requirements.txt").read_text(encoding="utf-8")
    assert pinned == (ROOT / "requirements-generators.txt").read_text(encoding="utf-8")
    for package in ("mkdocs", "mkdocs-material", "properdocs", "zensical"):
        assert re.search(rf"^{package}==[\d.]+ \\\n    --hash=sha256:", pinned, re.MULTILINE)


def test_properdocs_writes_the_very_same_site(site: BuiltSite, export_of: ExportOf) -> None:
    ways = [export_of(site, generator).bytes() for generator in ("mkdocs", "properdocs")]
    for path in ways[0].keys() | ways[1].keys():
        texts = [way[path] for way in ways]
        if path.endswith(".html"):
            texts = [_GENERATOR.sub(b"", text) for text in texts]
        assert texts[0] == texts[1] or path == "sitemap.xml.gz", path


@pytest.mark.parametrize("name", ["site", pytest.param("hostile_site", marks=pytest.mark.long)])
def test_zensical_writes_the_same_pages_and_files(
    name: str, request: pytest.FixtureRequest, export_of: ExportOf
) -> None:
    """Same pages, words, numbers and frames on them; same figures, data and scripts."""
    reference: BuiltSite = request.getfixturevalue(name)
    plain, other = export_of(reference, "mkdocs"), export_of(reference, "zensical")
    assert own_files(other) == own_files(plain) == own_files(reference)
    for path in own_files(plain):
        if path.endswith(".html"):
            assert own_part(other, path) == own_part(plain, path), path
        else:
            ways = [(built.folder / path).read_bytes() for built in (other, plain)]
            assert ways[0] == ways[1], path


@pytest.mark.parametrize("generator", COMMANDS)
def test_every_link_leads_somewhere(site: BuiltSite, export_of: ExportOf, generator: str) -> None:
    assert broken_links(_Skimmed.of(export_of(site, generator))) == []


@pytest.mark.parametrize("generator", COMMANDS)
def test_no_page_shows_what_a_generator_should_have_read(
    site: BuiltSite, export_of: ExportOf, generator: str
) -> None:
    built = export_of(site, generator)
    for path in sorted(built.files):
        if path.endswith(".html"):
            text = (built.folder / path).read_text(encoding="utf-8")
            assert not _UNREAD.findall(_CODE.sub("", text)), path
            assert not find_leftovers(" ".join(own_part(built, path))), path


class _Skimmed(BuiltSite):
    """A site whose links are found without parsing its pages, which takes most of a minute."""

    @classmethod
    def of(cls, site: BuiltSite) -> _Skimmed:
        return cls(site.project, site.folder, site.output)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {
            path: (self.folder / path).read_text(encoding="utf-8")
            for path in self.files
            if path.endswith(".html")
        }

    @cached_property
    def anchors(self) -> dict[str, frozenset[str]]:
        return {path: frozenset(_ID.findall(text)) for path, text in self._texts.items()}

    @cached_property
    def addresses(self) -> list[tuple[str, str, str]]:
        return [
            (path, path, unescape(written))
            for path, text in self._texts.items()
            for written in _LINK.findall(text)
        ]
