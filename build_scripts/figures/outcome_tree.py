"""Every way a round can go: where it stops, how many tokens that gives, and how likely it is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, THIS_ROUND, Figure, provenance
from build_scripts.figures.numerals import brief, readings
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import WIDTH, panel_name, set_title
from build_scripts.figures.table import Cell, Column, Table
from build_scripts.figures.token_rows import told
from build_scripts.profile_results import ProfileResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Places in inches, from the left and from the top.
NAME, TRUNK, REJECT, LEAF, TOKENS, BAR = 0.1, 1.3, 2.5, 3.95, 4.07, 5.2
HEADS, FIRST, ROW, FOOT = 0.85, 1.25, 0.52, 0.62

SIZE = 9
EDGE_ROOM = 0.9  # inches for a number beside an edge
LEAF_ROOM = 1.0  # and beside a bar
LONGEST_BAR = WIDTH - BAR - LEAF_ROOM

TAKEN, POSSIBLE, IMPOSSIBLE = "taken", "possible", "impossible"


def figure(this: ProfileResults) -> Figure:
    """Return the tree of one profile's rounds."""
    law = this.report.committed_length_law
    stopped = len(this.report.round.committed)
    return Figure(
        slug=f"outcome-tree-{this.profile.id}",
        kind="outcome_tree",
        title=_title(law),
        subject=this.profile.title,
        alt=(
            f"A tree with {wording.count(len(law), 'leaf', 'leaves')}, the outcomes of a round of "
            f"{this.called}. {told(_told(this))} All accepted: "
            f"{wording.count(len(law), 'token')}, with probability {_brief(law[-1])}. The leaves "
            f"add up to {sum(law)}. The thick path is this round, which commits "
            f"{wording.count(stopped, 'token')}.{_impossible(law)}"
        ),
        caption=(
            f"{this.called}: the trunk goes down as long as proposals are accepted; a "
            "branch to the right is a rejection, and the round stops there. Beside each edge is "
            "its probability, given that the round gets there; each leaf has the tokens that the "
            "round commits, the replacement or the bonus token included, and a bar as long as the "
            "outcome is likely: the product of the edges that lead to it. Thick is the path of "
            f"the round on this profile’s pages{', dashed what cannot happen' if 0 in law else ''}."
        ),
        assumption=f"{FIXED_ROWS} {THIS_ROUND}",
        omits="It does not show which tokens are committed, nor what a round costs.",
        data={
            "steps": [
                {
                    "name": panel_name(at.number, this.k + 1),
                    "accept": readings(at.rate, wording.exact(at.rate)),
                    "reject": readings(at.rejection, wording.exact(at.rejection)),
                    "accepting": _fate(this.survival[at.number], at.number < stopped),
                }
                for at in this.positions
            ],
            "end": panel_name(this.k + 1, this.k + 1),
            "leaves": [
                {
                    "tokens": wording.count(number, "token"),
                    "chance": float(chance),
                    "numbers": readings(chance, wording.exact(chance)),
                    "fate": _fate(chance, number == stopped),
                }
                for number, chance in enumerate(law, start=1)
            ],
            "total": (
                f"the {wording.count(len(law), 'leaf', 'leaves')} add up to "
                f"{wording.exact(sum(law))}"
            ),
        },
        table=Table(
            (
                Column("outcome", "Outcome", "text"),
                Column("tokens", "Tokens committed", "count"),
                Column("probability", "Probability", "exact"),
                Column("path", "Path", "text"),
                Column("acceptance_rate", "Acceptance rate where it stops", "exact"),
                Column("this_round", "This round", "text"),
            ),
            _rows(this),
        ),
        provenance=provenance(this, "specdec.expectations"),
    )


MOST_LIKELIEST = 3
"""More numbers of tokens than that are not listed in a title."""


