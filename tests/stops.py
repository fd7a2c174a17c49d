"""Ends a replacement at each of its steps in turn: ``python -m tests.stops SCENE HOW FOLDER``.

A step is what Python tells audit hooks of: each file opened, folder made, rename, removal. Prints
for each what was found then, and what after the next replacement, which nothing ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from build_scripts import site_folder
from build_scripts.errors import SiteError
from build_scripts.site_folder import Replacement, require_earlier_site, write_whole

OLD = dict.fromkeys(("index.html", "404.html", "assets/a.css", "gone/before.html"), b"old")
NEW = dict.fromkeys(("index.html", "404.html", "assets/a.css", "fresh/page.html"), b"new")

STEPS = ("open", "os.", "shutil.", "tempfile.", "fcntl.", "ctypes.dlsym")

GOT_OVER_IT, A_FAULT, NO_SUCH_STEP, INTERRUPTED = 0, 1, 2, 130

MANY = 1000
"""More steps than there are."""


def kill() -> None:
    """End the process as nothing can prevent."""
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt() -> NoReturn:
    """End the step as Ctrl-C does."""
    raise KeyboardInterrupt


def fill_disk() -> NoReturn:
    """End the step as a full disk does, or one that fails."""
    raise OSError(28, "No space left on device")


HOW = {"killed": kill, "interrupted": interrupt, "no room": fill_disk}


def replace_site(folder: Path) -> None:
    """Fill a new folder that takes the place of the old one."""
    with Replacement(folder, require_earlier_site) as fresh:
        write(fresh, NEW)


def replace_files(folder: Path) -> None:
    """Write files into a folder beside what is there."""
    write_whole(folder, {name: content for name, content in NEW.items() if "/" not in name})


SCENES = {"exchange": replace_site, "two renames": replace_site, "files": replace_files}


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def write_in_two_steps(path: Path, content: bytes) -> int:
    """Write as `Path.write_bytes` does, with a step between emptying a file and filling it."""
    with path.open("wb") as file:
        sys.audit("os.write")
        return file.write(content)


def found(folder: Path) -> dict[str, str]:
    """Return the content of each file below a folder; nothing if there is none."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}


class Step:
    """Has something done just before a step, the first being 1."""

    def __init__(self, number: int, act: Callable[[], None]) -> None:
        self.left = number
        self._act = act
        sys.addaudithook(self._heard)

    def _heard(self, event: str, _arguments: object) -> None:
        if event.startswith(STEPS):
            self.left -= 1
            if self.left == 0:
                self._act()


def outcome(scene: Callable[[Path], None], folder: Path, number: int, how: str) -> int:
    """Run a scene in a process of its own and return its exit code, or minus its signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    step = Step(number, HOW[how])
    try:
        scene(folder)
        code = GOT_OVER_IT if step.left <= 0 else NO_SUCH_STEP
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (OSError, SiteError):
        code = A_FAULT
    os._exit(code)


def main(scene_name: str, how: str, place: str) -> None:
    """Try all steps of a scene."""
    scene = SCENES[scene_name]
    if scene_name == "two renames":
        site_folder._exchanged = lambda one, other: False  # noqa: ARG005
    Path.write_bytes = write_in_two_steps  # type: ignore[assignment,method-assign]
    for number in range(1, MANY):
        beside = Path(place) / str(number)
        folder = beside / "site"
        write(folder, OLD)
        code = outcome(scene, folder, number, how)
        then = found(folder)
        assert outcome(scene, folder, MANY, how) == NO_SUCH_STEP
        left = sorted(path.name for path in beside.rglob("*.building"))
        print(json.dumps([code, then, found(folder), left]))
        if code == NO_SUCH_STEP:
            return
    raise AssertionError("there is no end")


if __name__ == "__main__":
    main(*sys.argv[1:])
