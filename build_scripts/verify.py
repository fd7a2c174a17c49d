"""Whether a figure's file is as this project wrote it, and of its present data and engine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import specdec
from build_scripts.figures.imprint import Imprint, read_imprint
from build_scripts.figures.rdf import spelt_out
from build_scripts.sampled import RANDOM_PROFILES, random_profiles_sha256

CURRENT = 0
OUTDATED = 1
MODIFIED = 2
NOT_OURS = 3
USAGE = 64

MOST_BYTES = 20 * 2**20
"""No figure is nearly as large, and of a larger file not more is read."""

_LONGEST = 1000
"""Characters in a line; ours are shorter, and a file that is not may hold millions."""


def verify(path: Path, root: Path, say: Callable[[str], None]) -> int:
    """Say what a file is, and return the exit code for that.

    Args:
        path: any file, under any name.
        root: the project folder; its data is read, nothing is computed from it.
        say: told line by line; no line holds a control character.

    Returns:
        CURRENT, OUTDATED (data or engine have changed since), MODIFIED (the file has), NOT_OURS,
        or USAGE if it cannot be read.
    """
    try:
        content = _read(path)
    except OSError as fault:
        say(f"{printable(str(path))}: expected a file to read ({fault.strerror})")
        return USAGE
    read = read_imprint(content) if len(content) <= MOST_BYTES else None
    if read is None:
        say(f"not one of ours: {printable(str(path))}")
        return NOT_OURS
    for line in _lines(read.imprint):
        say(printable(line))
    if not read.intact:
        say("modified: the file is not as this project wrote it, so the above may be wrong")
        return MODIFIED
    differences = list(_differences(read.imprint, root))
    for difference in differences:
        say(printable(f"outdated: {difference}"))
    if differences:
        return OUTDATED
    say("current: as this project wrote it, from the data and the engine version that it has now")
    return CURRENT


def _read(path: Path) -> bytes:
    """Return the content of a file, or so much of it that it is too much.

    Raises:
        OSError: it cannot be read, or is something else: reading a device or pipe might not end.
    """
    if not path.is_file():
        path.stat()  # fails if there is nothing
        raise OSError(0, "found something else")
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _lines(said: Imprint) -> Iterator[str]:
    yield f"figure: {said.slug}"
    yield f"title: {said.title}"
    yield f"author: {said.author}"
    yield f"licence: {said.licence}"
    yield f"source: {said.source}"
    yield f"data: {said.data}"
    yield f"SHA-256 of the data: {said.data_sha256}"
    yield f"engine: specdec {said.engine_version}"


def _differences(said: Imprint, root: Path) -> Iterator[str]:
    """Yield what has changed in the project since a file was written."""
    sha256 = _present_sha256(said.data, root)
    if sha256 is None:
        yield f"{said.data}: expected it in {root}, found no such file"
    elif sha256 != said.data_sha256:
        yield f"{said.data}: expected SHA-256 {sha256}, got {said.data_sha256}"
    if said.engine_version != specdec.__version__:
        yield f"engine: expected specdec {specdec.__version__}, got {said.engine_version}"


def _present_sha256(data: str, root: Path) -> str | None:
    """Return the digest of a data file that the project has; None if it has none of that name."""
    if data == RANDOM_PROFILES:
        return random_profiles_sha256()
    # Found among what there is: a path from a file might lead anywhere.
    present = {f"data/{path.name}": path for path in (root / "data").glob("*.json")}
    try:
        return hashlib.sha256(present[data].read_bytes()).hexdigest()
    except (KeyError, OSError):
        return None


def printable(text: str) -> str:
    """Return a text as a terminal can show it: whatever it holds, it controls nothing."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "".join(each if each.isprintable() else spelt_out(each) for each in cut)
