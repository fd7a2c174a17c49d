"""Figures of a round: its rows, the anatomy of its positions, and the tree of what can come."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import prod
from types import ModuleType
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from build_scripts.figures import outcome_tree, positions, residual
from build_scripts.figures.figure import Figure
from build_scripts.figures.palette import LIGHT
from build_scripts.figures.token_rows import MOST_TOKENS, likeliest
from build_scripts.profile_results import ProfileResults
from specdec import CostModel, Distribution, Profile, Scenario
from specdec.report import report
from specdec.rounds import Draws
from tests.plain import Plain, scenarios
from tests.shipped import DATA, GOLDEN, Golden
from tests.site_checks import ROOT
from tests.test_figures import TEXTS, drawn, outside, overlapping, texts

KINDS = (positions, residual, outcome_tree)

each_golden = pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.split(".")[-1])

PLAIN = {each.id: each for home in scenarios(DATA).values() for each in home}


def results(scenario: Scenario, profile: Profile) -> ProfileResults:
    """Return a profile's results without its random rounds, which these figures do not show."""
    unused: Any = None
    exact = report(scenario, profile)
    return ProfileResults("data.json", "0" * 64, scenario, profile, exact, unused, unused)


def shipped(golden: Golden) -> ProfileResults:
    return results(golden.scenario, golden.profile)


Rows = list[list[int]]


def made(
    vocabulary: list[str],
    target: Rows,
    draft: Rows,
    proposals: list[str],
    bonus: list[int],
    draw: str = "1/2",
) -> ProfileResults:
    """Return the results of other data than the site's."""
    whole = sum(bonus)

    def rows(numerators: Rows) -> tuple[Distribution, ...]:
        return tuple(Distribution.from_numerators(vocabulary, row, whole) for row in numerators)

    draws = Draws([draw] * len(target), "1/3", "1/2")
    profile = Profile("made", "A title", "", "", rows(draft), tuple(proposals), draws)
    scenario = Scenario(
        title="A scenario",
        short_title="",
        context="",
        description="",
        denominator=whole,
        vocabulary=tuple(vocabulary),
        target=rows(target),
        bonus=rows([bonus])[0],
        cost_model=CostModel("1/10", "1"),
        profiles=(profile,),
    )
    return results(scenario, profile)


def with_rates(*rates: str, whole: int = 24, draw: str = "1/2") -> ProfileResults:
    """Return the results of a profile of two tokens with these acceptance rates."""
    kept = [int(Fraction(rate) * whole) for rate in rates]
    return made(
        ["x", "y"],
        [[whole, 0]] * len(kept),
        [[number, whole - number] for number in kept],
        ["x" if number else "y" for number in kept],
        [whole, 0],
        draw,
    )


@lru_cache
def picture(kind: ModuleType, golden: Golden) -> Canvas:
    return drawn(kind.figure(shipped(golden)))


def written(canvas: Canvas) -> list[str]:
    return [text.get_text() for text in texts(canvas)]


def columns(figure: Figure, *names: str) -> list[tuple[Any, ...]]:
    """Return some columns of a figure's table, row by row."""
    places = [[column.name for column in figure.table.columns].index(name) for name in names]
    return [tuple(row[place] for place in places) for row in figure.table.rows]


def bars(axes: Axes, colour: str) -> list[float]:
    """Return how long the bars of a colour are."""
    found = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    return [bar.get_width() for bar in found if bar.get_facecolor() == to_rgba(colour)]


# The numbers behind them.


def verdict(plain: Plain, position: int) -> str:
    if position < plain.accepted:
        return "accepted"
    return "rejected" if position == plain.accepted else "dropped unchecked"


@each_golden
def test_rows_of_a_round(golden: Golden) -> None:
    plain = PLAIN[golden.id]
    bonus = zip(plain.vocabulary, plain.scenario["bonus"], strict=True)
    whole = plain.scenario["denominator"]
    assert list(positions.figure(shipped(golden)).table.rows) == [
        *(
            (position + 1, token, p, q, "yes", verdict(plain, position))
            if token == plain.proposals[position]
            else (position + 1, token, p, q, "no", None)
            for position in range(plain.k)
            for token, (p, q) in zip(plain.vocabulary, plain.pair(position), strict=True)
        ),
        *((plain.k + 1, token, Fraction(p, whole), None, "no", None) for token, p in bonus),
    ]


