"""The files of each figure: pictures and numbers, each saying what it is; none made twice."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from build_scripts.cache import Say, remembered
from build_scripts.figures.drawing import drawing_code, for_pages, for_print, on_all_cores, slide
from build_scripts.figures.figure import Figure
from build_scripts.figures.imprint import Imprint, imprint, with_imprint
from build_scripts.figures.table import Cell, to_csv
from build_scripts.work import Work

Files: TypeAlias = dict[str, bytes]

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
        """Width and height in CSS pixels."""
        found = re.search(rb'<svg [^>]*?width="(\d+)" height="(\d+)"|$', self.files["svg"])
        width, height = found.groups() if found and found[1] else (0, 0)
        return int(width), int(height)


def drawn(
    figures: Iterable[Figure], work: Work, cache: Path, say: Say, *, preview: bool = False
) -> dict[str, Drawn]:
    """Return all figures with their files, by slug.

    What has not changed comes from the cache; the rest is drawn on all cores.

    Args:
        figures: what to draw.
        work: what they are part of.
        cache: the project's cache folder.
        say: told of each figure that is drawn.
        preview: whether to leave out the formats that no page shows; they take most of the time.
    """
    press = _Press(work, cache, say, preview, drawing_code())
    return {each.figure.slug: each for each in on_all_cores(press.make, figures, cache)}


@dataclass(frozen=True, slots=True)
class _Press:
    """Makes the files of figures; see `drawn`."""

    work: Work
    cache: Path
    say: Say
    preview: bool
    code: bytes

    def make(self, processes: Executor, figure: Figure) -> Drawn:
        """Return a figure with its files, those that have not changed from the cache."""
        said = imprint(figure, self.work)
        credit = f"{self.work.credit}, {said.source}. {said.licence}"
        shown = (self.code, picture_of(figure))
        below = _text([figure.assumption, figure.omits, credit])
        beside = _text([asdict(said), [list(map(_plain, row)) for row in figure.table.rows]])

        @functools.cache
        def tell() -> None:
            self.say(f"drawing {figure.slug}")

        def part(
            name: str, key: tuple[bytes, ...], draw: Callable[..., Files], *what: str
        ) -> Files:
            def drawn_anew() -> Files:
                tell()
                return processes.submit(draw, figure, *what).result()

            return remembered(self.cache / name, figure.slug, key, drawn_anew)

        def files() -> Files:
            bare = part("pages", shown, for_pages)
            if not self.preview:
                bare |= part("print", shown, for_print)
                bare |= part("slides", (*shown, below), slide, credit)
            return {
                **{name: with_imprint(bare[name], said) for name in FORMATS if name in bare},
                **_numbers(figure, said),
            }

        key = (*shown, below, beside, b"preview" if self.preview else b"")
        return Drawn(figure, said, remembered(self.cache / "figures", figure.slug, key, files))


def picture_of(figure: Figure) -> bytes:
    """Return all that the drawing code makes a picture of: of equals, the pictures are equal."""
    return _text([figure.slug, figure.kind, figure.title, figure.subject, figure.data])


def undrawn(figures: Iterable[Figure], work: Work) -> dict[str, Drawn]:
    """Return all figures with their files as `drawn` does, and draw nothing.

    In place of each picture stands an SVG without a size. Two of them are equal where the pictures
    and what they say about themselves are.
    """
    return {each.slug: _undrawn(each, imprint(each, work)) for each in figures}


def _undrawn(figure: Figure, said: Imprint) -> Drawn:
    digest = hashlib.sha256(picture_of(figure) + _text(asdict(said))).hexdigest()
    stand_in = f'<svg width="0" height="0"><!-- {digest} --></svg>'.encode()
    return Drawn(figure, said, {**dict.fromkeys(FORMATS, stand_in), **_numbers(figure, said)})


def _numbers(figure: Figure, said: Imprint) -> Files:
    return {"csv": to_csv(figure.table, asdict(said)), "json": _json(figure, said)}


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
