"""Write anew what tests expect of figures and terminals: look at the difference, then commit."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from build_scripts.figures.drawing import for_print
from build_scripts.figures.registry import all_figures
from build_scripts.figures.table import to_csv
from build_scripts.results import compute
from tests.golden import FOLDER, numbers, sessions, thumbnail
from tests.site_checks import ROOT


def main() -> None:
    """Replace all golden files."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    figures = all_figures(compute(ROOT, print))
    for figure in figures:
        (FOLDER / f"{figure.slug}.csv").write_bytes(numbers(to_csv(figure.table, {})))
        thumbnail(for_print(figure)["png"]).save(FOLDER / f"{figure.slug}.png", optimize=True)
    print(f"wrote {len(figures)} figures to {FOLDER}")
    print("building the site of a copy, twice")
    with tempfile.TemporaryDirectory() as folder:
        recorded = sessions.record(Path(folder))
    for name, session in recorded.items():
        (sessions.FOLDER / f"{name}.txt").write_text(session, encoding="utf-8")
    print(f"wrote {len(recorded)} sessions to {sessions.FOLDER}")


if __name__ == "__main__":
    main()
