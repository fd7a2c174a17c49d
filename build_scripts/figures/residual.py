"""What acceptance keeps of each token, what correction adds, and what of the draft is refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance
from build_scripts.figures.numerals import brief, readings
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import panel_inches, panel_name
from build_scripts.figures.table import Cell, Column, Table
from build_scripts.figures.token_rows import (
    MARGINS_WITH_OUTCOMES,
    NUMBER_ROOM,
    NUMBER_SIZE,
    OUTCOME_SIZE,
    grid_of_tokens,
    key,
    left_out,
    likeliest,
    name_panel,
    named,
    panels_of,
    scale_of_bars,
    told,
    write_at_end,
)
from build_scripts.profile_results import ProfileResults
from specdec.positions import Position, TokenRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

ROW = 0.29  # inches
BAR = 0.66  # of a row

MOST_PARTS = 3
"""Tokens whose leftover a sentence names."""


def figure(this: ProfileResults) -> Figure:
    """Return the anatomy of every position of one profile."""
    tokens = this.scenario.vocabulary
    rows = (*this.scenario.target, *this.profile.draft)
    shown = likeliest(row.probabilities for row in rows)
    return Figure(
        slug=f"residual-{this.profile.id}",
        kind="residual",
        title="Acceptance and correction add up to the target, token by token",
        subject=this.profile.title,
        alt=(
            f"{panels_of(this.profile.title, this.k)}, each with bars for "
            f"{wording.count(len(shown), 'token')}. A solid part, the smaller of target and draft, "
            "and a hatched part, what the draft left over, end together at the target; a dashed "
            "outline beyond is draft that is "
            f"refused. {told(map(_told, this.positions))}"
        ),
        caption=(
            f"{this.called}: solid is min(target, draft), committed by acceptance; "
            "hatched, with a plus, is what the draft left of the target, committed by correction; "
            "dashed, with a minus, is draft above the target, proposed and refused. Over all "
            "tokens of a position the solid parts add up to the acceptance rate, and both the "
            "hatched and the dashed ones to the probability of a rejection. A replacement is drawn "
            f"in proportion to the hatched parts.{left_out(shown, tokens)}"
        ),
        assumption=f"{FIXED_ROWS} The position is checked: no proposal before it was rejected.",
        omits=(
            "It does not show what this round proposed, nor the residual itself: the hatched "
            "parts divided by their sum, which is in the table."
        ),
        data={
            "tokens": [str(tokens[place]) for place in shown],
            "panels": [
                {
                    "name": panel_name(each.number, this.k + 1),
                    "outcome": _outcome(each),
                    "bars": [_bar(each.rows[place], this.scenario.denominator) for place in shown],
                }
                for each in this.positions
            ],
        },
        table=Table(
            (
                Column("position", "Position", "count"),
                Column("token", "Token", "text"),
                Column("target", "Target", "exact"),
                Column("draft", "Draft", "exact"),
                Column("minimum", "Kept, min(target, draft)", "exact"),
                Column("leftover", "Left over, max(0, target − draft)", "exact"),
                Column("residual", "Residual, left over ÷ its sum", "exact"),
                Column("refused", "Refused draft", "exact"),
            ),
            (_row(each.number, each.rows[place]) for each in this.positions for place in shown),
        ),
        provenance=provenance(this, "specdec.positions"),
    )


def _bar(row: TokenRow, denominator: int) -> dict[str, Any]:
    """Return how long a bar's parts are, and ways to write them."""
    parts = {"kept": row.kept, "leftover": row.leftover, "refused": row.refused}
    return {
        name: {
            "size": float(size),
            "numbers": readings(size, wording.over(size, denominator)) if size else [""],
        }
        for name, size in parts.items()
    }


def _row(number: int, row: TokenRow) -> tuple[Cell, ...]:
    return (
        number,
        str(row.token),
        row.target,
        row.draft,
        row.kept,
        row.leftover,
        row.replacement,
        row.refused,
    )


def _told(position: Position) -> str:
    """Say of a position what is kept, and what is left of which tokens."""
    rate = f"Position {position.number}: acceptance rate {_brief(position.rate)}"
    if position.rate == 1:
        return f"{rate}; target and draft are equal, so nothing is left to draw from."
    parts = sorted((row for row in position.rows if row.leftover), key=lambda row: -row.leftover)
    named_parts = [f"{_brief(row.leftover)} of {named(row.token)}" for row in parts[:MOST_PARTS]]
    more = [] if len(parts) <= MOST_PARTS else ["the rest of others"]
    return (
        f"{rate}, {_brief(position.rejection)} left: "
        f"{wording.plain(wording.listing(named_parts + more))}."
    )