def _title(law: tuple[Fraction, ...]) -> str:
    """Say which numbers of tokens are possible, and which comes most often."""
    possible = [number for number, chance in enumerate(law, start=1) if chance]
    first, last = possible[0], possible[-1]
    if first == last:
        return f"Every round commits {wording.count(first, 'token')}"
    joint = "or" if len(possible) == 2 else "to"
    numbers = f"A round commits {wording.number(first)} {joint} {wording.number(last)} tokens"
    highest = max(law)
    often = [wording.number(number) for number in possible if law[number - 1] == highest]
    if len(often) == len(possible) == 2:
        return f"{numbers}, each equally often"
    each = " each" if len(often) > 1 else ""
    which = (
        wording.listing(often, last="or")
        if len(often) <= MOST_LIKELIEST
        else f"any of {wording.number(len(often))} numbers"
    )
    return f"{numbers}, most often {which} ({_share(highest)}{each})"


def _share(chance: Fraction) -> str:
    """Return a percentage; nothing but certainty is 100%."""
    rounded = wording.percent(chance)
    return rounded if rounded != "100%" else "over 99%"


def _fate(chance: Fraction, taken: bool) -> str:
    """Return how a part of the tree is drawn: this round takes it, or it can happen, or cannot."""
    return TAKEN if taken else POSSIBLE if chance else IMPOSSIBLE


def _brief(chance: Fraction) -> str:
    return brief(chance, wording.exact(chance))


def _told(this: ProfileResults) -> Iterator[str]:
    """Say of each position how likely it accepts, and how likely the round stops there."""
    law = this.report.committed_length_law
    for number, rate in enumerate(this.report.acceptance_rates, start=1):
        yield (
            f"Position {number}: accepted with probability {_brief(rate)}; the round stops there, "
            f"with {wording.count(number, 'token')}, with probability {_brief(law[number - 1])}."
        )


def _impossible(law: tuple[Fraction, ...]) -> str:
    """Return a sentence, after a space, about the leaves that are drawn dashed."""
    never = law.count(Fraction(0))
    if not never:
        return ""
    leaves = wording.capitalised(wording.count(never, "leaf", "leaves"))
    return f" {leaves} {'is' if never == 1 else 'are'} dashed: no round ends there."


