"""The files that a build reads, as they are at one moment."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Stamps: TypeAlias = dict[str, tuple[int, int, int]]
"""When each file was written last, its size and its number on the disk, by its path."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the files hold.

    Attributes:
        stamps: by path below the project folder.
        digests: of their contents, likewise.
    """

    stamps: Stamps
    digests: dict[str, str]

    def key(self, *folders: str, but: tuple[str, ...] = ()) -> str:
        """Return a digest of the files below some folders, without those of some endings."""
        chosen = [
            f"{path} {digest}"
            for path, digest in self.digests.items()
            if path.startswith(folders) and not (but and path.endswith(but))
        ]
        return hashlib.sha256("\n".join(chosen).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files and folders that a build reads.

    Attributes:
        root: the project folder.
        paths: files, and folders with all they hold; not what editors leave there while they save.
    """

    root: Path
    paths: tuple[Path, ...]

    def stamps(self) -> Stamps:
        """Return when each file was written last, without reading any: a few milliseconds."""
        return {
            os.path.relpath(entry, self.root): (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            for entry, stat in _files(self.paths)
        }

    def read(self) -> Snapshot:
        """Return what all files hold; a file that is gone by the time it is read is none."""
        stamps = self.stamps()
        return Snapshot(stamps, dict(self._digests(stamps)))

    def _digests(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        for path in sorted(paths):
            try:
                yield path, hashlib.sha256((self.root / path).read_bytes()).hexdigest()
            except OSError:  # replaced just now: another look is due
                yield path, ""


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the files that differ, those that are new and those that are gone.

    >>> changed({"a": "1", "b": "1"}, {"b": "2", "c": "1"})
    ['a', 'b', 'c']
    """
    return sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    )


def _files(paths: Iterable[Path | str]) -> Iterator[tuple[str, os.stat_result]]:
    for path in paths:
        try:
            if os.path.isdir(path):  # noqa: PTH112 several times faster than pathlib
                with os.scandir(path) as entries:
                    inside = [each.path for each in entries if _read_by_a_build(each.name)]
                yield from _files(inside)
            else:
                yield os.fspath(path), os.stat(path)  # noqa: PTH116
        except OSError:
            continue


def _read_by_a_build(name: str) -> bool:
    """Return whether a name is none that an editor or Python gives to a file of its own."""
    return not name.startswith((".", "#", "__pycache__")) and not name.endswith(("~", ".pyc"))
