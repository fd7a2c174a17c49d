"""Speed-up over acceptance rate and draft length, with the best length for each rate."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.chart import chart, marks
from build_scripts.figures.figure import Figure, Provenance
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import Margins
from build_scripts.figures.table import Column, Table
from build_scripts.results import ScenarioResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.85, bottom=0.6, top=0.75, right=1.3)
LENGTHS = range(1, 17)
RATES = tuple(Fraction(tenths, 20) for tenths in (4, 8, 12, 14, 16, 18, 19))
APART = 0.17  # inches between the names of two lines


def figure(home: ScenarioResults) -> Figure:
    """Return what draft lengths gain at the prices of a data file."""
    cost = home.scenario.cost_model
    speedups = {rate: [cost.speedup([rate] * k) for k in LENGTHS] for rate in RATES}
    best = {rate: cost.best_draft_length(rate, LENGTHS[-1]) for rate in RATES}
    inside = {rate: k for rate, k in best.items() if k < LENGTHS[-1]}
    return Figure(
        slug=f"draft-length-{home.slug}",
        kind="draft_length",
        title=_title(best),
        subject=(
            f"Draft step {wording.exact(cost.draft_step)}, checking pass "
            f"{wording.exact(cost.verify_pass)}, in target steps: {home.scenario.title}"
        ),
        alt=(
            f"A line per acceptance rate shows the speed-up for {LENGTHS[0]} to {LENGTHS[-1]} "
            "proposals per round. "
            + " ".join(_seen(rate, speedups[rate], best[rate]) for rate in RATES)
        ),
        caption=(
            f"Speed-up against the number of proposals per round, at the prices of "
            f"{home.called}. The acceptance rates, a line each, are chosen for "
            "illustration, not taken from a draft. A ring marks a line’s best number"
            + ("" if len(inside) == len(RATES) else f", where it is below {LENGTHS[-1]}")
            + ". Below the dashed line, one token at a time is quicker."
        ),
        assumption=(
            "The acceptance rate is the same at every position, whatever was accepted before. In "
            f"target steps, a draft step costs {wording.exact(cost.draft_step)} and the pass that "
            f"checks a round {wording.exact(cost.verify_pass)}, however many proposals it has."
        ),
        omits=(
            "No clock was read. A real draft is usually accepted less often the further it goes "
            "ahead."
        ),
        data={
            "lengths": list(LENGTHS),
            "lines": [
                {
                    "name": f"accepted {wording.exact(rate)}",
                    "speedups": list(map(float, speedups[rate])),
                    "best": inside.get(rate),
                }
                for rate in RATES
            ],
        },
        table=Table(
            (
                Column("acceptance_rate", "Acceptance rate", "exact"),
                Column("proposals", "Proposals", "count"),
                Column("speedup", "Speed-up", "exact"),
                Column("best", "Best of its rate", "text"),
            ),
            (
                (rate, k, speedup, "yes" if best[rate] == k else "no")
                for rate in RATES
                for k, speedup in zip(LENGTHS, speedups[rate], strict=True)
            ),
        ),
        provenance=Provenance(f"data/{home.file_name}", home.sha256, "specdec.cost"),
    )


def _title(best: Mapping[Fraction, int]) -> str:
    """Say on what the best number of proposals depends, or that here it does not."""
    lengths = set(best.values())
    if lengths == {LENGTHS[-1]}:
        return "The more proposals, the faster, at each acceptance rate shown"
    if len(lengths) == 1:
        (only,) = lengths
        return f"At each acceptance rate shown, the best is {wording.count(only, 'proposal')}"
    return "The best number of proposals depends on how often they are accepted"


def _seen(rate: Fraction, speedups: list[Fraction], best: int) -> str:
    return (
        f"At rate {wording.exact(rate)} it is highest with "
        f"{wording.count(best, 'proposal')}, {wording.times(speedups[best - LENGTHS[0]])}."
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the lines.

    Args:
        canvas: empty.
        figure: its data have ``lengths`` and ``lines``, each with ``name``, ``speedups`` and
            ``best``, a length or None.
        palette: its colours.
    """
    data = figure.data
    lengths, lines = data["lengths"], data["lines"]
    height = 3.0
    axes = chart(canvas, figure, height, MARGINS)
    top = max(1.2, max(max(line["speedups"]) for line in lines) * 1.06)
    axes.set_xlim(lengths[0] - 0.3, lengths[-1])
    axes.set_xticks(lengths)
    axes.set_ylim(0, top)
    marks(axes.yaxis, top)
    axes.set_xlabel("proposals per round")
    axes.set_ylabel("speed-up")
    axes.fill_between(
        [lengths[0] - 0.3, lengths[-1]], 0, 1, color=palette.line, alpha=0.45, linewidth=0
    )
    axes.axhline(1, color=palette.muted, linestyle="--", linewidth=1)
    for line in lines:
        axes.plot(lengths, line["speedups"], color=palette.target, linewidth=1.4)
    known = [(line["best"], line["speedups"]) for line in lines if line["best"]]
    axes.plot(
        [best for best, _ in known],
        [speedups[best - lengths[0]] for best, speedups in known],
        "o:", color=palette.draft, markerfacecolor=palette.ground, markersize=7, linewidth=1.2,
        zorder=4,
    )  # fmt: skip
    _name_the_lines(axes, lines, top / height * APART, palette)
    if known:
        _name_the_best(axes, known, lengths, palette)


def _name_the_lines(
    axes: Axes, lines: list[dict[str, Any]], apart: float, palette: Palette
) -> None:
    """Write the name of each line behind its end, moved up where two would meet."""
    above = float("-inf")
    for line in sorted(lines, key=lambda line: float(line["speedups"][-1])):
        end = line["speedups"][-1]
        above = max(end, above + apart)
        axes.annotate(
            line["name"], (axes.get_xlim()[1], above), (6, 0), textcoords="offset points",
            va="center", fontsize=9, color=palette.target, annotation_clip=False,
        )  # fmt: skip


def _name_the_best(
    axes: Axes, known: list[tuple[int, list[float]]], lengths: list[int], palette: Palette
) -> None:
    best, speedups = max(known, key=lambda each: each[1][each[0] - lengths[0]])
    axes.annotate(
        "best", (best, speedups[best - lengths[0]]), (0, 8), textcoords="offset points",
        ha="left" if best == lengths[0] else "center", color=palette.draft_text,
        fontweight="bold", zorder=4,
    )  # fmt: skip
