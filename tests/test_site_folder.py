"""A folder replaced as a whole or not at all: at every step, by every end, beside anything."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from build_scripts import site_folder
from build_scripts.errors import SiteError
from build_scripts.site_folder import (
    Replacement,
    WorkFolder,
    require_earlier_site,
    require_empty,
    require_folder,
    write_whole,
)
from tests.site_checks import ROOT
from tests.stops import A_FAULT, GOT_OVER_IT, INTERRUPTED, NEW, NO_SUCH_STEP, OLD, found, write

OLD_SITE = {name: content.decode() for name, content in OLD.items()}
NEW_SITE = {name: content.decode() for name, content in NEW.items()}

CODES = {
    "killed": {-signal.SIGKILL},
    "interrupted": {INTERRUPTED},
    "no room": {A_FAULT, GOT_OVER_IT},  # what is only tidied up may stay
}


def stopped_at_each_step(
    scene: str, how: str, folder: Path
) -> list[tuple[dict[str, str], dict[str, str], list[str]]]:
    """Return what was found after each way to end at a step, and after the next replacement."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.stops", scene, how, folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    *ended, (last, *whole) = map(json.loads, done.stdout.splitlines())
    assert last == NO_SUCH_STEP
    assert {code for code, *_ in ended} == CODES[how]
    return [*(tuple(rest) for _, *rest in ended), tuple(whole)]


@pytest.mark.parametrize("how", CODES)
@pytest.mark.parametrize("scene", ["exchange", "two renames"])
def test_wherever_it_ends_there_is_one_whole_site(tmp_path: Path, scene: str, how: str) -> None:
    """Without the exchange a kill can leave none; the old one is then put back or replaced."""
    steps = stopped_at_each_step(scene, how, tmp_path)
    assert len(steps) > 30
    missing = [then for then, _, _ in steps if not then]
    assert len(missing) == (1 if (scene, how) == ("two renames", "killed") else 0)
    assert all(then in (OLD_SITE, NEW_SITE, {}) for then, _, _ in steps)
    assert [steps[0][0], steps[-1][0]] == [OLD_SITE, NEW_SITE]
    assert all((after, left) == (NEW_SITE, []) for _, after, left in steps)


@pytest.mark.parametrize("how", CODES)
def test_wherever_it_ends_each_file_is_whole(tmp_path: Path, how: str) -> None:
    steps = stopped_at_each_step("files", how, tmp_path)
    assert len(steps) > 10
    names = {name for name in NEW if "/" not in name}
    for then, after, left in steps:
        seen = {name: text for name, text in then.items() if ".building/" not in name}
        assert seen.keys() == OLD_SITE.keys()
        assert {seen[name] for name in seen.keys() - names} == {"old"}
        assert {seen[name] for name in names} <= {"old", "new"}
        assert (after, left) == (OLD_SITE | dict.fromkeys(names, "new"), [])


def test_a_disk_that_fills_up_leaves_every_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, OLD)

    def write_half(path: Path, content: bytes) -> None:
        with path.open("wb") as file:
            file.write(content[:1])
        if path.name == "404.html":
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_half)
    with pytest.raises(SiteError) as told:
        write_whole(tmp_path, {"index.html": b"new", "404.html": b"new"})
    assert str(told.value) == f"{tmp_path}: cannot be written (No space left on device)"
    assert found(tmp_path) == OLD_SITE


