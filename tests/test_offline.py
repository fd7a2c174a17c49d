"""The zip of the site: what is in it, what is not, and when it is built."""

from __future__ import annotations

import hashlib
import io
import json
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from mkdocs.config import load_config

from build_scripts import mkdocs_hook
from build_scripts.__main__ import main
from build_scripts.errors import SiteError
from build_scripts.generate import generate
from build_scripts.offline import FOLDER, OFFLINE_ZIP, SHIM, offline_zip
from tests.site_checks import (
    ROOT,
    SUB_PATH,
    BuiltSite,
    attribute,
    broken_links,
    foreign_requests,
    shown,
    structure_faults,
)

SHIM_TAG = '<script src="{}javascripts/iframe-worker/shim.js"></script>'
ONLY_THERE = {
    "javascripts/iframe-worker/LICENSE",
    f"javascripts/{SHIM}",
    "search/search_index.js",
}
FOR_SERVERS = {"404.html", "sitemap.xml", "sitemap.xml.gz"}


# The site with a zip.


def test_it_is_the_site_with_one_file_and_one_link_more(
    with_zip: BuiltSite, published: BuiltSite
) -> None:
    assert with_zip.files == published.files | {OFFLINE_ZIP}
    changed = {
        path
        for path in published.files
        if not path.startswith("sitemap")
        and (with_zip.folder / path).read_bytes() != (published.folder / path).read_bytes()
    }
    assert changed == {"index.html", "search/search_index.json"}


def test_the_link_says_how_large_the_zip_is(with_zip: BuiltSite, published: BuiltSite) -> None:
    size = (with_zip.folder / OFFLINE_ZIP).stat().st_size
    article = with_zip.article("index.html")
    (link,) = article.select("a[href*=zip]")
    assert attribute(link, "href") == OFFLINE_ZIP
    assert link.parent is not None
    said = re.fullmatch(
        r"The whole site as a zip, ([\d.]+) MB, to read and search without a network\.",
        shown(link.parent),
    )
    assert said
    assert abs(float(said[1]) * 10**6 / size - 1) < 0.01
    assert not published.article("index.html").select("a[href*=zip]")
    assert "Take it along" not in shown(published.article("index.html"))


# What is in the zip.


@pytest.fixture
def archive(with_zip: BuiltSite) -> Iterator[ZipFile]:
    with ZipFile(with_zip.folder / OFFLINE_ZIP) as archive:
        yield archive


def test_the_zip_is_one_folder_in_order_and_whole(archive: ZipFile) -> None:
    names = archive.namelist()
    assert names == sorted(set(names))
    assert {name.partition("/")[0] for name in names} == {FOLDER}
    assert archive.testzip() is None


def test_nothing_in_the_zip_depends_on_who_made_it_and_when(archive: ZipFile) -> None:
    entries = archive.infolist()
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.external_attr >> 16 for entry in entries} == {stat.S_IFREG | 0o644}
    assert {entry.create_system for entry in entries} == {3}
    assert not any(entry.is_dir() or entry.extra or entry.comment for entry in entries)


def test_the_whole_site_is_in_it_but_not_itself(unzipped: BuiltSite, published: BuiltSite) -> None:
    assert unzipped.files == (published.files - FOR_SERVERS) | ONLY_THERE
    assert not [path for path in unzipped.files if path.endswith(".zip")]
    assert OFFLINE_ZIP.encode() not in b"".join(
        content for path, content in unzipped.bytes().items() if path.endswith((".html", ".json"))
    )


def test_its_pages_are_those_of_the_site(unzipped: BuiltSite, published: BuiltSite) -> None:
    """But for the script that lets search work, and instant navigation, which needs a server."""
    for path in unzipped.pages:
        tag = SHIM_TAG.format("../" * path.count("/"))
        own = (unzipped.folder / path).read_text(encoding="utf-8")
        assert own.count(tag) == (0 if "/embed/" in path else 1), path
        plain = (published.folder / path).read_text(encoding="utf-8")
        ways = own.replace(tag, ""), plain.replace('"navigation.instant", ', "")
        assert ways[0].split() == ways[1].split(), path


def test_its_other_files_are_those_of_the_site(unzipped: BuiltSite, published: BuiltSite) -> None:
    for path in unzipped.files - ONLY_THERE:
        if not path.endswith(".html"):
            ways = [(built.folder / path).read_bytes() for built in (unzipped, published)]
            assert ways[0] == ways[1], path


def test_its_links_lead_somewhere(unzipped: BuiltSite) -> None:
    assert broken_links(unzipped, SUB_PATH) == []


