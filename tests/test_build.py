"""Building into a folder: what is replaced, and what is never touched."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from build_scripts.__main__ import build_site, main
from build_scripts.errors import SiteError
from tests.site_checks import BuiltSite, copy_cache, copy_project


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


def test_two_builds_at_once_end_with_one_whole_site(site: BuiltSite, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(site.project, project)
    command = [sys.executable, "-m", "build_scripts", "site"]
    builds = [
        subprocess.Popen(command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]
    codes = [build.wait() for build in builds]
    assert 0 in codes
    assert contents(project / "site").keys() == set(site.files)
    assert [path.name for path in project.iterdir() if path.name.startswith("site.")] == []


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
