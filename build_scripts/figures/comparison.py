"""The drafts of a data file side by side: how often each is accepted, and how far it gets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, Figure, Provenance
from build_scripts.figures.numerals import both, brief, sequence
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import WIDTH, Margins, panel_inches, set_title
from build_scripts.figures.table import Column, Table
from build_scripts.profile_results import ProfileResults
from build_scripts.results import ScenarioResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.6, bottom=0.6, top=1.0, right=1.75, across=0.4)
HEIGHT = 2.5
APART = 0.18  # inches between two names
NAME_SIZE = 9
SIGNS = {
    "o": 5.5,
    "s": 5,
    "^": 6.5,
    "D": 5,
    "v": 6.5,
    "P": 6.5,
    "X": 6.5,
    "<": 6.5,
    ">": 6.5,
    "*": 9,
}
"""The shapes of marks, and the size at which each looks as large as the others."""

FEW = 4
"""Lines that can cross and still be followed."""

MOST_MARKS = 12
"""Marks of a line: of more, no shape could be told from another."""

MOST_NUMBERS = 9

LONGEST_NAME = 24
"""Characters of a name in a title, which is one line; a wide one counts twice."""

_NARROW = frozenset("abcdefghijklnopqrstuvxyz0123456789 -")


def figure(home: ScenarioResults) -> Figure:
    """Return the drafts of a data file, of which there are at least two, side by side."""
    drafts, k = home.profiles, home.scenario.k
    every = -(-k // MOST_MARKS)
    return Figure(
        slug=f"comparison-{home.slug}",
        kind="comparison",
        title=_title(home),
        subject=home.scenario.title,
        alt=(
            f"Two panels with a line for each of {wording.count(len(drafts), 'draft')} of "
            f"{home.called}, from 0 to 1. Left, the acceptance rate at each position; "
            "right, never rising, the chance that the first proposals are all accepted, from none "
            f"to {'the one' if k == 1 else f'all {k}'}. " + " ".join(map(_seen, drafts))
        ),
        caption=(
            f"The drafts of {home.called} on one scale. Left: how often a proposal that "
            "is checked is accepted, position by position. Right: how often the first 0, 1, 2, … "
            "proposals are all accepted, the products of these rates; over 0 to k, they add up to "
            f"E[N], the tokens of a round on average: {_means(drafts)}. Marks of one position "
            "stand side by side, so that equal ones do not hide each other; lines only join them"
            + (f", and of {k} positions every {wording.ordinal(every)} is marked" * (every > 1))
            + "."
        ),
        assumption=FIXED_ROWS,
        omits=(
            "It does not show what a draft costs: the file assumes one price for all, but a draft "
            "that gets further is often a larger and dearer one. Nor does it show which tokens "
            "are accepted."
        ),
        data={
            "names": [each.profile.short_title for each in drafts],
            "rates": [list(map(float, each.report.acceptance_rates)) for each in drafts],
            "survival": [list(map(float, each.survival)) for each in drafts],
            "every": every,
        },
        table=Table(
            (
                Column("profile", "Draft", "text"),
                Column("position", "Position", "count"),
                Column("acceptance_rate", "Acceptance rate", "exact"),
                Column("all_accepted", "All accepted so far", "exact"),
                Column("sum", "Sum", "exact"),
            ),
            (
                (each.profile.id, position, *numbers)
                for each in drafts
                for position, numbers in enumerate(
                    zip(
                        (None, *each.report.acceptance_rates),
                        each.survival,
                        each.build_up,
                        strict=True,
                    )
                )
            ),
        ),
        provenance=Provenance(f"data/{home.file_name}", home.sha256, "specdec.expectations"),
    )


def _title(home: ScenarioResults) -> str:
    """Say which draft gets furthest, or that several do."""
    drafts, furthest = home.profiles, home.apart[0]
    means = {each.report.expected_tokens for each in drafts}
    most, two = max(means), len(drafts) == 2
    tokens = f"on average: {wording.near(most)} {'token' if most == 1 else 'tokens'} a round"
    if len(furthest) == len(drafts):
        return (
            f"{wording.capitalised(wording.every(len(drafts), 'draft'))} get equally far {tokens}"
        )
    if len(furthest) > 1:
        together = wording.capitalised(wording.count(len(furthest), "draft"))
        return f"{together} of {wording.number(len(drafts))} get furthest {tokens}"
    who = f"{_name(furthest[0], drafts)} gets {'further' if two else 'furthest'}"
    if wording.decimal(max(means - {most})) == wording.decimal(most):
        return f"{who} on average, by less than 0.01 tokens"
    return f"{who} {tokens}"


def _name(one: ProfileResults, drafts: Sequence[ProfileResults]) -> str:
    """Return what to call a draft in a title: its name, if that is short, plain and no other's."""
    name = one.profile.short_title
    plain = name.strip() == name and name.isprintable() and max(name) < "\u0250"  # in our font
    short = sum(1 if character in _NARROW else 2 for character in name) <= LONGEST_NAME
    alone = [each.profile.short_title for each in drafts].count(name) == 1
    return f"“{name}”" if plain and short and alone else "One draft"


