"""A folder that is replaced as a whole or not at all, whatever ends the build that fills it.

It is filled in a folder beside it, ``NAME.????????.building``, which its build holds a lock on.
Then the two change places at one moment. What a build that was killed has left there, the next
one removes: nobody holds the lock any more.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from build_scripts.errors import SiteError

_SUFFIX = ".building"

_OF_THIS_FOLDER = -100  # AT_FDCWD of <fcntl.h>: paths that do not begin with a slash
_EXCHANGE = 2  # RENAME_EXCHANGE of <linux/fs.h>

Requirement = Callable[[Path], None]
"""Raises a `SiteError` if a folder must not be replaced."""


class Replacement:
    """A new folder that takes the place of another one, or leaves it as it is.

    As a context manager it yields the new folder, which takes the place of the old one if no
    exception ends the block.

    Args:
        folder: what is to be replaced, or made.
        require: asked before anything is done, and again before the old one is touched.

    Attributes:
        fresh: the new folder, to be filled.

    Raises:
        SiteError: ``require`` refuses, or nothing can be written there.
    """

    def __init__(self, folder: Path, require: Requirement) -> None:
        require(folder)
        self._folder = folder
        self._require = require
        self._work = WorkFolder(folder)
        self.fresh = self._work.path / "new"
        self.fresh.mkdir()

    def swap(self) -> None:
        """Put the new folder in the place of the old one.

        Raises:
            SiteError: it cannot be put there; the old one stays.
        """
        self._require(self._folder)
        try:
            _put(self.fresh, self._folder, self._work.aside)
        except OSError as fault:
            if fault.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise SiteError(f"{self._folder}: another build has just written it") from fault
            raise SiteError(f"{self._folder}: cannot be replaced ({fault.strerror})") from fault

    def discard(self) -> None:
        """Remove what is not in its place: the old folder after a swap, else the new one."""
        self._work.remove()

    def __enter__(self) -> Path:
        """Return the new folder."""
        return self.fresh

    def __exit__(
        self, kind: type[BaseException] | None, _fault: object, _trace: TracebackType | None
    ) -> None:
        """Swap after a block that ended well; leave nothing behind after any."""
        try:
            if kind is None:
                self.swap()
        finally:
            self.discard()


class WorkFolder:
    """A locked folder beside another one, to make something in that is to go there.

    Args:
        folder: what it is for; what killed builds have left beside it is removed.

    Attributes:
        path: the work folder.
        aside: in it; what stands there is ``folder`` itself, on its way out.

    Raises:
        SiteError: nothing can be written there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder = folder.absolute()
        if folder.parent.exists() and not folder.parent.is_dir():
            raise SiteError(f"{folder.parent}: expected a folder or nothing, found something else")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            _remove_left(folder)
            self.path, self._lock = _locked_folder(folder)
        except OSError as fault:
            raise SiteError(f"{folder.parent}: cannot be written ({fault.strerror})") from fault
        self.aside = self.path / "old"

    def remove(self) -> None:
        """Remove it with all that is in it."""
        try:
            _remove(self.path, self._folder)
        finally:
            os.close(self._lock)