def _brief(value: Fraction) -> str:
    return brief(value, wording.exact(value))


def _outcome(position: Position) -> list[str]:
    """Return ways to say what is kept and what is left at a position, the longest first."""
    if position.rejection == 0:
        return ["rate 1: nothing left to draw from", "rate 1: nothing left"]
    (kept, about_kept), (left, about_left) = (
        readings(part, wording.exact(part)) for part in (position.rate, position.rejection)
    )
    return [
        f"acceptance rate {kept}, {left} left",
        f"rate {kept}, {left} left",
        f"rate {about_kept}, {about_left} left",
    ]


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the anatomy.

    Args:
        canvas: empty.
        figure: its data have ``tokens`` and ``panels``, each with ``name``, ``outcome`` (ways to
            say what is kept and left) and per token ``kept``, ``leftover`` and ``refused``, each
            with its ``size`` and ``numbers``, ways to write it.
        palette: its colours.
    """
    from matplotlib.patches import Patch

    from build_scripts.figures.text import fitting

    panels = figure.data["panels"]
    places = grid_of_tokens(canvas, figure, ROW, MARGINS_WITH_OUTCOMES)
    ends = [[_end(bar) for bar in panel["bars"]] for panel in panels]
    scale_of_bars(places[0], chain(*ends))
    for axes, panel, written in zip(places, panels, ends, strict=True):
        outcome = fitting(panel["outcome"], panel_inches(axes), OUTCOME_SIZE)
        name_panel(axes, panel["name"], outcome, palette.muted)
        _bars(axes, panel["bars"], palette)
        for place, (end, text) in enumerate(written):
            write_at_end(axes, end, place, text, palette.text)
    looks = _looks(palette)
    names = ["kept: min(target, draft)", "+ left over, for correction", "− draft refused"]
    key(canvas, [Patch(**look) for look in looks.values()], names, "probability")


def _looks(palette: Palette) -> dict[str, dict[str, Any]]:
    """Return how the parts of a bar are drawn, by name, from left to right."""
    return {
        "kept": {"facecolor": palette.target, "edgecolor": palette.target, "linewidth": 0.8},
        "leftover": {
            "facecolor": palette.share,
            "edgecolor": palette.target,
            "linewidth": 0.8,
            "hatch": "/////",
        },
        "refused": {
            "facecolor": palette.ground,
            "edgecolor": palette.draft,
            "linewidth": 1.1,
            "linestyle": (0, (3, 2)),
        },
    }


def _end(bar: dict[str, Any]) -> tuple[float, str]:
    """Return where a bar ends, and what is written there: what is left over, or refused."""
    from build_scripts.figures.text import fitting

    signs = {"leftover": "+", "refused": "−"}
    text = "".join(
        sign + fitting(bar[name]["numbers"], NUMBER_ROOM, NUMBER_SIZE)
        for name, sign in signs.items()
        if bar[name]["size"]
    )
    return sum(part["size"] for part in bar.values()), text


def _bars(axes: Axes, bars: Sequence[dict[str, Any]], palette: Palette) -> None:
    """Draw the parts of a panel's bars end to end, and in the solid ones how much is kept."""
    from build_scripts.figures.text import width

    ends = [0.0] * len(bars)
    for name, look in _looks(palette).items():
        sizes = {place: bar[name]["size"] for place, bar in enumerate(bars) if bar[name]["size"]}
        lefts = [ends[place] for place in sizes]
        axes.barh(list(sizes), list(sizes.values()), left=lefts, height=BAR, **look)
        for place, size in sizes.items():
            ends[place] += size
    inches_per_unit = panel_inches(axes) / axes.get_xlim()[1]
    for place, bar in enumerate(bars):
        kept = bar["kept"]
        number = kept["numbers"][0]
        if width(number, NUMBER_SIZE) + 0.06 <= kept["size"] * inches_per_unit:
            axes.text(
                kept["size"] / 2, place, number, ha="center", va="center", fontsize=NUMBER_SIZE,
                color=palette.ground,
            )  # fmt: skip
