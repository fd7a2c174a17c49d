"""The acceptance rate of each position, and how often a round gets past it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from build_scripts import wording
from build_scripts.figures.chart import chart, write_over_bars
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance
from build_scripts.figures.numerals import readings, sequence
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import Margins, legend_below
from build_scripts.figures.table import Column, Table
from build_scripts.profile_results import ProfileResults

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.65, bottom=0.85, top=0.75)
BAR = 0.62  # of the room of a position


def figure(this: ProfileResults) -> Figure:
    """Return the acceptance rates of a profile."""
    rates, passed = this.report.acceptance_rates, this.survival[1:]
    return Figure(
        slug=f"acceptance-{this.profile.id}",
        kind="acceptance",
        title="How often a proposal is accepted, position by position",
        subject=this.profile.title,
        alt=(
            f"Bars for {wording.count(this.k, 'position')} of {this.called}: acceptance "
            f"rates {sequence(rates)}. A line of dots that never rises shows how often a round "
            f"gets past each: {sequence(passed)}."
        ),
        caption=(
            f"{this.called}: bars are acceptance rates, Σ min(target, draft) of a "
            "position, the chance that a proposal which is checked is accepted, averaged over what "
            "the draft may propose. Dots are products of the rates up to a position: how often all "
            "proposals so far are accepted."
        ),
        assumption=FIXED_ROWS,
        omits="It does not show which tokens are accepted, nor what a proposal costs.",
        data={
            "rates": [float(rate) for rate in rates],
            "passed": [float(chance) for chance in passed],
            "numbers": [readings(rate, wording.exact(rate)) for rate in rates],
        },
        table=Table(
            (
                Column("position", "Position", "count"),
                Column("acceptance_rate", "Acceptance rate", "exact"),
                Column("all_accepted", "All accepted so far", "exact"),
            ),
            zip(range(1, this.k + 1), rates, passed, strict=True),
        ),
        provenance=provenance(this, "specdec.verification"),
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the rates.

    Args:
        canvas: empty.
        figure: its data have ``rates`` and ``passed``, and ``numbers``, ways to write the rates.
        palette: its colours.
    """
    data = figure.data
    places = list(range(1, len(data["rates"]) + 1))
    axes = chart(canvas, figure, 2.2, MARGINS)
    axes.set_xlim(0.4, len(places) + 0.6)
    axes.set_xticks(places)
    axes.set_xlabel("position")
    axes.set_ylim(0, 1.12)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "1/4", "1/2", "3/4", "1"])
    axes.set_ylabel("probability")
    axes.grid(axis="x", visible=False)
    bars = axes.bar(
        places, data["rates"], width=BAR, color=palette.share, edgecolor=palette.target,
        linewidth=0.9,
    )  # fmt: skip
    (line,) = axes.plot(
        places, data["passed"], "o--", color=palette.draft, markersize=5.5, linewidth=1.2,
        zorder=3, clip_on=False,
    )  # fmt: skip
    write_over_bars(axes, data["rates"], data["numbers"], palette)
    legend_below(canvas, [bars[0], line], ["accepted, if checked", "all accepted so far"])
