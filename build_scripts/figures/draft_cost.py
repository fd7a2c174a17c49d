"""Speed-up against the price of a draft step, with the price at which nothing is gained."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from build_scripts import wording
from build_scripts.figures.chart import chart, marks
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance
from build_scripts.figures.numerals import both
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import WIDTH, Margins
from build_scripts.figures.table import Column, Table
from build_scripts.profile_results import ProfileResults
from specdec.cost import CostModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARGINS = Margins(left=0.85, bottom=0.6, top=0.75, right=0.35)
HEIGHT = 2.5
STEPS = 40


def figure(this: ProfileResults) -> Figure:
    """Return what a profile gains at each price of a draft step."""
    cost, rates = this.scenario.cost_model, this.report.acceptance_rates
    even, speedup = this.break_even_draft_step, this.report.speedup
    last = _round_up(max(even * Fraction(3, 2), cost.draft_step * Fraction(3, 2)))
    prices = _prices(last, this.k, cost, {cost.draft_step, max(even, Fraction(0))})
    models = [CostModel(price, cost.verify_pass) for price in prices]
    speedups = [model.speedup(rates) for model in models]
    exact = wording.exact(even)
    below = exact if len(exact) <= 5 else f"about {wording.near(even, 3)}"
    unit = wording.unit(even, "target step")
    return Figure(
        slug=f"draft-cost-{this.profile.id}",
        kind="draft_cost",
        title=(
            f"With k = {this.k}, speculation pays up to {below} {unit} per draft step"
            if even > 0
            else f"With k = {this.k}, speculation pays at no price of a draft step"
        ),
        subject=this.profile.title,
        alt=(
            f"A falling curve for {this.called}: the speed-up is "
            f"{wording.times(speedups[0])} if drafting is free and "
            f"{wording.times(speedups[-1])} if a draft step costs {wording.exact(last)} in target "
            f"steps. At the assumed price of {wording.exact(cost.draft_step)} it is "
            f"{wording.times(speedup)}. "
            + (
                f"It is 1, no gain, at a price of {below}."
                if even > 0
                else "It is at most 1 everywhere: this draft never pays."
            )
        ),
        caption=(
            f"{this.called}: speed-up E[N] / (kc + v) against the price c of a draft "
            f"step, in target steps, with k = {this.k} proposals. The dot is the price assumed "
            "on this site. Below the dashed line, generating one token at a time is quicker."
        ),
        assumption=(
            f"{FIXED_ROWS} The pass that checks a round costs "
            f"v = {wording.exact(cost.verify_pass)}, in target steps, whatever k is."
        ),
        omits=(
            "No clock was read. The acceptance rates stay the same at every price, though a dearer "
            "draft would usually agree more often; with fewer proposals it may pay at higher "
            "prices."
        ),
        data={
            "prices": list(map(float, prices)),
            "speedups": list(map(float, speedups)),
            "even": float(even) if even > 0 else None,
            "even_number": both(even, 3),
            "price": float(cost.draft_step),
            "speedup": float(speedup),
            "speedup_number": wording.times(speedup),
        },
        table=Table(
            (
                Column("draft_step", "Price of a draft step c", "exact"),
                Column("round_cost", "Cost of a round", "exact"),
                Column("speedup", "Speed-up", "exact"),
            ),
            (
                (price, model.round_cost(this.k), gained)
                for price, model, gained in zip(prices, models, speedups, strict=True)
            ),
        ),
        provenance=provenance(this, "specdec.cost"),
    )


def _prices(last: Fraction, k: int, cost: CostModel, named: set[Fraction]) -> list[Fraction]:
    """Return prices from 0 to ``last`` that are close enough for a line through the speed-ups.

    In even steps, but so that from one to the next a round gets dearer by an eighth at most: near 0
    the curve may be steep. Prices that are ``named`` are among them.
    """
    even = {last * Fraction(step, STEPS) for step in range(STEPS + 1)}
    prices = [Fraction(0)]
    for price in sorted(even | named):
        while (dearer := (prices[-1] + cost.verify_pass / k) / 8) < price - prices[-1]:
            prices.append(prices[-1] + dearer)
        prices.append(price)
    return prices[1:]


def _round_up(value: Fraction) -> Fraction:
    """Return the next number of the series …, 1/10, 1/5, 1/2, 1, 2, 5, 10, …; 1/10 at least."""
    unit = Fraction(1, 10)
    while True:
        for step in (1, 2, 5):
            if value <= unit * step:
                return unit * step
        unit *= 10


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the curve.

    Args:
        canvas: empty.
        figure: its data have ``prices`` and ``speedups``; ``even``, the price that gains nothing,
            or None; ``price`` and ``speedup``, those assumed; and how to write these three.
        palette: its colours.
    """
    data = figure.data
    axes = chart(canvas, figure, HEIGHT, MARGINS)
    top = max(1.15, max(data["speedups"]) * 1.1)
    axes.set_xlim(0, data["prices"][-1])
    axes.set_ylim(0, top)
    marks(axes.xaxis, data["prices"][-1])
    marks(axes.yaxis, top)
    axes.set_xlabel("price of a draft step, in target steps")
    axes.set_ylabel("speed-up")
    axes.fill_between([0, data["prices"][-1]], 0, 1, color=palette.line, alpha=0.45, linewidth=0)
    axes.axhline(1, color=palette.muted, linestyle="--", linewidth=1)
    axes.annotate(
        "slower than one at a time", (0, 0), (8, 8), textcoords="offset points",
        color=palette.muted, fontsize=9,
    )  # fmt: skip
    axes.plot(data["prices"], data["speedups"], color=palette.target)
    if data["even"] is not None:
        _mark_even(axes, data, palette)
    axes.plot(
        [data["price"]], [data["speedup"]], "o", color=palette.draft, markersize=7, zorder=4,
        clip_on=False,
    )  # fmt: skip
    axes.annotate(
        f"assumed here: {data['speedup_number']}", (data["price"], data["speedup"]),
        (8, 6 if abs(data["speedup"] - 1) / top * HEIGHT > 0.3 else 26),  # clear of "no gain"
        textcoords="offset points", color=palette.draft_text, fontweight="bold", zorder=4,
    )  # fmt: skip


def _mark_even(axes: Axes, data: dict[str, object], palette: Palette) -> None:
    from build_scripts.figures.text import fitting

    even, ways = data["even"], data["even_number"]
    assert isinstance(even, float)
    assert isinstance(ways, list)
    axes.plot([even], [1], "D", color=palette.rejected, markersize=6, zorder=4)
    behind = (1 - even / axes.get_xlim()[1]) * (WIDTH - MARGINS.left - MARGINS.right)
    axes.annotate(
        f"no gain at {fitting(ways, behind - 1.2, 10)}", (even, 1), (4, 8),
        textcoords="offset points", color=palette.rejected, fontweight="bold", zorder=4,
    )  # fmt: skip