@each_golden
def test_anatomy(golden: Golden) -> None:
    figure = residual.figure(shipped(golden))
    plain = PLAIN[golden.id]
    assert columns(figure, "position", "token", "target", "draft") == [
        (position + 1, token, *pair)
        for position in range(plain.k)
        for token, pair in zip(plain.vocabulary, plain.pair(position), strict=True)
    ]
    for target, draft, minimum, leftover, refused in columns(
        figure, "target", "draft", "minimum", "leftover", "refused"
    ):
        assert minimum + leftover == target
        assert minimum + refused == draft
        assert 0 in (leftover, refused)
    for number, rate in enumerate(golden.rates, start=1):
        here = [
            row[1:]
            for row in columns(figure, "position", "minimum", "leftover", "residual", "refused")
            if row[0] == number
        ]
        kept, left, residuals, refused = (sum(column) for column in zip(*here, strict=True))
        assert (kept, left, refused, residuals) == (rate, 1 - rate, 1 - rate, 1)


def test_the_anatomy_of_a_rejection() -> None:
    """Worked by hand: target 1 0 0 5 2 0, draft 1 0 2 2 0 3 eighths."""
    figure = residual.figure(shipped(GOLDEN[1]))
    names = ("token", "minimum", "leftover", "residual", "refused")
    third = [row[1:] for row in columns(figure, "position", *names) if row[0] == 3]
    assert third == [
        ("the", Fraction(1, 8), 0, 0, 0),
        ("cat", 0, 0, 0, 0),
        ("dog", 0, 0, 0, Fraction(2, 8)),
        ("sat", Fraction(2, 8), Fraction(3, 8), Fraction(3, 5), 0),
        ("on", 0, Fraction(2, 8), Fraction(2, 5), 0),
        ("mat", 0, 0, 0, Fraction(3, 8)),
    ]


def test_where_target_and_draft_are_equal_there_is_no_residual() -> None:
    figure = residual.figure(with_rates("1", "1/2"))
    assert columns(figure, "position", "residual") == [(1, None), (1, None), (2, 1), (2, 0)]
    said = written(drawn(figure))
    assert "rate 1: nothing left to draw from" in said
    assert "acceptance rate 1/2, 1/2 left" in said
    assert "Position 1: acceptance rate 1; target and draft are equal, so nothing" in figure.alt


@each_golden
def test_leaves(golden: Golden) -> None:
    figure = outcome_tree.figure(shipped(golden))
    k = len(golden.rates)
    assert columns(figure, "tokens", "probability") == list(enumerate(golden.law, start=1))
    assert sum(chance for (chance,) in columns(figure, "probability")) == 1
    for path, chance in columns(figure, "path", "probability"):
        edges = [
            {"accept": rate, "reject": 1 - rate}[step]
            for step, rate in zip(path.split(", "), golden.rates, strict=False)
            if step != "bonus"
        ]
        assert prod(edges, start=Fraction(1)) == chance
    assert columns(figure, "outcome") == [
        *((f"rejected at position {number}",) for number in range(1, k + 1)),
        ("all accepted",),
    ]
    assert columns(figure, "acceptance_rate") == [*((rate,) for rate in golden.rates), (None,)]
    this_round = columns(figure, "this_round").index(("yes",))
    assert this_round == golden.accepted
    assert columns(figure, "this_round").count(("yes",)) == 1


# What they say.


def test_the_words_about_rows() -> None:
    figure = positions.figure(shipped(GOLDEN[1]))
    assert figure.title == "Target against draft: of five proposals, this round accepts two"
    assert figure.alt == (
        "A panel for each of the five positions of “A divergent draft” and one for the bonus "
        "token, each with six tokens. A token has two bars: its target probability above its "
        "draft probability. "
        "Position 1: “the” is proposed (target 5/8, draft 4/8) and accepted. "
        "Position 2: “cat” is proposed (target 4/8, draft 2/8) and accepted. "
        "Position 3: “mat” is proposed (target 0, draft 3/8) and rejected; “sat” takes its place. "
        "Position 4: “on” is proposed (target 6/8, draft 3/8) and dropped unchecked. "
        "Position 5: “dog” is proposed (target 1/8, draft 3/8) and dropped unchecked. "
        "The bonus token’s position is not reached; the target’s highest there is 4/8, for “mat”."
    )
    assert figure.caption == (
        "“A divergent draft”: at each position the target probability of every token, solid, "
        "above its draft probability, hatched; where there is no bar, it is 0. The shaded row is "
        "the token that the draft proposed there in this round, in the bonus panel the token "
        "drawn; above a panel stands what became of it. The bonus token has no draft: it is drawn "
        "from the target."
    )


