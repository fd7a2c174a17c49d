"""``python -m build_scripts diff OLD NEW``."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from build_scripts.comparing.as_json import as_json
from build_scripts.comparing.as_text import as_text
from build_scripts.comparing.comparison import Comparison, compare
from build_scripts.comparing.rendered import rendered
from build_scripts.comparing.sides import read_sides, require_good, staged
from build_scripts.errors import SiteError
from build_scripts.output import tell
from build_scripts.results import shown_path
from build_scripts.verify import printable

SAME = 0
DIFFERENT = 1
REFUSED = 2
INTERRUPTED = 130


def diff(old: str, new: str | None, root: Path, *, json: bool) -> int:
    """Print what a change of data changes for readers.

    Args:
        old: a data file, a folder of them, or a revision of git.
        new: likewise; None for the project's data.
        root: the project folder. Its ``.cache`` is written, nothing else.
        json: whether to print JSON.

    Returns:
        The exit code: SAME, DIFFERENT, REFUSED if either cannot be read or built, or INTERRUPTED.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        compared = compared_data(old, new or str(shown_path(root / "data")), root)
        tell(as_json(compared) if json else "\n".join(as_text(compared)))
    except SiteError as refusal:
        for line in str(refusal).splitlines():
            print(printable(line), file=sys.stderr)
        return REFUSED
    except OSError as fault:
        place = fault.filename or "a file of the comparison"
        print(printable(f"{place}: {fault.strerror}"), file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return DIFFERENT if compared.for_readers else SAME


def compared_data(old: str, new: str, root: Path) -> Comparison:
    """Return what differs between two versions of the data; see `diff` and `read_sides`.

    Raises:
        SiteError: every fault of both.
        OSError: one that cannot be read.
    """
    sides = read_sides(old, new, root)
    with tempfile.TemporaryDirectory() as temporary:
        folders = [Path(temporary).resolve() / name for name in ("old", "new")]
        names = [staged(side, folder) for side, folder in zip(sides, folders, strict=True)]
        require_good(dict(zip(folders, names, strict=True)))
        before, after = (
            rendered(side, folder, root, root / ".cache/diff" / folder.name, _say, earlier=earlier)
            for side, folder, earlier in zip(sides, folders, (True, False), strict=True)
        )
    return compare(before, after)


def _say(line: str) -> None:
    if sys.stderr.isatty():
        print(line, file=sys.stderr)
