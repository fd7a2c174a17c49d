"""Building into a folder: what is replaced, and what is never touched."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
import yaml
from mkdocs.config.config_options import Hooks

from build_scripts.__main__ import build_site, main
from build_scripts.errors import SiteError
from build_scripts.offline import read_files
from build_scripts.pages import authored_pages
from build_scripts.site_folder import WorkFolder
from tests.site_checks import ROOT, BuiltSite, copy_cache, copy_project


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(SiteError) as refusal:
        build_site(tmp_path, tmp_path / "docs")
    assert str(refusal.value) == (
        f"{tmp_path / 'docs'}: expected an earlier site or an empty folder, found other files"
    )
    assert contents(tmp_path) == {"docs/thesis.txt": b"years of work"}


def test_the_project_itself_is_no_place_for_a_site(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project = copy_project(tmp_path / "project")
    before = contents(project)
    monkeypatch.chdir(project)
    for folder in ("", ".", "data", "specdec"):
        assert main(["site", "--folder", folder]) == 1
        assert "expected an earlier site or an empty folder" in capsys.readouterr().err
    assert contents(project) == before


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_file_or_a_link_is_left_alone(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "site"
    if kind == "file":
        place.write_text("mine", encoding="utf-8")
    else:
        place.symlink_to(tmp_path)
    with pytest.raises(SiteError) as refusal:
        build_site(tmp_path, place)
    assert str(refusal.value) == f"{place}: expected a folder or nothing, found something else"
    assert place.is_symlink() or place.read_text(encoding="utf-8") == "mine"


# A small site, built by MkDocs with the real hook, which has nothing to compute.

SETTINGS = {
    "site_name": "Small",
    "theme": {"name": "material", "font": False},
    "plugins": ["search"],
    "hooks": [str(ROOT / "build_scripts/mkdocs_hook.py")],
}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a small project with an earlier site; `main` takes it for the project."""
    Hooks._load_hook.cache_clear()  # MkDocs keeps a hook for as long as its process
    write_small(tmp_path)
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    monkeypatch.setattr("build_scripts.__main__.ROOT", tmp_path)
    made = (SimpleNamespace(profiles=[]), {"made.md": b"# Made\n"})
    monkeypatch.setattr("build_scripts.generate.generate", lambda *_, **__: made)
    monkeypatch.setattr("build_scripts.pages.social_image", lambda *_: "")
    yield tmp_path
    Hooks._load_hook.cache_clear()


def write_small(project: Path) -> None:
    (project / "mkdocs.yml").write_text(yaml.safe_dump(SETTINGS), encoding="utf-8")
    (project / "docs").mkdir()
    (project / "docs/index.md").write_text("# Home\n", encoding="utf-8")
    (project / "site/assets").mkdir(parents=True)
    for name in ("index.html", "404.html", "assets/old.css", "gone.html"):
        (project / "site" / name).write_text("old", encoding="utf-8")


def small_site(project: Path) -> list[str]:
    return ["site", "--folder", str(project / "site")]


@pytest.fixture
def as_it_was(small: Path) -> Iterator[None]:
    """See to it that a test leaves the site of the small project, and nothing else, behind."""
    before = contents(small)
    yield
    assert contents(small / "site") == {
        path.removeprefix("site/"): content
        for path, content in before.items()
        if path.startswith("site/")
    }
    assert {path.name for path in small.iterdir()} - {".cache"} == {"mkdocs.yml", "docs", "site"}