def test_the_words_about_the_anatomy() -> None:
    figure = residual.figure(shipped(GOLDEN[1]))
    assert figure.title == "Acceptance and correction add up to the target, token by token"
    assert figure.alt == (
        "A panel for each of the five positions of “A divergent draft”, each with bars for six "
        "tokens. A solid part, the smaller of target and draft, and a hatched part, what the "
        "draft left over, end together at the target; a dashed outline beyond is draft that is "
        "refused. "
        "Position 1: acceptance rate 7/8, 1/8 left: 1/8 of “the”. "
        "Position 2: acceptance rate 1/2, 1/2 left: 1/4 of “cat” and 1/4 of “dog”. "
        "Position 3: acceptance rate 3/8, 5/8 left: 3/8 of “sat” and 1/4 of “on”. "
        "Position 4: acceptance rate 1/2, 1/2 left: 3/8 of “on” and 1/8 of “sat”. "
        "Position 5: acceptance rate 3/4, 1/4 left: 1/4 of “the”."
    )


def test_the_words_about_the_tree() -> None:
    figure = outcome_tree.figure(shipped(GOLDEN[1]))
    assert figure.title == "A round commits one to six tokens, most often two (44%)"
    assert figure.alt == (
        "A tree with six leaves, the outcomes of a round of “A divergent draft”. "
        "Position 1: accepted with probability 7/8; the round stops there, with one token, with "
        "probability 1/8. "
        "Position 2: accepted with probability 1/2; the round stops there, with two tokens, with "
        "probability 7/16. "
        "Position 3: accepted with probability 3/8; the round stops there, with three tokens, "
        "with probability 35/128. "
        "Position 4: accepted with probability 1/2; the round stops there, with four tokens, "
        "with probability 21/256. "
        "Position 5: accepted with probability 3/4; the round stops there, with five tokens, "
        "with probability 21/1024. "
        "All accepted: six tokens, with probability 63/1024. The leaves add up to 1. The thick "
        "path is this round, which commits three tokens."
    )


@pytest.mark.parametrize(
    ("rates", "title"),
    [
        (["0", "1/2"], "Every round commits one token"),
        (["1", "1"], "Every round commits three tokens"),
        (["1/2"], "A round commits one or two tokens, each equally often"),
        (["1/4"], "A round commits one or two tokens, most often one (75%)"),
        (["1", "1/4", "0"], "A round commits two or three tokens, most often two (75%)"),
        (
            ["1/2", "1/4", "0"],
            "A round commits one to three tokens, most often one (50%)",
        ),
        (
            ["2/3", "1/2"],
            "A round commits one to three tokens, most often one, two or three (33% each)",
        ),
        (
            ["3/4", "2/3", "1/2"],
            "A round commits one to four tokens, most often any of four numbers (25% each)",
        ),
    ],
)
def test_the_title_of_a_tree_is_true(rates: list[str], title: str) -> None:
    assert outcome_tree.figure(with_rates(*rates)).title == title


def test_only_what_is_certain_is_said_to_be_certain() -> None:
    figure = outcome_tree.figure(with_rates("1/1000", "1/1000", whole=1000))
    assert figure.title == "A round commits one to three tokens, most often one (over 99%)"
    assert "with probability < 0.001" not in figure.alt, "1/1000000 is short enough"
    said = written(drawn(figure))
    assert "999/1000000" in said


@pytest.mark.parametrize(
    ("rates", "draw", "title"),
    [
        (["1"], "1/2", "this round accepts its one proposal"),
        (["0"], "1/2", "this round rejects its one proposal"),
        (["1", "1"], "1/2", "of two proposals, this round accepts all"),
        (["0", "1"], "1/2", "of two proposals, this round accepts none"),
        (["1", "0"], "1/2", "of two proposals, this round accepts one"),
    ],
)
def test_the_title_of_rows_is_true(rates: list[str], draw: str, title: str) -> None:
    figure = positions.figure(with_rates(*rates, draw=draw))
    assert figure.title == f"Target against draft: {title}"


def test_a_bonus_token_is_marked() -> None:
    figure = positions.figure(shipped(GOLDEN[0]))
    assert figure.alt.endswith("The bonus token “mat” is drawn (target 4/8).")
    said = written(picture(positions, GOLDEN[0]))
    assert "4/8 ◂ drawn" in said
    assert "drawn from the target" in said
    assert said.count("✓ accepted") == 5


