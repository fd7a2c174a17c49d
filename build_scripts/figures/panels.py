"""Panels: the same small drawing for each position, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from build_scripts.figures.figure import Figure
from build_scripts.figures.palette import Palette

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLUMNS = 3
SUBJECT_SIZE = 10
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


def panel_name(number: int, panels: int) -> str:
    """Return what the panel of a position is called, the last of them the bonus token's."""
    return f"Position {number}" if number < panels else "Bonus token"


def grid_of_panels(
    canvas: Canvas, figure: Figure, panel_height: float, margins: Margins
) -> list[Axes]:
    """Return the axes of a figure's panels, in rows of three, under its title.

    Args:
        canvas: empty.
        figure: its data have a list of ``panels``.
        panel_height: in inches.
        margins: room for labels.
    """
    panels = len(figure.data["panels"])
    rows, columns = -(-panels // COLUMNS), min(panels, COLUMNS)
    height = margins.top + rows * panel_height + (rows - 1) * margins.down + margins.bottom
    panel_width = (WIDTH - margins.left - margins.right - (columns - 1) * margins.across) / columns
    canvas.set_size_inches(WIDTH, height)
    set_title(canvas, figure)
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


def panel_inches(axes: Axes) -> float:
    """Return how wide a panel is."""
    return float(axes.get_position().width) * WIDTH


def set_title(canvas: Canvas, figure: Figure) -> None:
    """Write what a figure shows to be so, and of what, at the upper left; its size is set."""
    from build_scripts.figures.text import label

    width, height = canvas.get_size_inches()
    subject = label(figure.subject, width - 0.2, SUBJECT_SIZE)
    canvas.suptitle(figure.title, x=0.1 / width, y=1 - 0.1 / height, ha="left", va="top")
    canvas.text(0.1 / width, 1 - 0.36 / height, subject, va="top", fontsize=SUBJECT_SIZE)


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


def beside(canvas: Canvas, words: str, margins: Margins) -> None:
    """Write what the vertical axes show, left of all panels, half way between the margins."""
    width, height = canvas.get_size_inches()
    middle = (1 + (margins.bottom - margins.top) / height) / 2
    canvas.text(0.08 / width, middle, words, ha="left", va="center", rotation="vertical")


def legend_below(canvas: Canvas, signs: Sequence[Artist], names: Sequence[str]) -> None:
    """Say below everything else what the signs stand for."""
    canvas.legend(
        signs, names, loc="lower center", ncols=3, fontsize=9, bbox_to_anchor=(0.5, 0),
        borderaxespad=0.2,
    )  # fmt: skip


def note(axes: Axes, words: str, palette: Palette) -> None:
    """Write a few words into the upper right corner of a panel."""
    axes.text(
        0.97, 0.96, words, transform=axes.transAxes, ha="right", va="top", fontsize=8,
        color=palette.muted, zorder=4,
        bbox={"facecolor": palette.ground, "alpha": 0.8, "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip
