"""Panels: the same small drawing for each position, on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from build_scripts.figures.palette import Palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLUMNS = 3
WIDTH = 7.6  # inches: at 96 pixels each, the width of a page's text


@dataclass(frozen=True, slots=True)
class Margins:
    """Room around and between panels, in inches; set, not found out, which takes seconds."""

    left: float
    bottom: float
    right: float = 0.15
    top: float = 0.95
    across: float = 0.2
    down: float = 0.42


def grid_of_panels(
    canvas: Canvas,
    titles: tuple[str, str],
    panels: int,
    panel_height: float,
    margins: Margins,
) -> list[Axes]:
    """Return the axes of so many panels, in rows of three, under a title.

    Args:
        canvas: empty.
        titles: what all of them show to be so, and of what.
        panels: how many.
        panel_height: in inches.
        margins: room for labels.
    """
    from build_scripts.figures.text import label

    rows, columns = -(-panels // COLUMNS), min(panels, COLUMNS)
    height = margins.top + rows * panel_height + (rows - 1) * margins.down + margins.bottom
    panel_width = (WIDTH - margins.left - margins.right - (columns - 1) * margins.across) / columns
    canvas.set_size_inches(WIDTH, height)
    set_title(canvas, *(label(title, 80) for title in titles))
    grid = canvas.subplots(
        rows,
        columns,
        sharex=True,
        sharey=True,
        squeeze=False,
        gridspec_kw={
            "left": margins.left / WIDTH,
            "right": 1 - margins.right / WIDTH,
            "top": 1 - margins.top / height,
            "bottom": margins.bottom / height,
            "wspace": margins.across / panel_width,
            "hspace": margins.down / panel_height,
        },
    )
    for axes in grid.flat[panels:]:
        axes.set_visible(False)
    for axes in grid.flat[panels - columns : panels]:  # the lowest of each column
        axes.tick_params(labelbottom=True)
    return list(grid.flat[:panels])


def set_title(canvas: Canvas, title: str, subject: str = "") -> None:
    """Write what a figure shows to be so, and of what, at the upper left; its size is set."""
    width, height = canvas.get_size_inches()
    canvas.suptitle(title, x=0.1 / width, y=1 - 0.1 / height, ha="left", va="top")
    canvas.text(0.1 / width, 1 - 0.36 / height, subject, ha="left", va="top", fontsize=10)


def scale_of_rounds(axes: Axes, first: int, last: int) -> None:
    """Make the horizontal axis one of rounds, logarithmic, marked at powers of 100."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    axes.set_xlim(first, last)
    axes.xaxis.set_minor_locator(NullLocator())
    powers = [power for power in (2, 4, 6, 8) if first <= 10**power <= last]
    axes.set_xticks(
        [10**power for power in powers], [f"10{'⁰¹²³⁴⁵⁶⁷⁸'[power]}" for power in powers]
    )


def under(canvas: Canvas, words: str) -> None:
    """Write what the horizontal axes show, below all panels."""
    _width, height = canvas.get_size_inches()
    canvas.text(0.5, 0.08 / height, words, ha="center", va="bottom")


def beside(canvas: Canvas, words: str) -> None:
    """Write what the vertical axes show, left of all panels."""
    width, _height = canvas.get_size_inches()
    canvas.text(0.08 / width, 0.5, words, ha="left", va="center", rotation="vertical")


def note(axes: Axes, words: str, palette: Palette) -> None:
    """Write a few words into the upper right corner of a panel."""
    axes.text(
        0.97, 0.96, words, transform=axes.transAxes, ha="right", va="top", fontsize=8,
        color=palette.muted,
    )  # fmt: skip
