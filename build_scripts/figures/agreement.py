"""The random profiles from close to far: acceptance rates, and expected tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, Figure, provenance_of_random
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import set_title
from build_scripts.figures.table import Column, Table
from build_scripts.sampled import AgreementResults
from specdec.agreement import AGREEMENT_SEED

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


def figure(profiles: Sequence[AgreementResults]) -> Figure:
    """Return what agreement is worth."""
    first, last = profiles[0], profiles[-1]
    return Figure(
        slug="agreement",
        kind="agreement",
        title="From a close draft to a far one, a round commits fewer tokens on average",
        subject=f"{wording.capitalised(wording.number(len(profiles)))} random profiles",
        alt=(
            f"Two charts over the {wording.number(len(profiles))} random profiles, from the "
            "closest to the farthest. Above, the acceptance rate of each position as a dot: on "
            f"average {wording.exact(first.mean_rate)} for the first and "
            f"{wording.exact(last.mean_rate)} for the last. Below, the expected tokens per round "
            f"as bars: from {wording.decimal(first.expected_tokens)} down to "
            f"{wording.decimal(last.expected_tokens)}, never below 1."
        ),
        caption=(
            f"{wording.capitalised(wording.number(len(profiles)))} random targets and drafts in "
            f"eighths, {wording.number(len(first.rates))} positions each, drawn with seed "
            f"{AGREEMENT_SEED} from nearly identical to nearly disjoint. Above: the acceptance "
            "rate of each position, dots, from left to right, and their mean, line. Below: E[N], "
            "the expected tokens per round, computed from the rates."
        ),
        assumption=FIXED_ROWS,
        omits="It says nothing about time: the price of the draft is not in it.",
        data={
            "rates": [[float(rate) for rate in each.rates] for each in profiles],
            "means": [float(each.mean_rate) for each in profiles],
            "tokens": [float(each.expected_tokens) for each in profiles],
            "labels": [wording.decimal(each.expected_tokens) for each in profiles],
        },
        table=Table(
            (
                Column("profile", "Profile", "count"),
                *(
                    Column(f"rate_{number}", f"Rate at {number}", "exact")
                    for number in range(1, len(first.rates) + 1)
                ),
                Column("mean_rate", "Mean rate", "exact"),
                Column("expected_tokens", "E[N]", "exact"),
            ),
            (
                (each.profile.number, *each.rates, each.mean_rate, each.expected_tokens)
                for each in profiles
            ),
        ),
        provenance=provenance_of_random("specdec.expectations"),
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw both charts.

    Args:
        canvas: empty.
        figure: its data have, per profile, ``rates``, ``means``, ``tokens`` and
            ``labels`` for them.
        palette: its colours.
    """
    data = figure.data
    places = list(range(1, len(data["means"]) + 1))
    canvas.set_size_inches(7.6, 4.4)
    set_title(canvas, figure)
    above, below = canvas.subplots(
        2, 1, sharex=True,
        gridspec_kw={"left": 0.1, "right": 0.98, "top": 0.85, "bottom": 0.12, "hspace": 0.15},
    )  # fmt: skip
    above.set_ylabel("acceptance rate")
    above.set_ylim(0, 1)
    above.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "1/4", "1/2", "3/4", "1"])
    above.plot(places, data["means"], color=palette.draft, linestyle="--", zorder=2)
    above.text(
        places[0] + 0.25, data["means"][1] - 0.22, "mean", color=palette.draft_text, fontsize=9
    )
    for place, rates in zip(places, data["rates"], strict=True):
        offsets = [(rank - (len(rates) - 1) / 2) * 0.11 for rank in range(len(rates))]
        above.plot(
            [place + offset for offset in offsets], rates, "o", markersize=4.5, clip_on=False,
            color=palette.target, zorder=3,
        )  # fmt: skip
    below.set_ylabel("expected tokens E[N]")
    below.set_ylim(0, len(data["rates"][0]) + 1.4)
    below.set_xticks(places)
    below.set_xlabel("profile, from the closest draft to the farthest")
    below.grid(axis="x", visible=False)
    below.bar(places, data["tokens"], width=0.7, color=palette.share, edgecolor=palette.target)
    for place, height, words in zip(places, data["tokens"], data["labels"], strict=True):
        below.text(place, height + 0.15, words, ha="center", fontsize=9)
