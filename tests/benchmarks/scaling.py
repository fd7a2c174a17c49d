"""What a build costs as profiles are added: ``python -m tests.benchmarks.scaling``.

A copy of the project gets 1, 10 and 50 profiles of eight proposals over six tokens, is built as a
preview, and built again with nothing changed. Counted is processor time, user and system, of the
build and of the processes that draw for it; a busy machine changes it little.

The theme lists every page in the navigation of every page, so a part of each build grows with the
square of the profiles, whatever we do. To tell it from our own, the run also counts the bytes of
navigation that were written.

Drawing takes most of a cold build, the same for each figure. With ``--undrawn`` the pictures are
blank and remembered from the start, and only the unchanged build is measured.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import sys
import tempfile
from pathlib import Path

from tests.made_data import Kind, Shape, made_files
from tests.made_sites import generate_undrawn, made_project
from tests.site_checks import build

PROFILES = (1, 10, 50)
K, TOKENS, WHOLE = 8, 6, 64
KINDS: tuple[Kind, ...] = ("near", "any", "near")

_NAVIGATION = re.compile(rb'<nav class="md-nav md-nav--primary.*?</nav>\s*</div>', re.DOTALL)


def main() -> int:
    """Build and print the series."""
    parser = argparse.ArgumentParser(description="What a build costs as profiles are added.")
    parser.add_argument("profiles", nargs="*", type=int, default=PROFILES, metavar="N")
    parser.add_argument("--undrawn", action="store_true", help="blank pictures; much quicker")
    options = parser.parse_args()
    print("processor time in seconds; a preview, k = 8, six tokens", flush=True)
    print("profiles    cold  per profile   unchanged  per profile   site MB  of it navigation")
    for number in options.profiles:
        cold, unchanged, size, navigation = measured(number, drawn=not options.undrawn)
        print(
            f"{number:8} {cold:7.1f} {cold / number:12.2f} {unchanged:11.1f} "
            f"{unchanged / number:12.2f} {size / 1e6:9.1f} {navigation / 1e6:14.1f}",
            flush=True,
        )
    return 0


def measured(profiles: int, *, drawn: bool) -> tuple[float, float, int, int]:
    """Return processor seconds, cold and unchanged, and bytes of the site and of navigation.

    Args:
        profiles: how many the data file has.
        drawn: whether there is a cold build; else not a number stands for it.
    """
    shape = Shape("profiles.v1.json", WHOLE, K, TOKENS, (KINDS,) * profiles, ("1/10", "1"))
    story = Shape("nimbus.v1.json", WHOLE, 1, 2, (("near",),), ("1/10", "1"))
    folder = Path(tempfile.mkdtemp())
    try:
        project = made_project(folder / "project", made_files(profiles, (shape, story)))
        if drawn:
            cold = _seconds_of_a_build(project)
        else:
            cold = float("nan")
            generate_undrawn(project)
        unchanged = _seconds_of_a_build(project)
        pages = [path.read_bytes() for path in (project / "site").rglob("*.html")]
        size = sum(path.stat().st_size for path in (project / "site").rglob("*") if path.is_file())
        navigation = sum(len(found) for page in pages for found in _NAVIGATION.findall(page))
        return cold, unchanged, size, navigation
    finally:
        shutil.rmtree(folder)


def _seconds_of_a_build(project: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    build(project, PREVIEW="true")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