def test_proposals_are_marked_by_sign_and_word() -> None:
    said = written(picture(positions, GOLDEN[1]))
    assert [text for text in said if "◂" in text] == [
        "4/8 ◂ proposed", "2/8 ◂ proposed", "3/8 ◂ proposed", "3/8 ◂ proposed", "3/8 ◂ proposed",
    ]  # fmt: skip
    assert [text for text in said if text[:1] in "✓✗–"] == [
        "✓ accepted", "✓ accepted", "✗ rejected, “sat” instead", "– dropped unchecked",
        "– dropped unchecked",
    ]  # fmt: skip
    assert "not reached" in said


# How they are drawn.


@each_golden
def test_the_parts_of_a_bar(golden: Golden) -> None:
    """What is kept is as long as the rate, what is left as long as what is refused."""
    canvas = picture(residual, golden)
    panels = [axes for axes in canvas.axes if axes.get_visible()]
    for axes, rate in zip(panels, map(float, golden.rates), strict=True):
        lengths = [sum(bars(axes, colour)) for colour in (LIGHT.target, LIGHT.share, LIGHT.ground)]
        assert lengths == pytest.approx([rate, 1 - rate, 1 - rate])


@each_golden
def test_the_parts_of_a_bar_end_where_target_and_draft_do(golden: Golden) -> None:
    canvas = picture(residual, golden)
    panels = [axes for axes in canvas.axes if axes.get_visible()]
    plain = PLAIN[golden.id]
    for position, axes in enumerate(panels):
        ends: dict[tuple[int, bool], float] = {}
        for bar in axes.patches:
            assert isinstance(bar, Rectangle)
            refused = bar.get_facecolor() == to_rgba(LIGHT.ground)
            ends[round(bar.get_y() + bar.get_height() / 2), refused] = bar.get_x() + bar.get_width()
        assert ends == pytest.approx(
            {
                (row, refused): float(end)
                for row, (p, q) in enumerate(plain.pair(position))
                for refused, end in ((False, p), (True, q))
                if (q > p if refused else p)
            }
        )


@each_golden
def test_the_bars_of_rows(golden: Golden) -> None:
    canvas = picture(positions, golden)
    panels = [axes for axes in canvas.axes if axes.get_visible()]
    plain = PLAIN[golden.id]
    for position, axes in enumerate(panels[:-1]):
        target, draft = zip(*plain.pair(position), strict=True)
        assert bars(axes, LIGHT.target) == pytest.approx([float(p) for p in target if p])
        assert bars(axes, LIGHT.ground) == pytest.approx([float(q) for q in draft if q])
    assert bars(panels[-1], LIGHT.ground) == [], "the bonus token has no draft"


@each_golden
def test_a_leaf_is_as_long_as_it_is_likely(golden: Golden) -> None:
    canvas = picture(outcome_tree, golden)
    [axes] = canvas.axes
    lengths = [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)]
    highest = max(golden.law)
    assert max(lengths) == pytest.approx(outcome_tree.LONGEST_BAR)
    assert [length / max(lengths) for length in lengths] == pytest.approx(
        [float(chance / highest) for chance in golden.law]
    )
    thick = [line for line in axes.lines if line.get_linewidth() > 2]
    assert len(thick) == golden.accepted + 1
    assert bars(axes, LIGHT.target) == [lengths[golden.accepted]], "this round’s leaf alone"
    assert written(canvas).count("this round") == 1


def test_what_cannot_happen_is_dashed() -> None:
    figure = outcome_tree.figure(with_rates("1", "1/4", "0", draw="1/8"))
    assert columns(figure, "probability") == [(0,), (Fraction(3, 4),), (Fraction(1, 4),), (0,)]
    assert figure.alt.endswith("Two leaves are dashed: no round ends there.")
    [axes] = drawn(figure).axes
    dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 3, "two leaves, and the way to the last"
    assert len(axes.patches) == 2, "no bars for them"


SIXTY = [f"token {number}" for number in range(60)]
UNLIKELY = 59


def of_sixty() -> ProfileResults:
    """The draft proposes a token that it hardly ever proposes, and the target never."""
    row = [10**18 - 58 * 10**15] + [10**15] * 58 + [0]
    draft = [row[0] - 1, *row[1:-1], 1]
    return made(SIXTY, [row, row], [draft, row], [SIXTY[UNLIKELY], SIXTY[1]], row, "0")