# What is left behind, and what only looks like it.


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return an earlier site."""
    write(tmp_path / "site", OLD)
    return tmp_path / "site"


def replaced(site: Path) -> None:
    with Replacement(site, require_earlier_site) as fresh:
        write(fresh, NEW)


def test_nothing_but_what_builds_leave_is_removed(site: Path) -> None:
    beside = site.parent
    others = (
        "site.old", "site.20261130", "site.abcdefgh", "site.building", "site.abcdefg.building",
        "site.ABCDEFGH.building", "site.abcdefgh.building.old", "other.abcdefgh.building",
        "asite.abcdefgh.building",
    )  # fmt: skip
    for name in others:
        write(beside / name, {"thesis.txt": b"years of work"})
    (beside / "site.abcdefgi.building").write_text("a file")
    (beside / "site.abcdefgj.building").symlink_to(beside / "site.old")
    write(beside / "site.abcdefgk.building", {"new/index.html": b"half"})
    replaced(site)
    names = {path.name for path in beside.iterdir()}
    assert names == {"site", *others, "site.abcdefgi.building", "site.abcdefgj.building"}
    for name in others:
        assert found(beside / name) == {"thesis.txt": "years of work"}


def test_a_name_with_any_characters_is_no_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "s.te [a-z]*\n(é"
    for name in ("site [a-z]*\n(é", "s.te a"):
        write(tmp_path / f"{name}.abcdefgh.building", {"thesis.txt": b"years of work"})
    write(tmp_path / f"{folder.name}.abcdefgh.building", {"new/index.html": b"half"})
    for _ in range(2):
        replaced(folder)
    assert found(folder) == NEW_SITE
    assert len(list(tmp_path.iterdir())) == 3


def test_builds_at_once_do_not_meet_and_the_last_one_stays(site: Path) -> None:
    """Nor does the end of one, good or bad, or a new one, remove what another is filling."""
    first, failed, last = (Replacement(site, require_earlier_site) for _ in range(3))
    for number, each in enumerate((first, failed, last)):
        write(each.fresh, {**NEW, "number": str(number).encode()})
    failed.discard()
    assert found(site) == OLD_SITE
    last.swap()
    last.discard()
    replaced(site)
    first.swap()
    first.discard()
    assert found(site) == {**NEW_SITE, "number": "0"}
    assert [path.name for path in site.parent.iterdir()] == ["site"]


def test_two_builds_of_a_first_site(tmp_path: Path) -> None:
    one, other = (Replacement(tmp_path / "site", require_earlier_site) for _ in range(2))
    write(one.fresh, OLD)
    write(other.fresh, NEW)
    for each in (one, other):
        each.swap()
        each.discard()
    assert found(tmp_path / "site") == NEW_SITE


def test_a_folder_taken_for_left_behind_before_it_is_locked_is_made_again(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another build may see it between the making and the locking."""
    lock = site_folder._lock
    seen: list[Path] = []

    def lock_late(handle: int) -> bool | None:
        seen.extend(site_folder._work_folders(site))
        if len(seen) == 1:
            monkeypatch.setattr(site_folder, "_lock", lock)
            site_folder._remove_left(site)
            monkeypatch.setattr(site_folder, "_lock", lock_late)
        return lock(handle)

    monkeypatch.setattr(site_folder, "_lock", lock_late)
    replaced(site)
    assert len(set(seen)) == 2
    assert found(site) == NEW_SITE


def test_without_locks_nothing_is_taken_for_left_behind(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_handle: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    running = Replacement(site, require_earlier_site)
    replaced(site)
    assert found(site) == NEW_SITE
    assert running.fresh.exists()
    running.discard()
    assert [path.name for path in site.parent.iterdir()] == ["site"]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP])
