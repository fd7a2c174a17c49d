"""What a terminal shows a maintainer, as the guide to editing prints it.

``make golden`` records it, and tests do the same again and compare, without what differs from run
to run.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from build_scripts.edit_guide import SESSIONS, Edit, edited
from build_scripts.verify import verify
from tests.live import Session, serving
from tests.site_checks import ROOT, BuiltSite, build, copy_cache, copy_project, run

FOLDER = SESSIONS

EDITED = "data/profiles.v1.json"
ROW: Edit = ("[1, 0, 2, 2, 0, 3]", "[1, 0, 1, 3, 0, 3]")
"""The edit that all of these are about, and the file that it is made in."""

MISTAKE: Edit = ('"draft_step": "1/10"', '"draft_step": 0.1')
"""Made in that file next, while a server runs."""

FIGURE = "positions-divergent.svg"

LINES = 19
"""So many of a comparison, which is long."""


def record(folder: Path) -> dict[str, str]:
    """Return all sessions by name, from two builds in a folder, the first without any cache."""
    first = build(copy_project(folder / "first"))
    project = copy_project(folder / "second")
    copy_cache(first.project, project)
    edit_row(project)
    recorded = sessions(first, build(project, PREVIEW="1"), folder)
    return {**recorded, "serve": _served(first.project)}


def sessions(first: BuiltSite, after: BuiltSite, folder: Path) -> dict[str, str]:
    """Return all sessions by name but that of a server.

    Args:
        first: as built by the first command in a new clone.
        after: built as a preview, after the edit, by a project that had built the first.
        folder: for files.
    """
    return {
        "edit": _difference(first.project),
        "first-build": f"$ make site\n{_set_up()}{_said(first)}",
        "after-an-edit": f"$ PREVIEW=1 make site\n{_said(after)}",
        "diff": _compared(first, after, folder),
        "verify": _verified(first, folder),
    }


def edit_row(project: Path) -> None:
    """Make the edit in a project's data."""
    path = project / EDITED
    path.write_text(edited(path.read_text(encoding="utf-8"), (ROW,)), encoding="utf-8")


def comparable(session: str) -> list[str]:
    """Return a session without times, and with figures, drawn on all cores, in order of name."""
    lines = re.sub(r"\d+\.\d+ (s|seconds)\b", r"… \1", session).splitlines()
    lines = [re.sub(r"(?<=figures: ).*", _in_order, line) for line in lines]
    drawn = iter(sorted(line for line in lines if "drawing " in line))
    return [next(drawn) if "drawing " in line else line for line in lines]


def _in_order(names: re.Match[str]) -> str:
    return ", ".join(sorted(names[0].split(", ")))


def _served(project: Path) -> str:
    """Return what a server says when it starts, and at an edit and a mistake."""
    with serving(project) as session:
        started = session.until_said("built .* pages")
        said = [line for line in started.splitlines() if "Serving on" in line]
        said += edit_and_mistake(session)
    address = said[0].replace(f":{session.port}/", ":8000/")
    return "\n".join(["$ make serve", address, "…", *said[1:]]) + "\n"


def edit_and_mistake(session: Session) -> list[str]:
    """Make both while a server runs, and return what it says."""
    said = ""
    for edit, last in ((ROW, r"pages changed, in .*\n"), (MISTAKE, r"1 fault; .*\n  .*\n")):
        start = len(session.said())
        session.save(EDITED, *edit)
        said += session.until_said(last, start)
    return said.splitlines()


def _compared(first: BuiltSite, after: BuiltSite, folder: Path) -> str:
    """Return how the comparison of the data before and after the edit begins."""
    old = folder / "old.json"
    old.write_bytes((first.project / EDITED).read_bytes())
    said = run(after.project, "build_scripts", "diff", old, EDITED).stdout
    shown = said.replace(str(old), old.name).splitlines()[:LINES]
    command = f"$ python -m build_scripts diff {old.name} {EDITED} | head -n {LINES}"
    return "\n".join([command, *shown]) + "\n"


def _set_up() -> str:
    """Return what the Makefile says before the first build, while it sets up."""
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    said = re.findall(r"^\.venv/(?:site|project)\.stamp:.*\n\t@echo '(.*)'$", rules, re.MULTILINE)
    return "".join(f"{line}\n" for line in said)


def _said(site: BuiltSite) -> str:
    said = site.output.replace(str(site.project), "/path/to/project")
    return re.sub(r"/site\.\w{8}\b", "/site.…", said)


def _difference(project: Path) -> str:
    before = (project / EDITED).read_text(encoding="utf-8")
    after = edited(before, (ROW,))
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), EDITED, EDITED, n=1, lineterm=""
    )
    return "\n".join(lines) + "\n"


def _verified(first: BuiltSite, folder: Path) -> str:
    """Return what is said, after the edit, of a figure's file from before."""
    project = folder / "edited"
    (project / "data").mkdir(parents=True)
    (project / EDITED).write_bytes((first.project / EDITED).read_bytes())
    edit_row(project)
    said = [f"$ python -m build_scripts verify {FIGURE}"]
    code = verify(first.folder / "figures" / FIGURE, project, said.append)
    return "\n".join([*said, "$ echo $?", str(code)]) + "\n"