def _seen(this: ProfileResults) -> str:
    rates, reached = this.report.acceptance_rates, this.survival[-1]
    listed = (
        sequence(rates)
        if len(rates) <= MOST_MARKS
        else f"between {_in_a_sentence(min(rates))} and {_in_a_sentence(max(rates))}"
    )
    return (
        f"{wording.titled(this.profile.short_title)}: "
        f"{'rate' if len(rates) == 1 else 'rates'} {listed}; all accepted with chance "
        f"{_in_a_sentence(reached)}."
    )


def _in_a_sentence(value: Fraction) -> str:
    return brief(value, wording.exact(value))


def _means(drafts: Sequence[ProfileResults]) -> str:
    return ", ".join(
        f"{wording.titled(each.profile.short_title)} {both(each.report.expected_tokens)[-1]}"
        for each in drafts
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw both panels.

    Args:
        canvas: empty.
        figure: its data have, per draft, ``names``, ``rates`` and ``survival``; and ``every``,
            from one marked position to the next.
        palette: its colours.
    """
    data = figure.data
    names = data["names"]
    height = max(HEIGHT, APART * len(names))
    left, right = _panels(canvas, figure, height)
    left.set_title("accepted, if checked", pad=9)
    left.set_xlabel("position")
    right.set_title("all accepted so far", pad=9)
    right.set_xlabel("proposals so far")
    k = len(data["rates"][0])
    _positions(left, 1, k)
    _positions(right, 0, k)
    _lines(left, 1, data["rates"], data["every"], palette)
    ends = _lines(right, 0, data["survival"], data["every"], palette)
    _name_the_lines(right, names, ends, APART / height, palette)


def _panels(canvas: Canvas, figure: Figure, height: float) -> list[Axes]:
    whole = MARGINS.top + height + MARGINS.bottom
    canvas.set_size_inches(WIDTH, whole)
    set_title(canvas, figure)
    width = (WIDTH - MARGINS.left - MARGINS.across - MARGINS.right) / 2
    panels = [
        canvas.add_axes((start / WIDTH, MARGINS.bottom / whole, width / WIDTH, height / whole))
        for start in (MARGINS.left, MARGINS.left + width + MARGINS.across)
    ]
    for axes in panels:
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "1/4", "1/2", "3/4", "1"])
        axes.grid(axis="x", visible=False)
    panels[0].set_ylabel("probability")
    panels[1].tick_params(labelleft=False)
    return panels


def _positions(axes: Axes, first: int, last: int) -> None:
    """Number the horizontal axis, every number where there is room."""
    step = -(-last // MOST_NUMBERS)
    axes.set_xlim(first - 0.5, last + 0.5)
    axes.set_xticks([n for n in range(first, last + 1) if n % step == 0 or n == first == last])


def _lines(
    axes: Axes, first: int, values: list[list[float]], every: int, palette: Palette
) -> list[tuple[float, float]]:
    """Draw a line per draft, side by side at each position, and return where they end."""
    ends = []
    for number, line in enumerate(values):
        aside = 0.5 * ((number + 0.5) / len(values) - 0.5)
        places = [place + aside for place in range(first, first + len(line))]
        axes.plot(
            places, line, markevery=every, linewidth=1 if len(values) <= FEW else 0.6,
            clip_on=False, zorder=3,
            **_look(number, palette),
        )  # fmt: skip
        ends.append((places[-1], line[-1]))
    return ends


def _look(number: int, palette: Palette) -> dict[str, Any]:
    colours = (palette.draft, palette.text, palette.muted)
    sign, size = list(SIGNS.items())[number % len(SIGNS)]
    return {
        "color": colours[number % len(colours)],
        "marker": sign,
        "markersize": size,
        "markeredgewidth": 0,
    }


def _name_the_lines(
    axes: Axes,
    names: list[str],
    ends: list[tuple[float, float]],
    apart: float,
    palette: Palette,
) -> None:
    """Write names beside the ends of their lines, moved where two would meet, with their marks."""
    from build_scripts.figures.text import label

    low, high = axes.get_xlim()
    inches = panel_inches(axes)
    mark, name = (1 + beyond / inches for beyond in (0.22, 0.32))
    side = axes.get_yaxis_transform()
    for number, level in enumerate(_apart([end for _place, end in ends], apart)):
        place, end = ends[number]
        look = _look(number, palette)
        axes.plot(
            [(place - low) / (high - low), mark], [end, level], ":", color=look["color"],
            linewidth=0.8, transform=side, clip_on=False,
        )  # fmt: skip
        axes.plot([mark], [level], transform=side, clip_on=False, **look)
        axes.text(
            name, level, label(names[number], MARGINS.right - 0.4, NAME_SIZE), transform=side,
            va="center", fontsize=NAME_SIZE,
        )  # fmt: skip


def _apart(ends: Sequence[float], apart: float) -> list[float]:
    """Return heights near these, from 0 to 1, of which no two are closer than that.

    Of equal ones, the first goes on top.

    >>> _apart([0.0, 0.0, 0.5], 0.25), _apart([1.0, 1.0], 0.25)
    ([0.25, 0.0, 0.5], [1.0, 0.75])
    """
    order = sorted(range(len(ends)), key=lambda number: (ends[number], -number))
    levels = list(ends)
    above = float("-inf")
    for number in order:
        levels[number] = above = max(ends[number], above + apart)
    below = 1.0 + apart
    for number in reversed(order):
        levels[number] = below = min(levels[number], below - apart)
    return levels
