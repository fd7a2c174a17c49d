"""The same sources give the same bytes, wherever and whenever the site is built."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import pytest

from build_scripts.__main__ import main
from build_scripts.errors import SiteError
from build_scripts.generate import export
from build_scripts.offline import OFFLINE_ZIP
from tests.site_checks import (
    ELSEWHERE,
    ROOT,
    SUB_PATH,
    BuiltSite,
    built_once,
    copy_cache,
    copy_project,
    run,
)

DRAWN_AGAIN = ("agreement", "outcome-tree-aligned", "positions-divergent")
"""Figures that the other place does not remember. All formats of some: `test_figure_files`."""


@pytest.fixture(scope="session")
def built_elsewhere(with_zip: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return the same site built where everything is different that should not matter."""

    def make(folder: Path) -> BuiltSite:
        project = copy_project(folder / "a place\n(é)")  # without git, as from a tarball
        copy_cache(with_zip.project, project)
        (project / ".cache/offline.json").unlink()
        for slug in DRAWN_AGAIN:
            for kind in ("figures", "pages"):
                (project / ".cache" / kind / f"{slug}.json").unlink()
        usual = os.umask(0o077)
        try:
            done = run(
                project, "build_scripts", "offline",
                SITE_URL=SUB_PATH, PREVIEW="true", **ELSEWHERE,
            )  # fmt: skip
        finally:
            os.umask(usual)
        assert done.returncode == 0, done.stdout
        return BuiltSite(project, project / "site", done.stdout)

    return built_once(shared_folder, "elsewhere", make)


def test_every_file_is_the_same_byte_for_byte(
    with_zip: BuiltSite, built_elsewhere: BuiltSite
) -> None:
    assert built_elsewhere.output.count("building the site for the zip") == 1
    assert sorted(re.findall(r"drawing (\S+)", built_elsewhere.output)) == sorted(DRAWN_AGAIN)
    here, there = with_zip.bytes(), built_elsewhere.bytes()
    assert here.keys() == there.keys()
    assert {OFFLINE_ZIP, "sitemap.xml.gz", "search/search_index.json"} <= here.keys()
    assert {path for path in here if here[path] != there[path]} == set()


def test_no_file_has_the_day_of_the_build(published: BuiltSite) -> None:
    """Nor any other: nobody knows on which day a page was changed."""
    packed = published.bytes()["sitemap.xml.gz"]
    assert packed[4:8] == bytes(4), "no time, by RFC 1952"
    sitemap = gzip.decompress(packed).decode()
    assert sitemap == (published.folder / "sitemap.xml").read_text(encoding="utf-8")
    assert "lastmod" not in sitemap
    assert f"<loc>{SUB_PATH}math.html</loc>" in sitemap
    assert sitemap.count("<loc>") == sitemap.count("<url>") > 40


# Settings that are none.


def say_nothing(_line: str) -> None:
    pass


@pytest.mark.parametrize("text", ["today", "1.5", "-1", "1_000", " 5 ", "\u0663", "9" * 40])
def test_a_date_that_is_none_is_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    refusal = f"SOURCE_DATE_EPOCH: expected whole seconds since 1970, got {text!r}"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    monkeypatch.setattr("build_scripts.generate.compute", None)
    monkeypatch.chdir(ROOT)
    with pytest.raises(SiteError) as refused:
        export(ROOT, tmp_path / "out", say_nothing)
    assert str(refused.value) == refusal
    assert main(["site", "--folder", str(tmp_path / "site")]) == 1
    said = capfd.readouterr()
    assert refusal in said.err
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["maybe", "1"])
def test_a_kind_of_addresses_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("DIRECTORY_URLS", text)
    monkeypatch.setattr("build_scripts.generate.compute", None)
    with pytest.raises(SiteError, match=r"^DIRECTORY_URLS: expected true or false, got "):
        export(ROOT, tmp_path / "out", say_nothing)
    assert list(tmp_path.iterdir()) == []
