"""Shares of the committed tokens beside the target, a panel per position."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import note, panel_name
from build_scripts.figures.table import Column, Table
from build_scripts.figures.token_rows import MARGINS, grid_of_tokens, key, left_out, likeliest
from build_scripts.profile_results import ProfileResults
from build_scripts.sampled import FEW_ROUNDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def figure(this: ProfileResults) -> Figure:
    """Return the histograms of one profile."""
    run, tokens = this.run, this.scenario.vocabulary
    shown = likeliest(law.probabilities for law in run.laws)
    few, many = run.shares(FEW_ROUNDS), run.shares(run.rounds)
    began = sum(run.counts[run.checkpoints.index(FEW_ROUNDS)][-1])
    gap = Fraction(ceil(run.largest_gap * 10_000), 10_000)  # up: no dot is farther
    return Figure(
        slug=f"histograms-{this.profile.id}",
        kind="histogram",
        title="Histogram of the committed tokens, beside the target",
        subject=this.profile.title,
        alt=(
            f"{len(run.laws)} panels, one per position of {this.called} and one for the "
            "bonus token. In each, a bar per token shows the target; a diamond shows the token’s "
            f"share of what was committed there after {FEW_ROUNDS} rounds, a dot the share after "
            f"{wording.grouped(run.rounds)} rounds. No dot is farther than "
            f"{wording.decimal(gap, 4)} from the end of its bar."
        ),
        caption=(
            f"{this.called}: bars are the target row of a position; marks are the shares "
            f"of the tokens committed there, replacements included, after {FEW_ROUNDS} rounds "
            f"(diamonds) and after {wording.grouped(run.rounds)} (dots). Of the first "
            f"{FEW_ROUNDS}, {wording.number(began) if began else 'none'} reached the bonus "
            f"token.{left_out(shown, tokens)}"
        ),
        assumption=(
            f"{FIXED_ROWS} One run of {wording.grouped(run.rounds)} rounds with seed {run.seed}; "
            f"the first {FEW_ROUNDS} are its beginning. Another seed gives other marks, about as "
            "far from the bars."
        ),
        omits=(
            "Counts come close to the target; they do not prove that the rule is exact, which an "
            "identity does."
        ),
        data={
            "tokens": [str(tokens[place]) for place in shown],
            "few": f"after {FEW_ROUNDS} rounds",
            "many": f"after {wording.grouped(run.rounds)} rounds",
            "panels": [
                {
                    "name": panel_name(number, len(run.laws)),
                    "target": [float(law.probabilities[place]) for place in shown],
                    "few": [float(few[number - 1][place]) for place in shown if few[number - 1]],
                    "many": [float(many[number - 1][place]) for place in shown if many[number - 1]],
                }
                for number, law in enumerate(run.laws, start=1)
            ],
        },
        table=Table(
            (
                Column("position", "Position", "count"),
                Column("token", "Token", "text"),
                Column("target", "Target", "exact"),
                Column("share_few", f"Share after {FEW_ROUNDS}", "exact"),
                Column("share_many", f"Share after {wording.grouped(run.rounds)}", "exact"),
            ),
            (
                (
                    number + 1,
                    str(tokens[place]),
                    law.probabilities[place],
                    few[number][place] if few[number] else None,
                    many[number][place] if many[number] else None,
                )
                for number, law in enumerate(run.laws)
                for place in shown
            ),
        ),
        provenance=provenance(this, "specdec.runs", run),
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the histograms.

    Args:
        canvas: empty.
        figure: its data have ``tokens``, ``few`` and ``many`` (what the marks stand for)
            and ``panels``, each with ``name``, ``target`` and the shares ``few`` and ``many``.
        palette: its colours.
    """
    data = figure.data
    places = grid_of_tokens(canvas, figure, 0.21, MARGINS)
    places[0].set_xlim(0, 1)  # all panels share it
    places[0].set_xticks([0, 0.5, 1], ["0", "1/2", "1"])
    for axes, panel in zip(places, data["panels"], strict=True):
        _panel(axes, panel, data, palette)
    signs, names = places[0].get_legend_handles_labels()
    key(canvas, signs, names, "share of the tokens committed there")


def _panel(axes: Axes, panel: dict[str, Any], data: dict[str, Any], palette: Palette) -> None:
    places = list(range(len(panel["target"])))
    axes.set_title(panel["name"])
    axes.tick_params(axis="y", pad=7)  # room for marks at 0
    axes.barh(
        places, panel["target"], height=0.72, color=palette.share, edgecolor=palette.target,
        linewidth=0.8, label="target",
    )  # fmt: skip
    for which, marker, size, face in (
        ("few", "D", 4.5, palette.ground),
        ("many", "o", 4.5, palette.text),
    ):
        shares = panel[which]
        axes.plot(
            shares, places if shares else [], marker, markersize=size, markerfacecolor=face,
            markeredgecolor=palette.text, markeredgewidth=0.9, clip_on=False, label=data[which],
        )  # fmt: skip
    if not panel["many"]:
        note(axes, "never reached", palette)
