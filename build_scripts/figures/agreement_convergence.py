"""How far the random profiles are from the target, relative to what is expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance_of_random
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import (
    Margins,
    beside,
    grid_of_panels,
    note,
    scale_of_rounds,
    under,
)
from build_scripts.figures.table import Column, Table
from build_scripts.sampled import AgreementResults
from specdec.agreement import AGREEMENT_SEED
from specdec.runs import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.6, bottom=0.55)

FEWEST_REACHED = 30
"""Below, the band's normal approximation is rough, and the ratio says little."""


def figure(profiles: Sequence[AgreementResults]) -> Figure:
    """Return the convergence of the random profiles."""
    rounds, seed = profiles[0].run.rounds, profiles[0].run.seed
    panels = [_panel_of(each) for each in profiles]
    lines = [line["ratio"] for panel in panels for line in panel["lines"]]
    ends = [ratios[-1] for ratios in lines]
    return Figure(
        slug="agreement-convergence",
        kind="agreement_convergence",
        title="Close draft or far, the distance from the target is of the size chance explains",
        subject=(
            f"{wording.capitalised(wording.number(len(panels)))} random profiles: measured ÷ "
            "expected distance, a line per position"
        ),
        alt=(
            f"{len(panels)} panels, one per random profile, from the closest draft to the "
            f"farthest. In each, a line for every position that at least {FEWEST_REACHED} rounds "
            f"reached shows the distance between the shares of committed tokens and the target, "
            f"divided by its expected value, up to {wording.grouped(rounds)} rounds. The lines "
            f"wander around 1 and reach at most {wording.decimal(max(map(max, lines)))}; at the "
            f"end they are between {wording.decimal(min(ends))} and {wording.decimal(max(ends))}."
        ),
        caption=(
            f"{wording.capitalised(wording.number(len(panels)))} random profiles. A line for every "
            f"position that at least {FEWEST_REACHED} rounds reached, the bonus token’s included: "
            "total variation distance from the target, divided by the distance expected of as many "
            "independent draws from it. The line of a rule that commits another distribution would "
            "in the end rise as the square root of the rounds; these wander. They begin where "
            f"{FEWEST_REACHED} rounds have reached the position."
        ),
        assumption=(
            f"{FIXED_ROWS} The profiles were drawn with seed {AGREEMENT_SEED}; one run of each, "
            f"all with seed {seed}, so the runs are not independent."
        ),
        omits=(
            "It is evidence, not proof: a bias much smaller than the distances at the end would "
            "not be seen."
        ),
        data={
            "first": FEWEST_REACHED,
            "last": rounds,
            "panels": panels,
        },
        table=Table(
            (
                Column("profile", "Profile", "count"),
                Column("position", "Position", "count"),
                Column("rounds", "Rounds", "count"),
                Column("distance", "Distance", "exact"),
                Column("expected_distance", "Expected distance", "measured"),
                Column("ratio", "Measured ÷ expected", "measured"),
            ),
            (
                (
                    each.profile.number,
                    number,
                    point.rounds,
                    point.distance,
                    point.expected,
                    point.ratio,
                )
                for each in profiles
                for number, points in _known(each).items()
                for point in points
            ),
        ),
        provenance=provenance_of_random("specdec.runs", profiles[0].run),
    )


def _known(each: AgreementResults) -> dict[int, list[Point]]:
    """Return the points that are drawn, by position, where there are any."""
    known = {
        number: [point for point in points if point.reached >= FEWEST_REACHED and point.expected]
        for number, points in enumerate(each.run.series, start=1)
    }
    return {number: points for number, points in known.items() if points}


def _panel_of(each: AgreementResults) -> dict[str, Any]:
    lines = [
        {
            "rounds": [point.rounds for point in points],
            "ratio": [point.ratio for point in points],
        }
        for points in _known(each).values()
    ]
    return {
        "name": f"Profile {each.profile.number}",
        "note": f"mean rate {wording.exact(each.mean_rate)}",
        "lines": lines,
    }


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the ratios.

    Args:
        canvas: empty.
        figure: its data have ``first`` and ``last`` (rounds), and ``panels``, each with
            ``name``, ``note`` and ``lines`` of ``rounds`` and ``ratio``.
        palette: its colours.
    """
    data, panels = figure.data, figure.data["panels"]
    places = grid_of_panels(canvas, figure, 1.0, MARGINS)
    scale_of_rounds(places[0], data["first"], data["last"])  # all panels share their scales
    places[0].set_ylim(0, 5)
    places[0].set_yticks([0, 1, 2, 3, 4])
    for axes, panel in zip(places, panels, strict=True):
        _panel(axes, panel, palette)
    under(canvas, "rounds")
    beside(canvas, "measured ÷ expected distance", MARGINS)


def _panel(axes: Axes, panel: dict[str, Any], palette: Palette) -> None:
    axes.set_title(panel["name"])
    axes.axhline(1, color=palette.muted, linewidth=1, linestyle="--")
    for line in panel["lines"]:
        axes.plot(line["rounds"], line["ratio"], color=palette.target, linewidth=1, alpha=0.75)
    note(axes, panel["note"], palette)
