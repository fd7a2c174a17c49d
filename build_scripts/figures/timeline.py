"""One round in time, beside the target alone making as many tokens."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.chart import chart, marks
from build_scripts.figures.figure import FIXED_ROWS, THIS_ROUND, Figure, provenance
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import WIDTH, Margins, legend_below
from build_scripts.figures.table import Cell, Column, Table
from build_scripts.profile_results import ProfileResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=1.35, bottom=0.85, top=0.75, right=0.25)
HEIGHT = 0.62
WORD_SIZE = 8.5


def figure(this: ProfileResults) -> Figure:
    """Return the round of a profile in time."""
    tokens = this.report.round.committed
    cost, model = this.report.round_cost, this.scenario.cost_model
    return Figure(
        slug=f"timeline-{this.profile.id}",
        kind="timeline",
        title=(
            f"This round: {wording.count(len(tokens), 'token')} in "
            f"{wording.rounded(cost)} {wording.unit(cost, 'target step')} instead of {len(tokens)}"
        ),
        subject=this.profile.title,
        alt=(
            f"Two rows of boxes over time for {this.called}. Above, one at a time: "
            f"{wording.count(len(tokens), 'target step')} of length 1, each making one token. "
            f"Below, the round: {wording.count(this.k, 'draft step')} of length "
            f"{wording.exact(model.draft_step)}, then one checking pass of length "
            f"{wording.exact(model.verify_pass)}, at whose end "
            f"{wording.every(len(tokens), 'token')} {'is' if len(tokens) == 1 else 'are'} "
            f"committed, after {wording.exact(cost)} {wording.unit(cost, 'target step')}."
        ),
        caption=(
            f"{this.called}: time from left to right, in ordinary target steps. Above, "
            "the target alone; below, the round shown on the profile’s page, whose tokens all "
            f"come at the end of its one pass. A round of this profile is worth a speed-up of "
            f"{wording.times(this.report.speedup)} on average; this one alone, "
            f"{wording.times(model.round_speedup(len(tokens), this.k))}."
        ),
        assumption=(
            f"{FIXED_ROWS} {THIS_ROUND} In target steps, a draft step costs "
            f"{wording.exact(model.draft_step)} and the checking pass "
            f"{wording.exact(model.verify_pass)}, however many positions it scores."
        ),
        omits=(
            "One round is no average. It does not show that the pass computes more than a step "
            f"does: {wording.count(this.k + 1, 'position')} instead of one."
        ),
        data={
            "tokens": list(map(str, tokens)),
            "draft_steps": this.k,
            "draft_step": float(model.draft_step),
            "verify_pass": float(model.verify_pass),
            "cost": float(cost),
        },
        table=Table(
            (
                Column("way", "Way", "text"),
                Column("step", "Step", "text"),
                Column("start", "From", "exact"),
                Column("end", "To", "exact"),
                Column("tokens", "Tokens made", "text"),
            ),
            [*_alone(this), *_in_a_round(this)],
        ),
        provenance=provenance(this, "specdec.cost"),
    )


def _alone(this: ProfileResults) -> Iterator[tuple[Cell, ...]]:
    for number, token in enumerate(this.report.round.committed):
        yield "one at a time", "target step", Fraction(number), Fraction(number + 1), str(token)


def _in_a_round(this: ProfileResults) -> Iterator[tuple[Cell, ...]]:
    *drafts, check = this.round_steps
    for step in drafts:
        yield "speculative", step.name, step.start, step.end, None
    made = " ".join(map(str, this.report.round.committed))
    yield "speculative", check.name, check.start, check.end, made


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw both rows.

    Args:
        canvas: empty.
        figure: its data have ``tokens``, ``draft_steps`` (how many), the prices ``draft_step``
            and ``verify_pass``, and ``cost``, of the round.
        palette: its colours.
    """
    data = figure.data
    axes = chart(canvas, figure, 1.7, MARGINS)
    last = max(len(data["tokens"]), data["cost"])
    axes.set_xlim(0, last * 1.02)
    axes.set_ylim(1.7, -0.5)
    axes.set_yticks([0, 1], ["one at a time", "speculative"])
    axes.set_xlabel("time, in target steps")
    marks(axes.xaxis, last, most=14, whole=True)
    axes.grid(axis="y", visible=False)
    inches = (WIDTH - MARGINS.left - MARGINS.right) / (last * 1.02)
    _steps_alone(axes, data["tokens"], inches, palette)
    _round(axes, data, inches, palette)
    _name_the_boxes(canvas, palette)


def _steps_alone(axes: Axes, tokens: list[str], inches: float, palette: Palette) -> None:
    from build_scripts.figures.text import label

    for number, token in enumerate(tokens):
        axes.barh(
            0, 1, left=number, height=HEIGHT, color=palette.share, edgecolor=palette.target,
            linewidth=1,
        )  # fmt: skip
        axes.text(
            number + 0.5, 0, label(token, inches - 0.1, WORD_SIZE), ha="center", va="center",
            fontsize=WORD_SIZE,
        )  # fmt: skip


def _round(axes: Axes, data: dict[str, Any], inches: float, palette: Palette) -> None:
    from build_scripts.figures.text import label

    drafted = data["draft_steps"] * data["draft_step"]
    for number in range(data["draft_steps"] if data["draft_step"] else 0):
        axes.barh(
            1, data["draft_step"], left=number * data["draft_step"], height=HEIGHT,
            color=palette.ground, edgecolor=palette.draft, hatch="/////", linewidth=1,
        )  # fmt: skip
    axes.barh(
        1, data["verify_pass"], left=drafted, height=HEIGHT, color=palette.share,
        edgecolor=palette.target, linewidth=1.8,
    )  # fmt: skip
    axes.text(
        drafted + data["verify_pass"] / 2, 1,
        label("checking pass", data["verify_pass"] * inches - 0.05, WORD_SIZE), ha="center",
        va="center", fontsize=WORD_SIZE,
    )  # fmt: skip
    axes.plot([data["cost"], data["cost"]], [1, 1.5], color=palette.kept, linewidth=1.2)
    right = data["cost"] * inches > (WIDTH - MARGINS.left) / 2
    made = label(" · ".join(data["tokens"]), (WIDTH - MARGINS.left) / 2, WORD_SIZE)
    axes.annotate(
        f"committed: {made}", (data["cost"], 1.5), (-4 if right else 4, 0),
        textcoords="offset points", ha="right" if right else "left", va="center",
        fontsize=WORD_SIZE, color=palette.kept,
    )  # fmt: skip


def _name_the_boxes(canvas: Canvas, palette: Palette) -> None:
    from matplotlib.patches import Patch

    signs = [
        Patch(facecolor=palette.share, edgecolor=palette.target),
        Patch(facecolor=palette.ground, edgecolor=palette.draft, hatch="/////"),
    ]
    legend_below(canvas, signs, ["pass of the target", "draft step"])
