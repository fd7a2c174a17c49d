"""What a build has to say for itself: which file was saved, what came of it, how long it took."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_MOST_NAMED = 3


class Report:
    """Notes what happens in a build, and puts it into a few lines."""

    def __init__(self) -> None:
        self.start(quiet=False)
        self._rows: dict[str, str] = {}
        self._new_rows: dict[str, str] = {}

    def start(self, *, quiet: bool) -> None:
        """Begin a build.

        Args:
            quiet: whether to pass nothing on while it runs; the first may take a minute.
        """
        self._quiet = quiet
        self._drawn: list[str] = []

    def heard(self, line: str) -> bool:
        """Take note of what a build says; return whether it is worth saying at once."""
        if drawing := re.fullmatch(r"drawing (\S+)", line):
            self._drawn.append(drawing[1])
        return not self._quiet

    def computed(self, results: Any) -> None:
        """Take note of the results, whose classes may be those of newer code."""
        self._new_rows = {
            each.profile.id: repr(
                (each.scenario.target, each.scenario.bonus, each.scenario.cost_model, each.profile)
            )
            for each in results.profiles
        }

    def bad(self, saved: list[str], faults: list[str], *, served: bool) -> list[str]:
        """Return lines on a build that failed."""
        kept = "the pages are those of the last good save" if served else "there is no site yet"
        return [
            f"{_saved(saved)}{_count(len(faults), 'fault')}; {kept}",
            *(f"  {each}" for each in faults),
        ]

    def good(self, saved: list[str], pages: tuple[int, int], seconds: float) -> list[str]:
        """Return lines on a good build, which the next is compared with."""
        old, new = self._rows, self._new_rows
        differ = [name for name in new if old.get(name, new[name]) != new[name]]
        differ += [name for name in new if old and name not in old]
        gone = [name for name in old if name not in new]
        self._rows = new
        said = []
        if differ:
            verb = "differ" if len(differ) > 1 else "differs"
            said.append(f"{_count(len(differ), 'profile')} {verb}: {', '.join(differ)}")
        if gone:
            said.append(f"{_count(len(gone), 'profile')} gone: {', '.join(gone)}")
        if self._drawn and self._quiet:  # else each has been told
            said.append(f"drew {_count(len(self._drawn), 'figure')}: {', '.join(self._drawn)}")
        changed, total = pages
        all_pages = _count(total, "page")
        done = f"{changed} of {all_pages} changed" if old else f"built {all_pages}"
        said.append(f"{done}, in {seconds:.1f} s")
        return [f"{_saved(saved)}{said[0]}", *(f"  {each}" for each in said[1:])]

    def pages(self, before: Path, after: Path) -> tuple[int, int]:
        """Return how many pages of a site differ from those of the one before, and of how many."""
        pages = [page.relative_to(after) for page in after.rglob("*.html")]
        differ = sum(
            not (before / page).is_file()
            or (before / page).read_bytes() != (after / page).read_bytes()
            for page in pages
        )
        return differ, len(pages)


def _saved(paths: list[str]) -> str:
    if not paths:
        return ""
    more = len(paths) - _MOST_NAMED
    return f"saved {', '.join(paths[:_MOST_NAMED])}{f' and {more} more' if more > 0 else ''}: "


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
