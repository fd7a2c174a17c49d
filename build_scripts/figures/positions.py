"""Target and draft of every token at each position, and what the round made of its proposals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from build_scripts import wording
from build_scripts.figures.figure import FIXED_ROWS, THIS_ROUND, Figure, provenance
from build_scripts.figures.numerals import brief, readings
from build_scripts.figures.palette import Palette
from build_scripts.figures.panels import panel_inches, panel_name
from build_scripts.figures.table import Cell, Column, Table
from build_scripts.figures.token_rows import (
    MARGINS_WITH_OUTCOMES,
    NUMBER_ROOM,
    NUMBER_SIZE,
    OUTCOME_SIZE,
    grid_of_tokens,
    key,
    left_out,
    likeliest,
    name_panel,
    named,
    panels_of,
    scale_of_bars,
    told,
    write_at_end,
)
from build_scripts.profile_results import ProfileResults
from specdec.positions import Position

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

ROW = 0.35  # inches: two bars, each as high as its number
BAR = 0.36  # of a row
TARGET_AT, DRAFT_AT = -0.2, 0.2  # where they lie in it

ACCEPTED, REJECTED, DROPPED = "accepted", "rejected", "dropped unchecked"
SIGNS = {ACCEPTED: "✓ ", REJECTED: "✗ ", DROPPED: "– "}


def figure(this: ProfileResults) -> Figure:
    """Return the rows of one profile."""
    tokens, bonus = this.scenario.vocabulary, this.scenario.bonus.probabilities
    shown = _shown(this)
    verdicts = _verdicts(this)
    return Figure(
        slug=f"positions-{this.profile.id}",
        kind="positions",
        title=_title(this),
        subject=this.profile.title,
        alt=(
            f"{panels_of(this.profile.title, this.k)} and one for the bonus token, each with "
            f"{wording.count(len(shown), 'token')}. A token has two bars: its target probability "
            f"above its draft probability. {told(_told(this, verdicts))} {_told_of_bonus(this)}"
        ),
        caption=(
            f"{this.called}: at each position the target probability of every token, "
            "solid, above its draft probability, hatched; where there is no bar, it is 0. The "
            "shaded row is the token that the draft proposed there in this round, in the bonus "
            "panel the token drawn; above a panel stands what became of it. The bonus token has no "
            "draft: it is drawn from the target."
            f"{left_out(shown, tokens, 'proposed, committed or likeliest')}"
        ),
        assumption=f"{FIXED_ROWS} {THIS_ROUND}",
        omits="It does not show how often a round goes like this one.",
        data={
            "tokens": [str(tokens[place]) for place in shown],
            "panels": [
                *(
                    {
                        "name": panel_name(each.number, this.k + 1),
                        "verdict": verdict,
                        "instead": _replacement(this) if verdict == REJECTED else None,
                        "mark": "proposed",
                        "marked": shown.index(tokens.index(str(each.proposal))),
                        "target": _bars(this, [each.rows[place].target for place in shown]),
                        "draft": _bars(this, [each.rows[place].draft for place in shown]),
                    }
                    for each, verdict in zip(this.positions, verdicts, strict=True)
                ),
                {
                    "name": panel_name(this.k + 1, this.k + 1),
                    "verdict": "drawn from the target" if this.rejection is None else "not reached",
                    "instead": None,
                    "mark": "drawn",
                    "marked": None if this.rejection else shown.index(tokens.index(_last(this))),
                    "target": _bars(this, [bonus[place] for place in shown]),
                    "draft": [],
                },
            ],
        },
        table=Table(
            (
                Column("position", "Position", "count"),
                Column("token", "Token", "text"),
                Column("target", "Target", "exact"),
                Column("draft", "Draft", "exact"),
                Column("proposed", "Proposed", "text"),
                Column("verdict", "Verdict", "text"),
            ),
            _rows(this, shown, verdicts),
        ),
        provenance=provenance(this, "specdec.positions"),
    )


def _title(this: ProfileResults) -> str:
    kept = this.report.round.accepted
    if this.k == 1:
        return (
            f"Target against draft: this round {'accepts' if kept else 'rejects'} its one proposal"
        )
    number = "none" if not kept else "all" if kept == this.k else wording.number(kept)
    return (
        f"Target against draft: of {wording.number(this.k)} proposals, this round accepts {number}"
    )


def _shown(this: ProfileResults) -> list[int]:
    """Return the places of the tokens that are drawn; those of this round are among them."""
    place = this.scenario.vocabulary.index
    of_the_round = {*this.profile.proposals, *map(str, this.report.round.committed)}
    rows = (*this.scenario.target, *this.profile.draft, this.scenario.bonus)
    return likeliest((row.probabilities for row in rows), set(map(place, of_the_round)))


def _verdicts(this: ProfileResults) -> list[str]:
    """Return what became of each proposal."""
    checked = [ACCEPTED if frame.verdict == "accepted" else REJECTED for frame in this.checked]
    return checked + [DROPPED] * (this.k - len(checked))


def _replacement(this: ProfileResults) -> str | None:
    return str(this.rejection.replacement) if this.rejection else None


def _last(this: ProfileResults) -> str:
    """Return the last token of the round: the replacement or the bonus token."""
    return str(this.report.round.committed[-1])


def _bars(this: ProfileResults, chances: Sequence[Fraction]) -> list[dict[str, Any]]:
    return [
        {"end": float(chance), "numbers": _numbers(this, chance) if chance else [""]}
        for chance in chances
    ]


def _numbers(this: ProfileResults, chance: Fraction) -> list[str]:
    return readings(chance, wording.over(chance, this.scenario.denominator))


def _brief(this: ProfileResults, chance: Fraction) -> str:
    return brief(chance, wording.over(chance, this.scenario.denominator))


def _told(this: ProfileResults, verdicts: Sequence[str]) -> Iterator[str]:
    """Say of each position what the round did there."""
    for each, verdict in zip(this.positions, verdicts, strict=True):
        row = next(row for row in each.rows if row.token == each.proposal)
        instead = f"; {named(_last(this))} takes its place" if verdict == REJECTED else ""
        yield (
            f"Position {each.number}: {named(each.proposal)} is proposed (target "
            f"{_brief(this, row.target)}, draft {_brief(this, row.draft)}) and {verdict}{instead}."
        )


def _told_of_bonus(this: ProfileResults) -> str:
    bonus = this.scenario.bonus
    if this.rejection is None:
        chance = _brief(this, bonus[_last(this)])
        return f"The bonus token {named(_last(this))} is drawn (target {chance})."
    token, highest = max(bonus.items(), key=lambda pair: pair[1])
    return (
        "The bonus token’s position is not reached; the target’s highest there is "
        f"{_brief(this, highest)}, for {named(token)}."
    )


def _rows(
    this: ProfileResults, shown: Sequence[int], verdicts: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    for each, verdict in zip(this.positions, verdicts, strict=True):
        yield from (_row(each, place, verdict) for place in shown)
    for token, chance in (list(this.scenario.bonus.items())[place] for place in shown):
        yield this.k + 1, str(token), chance, None, "no", None


def _row(each: Position, place: int, verdict: str) -> tuple[Cell, ...]:
    row = each.rows[place]
    proposed = row.token == each.proposal
    return (
        each.number,
        str(row.token),
        row.target,
        row.draft,
        "yes" if proposed else "no",
        verdict if proposed else None,
    )


def draw(canvas: Canvas, figure: Figure, palette: Palette) -> None:
    """Draw the rows.

    Args:
        canvas: empty.
        figure: its data have ``tokens`` and ``panels``, each with ``name``, ``verdict``,
            ``instead`` (the replacement after a rejection), the place ``marked`` with the word
            ``mark``, and bars ``target`` and ``draft``, each with its ``end`` and ``numbers``,
            ways to write it.
        palette: its colours.
    """
    from matplotlib.patches import Patch

    panels = figure.data["panels"]
    places = grid_of_tokens(canvas, figure, ROW, MARGINS_WITH_OUTCOMES)
    texts = [list(_texts(panel)) for panel in panels]
    scale_of_bars(places[0], [(end, text) for panel in texts for end, _at, text in panel])
    for axes, panel, written in zip(places, panels, texts, strict=True):
        _panel(axes, panel, palette)
        for end, at, text in written:
            write_at_end(axes, end, at, text, palette.text)
    signs = [Patch(**_target(palette)), Patch(**_draft(palette))]
    key(canvas, signs, ["target", "draft"], "probability")


def _target(palette: Palette) -> dict[str, Any]:
    return {"facecolor": palette.target, "edgecolor": palette.target, "linewidth": 0.8}


def _draft(palette: Palette) -> dict[str, Any]:
    return {
        "facecolor": palette.ground,
        "edgecolor": palette.draft,
        "linewidth": 0.8,
        "hatch": "//////",
    }


def _texts(panel: dict[str, Any]) -> Iterator[tuple[float, float, str]]:
    """Return what is written at the ends of a panel's bars: where, at which height, and what."""
    from build_scripts.figures.text import fitting

    marked = "draft" if panel["draft"] else "target"
    for which, offset in (("target", TARGET_AT), ("draft", DRAFT_AT)):
        for place, bar in enumerate(panel[which]):
            text = fitting(bar["numbers"], NUMBER_ROOM, NUMBER_SIZE)
            if which == marked and place == panel["marked"]:
                text = f"{text} ◂ {panel['mark']}"
            if text:
                yield bar["end"], place + offset, text