def test_of_many_tokens_those_of_the_round_and_the_likeliest_are_shown() -> None:
    figure = positions.figure(of_sixty())
    shown = figure.data["tokens"]
    assert len(shown) == MOST_TOKENS
    assert {SIXTY[0], SIXTY[1], SIXTY[UNLIKELY]} <= set(shown)
    assert figure.caption.endswith("The 40 proposed, committed or likeliest of 60 tokens.")
    assert residual.figure(of_sixty()).caption.endswith("The 40 likeliest of 60 tokens.")
    assert len(figure.table.rows) == 3 * MOST_TOKENS


def test_the_likeliest_tokens() -> None:
    rows = [[Fraction(1, place + 1) for place in range(50)], [Fraction(0)] * 49 + [Fraction(1)]]
    assert likeliest(rows) == [*range(39), 49]
    assert likeliest(rows, {45}) == [*range(38), 45, 49]
    assert likeliest(rows, set(range(1, 50))) == [*range(1, 50)]
    assert likeliest([row[:3] for row in rows]) == [0, 1, 2]


def spread(size: int, whole: int, seed: int) -> list[int]:
    """Return numerators of one row: uneven, with zeros."""
    weights = [(place * seed) % 7 + 1 if (place + seed) % 3 else 0 for place in range(size)]
    row = [weight * whole // sum(weights) for weight in weights]
    row[row.index(max(row))] += whole - sum(row)
    return row


def of_twelve() -> ProfileResults:
    target, draft = ([spread(12, 997, seed + first) for seed in range(12)] for first in (1, 5))
    proposals = [TEXTS[row.index(max(row))] for row in draft]
    return made(TEXTS, target, draft, proposals, spread(12, 997, 3), "1/5")


def disjoint() -> ProfileResults:
    target, draft = [[997, 0, 0], [500, 497, 0]], [[0, 1, 996], [0, 0, 997]]
    return made(["x", "y" * 40, "z"], target, draft, ["z", "z"], [0, 0, 997], "0")


EXTREMES: dict[str, Callable[[], ProfileResults]] = {
    "one position, equal": lambda: with_rates("1"),
    "one position, disjoint": lambda: with_rates("0"),
    "all equal": lambda: with_rates("1", "1", "1"),
    "long fractions": lambda: with_rates(*["1/3", "996/997"] * 6, whole=3 * 997, draw="0"),
    "twelve positions and tokens": of_twelve,
    "sixty tokens": of_sixty,
    "disjoint": disjoint,
}


@lru_cache
def extreme(kind: ModuleType, case: str) -> tuple[Figure, Canvas]:
    figure = kind.figure(EXTREMES[case]())
    return figure, drawn(figure)  # warnings are errors here


@each_kind
@pytest.mark.parametrize("case", EXTREMES)
def test_extremes_fit(kind: ModuleType, case: str) -> None:
    _figure, canvas = extreme(kind, case)
    assert outside(canvas) == []
    assert overlapping(canvas) == []


def test_tokens_are_drawn_and_told_as_they_are() -> None:
    for kind in (positions, residual):
        figure, canvas = extreme(kind, "twelve positions and tokens")
        said = set(written(canvas))
        assert {r"$\foo$", "$x^2$", "<b>", "a&b", "a|b", "␣␣two spaces"} <= said
        assert "“a|b”" in figure.alt
        assert "x" * 30 not in figure.alt.partition("Position 1")[2], "long tokens are cut"


def test_long_numbers_are_rounded() -> None:
    figure, canvas = extreme(outcome_tree, "long fractions")
    said = written(canvas)
    assert "reject 1/997" in said
    assert "< 0.001" in said
    assert "≈ 0.074" in said
    assert all(len(text) < 60 for text in said[2:])
    assert "≈ 0.074" in figure.alt
    total = figure.data["total"]
    assert total == "the 13 leaves add up to 1"
    assert total in said


@each_kind
def test_a_figure_says_enough(kind: ModuleType) -> None:
    for make in EXTREMES.values():
        figure = kind.figure(make())
        assert 80 < len(figure.alt) < 4000
        assert figure.provenance.module.startswith("specdec.")
        assert (figure.provenance.seed, figure.provenance.rounds) == (None, None)
        assert all((figure.title, figure.caption, figure.assumption, figure.omits))


def test_words_and_data_need_no_drawing_library() -> None:
    names = ", ".join(kind.__name__ for kind in KINDS)
    code = f"import sys, {names}; print(sorted({{'matplotlib', 'numpy'}} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