def _rows(this: ProfileResults) -> Iterator[tuple[Cell, ...]]:
    law, rates = this.report.committed_length_law, this.report.acceptance_rates
    for number, chance in enumerate(law, start=1):
        last = number > len(rates)
        path = ["accept"] * (number - 1) + ["bonus" if last else "reject"]
        yield (
            "all accepted" if last else f"rejected at position {number}",
            number,
            chance,
            ", ".join(path),
            None if last else rates[number - 1],
            "yes" if number == len(this.report.round.committed) else "no",
        )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the tree.

    Args:
        canvas: empty.
        figure: its data have ``steps``, each with ``name``, ways to write how likely it is to
            ``accept`` and to ``reject``, and the fate of ``accepting``; ``end``, the name of the
            place after them; a leaf for each of these in ``leaves``, with ``tokens``, ``chance``,
            ``numbers`` (ways to write it) and its ``fate``; and ``total``, what leaves add up to.
        palette: its colours.
    """
    leaves, steps = figure.data["leaves"], figure.data["steps"]
    height = FIRST + ROW * len(steps) + FOOT
    canvas.set_size_inches(WIDTH, height)
    set_title(canvas, figure)
    axes = canvas.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    for left, words in ((TOKENS, "commits"), (BAR, "probability")):
        _write(axes, left, HEADS, words, palette.muted)
    for row, (step, leaf) in enumerate(zip(steps, leaves[:-1], strict=True)):
        _accept(axes, step, row, palette)
        _branch(
            axes, leaf, row, f"reject {_beside_edge(step['reject'])}", palette.rejected, palette
        )
        _node(axes, step["name"], row, palette)
    _branch(axes, leaves[-1], len(steps), "all accepted", palette.kept, palette)
    _node(axes, figure.data["end"], len(steps), palette)
    longest = max(leaf["chance"] for leaf in leaves)
    for row, leaf in enumerate(leaves):
        _leaf(axes, leaf, row, longest, palette)
    _total(axes, figure.data["total"], height, palette)


def _top(row: int) -> float:
    """Return how far from the top a row is; they count from 0."""
    return FIRST + ROW * row


def _accept(axes: Axes, step: dict[str, Any], row: int, palette: Palette) -> None:
    """Draw the edge down to the next row, and how likely it is."""
    look = _look(step["accepting"], palette.kept, palette)
    axes.plot([TRUNK, TRUNK], [_top(row), _top(row + 1)], **look)
    words = f"accept {_beside_edge(step['accept'])}"
    _write(axes, TRUNK + 0.12, _top(row) + ROW / 2, words, look["color"])


def _branch(
    axes: Axes, leaf: dict[str, Any], row: int, words: str, colour: str, palette: Palette
) -> None:
    """Draw the edge to a leaf, what it is, and whether this round takes it."""
    look = _look(leaf["fate"], colour, palette)
    axes.plot([TRUNK, LEAF], [_top(row)] * 2, **look)
    _write(axes, REJECT, _top(row) - 0.12, words, look["color"])
    if leaf["fate"] == TAKEN:
        axes.text(
            LEAF - 0.05, _top(row) + 0.14, "this round", fontsize=SIZE, va="center", ha="right",
            fontweight="bold",
        )  # fmt: skip


def _look(fate: str, colour: str, palette: Palette) -> dict[str, Any]:
    """Return how an edge is drawn."""
    if fate == IMPOSSIBLE:
        return {"color": palette.muted, "linewidth": 1, "linestyle": (0, (3, 3))}
    return {"color": colour, "linewidth": 5 if fate == TAKEN else 1.4}


def _node(axes: Axes, name: str, row: int, palette: Palette) -> None:
    axes.text(NAME, _top(row), name, fontsize=SIZE, va="center", fontweight="bold")
    axes.plot(
        TRUNK, _top(row), "o", markersize=8, markerfacecolor=palette.ground,
        markeredgecolor=palette.text, markeredgewidth=1.4, zorder=4,
    )  # fmt: skip


def _leaf(axes: Axes, leaf: dict[str, Any], row: int, longest: float, palette: Palette) -> None:
    """Draw what is at the end of a path: the tokens, and how likely it is to end there."""
    from build_scripts.figures.text import fitting

    taken = leaf["fate"] == TAKEN
    axes.text(
        TOKENS, _top(row), leaf["tokens"], fontsize=SIZE, va="center",
        fontweight="bold" if taken else "normal",
    )  # fmt: skip
    size = leaf["chance"] / longest * LONGEST_BAR
    if leaf["fate"] != IMPOSSIBLE:
        axes.barh(
            _top(row), size, left=BAR, height=0.26, edgecolor=palette.target, linewidth=0.9,
            facecolor=palette.target if taken else palette.share,
        )  # fmt: skip
    number = fitting(leaf["numbers"], LEAF_ROOM - 0.15, SIZE)
    _write(axes, BAR + size + 0.07, _top(row), number, palette.text)


def _total(axes: Axes, words: str, height: float, palette: Palette) -> None:
    """Write below the leaves what they add up to."""
    axes.plot([TOKENS, WIDTH - 0.15], [height - 0.38] * 2, color=palette.line, linewidth=1)
    _write(axes, TOKENS, height - 0.2, words, palette.text)


def _beside_edge(numbers: list[str]) -> str:
    from build_scripts.figures.text import fitting

    return fitting(numbers, EDGE_ROOM, SIZE)


def _write(axes: Axes, left: float, top: float, words: str, colour: str) -> None:
    axes.text(left, top, words, fontsize=SIZE, va="center", color=colour)