def _panel(axes: Axes, panel: dict[str, Any], palette: Palette) -> None:
    name_panel(axes, panel["name"], _outcome(panel, panel_inches(axes)), _colour(panel, palette))
    if panel["marked"] is not None:
        row = panel["marked"]
        axes.axhspan(row - 0.5, row + 0.5, color=palette.line, alpha=0.6, linewidth=0, zorder=0)
    for which, offset, look in (
        ("target", TARGET_AT, _target(palette)),
        ("draft", DRAFT_AT, _draft(palette)),
    ):
        ends = {place + offset: bar["end"] for place, bar in enumerate(panel[which]) if bar["end"]}
        axes.barh(list(ends), list(ends.values()), height=BAR, **look)


def _outcome(panel: dict[str, Any], inches: float) -> str:
    """Return what stands below the panel's name: what became of the proposal."""
    from build_scripts.figures.text import label, width

    verdict: str = panel["verdict"]
    words = SIGNS.get(verdict, "") + verdict
    if panel["instead"] is None:
        return words
    room = inches - width(f"{words}, “” instead", OUTCOME_SIZE)
    return f"{words}, “{label(panel['instead'], room, OUTCOME_SIZE)}” instead"


def _colour(panel: dict[str, Any], palette: Palette) -> str:
    colours = {ACCEPTED: palette.kept, REJECTED: palette.rejected}
    return colours.get(panel["verdict"], palette.muted)