def test_where_folders_cannot_be_exchanged_they_are_renamed(
    site: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    asked = as_if_exchanging_failed(monkeypatch, number)
    replaced(site)
    assert asked == [2]
    assert found(site) == NEW_SITE


def as_if_exchanging_failed(monkeypatch: pytest.MonkeyPatch, number: int) -> list[int]:
    """Have the system's exchange fail; return the list of the flags that it will be given."""
    flags: list[int] = []

    class Library:
        def renameat2(self, *arguments: int) -> int:
            flags.append(arguments[-1])
            return -1

    monkeypatch.setattr("ctypes.CDLL", lambda _name, use_errno: Library())  # noqa: ARG005
    monkeypatch.setattr("ctypes.get_errno", lambda: number)
    return flags


def test_where_the_system_has_no_exchange_they_are_renamed(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _name, use_errno: object())  # noqa: ARG005
    replaced(site)
    assert found(site) == NEW_SITE


# What cannot be replaced, and what it says.


def test_another_fault_of_the_exchange_is_told(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_if_exchanging_failed(monkeypatch, errno.EBUSY)
    with pytest.raises(SiteError) as refused:
        replaced(site)
    assert str(refused.value) == f"{site}: cannot be replaced (Device or resource busy)"
    assert found(site.parent) == {f"site/{name}": text for name, text in OLD_SITE.items()}


def test_what_comes_into_the_folder_meanwhile_stays(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    replacement = Replacement(tmp_path / "site", require_earlier_site)
    (tmp_path / "site/thesis.txt").write_text("years of work")
    with pytest.raises(SiteError, match=r"found other files$"):
        replacement.swap()
    replacement.discard()
    assert found(tmp_path) == {"site/thesis.txt": "years of work"}


def test_a_site_that_cannot_be_put_back_is_where_the_message_says(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def fail_after_the_first(self: Path, target: Path) -> Path:
        if self.name == "site":
            return rename(self, target)
        raise OSError(errno.ENOTEMPTY if site.exists() else errno.EIO, "Input/output error")

    monkeypatch.setattr(site_folder, "_exchanged", lambda _one, _other: False)
    monkeypatch.setattr(Path, "rename", fail_after_the_first)
    with pytest.raises(SiteError) as told:
        replaced(site)
    (work,) = site.parent.iterdir()
    assert str(told.value) == f"{site}: now is {work / 'old'} (Input/output error); move it back"
    assert found(work / "old") == OLD_SITE
    monkeypatch.undo()
    replaced(site)
    assert found(site) == NEW_SITE


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        pytest.param(lambda _site: None, None, id="nothing"),
        pytest.param(lambda site: site.mkdir(), None, id="empty"),
        pytest.param(lambda site: write(site, OLD), None, id="an earlier site"),
        pytest.param(
            lambda site: write(site, {"index.html": b"", "404.html": b""}),
            "expected an earlier site or an empty folder, found other files",
            id="a site of others",
        ),
        pytest.param(
            lambda site: write(site, {**OLD, ".git": b"gitdir: elsewhere"}),
            "expected an earlier site or an empty folder, found other files",
            id="a working tree",
        ),
    ],
)
def test_an_earlier_site(
    tmp_path: Path, make: Callable[[Path], object], refusal: str | None
) -> None:
    site = tmp_path / "site"
    make(site)
    before = found(site)
    if refusal is None:
        replaced(site)
        assert found(site) == NEW_SITE
    else:
        with pytest.raises(SiteError) as refused:
            replaced(site)
        assert str(refused.value) == f"{site}: {refusal}"
        assert found(site) == before


def test_a_mount_point_is_refused_with_a_way_out(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda path: path == site)
    with pytest.raises(SiteError) as refused:
        replaced(site)
    assert str(refused.value) == (
        f"{site}: expected a folder that can be renamed, found a mount point; choose a folder in "
        f"it, such as --folder {site / 'site'}"
    )


@pytest.mark.parametrize("require", [require_earlier_site, require_empty, require_folder])
@pytest.mark.parametrize("protected", ["out", ""])
def test_what_may_not_be_written_is_told_before_anything_is_built(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    require: Callable[[Path], None],
    protected: str,
) -> None:
    """The folder itself, or the one around it."""
    (tmp_path / "out").mkdir()
    place = tmp_path / protected
    monkeypatch.setattr("os.access", lambda path, _how: path != place)  # root may write anywhere
    with pytest.raises(SiteError) as refused:
        require(tmp_path / "out")
    assert str(refused.value) == f"{place}: cannot be written (no permission)"


@pytest.mark.parametrize(
    "write_there", [WorkFolder, lambda folder: write_whole(folder.parent, NEW)]
)
def test_a_file_around_the_folder_is_one_line(
    tmp_path: Path, write_there: Callable[[Path], object]
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(SiteError) as refused:
        write_there(tmp_path / "file/site")
    assert str(refused.value) == (
        f"{tmp_path / 'file'}: expected a folder or nothing, found something else"
    )


@pytest.mark.parametrize(
    "write_there", [WorkFolder, lambda folder: write_whole(folder.parent, NEW)]
)
def test_where_nothing_can_be_written_it_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_there: Callable[[Path], object]
) -> None:
    def refuse(**_place: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(SiteError, match=r"^\S+: cannot be written \(Read-only file system\)$"):
        write_there(tmp_path / "site")


def test_the_current_folder_is_not_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SiteError) as refused:
        Replacement(Path(), require_empty)
    assert str(refused.value) == ".: expected another folder than the current one, to replace it"


def test_a_new_folder_has_the_usual_permissions(tmp_path: Path) -> None:
    """Those of any folder that is made, so that a server may read it."""
    replaced(tmp_path / "site")
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "site").stat().st_mode == (tmp_path / "usual").stat().st_mode