def test_a_site_takes_the_place_of_the_earlier_one(
    small: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(small_site(small)) == 0
    assert capfd.readouterr().out.endswith(f" s: open {small / 'site/index.html'}\n")
    files = contents(small / "site")
    assert b"Made" in files["made/index.html"]
    assert "gone.html" not in files
    assert not any(content == b"old" for content in files.values())
    assert {path.name for path in small.iterdir()} - {".cache"} == {"mkdocs.yml", "docs", "site"}


def after(number: int, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have something done instead of writing the next file after so many."""
    from mkdocs import utils

    write_file = utils.write_file
    written: list[str] = []

    def write(content: bytes, path: str) -> None:
        if len(written) == number:
            act()
        written.append(path)
        write_file(content, path)

    monkeypatch.setattr("mkdocs.utils.write_file", write)


def no_room() -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.usefixtures("as_it_was")
def test_a_full_disk_is_told_and_changes_nothing(
    small: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    after(3, no_room, monkeypatch)
    assert main(small_site(small)) == 1
    assert capfd.readouterr().err.splitlines()[-2:] == [
        f"{small / 'site'}: No space left on device",
        f"no site was built; {small / 'site'} is as it was",
    ]


@pytest.mark.usefixtures("as_it_was")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_who_ends_a_build_gets_an_answer_and_changes_nothing(
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    number: signal.Signals,
    code: int,
) -> None:
    usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    before = signal.signal(number, usual)  # the tests may have been started to ignore it
    try:
        after(3, lambda: os.kill(os.getpid(), number), monkeypatch)
        assert main(small_site(small)) == code
        assert signal.getsignal(number) is usual
    finally:
        signal.signal(number, before)
    assert capfd.readouterr().err.splitlines()[-1] == "interrupted: nothing was replaced"


def test_after_a_good_build_another_in_the_same_process_is_no_less_careful(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(small_site(small)) == 0
    before = contents(small / "site")
    after(3, lambda: os.kill(os.getpid(), signal.SIGINT), monkeypatch)
    assert main(small_site(small)) == 130
    assert contents(small / "site") == before


def test_a_signal_that_is_ignored_stays_ignored(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under `nohup`, which a closed terminal does not end."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        after(3, lambda: os.kill(os.getpid(), signal.SIGHUP), monkeypatch)
        assert main(small_site(small)) == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (small / "site/made/index.html").exists()


def test_who_ends_a_build_too_late_is_told_so(
    small: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def end(_folder: object, **_how: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.rmtree", end)  # of the earlier site
    assert main(small_site(small)) == 130
    assert capfd.readouterr().err.splitlines()[-1] == (
        f"interrupted: {small / 'site'} is new, and whole"
    )
    assert (small / "site/made/index.html").exists()


def test_what_comes_into_an_empty_folder_during_a_build_stays(
    small: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (small / "empty").mkdir()

    def compute(*_given: object, **_how: object) -> tuple[object, dict[str, bytes]]:
        (small / "empty/thesis.txt").write_text("years of work", encoding="utf-8")
        return SimpleNamespace(profiles=[]), {}

    monkeypatch.setattr("build_scripts.generate.generate", compute)
    assert main(["site", "--folder", str(small / "empty")]) == 1
    assert (
        "expected an earlier site or an empty folder, found other files" in capfd.readouterr().err
    )
    assert contents(small / "empty") == {"thesis.txt": b"years of work"}


@pytest.mark.usefixtures("as_it_was")
def test_a_site_that_cannot_be_put_in_place_is_no_site(
    small: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("build_scripts.site_folder._put", lambda *_: no_room())
    assert main(small_site(small)) == 1
    said = capfd.readouterr()
    assert said.out.splitlines()[-1] == (
        f"{small / 'site'}: cannot be replaced (No space left on device)"
    )
    assert said.err.splitlines()[-1] == f"no site was built; {small / 'site'} is as it was"


def test_a_linked_folder_is_in_the_site_and_in_what_is_exported_and_zipped(
    small: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "inner").mkdir()
    for name in ("page.md", "inner/table.csv"):
        (elsewhere / name).write_text("1\n", encoding="utf-8")
    (small / "docs/linked").symlink_to(elsewhere)
    assert main(small_site(small)) == 0
    in_site = contents(small / "site").keys()
    assert {"linked/page/index.html", "linked/inner/table.csv"} <= in_site
    docs = {"index.md", "linked/inner/table.csv", "linked/page.md"}
    assert read_files(small / "docs").keys() == docs
    assert authored_pages(small / "docs") == ["index.md", "linked/page.md"]


@pytest.mark.parametrize("target", [".", "..", "../.."])
def test_a_link_to_a_folder_it_is_in_is_refused(tmp_path: Path, target: str) -> None:
    """MkDocs would follow it until the system stops it."""
    docs = tmp_path / "project/docs"
    docs.mkdir(parents=True)
    (docs / "back").symlink_to(target)
    with pytest.raises(SiteError, match="expected a link to another folder") as refused:
        authored_pages(docs)
    assert str(refused.value).startswith(f"{docs / 'back'}")


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("", 0),
        ("1790000000", 1789948800),
        (str(2**40), 2**32 // 86400 * 86400),  # the last day that there is room for
    ],
)
def test_the_sitemap_is_from_the_day_of_the_source(
    small: Path, monkeypatch: pytest.MonkeyPatch, date: str, day: int
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    assert main(small_site(small)) == 0
    header = (small / "site/sitemap.xml.gz").read_bytes()[:8]
    assert int.from_bytes(header[4:], "little") == day


def mkdocs(project: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run MkDocs itself, as a person without our command does."""
    from mkdocs.__main__ import cli

    monkeypatch.chdir(project)
    with pytest.raises(SystemExit) as end:
        cli.main(arguments, prog_name="mkdocs")
    return int(end.value.code or 0)


@pytest.mark.usefixtures("as_it_was")
@pytest.mark.parametrize("how", ["a warning", "an interruption"])
def test_plain_mkdocs_changes_nothing_without_a_whole_site(
    small: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "a warning":
        (small / "docs/index.md").write_text("[dead](gone.md)\n", encoding="utf-8")
    else:
        after(3, lambda: os.kill(os.getpid(), signal.SIGINT), monkeypatch)
    assert mkdocs(small, monkeypatch, "build", "--strict") == 1


def test_plain_mkdocs_replaces_as_a_whole(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    after(3, lambda: seen.append((small / "site/gone.html").exists()), monkeypatch)
    (small / "docs/index.md").write_text("[dead](gone.md)\n", encoding="utf-8")
    assert mkdocs(small, monkeypatch, "build") == 0, "not strict"
    assert seen == [True]
    assert (small / "site/made/index.html").exists()
    assert not (small / "site/gone.html").exists()


def test_plain_mkdocs_empties_what_it_is_told_to(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no earlier site, and so would be refused by our command."""
    (small / "other").mkdir()
    (small / "other/file.txt").write_text("no site", encoding="utf-8")
    assert mkdocs(small, monkeypatch, "build", "--site-dir", "other") == 0
    assert {"index.html", "404.html"} <= contents(small / "other").keys()
    assert not (small / "other/file.txt").exists()


def test_what_mkdocs_publishes_is_the_whole_site(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[str] = []

    def publish(config: dict[str, str], **_how: object) -> None:
        published.append(config["site_dir"])
        assert (Path(config["site_dir"]) / "made/index.html").exists()

    monkeypatch.setattr("mkdocs.commands.gh_deploy.gh_deploy", publish)
    assert mkdocs(small, monkeypatch, "gh-deploy") == 0
    assert published == [str(small / "site")]


# The whole project.


def test_a_build_that_is_killed_leaves_the_other_and_the_site_alone(
    published: BuiltSite, tmp_path: Path
) -> None:
    """Two at once, one of them killed while its pages are written."""
    project = tmp_path / "project"
    shutil.copytree(published.project, project)
    (project / "site/only-here.html").write_text("old", encoding="utf-8")
    killed, other = (
        subprocess.Popen(
            [sys.executable, "-m", "build_scripts", "site"],
            cwd=project,
            env={**os.environ, "PREVIEW": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(2)
    )
    while killed.poll() is None and not list(project.glob("site.*/new/404.html")):
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    assert (project / "site/only-here.html").exists()
    assert other.wait() == 0
    assert contents(project / "site").keys() == published.files
    left = {path.name for path in project.iterdir() if path.name.startswith("site.")}
    assert len(left) == 1, "what the killed one was filling"
    WorkFolder(project / "site").remove()  # as the next build begins and ends
    assert {path.name for path in project.iterdir() if path.name.startswith("site.")} == set()


def test_an_interrupted_build_ends_quietly_and_leaves_nothing_behind(
    site: BuiltSite, tmp_path: Path
) -> None:
    """Ctrl-C while figures are drawn: the workers go, too, and none of them says anything."""
    project = copy_project(tmp_path / "project")
    copy_cache(site.project, project, figures=False)
    build = subprocess.Popen(
        [sys.executable, "-m", "build_scripts", "site"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert build.stdout is not None
    said = ""
    for line in build.stdout:
        said += line
        if said.count("drawing") == 3:  # the first is drawn
            os.killpg(build.pid, signal.SIGINT)
            break
    said += build.communicate(timeout=60)[0]
    assert build.returncode == 130
    assert said.endswith("interrupted: nothing was replaced\n"), said
    assert "Traceback" not in said
    assert "leaked" not in said
    assert not (project / "site").exists()
    assert [path.name for path in project.iterdir() if path.name.startswith("site.")] == []
    assert gone(build.pid), "workers are left"


def gone(group: int, patience: float = 10) -> bool:
    """Say whether a group of processes ends soon."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
