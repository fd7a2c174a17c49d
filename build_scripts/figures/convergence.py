"""Distance from the target against rounds, a panel per position."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import Figure
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import (
    Margins,
    beside,
    grid_of_panels,
    note,
    scale_of_rounds,
    under,
)
from build_scripts.profile_results import ProfileResults
from specdec.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.75, bottom=0.55, top=1.15)
LEAST = 1e-4
"""The lower edge of the distances: a logarithmic scale has no 0."""


def figure(this: ProfileResults) -> Figure:
    """Return the convergence of one profile."""
    run = this.run
    panels = panels_of(run)
    ends = [end.distance for end in run.ends if end]
    points = [point for number in range(1, len(panels) + 1) for point in run.series(number)]
    inside = sum(point.low <= point.distance <= point.high for point in points)
    return Figure(
        slug=f"convergence-{this.profile.id}",
        kind="convergence",
        title="Committed tokens converge to the target at every position that is reached",
        subject=this.profile.title,
        alt=(
            f"{len(panels)} panels, one per position of “{this.profile.title}” and one for the "
            f"bonus token. Each shows the distance between the shares of committed tokens and the "
            f"target, from the first checkpoint with rounds that reached the position to "
            f"{run.rounds:,} rounds. It falls about as the distance expected of independent draws "
            f"from the target does, and is inside the band at {inside} of {len(points)} points. At "
            f"the end the distances are between {wording.decimal(min(ends), 5)} and "
            f"{wording.decimal(max(ends), 5)}."
        ),
        caption=(
            f"“{this.profile.title}”: total variation distance between the shares of the tokens "
            f"committed at a position and its target row, against rounds played, both on "
            f"logarithmic scales. Dashed: the distance expected of as many independent draws from "
            f"the target as rounds reached the position. Grey: where about 95 of 100 such runs "
            f"would be at that moment. At the lower edge the distance is {LEAST:.4f} or less, 0 "
            f"included. One run with seed {run.seed}."
        ),
        data={"panels": panels},
    )


def panels_of(run: Run) -> list[dict[str, Any]]:
    """Return what each panel shows, as `draw` takes it."""
    panels = []
    for position, law in enumerate(run.laws, start=1):
        points = run.series(position)
        reached = wording.percent(Fraction(points[-1].reached, run.rounds), 1) if points else ""
        panels.append(
            {
                "name": f"Position {position}" if position < len(run.laws) else "Bonus token",
                "reached": f"reached by\n{reached} of rounds" if points else "never reached",
                "certain": max(law.probabilities) == 1,
                "first": run.checkpoints[0],
                "last": run.rounds,
                "rounds": [point.rounds for point in points],
                "distance": [float(point.distance) for point in points],
                "expected": [point.expected for point in points],
                "low": [point.low for point in points],
                "high": [point.high for point in points],
            }
        )
    return panels


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw a run.

    Args:
        canvas: empty.
        figure: its data have ``panels``, each with ``name`` and ``reached``, and per
            checkpoint ``rounds``, ``distance``, ``expected``, ``low`` and ``high``; no checkpoint
            where no round came, and ``certain`` where the law leaves nothing to chance.
        palette: its colours.
    """
    panels = figure.data["panels"]
    places = grid_of_panels(canvas, (figure.title, figure.subject), len(panels), 1.4, MARGINS)
    _set_scales(places[0], panels[0])  # all panels share them
    for axes, panel in zip(places, panels, strict=True):
        _panel(axes, panel, palette)
    _name_the_lines(canvas, palette)
    under(canvas, "rounds")
    beside(canvas, "distance from the target")


def _set_scales(axes: Axes, panel: dict[str, Any]) -> None:
    from matplotlib.ticker import NullLocator

    scale_of_rounds(axes, panel["first"], panel["last"])
    axes.set_yscale("log")
    axes.set_ylim(LEAST, 1)
    axes.set_yticks([1, 0.1, 0.01, 0.001, 0.0001], ["1", "0.1", "0.01", "0.001", "0.0001"])
    axes.yaxis.set_minor_locator(NullLocator())


def _panel(axes: Axes, panel: dict[str, Any], palette: Palette) -> None:
    axes.set_title(panel["name"])
    words = panel["reached"]
    if panel["certain"]:
        words += "\none token is certain:\ndistance 0"
    elif panel["rounds"]:
        rounds = panel["rounds"]
        low = [max(LEAST, value) for value in panel["low"]]
        axes.fill_between(rounds, low, panel["high"], color=palette.line, linewidth=0)
        axes.plot(rounds, panel["expected"], color=palette.muted, linestyle="--", linewidth=1.2)
        distance = [max(LEAST, value) for value in panel["distance"]]
        axes.plot(rounds, distance, color=palette.target)
    note(axes, words, palette)


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
