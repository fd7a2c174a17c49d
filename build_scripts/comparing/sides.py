"""The two versions of the data that a reviewer names: files, folders or revisions of git."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from build_scripts.errors import SiteError
from build_scripts.results import data_files, load_data, shown_path
from specdec.source import LARGEST_FILE

Named: TypeAlias = dict[str, "DataFile"]
"""Data files by the names that they have on the site."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """One data file.

    Attributes:
        shown: what the reviewer calls it, for messages.
        content: its bytes.
    """

    shown: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The digest that figures carry."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Side:
    """One version of the data.

    Attributes:
        shown: what the reviewer calls it.
        files: all data files of the site.
    """

    shown: str
    files: Named


def read_sides(old: str, new: str, root: Path) -> tuple[Side, Side]:
    """Return both versions of the data.

    Two folders are two versions of ``data/``. Two files are two versions of one data file, the
    others being those of the project: the file whose name one of the two has; if neither, the one
    with which they share a profile; if none, a further file. What is no path is a revision of git:
    its data files, or, beside a file, its version of that file.

    Args:
        old: a path or a revision; ``new`` likewise.
        new: see ``old``.
        root: the project folder.

    Raises:
        SiteError: no such path or revision, a file beside a folder, or two different files.
    """
    given = {text: Path(text) for text in (old, new) if Path(text).exists()}
    files = [text for text in (old, new) if text in given and not given[text].is_dir()]
    if files and any(given[text].is_dir() for text in given):
        raise SiteError(f"{old} {new}: expected two files or two folders, found one of each")
    read = {text: _revision(text, root) for text in (old, new) if text not in given}
    if not files:
        read |= {text: _folder(path) for text, path in given.items()}
        return Side(old, read[old]), Side(new, read[new])
    present = _folder(root / "data")
    contents = {text: _file(given[text]) for text in dict.fromkeys(files)}
    name = _name_on_the_site(contents, present)
    sides = []
    for text in (old, new):
        version = {name: contents[text]} if text in contents else _only(name, text, read[text])
        sides.append(Side(text, present | version))
    return sides[0], sides[1]


def _file(path: Path) -> DataFile:
    """Return what is in a file or pipe, or more of it than is read as data."""
    with path.open("rb") as file:
        return DataFile(str(shown_path(path)), file.read(LARGEST_FILE + 1))


def _folder(folder: Path) -> Named:
    return {path.name: _file(path) for path in data_files(folder)}


def _name_on_the_site(contents: Mapping[str, DataFile], present: Named) -> str:
    """Return the name of the data file of which these are versions, by what they are called.

    Raises:
        SiteError: they are two data files.
    """
    names = [Path(text).name for text in contents]
    if known := set(names) & present.keys():
        if len(known) > 1:
            raise SiteError(
                f"{' '.join(contents)}: expected two versions of one data file, found two files"
            )
        return known.pop()
    ids = frozenset().union(*(_ids(each) for each in contents.values()))
    related = (name for name, each in present.items() if ids & _ids(each))
    return next(related, names[-1] if names[-1].endswith(".json") else f"{names[-1]}.json")


def _ids(file: DataFile) -> frozenset[str]:
    """Return the ids of the profiles in a file that may be anything."""
    try:
        return frozenset(str(each["id"]) for each in json.loads(file.content)["profiles"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return frozenset()


def _only(name: str, revision: str, files: Named) -> Named:
    if name not in files:
        raise SiteError(f"{revision}: expected data/{name} in this revision, found no such file")
    return {name: files[name]}


def _revision(name: str, root: Path) -> Named:
    """Return the data files of a revision of the project.

    Raises:
        SiteError: there is no such revision, or no data in it.
    """
    found = _archive(name, root)
    if isinstance(found, str):
        raise SiteError(f"{name}: no such file or folder, and no revision of git ({found})")
    files = {}
    with tarfile.open(fileobj=io.BytesIO(found)) as archive:
        for member in archive:
            if (file := archive.extractfile(member)) and member.name.endswith(".json"):
                files[member.name] = DataFile(f"{name}:data/{member.name}", file.read())
    return {each: files[each] for each in files if "/" not in each and ".schema." not in each}


def _archive(revision: str, root: Path) -> bytes | str:
    """Return the data folder of a revision as a tar archive, or why there is none."""
    if revision.startswith("-"):  # an option, to git
        return "a name that none can have"
    command = ["git", "archive", "--format=tar", f"{revision}:./data"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    except OSError as fault:
        return f"git: {fault.strerror}"
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return (said or ["git failed"])[-1] if done.returncode else done.stdout


def staged(side: Side, folder: Path) -> Mapping[str, str]:
    """Write the data files of a side to a new folder under the names that the site gives them.

    Returns:
        What the reviewer calls each path of the folder, longest first.
    """
    folder.mkdir()
    for name, file in side.files.items():
        (folder / name).write_bytes(file.content)
    paths = {str(shown_path(folder / name)): file.shown for name, file in side.files.items()}
    longest_first = sorted(paths, key=len, reverse=True)
    return {path: paths[path] for path in longest_first} | {str(folder): side.shown}


def require_good(sides: Mapping[Path, Mapping[str, str]]) -> None:
    """Refuse bad data.

    Args:
        sides: for each folder what `staged` returned.

    Raises:
        SiteError: every fault of every file of all folders, each file as the reviewer calls it.
    """
    faults: dict[str, None] = {}
    for folder, shown in sides.items():
        try:
            load_data(folder)
        except SiteError as fault:
            message = str(fault)
            for path, name in shown.items():
                message = message.replace(path, name)
            faults |= dict.fromkeys(message.splitlines())  # files that both have are told once
    if faults:
        raise SiteError("\n".join(faults))
