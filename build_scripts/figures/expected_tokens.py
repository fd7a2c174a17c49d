"""E[N] built up: one token is certain, each further one needs all proposals before it accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from build_scripts import wording
from build_scripts.figures.chart import chart, marks
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance
from build_scripts.figures.numerals import both, readings, sequence
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import WIDTH, Margins
from build_scripts.figures.table import Column, Table
from build_scripts.profile_results import ProfileResults

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=1.8, bottom=0.55, top=0.75)
ROW = 0.3  # inches
NUMBER_ROOM = 1.8


def figure(this: ProfileResults) -> Figure:
    """Return the build-up of E[N] of a profile."""
    parts, mean = this.survival, this.report.expected_tokens
    sums = this.build_up
    return Figure(
        slug=f"expected-tokens-{this.profile.id}",
        kind="expected_tokens",
        title="Where the expected tokens of a round come from",
        subject=this.profile.title,
        alt=(
            f"A staircase of bars for {this.called}. The first is 1 token, which is "
            f"certain; each further one is the chance that all proposals up to a position are "
            f"accepted: {sequence(parts[1:])}. Together they are E[N] = "
            f"{both(mean)[0]} of at most {len(parts)} tokens."
        ),
        caption=(
            f"{this.called}: E[N] = 1 + α₁ + α₁α₂ + …, with α the acceptance rates. "
            "Every round commits at least one token, the replacement or the bonus; acceptance of "
            "the proposals up to a position adds one more, so it adds its own probability to the "
            "mean. Each bar begins where the one above ends."
        ),
        assumption=FIXED_ROWS,
        omits="It is a mean over rounds, not what one round does, and says nothing about time.",
        data={
            "names": [_name(position) for position in range(len(parts))],
            "parts": [float(part) for part in parts],
            "ends": [float(end) for end in sums],
            "numbers": [readings(part, wording.exact(part)) for part in parts],
            "mean_number": both(mean),
        },
        table=Table(
            (
                Column("accepted", "Accepted so far", "count"),
                Column("probability", "Adds", "exact"),
                Column("sum", "Sum", "exact"),
            ),
            zip(range(len(parts)), parts, sums, strict=True),
        ),
        provenance=provenance(this, "specdec.expectations"),
    )


def _name(accepted: int) -> str:
    if accepted == 0:
        return "always one"
    return "position 1 accepted" if accepted == 1 else f"positions 1–{accepted} accepted"


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the build-up.

    Args:
        canvas: empty.
        figure: its data have, per part, ``names``, ``parts``, ``ends`` and ``numbers`` (ways to
            write it), and ``mean_number``.
        palette: its colours.
    """
    from build_scripts.figures.text import fitting

    data = figure.data
    rows, total = len(data["parts"]), data["ends"][-1]
    axes = chart(canvas, figure, ROW * (rows + 1), MARGINS)
    axes.set_ylim(rows + 0.5, -0.5)
    axes.set_yticks(range(rows + 1), [*data["names"], "E[N]"])
    axes.get_yticklabels()[-1].set_fontweight("bold")
    inches = WIDTH - MARGINS.left - MARGINS.right
    axes.set_xlim(0, total * inches / (inches - NUMBER_ROOM))  # numbers fit behind the bars
    marks(axes.xaxis, total, whole=True)
    axes.set_xlabel("tokens per round")
    axes.grid(axis="y", visible=False)
    starts = [end - part for end, part in zip(data["ends"], data["parts"], strict=True)]
    axes.barh(
        range(rows), data["parts"], left=starts, height=0.72, color=palette.share,
        edgecolor=palette.target, linewidth=0.9,
    )  # fmt: skip
    axes.barh(rows, total, height=0.72, color=palette.target)
    for row, end in enumerate(data["ends"][:-1]):
        axes.plot([end, end], [row - 0.36, row + 1.36], color=palette.muted, linewidth=0.7)
    numbers = [f"+ {fitting(ways, NUMBER_ROOM - 0.3, 9)}" for ways in data["numbers"]]
    numbers[0] = numbers[0].removeprefix("+ ")
    for row, (end, words) in enumerate(
        zip(
            [*data["ends"], total],
            [*numbers, fitting(data["mean_number"], NUMBER_ROOM - 0.25, 9)],
            strict=True,
        )
    ):
        axes.annotate(
            words, (end, row), (5, 0), textcoords="offset points", va="center", fontsize=9,
            fontweight="bold" if row == rows else "normal",
        )  # fmt: skip
