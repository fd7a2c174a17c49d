"""A figure of one chart: its axes, and numbers as they are written in it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from math import floor, log10
from typing import TYPE_CHECKING

from build_scripts import wording
from build_scripts.figures.figure import Figure
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import WIDTH, Margins, panel_inches, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Canvas


MOST_IN_DIGITS = 10_000


def chart(canvas: Canvas, figure: Figure, height: float, margins: Margins) -> Axes:
    """Return the one pair of axes of a figure, under its title.

    Args:
        canvas: empty.
        figure: its title and subject are written.
        height: of the axes, in inches.
        margins: room for labels.
    """
    whole = margins.top + height + margins.bottom
    canvas.set_size_inches(WIDTH, whole)
    set_title(canvas, figure)
    width = WIDTH - margins.left - margins.right
    return canvas.add_axes(
        (margins.left / WIDTH, margins.bottom / whole, width / WIDTH, height / whole)
    )


def marks(axis: Axis, last: float, *, most: int = 6, whole: bool = False) -> None:
    """Mark an axis at round numbers from 0 to ``last`` and nowhere else.

    Args:
        axis: of which the limits are set.
        last: the largest number that may have a mark.
        most: marks at most, the 0 not counted.
        whole: whether numbers between whole ones mean nothing.
    """
    least = 0 if whole else floor(log10(last)) - 1
    steps = (
        unit * step
        for unit in (Fraction(10) ** power for power in count(least))
        for step in (1, 2, 5)
    )
    step = next(step for step in steps if last / step <= most)
    numbers = [step * times for times in range(int(last / step) + 1)]
    axis.set_ticks(list(map(float, numbers)), [_mark(number) for number in numbers])


def _mark(number: Fraction) -> str:
    return wording.rounded(number, 3) if number < MOST_IN_DIGITS else wording.scientific(number)


def write_over_bars(
    axes: Axes,
    tops: Sequence[float],
    numbers: Sequence[Sequence[str]],
    palette: Palette,
) -> None:
    """Write a number over each bar; the bars stand at 1, 2 and so on.

    Args:
        axes: with the bars.
        tops: where each bar ends.
        numbers: what to write, in shorter and shorter ways.
        palette: its ground is behind each number, since a line may cross it.
    """
    from build_scripts.figures.text import fitting

    size = 9
    first, last = axes.get_xlim()
    room = panel_inches(axes) / (last - first) * 0.95
    words = [fitting(ways, room, size) for ways in numbers]
    for place, (top, word) in enumerate(zip(tops, words, strict=True), start=1):
        axes.annotate(
            word, (place, top), (0, 6), textcoords="offset points", ha="center", va="bottom",
            fontsize=size, zorder=4,
            bbox={"facecolor": palette.ground, "edgecolor": "none", "pad": 1},
        )  # fmt: skip
