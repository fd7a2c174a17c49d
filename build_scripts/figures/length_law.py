"""How many tokens a round commits: the law of N."""

from __future__ import annotations

from typing import TYPE_CHECKING

from build_scripts import wording
from build_scripts.figures.chart import chart, marks, write_over_bars
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance
from build_scripts.figures.numerals import both, readings, sequence
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import Margins
from build_scripts.figures.table import Column, Table
from build_scripts.profile_results import ProfileResults

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.65, bottom=0.75, top=0.75)
BAR = 0.7


def figure(this: ProfileResults) -> Figure:
    """Return the law of N of a profile."""
    law, mean = this.report.committed_length_law, this.report.expected_tokens
    return Figure(
        slug=f"tokens-per-round-{this.profile.id}",
        kind="length_law",
        title=f"A round commits {wording.near(mean)} {wording.unit(mean, 'token')} on average",
        subject=this.profile.title,
        alt=(
            f"Bars for N = 1 to {len(law)} tokens per round of {this.called}, with "
            f"probabilities {sequence(law)}. A dashed line marks the mean, "
            f"{both(mean)[0]}."
        ),
        caption=(
            f"{this.called}: the probability that a round commits N tokens. A round that "
            "stops at a rejection commits what it accepted and the replacement; only the last bar "
            "ends with the bonus token. Dashed: the mean, E[N]."
        ),
        assumption=FIXED_ROWS,
        omits="It says nothing about time: what a round costs is not in it.",
        data={
            "law": [float(chance) for chance in law],
            "numbers": [readings(chance, wording.exact(chance)) for chance in law],
            "mean": float(mean),
            "mean_number": both(mean),
        },
        table=Table(
            (
                Column("tokens", "Tokens N", "count"),
                Column("probability", "P(N)", "exact"),
            ),
            enumerate(law, start=1),
        ),
        provenance=provenance(this, "specdec.expectations"),
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the law.

    Args:
        canvas: empty.
        figure: its data have ``law``, ``numbers`` (ways to write its chances), ``mean`` and
            ``mean_number``.
        palette: its colours.
    """
    from build_scripts.figures.text import fitting

    data = figure.data
    places = list(range(1, len(data["law"]) + 1))
    axes = chart(canvas, figure, 2.3, MARGINS)
    highest = max(data["law"])
    axes.set_xlim(0.4, len(places) + 0.6)
    axes.set_xticks(places, [*map(str, places[:-1]), f"{places[-1]}\nwith bonus"])
    axes.set_xlabel("tokens committed by a round, N", labelpad=-4)
    axes.set_ylim(0, highest * 1.34)
    marks(axes.yaxis, highest)
    axes.set_ylabel("probability")
    axes.grid(axis="x", visible=False)
    bars = axes.bar(
        places, data["law"], width=BAR, color=palette.share, edgecolor=palette.target, linewidth=0.9
    )
    bars[-1].set_hatch("////")
    write_over_bars(axes, data["law"], data["numbers"], palette)
    mean, last = data["mean"], len(places)
    axes.plot([mean, mean], [0, highest * 1.2], color=palette.draft, linestyle="--", linewidth=1.4)
    axes.annotate(
        f"E[N] = {fitting(data['mean_number'], 2.2, 10)}".replace("= ≈", "≈"),
        (mean, highest * 1.22), ha="left" if mean < last / 2 else "right", va="bottom",
        color=palette.draft_text, fontweight="bold",
    )  # fmt: skip