def test_it_asks_no_host_for_anything(unzipped: BuiltSite) -> None:
    """Pages name their published address as theirs; nothing else leads there but citations."""
    assert foreign_requests(unzipped, SUB_PATH) == []
    for place, page, written in unzipped.addresses:
        if written.startswith(SUB_PATH) and not place.endswith("<a>"):
            assert place == f"{page}: <link>"
    for path, parsed in unzipped.pages.items():
        loaded = parsed.select("link:not([rel=canonical])[href], script[src], img[src]")
        names = [attribute(each, "src" if each.has_attr("src") else "href") for each in loaded]
        assert not [name for name in names if re.match(r"(?!data:)\w+:|/", name)], path


def test_its_pages_say_where_they_are_published(unzipped: BuiltSite) -> None:
    (link,) = unzipped.pages["cost.html"].select("link[rel=canonical]")
    assert attribute(link, "href") == f"{SUB_PATH}cost.html"


def test_its_pages_are_sound(unzipped: BuiltSite) -> None:
    for path in ("index.html", "math.html", "profiles/divergent.html", "figures/index.html"):
        assert structure_faults(unzipped.pages[path]) == [], path


def test_its_search_needs_no_server(unzipped: BuiltSite) -> None:
    text = (unzipped.folder / "search/search_index.js").read_text(encoding="utf-8")
    index = json.loads((unzipped.folder / "search/search_index.json").read_bytes())
    assert json.loads(text.removeprefix("var __index = ")) == index