def write_whole(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files to a folder, none of them half; none at all if there is no room for all.

    Args:
        folder: made if needed; other files in it stay.
        files: by name, the last one written last.

    Raises:
        SiteError: nothing can be written there.
    """
    work = WorkFolder(folder / "files")
    try:
        for name, content in files.items():
            (work.path / name).write_bytes(content)
        for name in files:
            (work.path / name).replace(folder / name)
    except OSError as fault:
        raise SiteError(f"{folder}: cannot be written ({fault.strerror})") from fault
    finally:
        work.remove()


def require_earlier_site(folder: Path) -> None:
    """Refuse to replace what is no earlier site, or what can only be replaced piece by piece.

    Raises:
        SiteError: a file, a link, a mount point, a folder with something else in it, or no
            permission to put another folder there.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise SiteError(f"{folder}: expected a folder or nothing, found something else")
    if folder.is_mount():
        raise SiteError(
            f"{folder}: expected a folder that can be renamed, found a mount point; "
            f"choose a folder in it, such as --folder {folder / 'site'}"
        )
    _require_writable(folder)
    ours = all((folder / name).exists() for name in ("index.html", "404.html", "assets"))
    if _holds_something(folder) and (not ours or (folder / ".git").exists()):
        raise SiteError(f"{folder}: expected an earlier site or an empty folder, found other files")


def require_empty(folder: Path) -> None:
    """Refuse to replace anything but an empty folder.

    Raises:
        SiteError: a file, a link, a folder with something in it, or the current one: who is in
            it would not see the one that takes its place.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()) or _holds_something(folder):
        raise SiteError(f"{folder}: expected a new or an empty folder, found something there")
    _require_writable(folder)
    if folder.exists() and folder.samefile(Path.cwd()):
        raise SiteError(f"{folder}: expected another folder than the current one, to replace it")


def require_folder(folder: Path) -> None:
    """Refuse what is no folder to write files to.

    Raises:
        SiteError: something else is there, or no permission.
    """
    if folder.exists() and not folder.is_dir():
        raise SiteError(f"{folder}: expected a folder or nothing, found something else")
    _require_writable(folder)


def _require_writable(folder: Path) -> None:
    """Refuse early what would be refused at the end, after everything was made."""
    around = next(above for above in folder.absolute().parents if above.exists())
    for place in (around, folder):
        if place.exists() and not os.access(place, os.W_OK):
            raise SiteError(f"{place}: cannot be written (no permission)")


def _holds_something(folder: Path) -> bool:
    try:
        return folder.exists() and any(folder.iterdir())
    except OSError as fault:
        raise SiteError(f"{folder}: cannot be read ({fault.strerror})") from fault


def _locked_folder(folder: Path) -> tuple[Path, int]:
    """Make a folder beside ``folder`` and lock it; return it and the handle of the lock.

    The lock ends with the process, however that ends. Where there are no locks, as on some
    network file systems, nobody takes the folder for left behind.
    """
    while True:
        made = Path(tempfile.mkdtemp(suffix=_SUFFIX, prefix=f"{folder.name}.", dir=folder.parent))
        with contextlib.suppress(FileNotFoundError):
            handle = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
            if _lock(handle) is not False and made.exists():
                return made, handle
            os.close(handle)  # another build has taken it for left behind before it was locked


def _lock(handle: int) -> bool | None:
    """Lock a folder for as long as its handle is open.

    Returns:
        Whether nobody else has locked it; None where there are no locks.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove_left(folder: Path) -> None:
    """Remove the work folders of builds that are no more."""
    for path in _work_folders(folder):
        with contextlib.suppress(OSError):  # another build removes it, too
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if _lock(handle):
                    _remove(path, folder)
            finally:
                os.close(handle)


def _work_folders(folder: Path) -> Iterator[Path]:
    name = re.compile(rf"{re.escape(folder.name)}\.[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")
    return (path for path in folder.parent.iterdir() if name.fullmatch(path.name))


def _remove(work: Path, folder: Path) -> None:
    """Remove a work folder; if ``folder`` was on its way out and nothing has come, put it back."""
    aside = work / "old"
    if aside.exists() and not folder.exists():
        try:
            aside.rename(folder)
        except OSError as fault:
            raise SiteError(f"{folder}: now is {aside} ({fault.strerror}); move it back") from fault
    shutil.rmtree(work, ignore_errors=True)


def _put(fresh: Path, folder: Path, aside: Path) -> None:
    """Put ``fresh`` in the place of ``folder``, and that, if it is not empty, elsewhere."""
    try:
        fresh.rename(folder)
    except OSError as fault:
        if fault.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    else:
        return
    if not _exchanged(fresh, folder):
        folder.rename(aside)  # from here to the next line there is no folder: see `_remove`
        fresh.rename(folder)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders at one moment; return False where that cannot be done.

    Linux can, on most of its own file systems; Python has no function for it.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    places = (_OF_THIS_FOLDER, os.fsencode(one), _OF_THIS_FOLDER, os.fsencode(other))
    if rename(*places, _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number), str(other))
