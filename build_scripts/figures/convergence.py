"""Distance from the target against rounds, a panel per position."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import (
    Margins,
    beside,
    grid_of_panels,
    note,
    panel_name,
    scale_of_rounds,
    under,
)
from build_scripts.figures.table import Column, Table
from build_scripts.profile_results import ProfileResults
from specdec.runs import Point, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.75, bottom=0.55, top=1.15)
EDGE = "0.0001"
LEAST = float(EDGE)
"""The lower edge of the distances: a logarithmic scale has no 0."""

COLUMNS = (
    Column("position", "Position", "count"),
    Column("rounds", "Rounds", "count"),
    Column("reached", "Reached by", "count"),
    Column("distance", "Distance", "exact"),
    Column("expected_distance", "Expected distance", "measured"),
    Column("band_low", "Band from", "measured"),
    Column("band_high", "to", "measured"),
)

ENOUGH = 1000
"""Rounds at a position from which on one may speak of where it ends."""


def figure(this: ProfileResults) -> Figure:
    """Return the convergence of one profile."""
    run = this.run
    every = [point for points in run.series for point in points if point.expected]
    ends = [end for end in run.ends if end and end.expected]
    settled = all(end.reached >= ENOUGH for end in ends)
    return Figure(
        slug=f"convergence-{this.profile.id}",
        kind="convergence",
        title=(
            "Shares of committed tokens converge to the target at each position reached"
            if settled
            else "Distance of the committed tokens from the target"
        ),
        subject=this.profile.title,
        alt=(
            f"{len(run.laws)} panels, one per position of {this.called} and one for the "
            "bonus token. "
        )
        + (_seen(run, every, ends) if ends else "At each, one token is certain or no round comes."),
        caption=(
            f"{this.called}: total variation distance between the shares of the tokens "
            "committed at a position and its target row, against rounds played, both on "
            "logarithmic scales. Dashed: the distance expected of as many independent draws from "
            "the target as rounds reached the position. Grey: where about 95 of 100 such runs "
            f"would be at that moment. At the lower edge the distance is {EDGE} or less, 0 "
            "included."
        ),
        assumption=(
            f"{FIXED_ROWS} One run of {wording.grouped(run.rounds)} rounds with seed {run.seed}; "
            "another seed gives other lines, about as far from the target. The band takes the "
            "deviations as jointly normal and holds at each moment by itself: neighbouring points "
            "share rounds, so a line can stay outside for long."
        ),
        omits=(
            "It is evidence, not proof: a bias much smaller than the distances at the end would "
            "not be seen. It says nothing about time."
        ),
        data={
            "panels": [
                _panel_of(run, number, points) for number, points in enumerate(run.series, start=1)
            ]
        },
        table=Table(
            COLUMNS,
            (
                (
                    number,
                    point.rounds,
                    point.reached,
                    point.distance,
                    point.expected,
                    point.low,
                    point.high,
                )
                for number, points in enumerate(run.series, start=1)
                for point in points
            ),
        ),
        provenance=provenance(this, "specdec.runs", run),
    )


def _seen(run: Run, every: Sequence[Point], ends: Sequence[Point]) -> str:
    """Say what is to be seen where tokens are left to chance."""
    distances = [end.distance for end in ends]
    return (
        "Each shows the distance between the shares of committed tokens and the target, from the "
        "first checkpoint with rounds that reached the position to "
        f"{wording.grouped(run.rounds)} rounds. It falls about as the distance expected of "
        "independent draws from the target does, and is inside the band at "
        f"{sum(point.inside for point in every)} of {len(every)} points. At the end the distances "
        f"are between {wording.decimal(min(distances), 5)} and "
        f"{wording.decimal(max(distances), 5)}."
    )


def _panel_of(run: Run, number: int, points: Sequence[Point]) -> dict[str, Any]:
    """Return what a panel shows, as `draw` takes it."""
    certain = max(run.laws[number - 1].probabilities) == 1
    return {
        "name": panel_name(number, len(run.laws)),
        "note": _note(points, certain),
        "first": run.checkpoints[0],
        "last": run.rounds,
        "rounds": [] if certain else [point.rounds for point in points],
        "distance": [float(point.distance) for point in points],
        "expected": [point.expected for point in points],
        "low": [point.low for point in points],
        "high": [point.high for point in points],
    }


def _note(points: Sequence[Point], certain: bool) -> str:
    if not points:
        return "never reached"
    share = Fraction(points[-1].reached, points[-1].rounds)
    shown = wording.percent(share, 1) if share >= Fraction(1, 1000) else "under 0.1%"
    return f"reached by\n{shown} of rounds" + (
        "\none token is certain:\ndistance 0" if certain else ""
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw a run.

    Args:
        canvas: empty.
        figure: its data have ``panels``, each with ``name`` and ``note``, and per checkpoint
            ``rounds``, ``distance``, ``expected``, ``low`` and ``high``; no ``rounds`` where
            none came, or the law leaves nothing to chance.
        palette: its colours.
    """
    panels = figure.data["panels"]
    places = grid_of_panels(canvas, figure, 1.4, MARGINS)
    _set_scales(places[0], panels[0])  # all panels share them
    for axes, panel in zip(places, panels, strict=True):
        _panel(axes, panel, palette)
    _name_the_lines(canvas, palette)
    under(canvas, "rounds")
    beside(canvas, "distance from the target", MARGINS)


def _set_scales(axes: Axes, panel: dict[str, Any]) -> None:
    from matplotlib.ticker import NullLocator

    scale_of_rounds(axes, panel["first"], panel["last"])
    axes.set_yscale("log")
    axes.set_ylim(LEAST, 1)
    axes.set_yticks([1, 0.1, 0.01, 0.001, LEAST], ["1", "0.1", "0.01", "0.001", EDGE])
    axes.yaxis.set_minor_locator(NullLocator())


def _panel(axes: Axes, panel: dict[str, Any], palette: Palette) -> None:
    axes.set_title(panel["name"])
    if rounds := panel["rounds"]:
        low = [max(LEAST, value) for value in panel["low"]]
        axes.fill_between(rounds, low, panel["high"], color=palette.line, linewidth=0)
        axes.plot(rounds, panel["expected"], color=palette.muted, linestyle="--", linewidth=1.2)
        distance = [max(LEAST, value) for value in panel["distance"]]
        axes.plot(rounds, distance, color=palette.target)
    note(axes, panel["note"], palette)


def _name_the_lines(canvas: Canvas, palette: Palette) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    width, height = canvas.get_size_inches()
    canvas.legend(
        handles=[
            Line2D([], [], color=palette.target, label="measured"),
            Line2D([], [], color=palette.muted, linestyle="--", linewidth=1.2, label="expected"),
            Patch(color=palette.line, label="about 95 runs in 100"),
        ],
        loc="upper left", ncols=3, fontsize=9, handlelength=1.6, columnspacing=1.2,
        bbox_to_anchor=(0.05 / width, 1 - 0.53 / height), borderaxespad=0,
    )  # fmt: skip