def test_the_script_by_others_is_unchanged_and_says_whose_it_is(unzipped: BuiltSite) -> None:
    """As published: `iframe-worker` 1.0.4, `shim/index.js`."""
    script = unzipped.folder / "javascripts" / SHIM
    assert hashlib.sha256(script.read_bytes()).hexdigest() == (
        "e8e412dbcfea9b7e31b5ffa288d7b6035915e714c542f4176a0cdbe262fc9609"
    )
    licence = script.with_name("LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("Copyright (c) 2020-2022 Martin Donath")


# When it is built.


def test_it_is_built_once_and_then_remembered(
    with_zip: BuiltSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even in another folder: what counts is the content."""
    assert with_zip.output.count("building the site for the zip") == 1
    monkeypatch.setenv("SITE_URL", SUB_PATH)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    said: list[str] = []
    tree = generate(with_zip.project, said.append, SUB_PATH, preview=True, offline=True)[1]
    assert "building the site for the zip" not in said
    assert tree[OFFLINE_ZIP] == (with_zip.folder / OFFLINE_ZIP).read_bytes()


@pytest.mark.parametrize(
    ("command", "setting", "built"),
    [
        ("build", "1", True),
        ("build", "", False),
        ("build", "0", False),
        ("build", "false", False),
        ("serve", "1", False),
    ],
)
def test_only_who_asks_for_it_waits_for_it(
    monkeypatch: pytest.MonkeyPatch, command: str, setting: str, built: bool
) -> None:
    asked: dict[str, Any] = {}

    def refuse(*_arguments: object, **options: object) -> None:
        asked.update(options)
        raise SiteError("enough")

    monkeypatch.setattr("build_scripts.generate.generate", refuse)
    monkeypatch.setattr(mkdocs_hook, "_serving", False)
    monkeypatch.setattr(sys, "argv", ["mkdocs", "serve", "--no-livereload"])
    monkeypatch.setenv("OFFLINE_ZIP", setting)
    mkdocs_hook.on_startup(command, dirty=False)
    with pytest.raises(Exception, match="enough"):
        mkdocs_hook.on_config(load_config(str(ROOT / "mkdocs.yml"), hooks=[]))
    assert asked["offline"] is built


# A small site, zipped.

SETTINGS = {
    "site_name": "Small",
    "theme": {"name": "material", "font": False, "features": ["navigation.instant", "toc.follow"]},
    "plugins": ["search"],
    "markdown_extensions": ["build_scripts.mathml"],
    "extra": {"polyfills": ["javascripts/own.js"]},
    "use_directory_urls": True,
}

SMALL = {
    "mkdocs.yml": yaml.safe_dump(SETTINGS).encode(),
    "docs/index.md": b"# Small\n\nOne $k$.\n",
    "docs/my data (1) & more.json": b"{}",
    "docs/other/page.md": "# Ändere\n\n[Home](../index.md)\n".encode(),
    "docs/javascripts/own.js": b"",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project folder that keeps what it has computed; the day is not set."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, bytes]]:
    """Return the projects built so far: no build takes time, and its site is the project."""
    built: list[Mapping[str, bytes]] = []

    def build(_root: Path, project: Mapping[str, bytes]) -> dict[str, bytes]:
        built.append(project)
        return dict(project)

    monkeypatch.setattr("build_scripts.offline._built", build)
    return built


def say_nothing(_line: str) -> None:
    pass


def test_a_small_site_comes_out_the_same_in_any_order_and_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the small project has no Markdown extension
    backwards = dict(reversed(list(SMALL.items())))
    zips = [
        offline_zip(folder, SMALL, say_nothing),
        offline_zip(tmp_path / "temporary", backwards, say_nothing),
    ]
    assert zips[0] == zips[1]
    with ZipFile(io.BytesIO(zips[0])) as archive:
        names = {name.removeprefix(f"{FOLDER}/") for name in archive.namelist()}
        home = archive.read(f"{FOLDER}/index.html").decode()
    assert {"index.html", "other/page.html", "my data (1) & more.json"} <= names
    assert names >= ONLY_THERE
    assert not names & FOR_SERVERS
    assert "<math" in home
    assert [path.name for path in (tmp_path / "temporary").iterdir()] == [".cache"]


@pytest.mark.parametrize("path", sorted(SMALL))
def test_any_change_of_a_file_makes_another_zip(
    folder: Path, builds: list[Mapping[str, bytes]], path: str
) -> None:
    changed = {**SMALL, path: SMALL[path] + b"\n"}
    if path == "mkdocs.yml":
        changed[path] = yaml.safe_dump({**SETTINGS, "site_name": "Other"}).encode()
    for project in (SMALL, SMALL, changed, changed):
        offline_zip(folder, project, say_nothing)
    assert len(builds) == 2


def test_another_name_of_a_file_makes_another_zip(
    folder: Path, builds: list[Mapping[str, bytes]]
) -> None:
    moved = {path.replace("my data", "my dates"): content for path, content in SMALL.items()}
    for project in (SMALL, moved):
        offline_zip(folder, project, say_nothing)
    assert len(builds) == 2


def test_another_library_makes_another_zip(
    folder: Path, builds: list[Mapping[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    offline_zip(folder, SMALL, say_nothing)
    monkeypatch.setattr("build_scripts.offline.distributions", list)
    offline_zip(folder, SMALL, say_nothing)
    assert len(builds) == 2


def test_no_other_setting_than_what_a_folder_needs(
    folder: Path, builds: list[Mapping[str, bytes]]
) -> None:
    offline_zip(folder, SMALL, say_nothing)
    assert yaml.safe_load(builds[0]["mkdocs.yml"]) == {
        **SETTINGS,
        "theme": {"name": "material", "font": False, "features": ["toc.follow"]},
        "plugins": ["search", "offline"],
        "extra": {"polyfills": ["javascripts/own.js", f"javascripts/{SHIM}"]},
        "use_directory_urls": False,
    }


@pytest.mark.parametrize(
    ("seconds", "date"),
    [
        ("1790000000", (2026, 9, 21, 14, 13, 20)),
        ("0", (1980, 1, 1, 0, 0, 0)),
        ("99999999999", (2107, 12, 31, 23, 59, 58)),
    ],
)
def test_files_are_from_the_day_that_is_asked_for(
    folder: Path,
    builds: list[Mapping[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
    seconds: str,
    date: tuple[int, ...],
) -> None:
    offline_zip(folder, SMALL, say_nothing)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    with ZipFile(io.BytesIO(offline_zip(folder, SMALL, say_nothing))) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {date}
    assert len(builds) == (1 if date[0] == 1980 else 2)


# Mistakes.


@pytest.mark.parametrize("text", ["today", "1.5", "9" * 40])
def test_a_day_that_is_none_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with pytest.raises(SiteError) as refused:
        offline_zip(folder, SMALL, say_nothing)
    assert str(refused.value) == (
        f"SOURCE_DATE_EPOCH: expected whole seconds since 1970, got {text!r}"
    )


def test_a_site_that_cannot_be_built_says_why_and_is_not_remembered(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    wrong = {**SMALL, "docs/index.md": b"# Small\n\n[Gone](gone.md)\n"}
    with pytest.raises(SiteError) as refused:
        offline_zip(folder, wrong, say_nothing)
    assert str(refused.value).splitlines() == [
        "Doc file 'index.md' contains a link 'gone.md', but the target is not found among "
        "documentation files.",
        "Aborted with 1 warnings in strict mode!",
    ]
    assert not (folder / ".cache").exists()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_no_room_for_it_is_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").rmdir()
    (tmp_path / "temporary").write_text("in the way")
    with pytest.raises(SiteError, match=r"^\S+/temporary/offline\.\w+: Not a directory$"):
        offline_zip(folder, SMALL, say_nothing)


def test_what_is_no_site_is_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("mine")
    assert main(["offline", "--folder", str(tmp_path / "out")]) == 1
    assert capsys.readouterr() == (
        "",
        f"{tmp_path / 'out'}: expected a folder or nothing, found something else\n",
    )
    assert (tmp_path / "out").read_text() == "mine"
