"""The export: plain Markdown that any generator builds, into the same pages."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
import yaml

from build_scripts.__main__ import main
from build_scripts.errors import SiteError
from build_scripts.generate import export
from tests.conftest import ExportOf
from tests.site_checks import ROOT, BuiltSite


@pytest.fixture
def exported(each_site: BuiltSite, export_of: ExportOf) -> BuiltSite:
    """Return the site of an export, built by MkDocs; its project is the exported folder."""
    return export_of(each_site, "mkdocs")


def test_the_same_files_come_out(exported: BuiltSite, each_site: BuiltSite) -> None:
    assert exported.files == each_site.files


def test_every_page_is_the_same(exported: BuiltSite, each_site: BuiltSite) -> None:
    for path in each_site.files:
        if path.endswith(".html"):
            assert _as_shown(exported.folder / path) == _as_shown(each_site.folder / path), path


def _as_shown(page: Path) -> str:
    """Return a page without differences that no reader sees.

    The names of two links, which the theme escapes once more if they are plain text; in what the
    export writes out, numbers for characters, the order of two attributes, an empty line, and a
    span around a formula that begins a line.
    """
    text = page.read_text(encoding="utf-8")
    text = re.sub(r'aria-label="(?:Previous|Next): [^"]*"', "", text)
    text = re.sub(r'<a href="([^"]*)" class="term">', r'<a class="term" href="\1">', text)
    text = re.sub(r"<span>(<math>.*?</math>)</span>", r"\1", text)
    text = re.sub(r"\n\n+", "\n", text)
    return unescape(text)


def test_search_and_files_are_the_same(exported: BuiltSite, each_site: BuiltSite) -> None:
    found = []
    for built in (exported, each_site):
        text = (built.folder / "search/search_index.json").read_text(encoding="utf-8")
        found.append({entry["location"]: entry for entry in json.loads(text)["docs"]})
    assert found[0] == found[1]
    for path in each_site.files:
        if not path.endswith((".html", ".gz", "search_index.json")):
            ways = [(built.folder / path).read_bytes() for built in (exported, each_site)]
            assert ways[0] == ways[1], path


def test_the_settings_are_plain(exported: BuiltSite) -> None:
    text = (exported.project / "mkdocs.yml").read_text(encoding="utf-8")
    assert "!!python" not in text
    assert "!ENV" not in text
    settings = yaml.safe_load(text)
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        own = yaml.load(file, Loader=_IgnoringTags)
    assert settings.keys() == own.keys() - {"hooks", "watch", "site_url"}
    for key in settings.keys() - {"extra", "markdown_extensions", "nav", "theme"}:
        assert settings[key] == own[key] or key == "use_directory_urls", key
    assert settings["theme"] == {**own["theme"], "variant": "classic"}
    assert settings["markdown_extensions"] == own["markdown_extensions"][:-2]
    image = settings["extra"].pop("social_image")
    assert image in {"", *exported.files}
    assert settings["extra"] == {**own["extra"], "kept": ""}
    assert settings["use_directory_urls"] is False


class _IgnoringTags(yaml.SafeLoader):
    """Reads ``!ENV [NAME, default]`` as None."""


_IgnoringTags.add_constructor("!ENV", lambda _loader, _node: None)


def test_the_pages_are_plain(exported: BuiltSite) -> None:
    pages = list((exported.project / "docs").rglob("*.md"))
    assert len(pages) == len(
        [
            path
            for path in exported.files
            if path.endswith(".html") and path != "404.html" and "/embed/" not in path
        ]
    )  # no 404
    for page in pages:
        text = page.read_text(encoding="utf-8").split("\n---\n", 1)[1]
        assert not [mark for mark in ("[[ results", "[% ", "%]", "[# ") if mark in text], page
        assert "[glossary/" not in text, page
    assert not (exported.project / "docs/decisions").exists()
    assert {path.name for path in exported.project.iterdir()} == {
        "README.md",
        "docs",
        "mkdocs.yml",
        "overrides",
        "requirements.txt",
    }


def test_the_nav_lists_every_profile(exported: BuiltSite, each_site: BuiltSite) -> None:
    settings = yaml.safe_load((exported.project / "mkdocs.yml").read_text(encoding="utf-8"))
    section = next(
        inner
        for entry in settings["nav"]
        for inner in entry.values()
        if isinstance(inner, list) and {"Overview": "profiles/index.md"} in inner
    )
    profiles = [
        profile["id"]
        for file in sorted(
            (
                path
                for path in (each_site.folder / "data").glob("*.json")
                if ".schema." not in path.name
            ),
            key=lambda path: (path.name != "profiles.v1.json", path.name),
        )
        for profile in json.loads(file.read_bytes())["profiles"]
    ]
    assert section[1] == {"Side by side": "compare.md"}
    assert [path for entry in section[2:] for path in entry.values()] == [
        f"profiles/{name}.md" for name in profiles
    ]


# Where it goes.


def say_nothing(_line: str) -> None:
    pass


@pytest.mark.parametrize("content", ["file.txt", ".hidden", "folder/"])
def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path, content: str) -> None:
    if content.endswith("/"):
        (tmp_path / content).mkdir()
    else:
        (tmp_path / content).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SiteError) as refused:
        export(ROOT, tmp_path, say_nothing)
    assert str(refused.value) == (
        f"{tmp_path}: expected a new or an empty folder, found something there"
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("mine")
    assert main(["export", str(tmp_path / "out")]) == 1
    assert capsys.readouterr() == (
        "",
        f"{tmp_path / 'out'}: expected a new or an empty folder, found something there\n",
    )
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("arguments", [[], ["export"], ["build"], ["site", "--fast"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 64, "2 is what verify says of a modified file"
    assert capsys.readouterr().err.startswith("usage: python -m build_scripts")
