"""The files of each figure: pictures and numbers, each saying what it is; none made twice."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from build_scripts.cache import Say, remembered
from build_scripts.figures.drawing import drawing_code, on_all_cores, pictures, slide
from build_scripts.figures.figure import Figure
from build_scripts.figures.imprint import Imprint, imprint, with_imprint
from build_scripts.figures.table import Cell, to_csv
from build_scripts.work import Work

FORMATS = {
    "svg": ".svg",
    "dark": ".dark.svg",
    "pdf": ".pdf",
    "png": ".png",
    "slide": ".slide.png",
    "csv": ".csv",
    "json": ".json",
}
"""What the name of a figure's file ends in. No slug has a dot, so no two files have one name."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure with its files.

    Attributes:
        figure: what was drawn.
        imprint: what each of its files says about it.
        files: by format, as in `FORMATS`.
    """

    figure: Figure
    imprint: Imprint
    files: dict[str, bytes]

    def path(self, name: str, slug: str = "") -> str:
        """Return where the file of a format is on the site, or was, when it had another slug."""
        return f"figures/{slug or self.figure.slug}{FORMATS[name]}"

    def sha256(self, name: str) -> str:
        """Return the digest of the file of a format."""
        return hashlib.sha256(self.files[name]).hexdigest()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in CSS pixels, four for three points."""
        found = re.search(
            rb'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"|$', self.files["svg"]
        )
        width, height = found.groups() if found and found[1] else (b"0", b"0")
        return round(float(width) * 4 / 3), round(float(height) * 4 / 3)


def drawn(figures: Iterable[Figure], work: Work, cache: Path, say: Say) -> dict[str, Drawn]:
    """Return all figures with their files, by slug.

    What has not changed comes from the cache; the rest is drawn on all cores.

    Args:
        figures: what to draw.
        work: what they are part of.
        cache: the project's cache folder.
        say: told of each figure that is drawn.
    """
    make = partial(_drawn, work=work, cache=cache, code=drawing_code(), say=say)
    return {each.figure.slug: each for each in on_all_cores(make, figures, cache)}


def _drawn(
    processes: Executor, figure: Figure, *, work: Work, cache: Path, code: bytes, say: Say
) -> Drawn:
    said = imprint(figure, work)
    shown = (code, _text([figure.slug, figure.kind, figure.title, figure.subject, figure.data]))
    credit = f"{work.author}: {work.title}. {said.source}. {said.licence}."
    below = _text([figure.assumption, figure.omits, credit])

    def draw() -> dict[str, bytes]:
        say(f"drawing {figure.slug}")
        return processes.submit(pictures, figure).result()

    def files() -> dict[str, bytes]:
        bare = remembered(cache / "pictures", figure.slug, shown, draw)
        bare |= remembered(
            cache / "slides",
            figure.slug,
            (*shown, below),
            lambda: processes.submit(slide, figure, credit).result(),
        )
        return {
            **{name: with_imprint(bare[name], said) for name in FORMATS if name in bare},
            "csv": to_csv(figure.table, asdict(said)),
            "json": _json(figure, said),
        }

    table = _text([list(map(_plain, row)) for row in figure.table.rows])
    return Drawn(
        figure,
        said,
        remembered(
            cache / "figures", figure.slug, (*shown, below, _text(asdict(said)), table), files
        ),
    )


def _text(value: object) -> bytes:
    return json.dumps(value).encode()


def _json(figure: Figure, said: Imprint) -> bytes:
    """Return the numbers behind a figure for programs, fractions as ``"n/d"``."""
    names = [column.name for column in figure.table.columns]
    document = {
        **asdict(said),
        "columns": [asdict(column) for column in figure.table.columns],
        "rows": [dict(zip(names, map(_plain, row), strict=True)) for row in figure.table.rows],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _plain(cell: Cell) -> Any:
    return cell if cell is None or isinstance(cell, str | int | float) else str(cell)
