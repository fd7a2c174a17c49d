"""Panels with a row of bars for each token: which tokens, how they are named, how far bars go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from build_scripts import wording
from build_scripts.figures.figure import Figure
from build_scripts.figures.panels import Margins, grid_of_panels, legend_below, panel_inches

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

TOKEN_ROOM = 1.5  # inches beside the bars
TOKEN_SIZE = 9
OUTCOME_SIZE = 9
NUMBER_SIZE = 8
NUMBER_ROOM = 0.5  # inches for a number beside a bar
_GAP = 0.05  # inches between the end of a bar and what is written there

LONGEST_NAMED = 30
"""Characters of a token in a sentence."""

MOST_TOLD = 12
"""Positions that are described one by one; who listens to more looks it up in the table."""

MARGINS = Margins(left=0.25, bottom=0.8)
MARGINS_WITH_OUTCOMES = Margins(left=0.25, bottom=0.8, top=1.2, down=0.68)
"""Room for a second line above each panel, see `name_panel`."""

MOST_TOKENS = 40
"""More bars would make a picture that nobody looks through."""


def likeliest(rows: Iterable[Sequence[Fraction]], always: Collection[int] = ()) -> list[int]:
    """Return the places of the tokens that are shown, in vocabulary order.

    Args:
        rows: probabilities of all tokens; a token counts by the highest of its own.
        always: places shown in any case.
    """
    highest = list(map(max, zip(*rows, strict=True)))
    ranked = sorted(range(len(highest)), key=lambda place: (place not in always, -highest[place]))
    return sorted(ranked[: max(MOST_TOKENS, len(always))])


def left_out(shown: Sequence[int], tokens: Sequence[object], which: str = "likeliest") -> str:
    """Return the sentence, after a space, that says which tokens are shown; nothing if all are."""
    if len(shown) == len(tokens):
        return ""
    return f" The {len(shown)} {which} of {wording.grouped(len(tokens))} tokens."


def named(token: object) -> str:
    """Return a token as a sentence about a figure names it; what is long is cut."""
    text = str(token)
    short = text if len(text) <= LONGEST_NAMED else text[: LONGEST_NAMED - 1] + "…"
    return wording.titled(short)


def panels_of(title: str, positions: int) -> str:
    """Return how a description begins that goes on about panels: one per position."""
    each = "the one position" if positions == 1 else f"each of the {wording.number(positions)}"
    return f"A panel for {each}{' positions' if positions > 1 else ''} of {wording.titled(title)}"


def told(sentences: Iterable[str]) -> str:
    """Return sentences about positions as one text; a long row of them is broken off."""
    every = list(sentences)
    if len(every) > MOST_TOLD:
        every[MOST_TOLD:] = ["The table goes on."]
    return " ".join(every)


def grid_of_tokens(canvas: Canvas, figure: Figure, row: float, margins: Margins) -> list[Axes]:
    """Return the axes of a figure's panels, with the tokens' names beside those on the left.

    Args:
        canvas: empty.
        figure: its data have ``panels`` and ``tokens``.
        row: height of one token's row, in inches.
        margins: room for labels; the tokens' own is added to the left.
    """
    from build_scripts.figures.text import label, width

    tokens = [label(token, TOKEN_ROOM, TOKEN_SIZE) for token in figure.data["tokens"]]
    left = margins.left + max(width(token, TOKEN_SIZE) for token in tokens)
    places = grid_of_panels(canvas, figure, row * len(tokens), replace(margins, left=left))
    places[0].set_yticks(range(len(tokens)), tokens)  # all panels share them
    places[0].set_ylim(len(tokens) - 0.5, -0.5)
    for axes in places:
        axes.grid(axis="y", visible=False)
    return places


def name_panel(axes: Axes, name: str, outcome: str, colour: str) -> None:
    """Write above a panel what it is, and below that in a line what came of it."""
    axes.set_title(name, pad=19)
    axes.annotate(
        outcome, (0, 1), xycoords="axes fraction", xytext=(0, 5), textcoords="offset points",
        fontsize=OUTCOME_SIZE, color=colour,
    )  # fmt: skip


def scale_of_bars(axes: Axes, ends: Iterable[tuple[float, str]]) -> None:
    """Make the horizontal axis one of probabilities, with room for the text at each bar's end.

    Args:
        axes: a panel; all share their scales.
        ends: where bars end, and what `write_at_end` will write there.
    """
    from build_scripts.figures.text import width

    inches = panel_inches(axes)
    limits = (end / (1 - (width(text, NUMBER_SIZE) + 2 * _GAP) / inches) for end, text in ends)
    limit = max(0.55, *limits)  # past 1/2, for there is a mark
    axes.set_xlim(0, limit)
    ticks = {0.0: "0", 0.5: "1/2", 1.0: "1"}
    axes.set_xticks(*zip(*((at, name) for at, name in ticks.items() if at <= limit), strict=True))


def write_at_end(axes: Axes, end: float, height: float, text: str, colour: str) -> None:
    """Write a few words where a bar ends."""
    axes.annotate(
        text, (end, height), xytext=(_GAP * 72, 0), textcoords="offset points", va="center",
        fontsize=NUMBER_SIZE, color=colour,
    )  # fmt: skip


def key(canvas: Canvas, signs: Sequence[Artist], names: Sequence[str], words: str) -> None:
    """Write below all panels what the horizontal axes show, and what the signs stand for."""
    legend_below(canvas, signs, names)
    canvas.text(0.5, 0.35 / canvas.get_size_inches()[1], words, ha="center")
