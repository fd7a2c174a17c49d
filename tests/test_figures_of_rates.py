"""Figures of what rates are worth: tokens per round, time and price, against another route."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import prod
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from build_scripts.figures import (
    acceptance,
    comparison,
    draft_cost,
    draft_length,
    expected_tokens,
    length_law,
    timeline,
)
from build_scripts.figures.figure import FIXED_ROWS, Figure
from build_scripts.figures.numerals import both, spelled
from build_scripts.figures.registry import all_figures
from build_scripts.profile_results import ProfileResults
from build_scripts.results import Results, ScenarioResults, compute
from specdec import CostModel
from tests.plain import rounded
from tests.shipped import GOLDEN, Golden
from tests.site_checks import ROOT
from tests.test_figures import TEXTS, drawn, outside, overlapping, texts
from tests.test_figures_of_a_round import EXTREMES, PLAIN, columns, shipped, with_rates
from tests.test_figures_of_a_round import results as exact_results

KINDS = (acceptance, length_law, expected_tokens, timeline, draft_cost)

each_golden = pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)


@pytest.fixture(scope="module")
def results() -> Results:
    return compute(ROOT)


# Numbers.


@each_golden
def test_acceptance(golden: Golden) -> None:
    figure = acceptance.figure(shipped(golden))
    passed = [prod(golden.rates[:n], start=Fraction(1)) for n in range(1, len(golden.rates) + 1)]
    assert columns(figure, "position", "acceptance_rate", "all_accepted") == list(
        zip(range(1, len(passed) + 1), golden.rates, passed, strict=True)
    )
    assert figure.data["rates"] == list(map(float, golden.rates))
    assert figure.data["passed"] == list(map(float, passed))


@each_golden
def test_tokens_per_round(golden: Golden) -> None:
    figure = length_law.figure(shipped(golden))
    assert columns(figure, "tokens", "probability") == list(enumerate(golden.law, start=1))
    assert sum(chance for (chance,) in columns(figure, "probability")) == 1
    assert figure.data["mean"] == float(golden.expected)
    assert figure.title == f"A round commits {golden.printed[0]} tokens on average"


@each_golden
def test_expected_tokens_are_built_up(golden: Golden) -> None:
    figure = expected_tokens.figure(shipped(golden))
    tails = [sum(golden.law[n:]) for n in range(len(golden.law))]  # P(N > n), whose sum is E[N]
    assert columns(figure, "probability") == [(tail,) for tail in tails]
    sums = [end for (end,) in columns(figure, "sum")]
    assert sums == list(accumulate(tails))
    assert sums[-1] == golden.expected


@each_golden
def test_time_of_a_round(golden: Golden) -> None:
    plain = PLAIN[golden.id]
    figure = timeline.figure(shipped(golden))
    rows = columns(figure, "way", "step", "start", "end")
    alone = [row[2:] for row in rows if row[0] == "one at a time"]
    assert alone == [(n, n + 1) for n in range(len(golden.committed))]
    drafted = [row[2:] for row in rows if row[1] == "draft step"]
    price, verify = plain.price
    assert drafted == [(price * n, price * (n + 1)) for n in range(plain.k)]
    assert rows[-1] == ("speculative", "checking pass", price * plain.k, price * plain.k + verify)
    assert rows[-1][3] == golden.round_cost
    made = [text for (text,) in columns(figure, "tokens") if text is not None]
    assert made == [*golden.committed, " ".join(golden.committed)]


@each_golden
def test_speed_up_against_the_price(golden: Golden) -> None:
    plain = PLAIN[golden.id]
    figure = draft_cost.figure(shipped(golden))
    rows = columns(figure, "draft_step", "round_cost", "speedup")
    assert rows[0][0] == 0
    assert {plain.price[0], plain.break_even} <= {price for price, _cost, _speedup in rows}
    assert all(0 < after[0] - before[0] <= rows[-1][0] / 40 for before, after in pairwise(rows))
    for price, cost, speedup in rows:
        assert cost == plain.k * price + plain.price[1]
        assert speedup * cost == golden.expected
    assert rows[-1][0] > max(plain.break_even, plain.price[0])
    assert figure.data["even"] == float(plain.break_even)
    assert figure.data["speedup"] == float(golden.speedup)


def test_a_draft_that_pays_at_no_price() -> None:
    figure = draft_cost.figure(with_rates("0"))
    assert figure.title == "With k = 1, speculation pays at no price of a draft step"
    assert figure.alt.endswith("It is at most 1 everywhere: this draft never pays.")
    assert figure.data["even"] is None
    assert not [text for text in texts(drawn(figure)) if "no gain" in text.get_text()]


@pytest.mark.parametrize(
    ("value", "last"),
    [("0", "1/10"), ("1/10", "1/10"), ("0.11", "1/5"), ("0.3", "1/2"), ("3/4", "1"), ("7", "10")],
)
def test_prices_end_at_a_round_number(value: str, last: str) -> None:
    assert draft_cost._round_up(Fraction(value)) == Fraction(last)


def geometric(rate: Fraction, k: int) -> Fraction:
    """Return E[N] for equal rates below 1: Leviathan et al. 2023, equation 1."""
    return (1 - rate ** (k + 1)) / (1 - rate)


def test_speed_up_over_rates_and_lengths(results: Results) -> None:
    home = results.main
    price, verify = home.scenario.cost_model.draft_step, home.scenario.cost_model.verify_pass
    figure = draft_length.figure(home)
    rows = columns(figure, "acceptance_rate", "proposals", "speedup", "best")
    assert len(rows) == 7 * 16
    for rate, k, speedup, _best in rows:
        assert speedup == geometric(rate, k) / (k * price + verify)
    for rate in {row[0] for row in rows}:
        line = {row[1]: row[2:] for row in rows if row[0] == rate}
        assert sorted(line) == list(range(1, 17))
        (best,) = [k for k, (_speedup, best) in line.items() if best == "yes"]
        assert line[best][0] == max(speedup for speedup, _best in line.values())
        assert all(line[k][0] < line[best][0] for k in range(1, best))


def test_a_length_at_the_edge_is_not_called_the_best(results: Results) -> None:
    home = results.main
    free = replaced_cost(home, "0", "1")  # the longer the better
    figure = draft_length.figure(free)
    assert [line["best"] for line in figure.data["lines"]] == [None] * 7
    assert "where it is below 16" in figure.caption
    dear = draft_length.figure(replaced_cost(home, "2", "1"))  # the shorter the better
    assert [line["best"] for line in dear.data["lines"]] == [1] * 7


def replaced_cost(home: ScenarioResults, draft_step: str, verify_pass: str) -> ScenarioResults:
    """Return a data file at other prices; what was computed of it is that of the old ones."""
    dear = copy(home)
    dear.scenario = replace(home.scenario, cost_model=CostModel(draft_step, verify_pass))
    return dear


@pytest.mark.parametrize(
    ("draft_step", "title"),
    [
        ("0", "The more proposals, the faster, at each acceptance rate shown"),
        ("1/10", "The best number of proposals depends on how often they are accepted"),
        ("1000000", "At each acceptance rate shown, the best is one proposal"),
    ],
)
def test_the_title_of_lengths_is_true(results: Results, draft_step: str, title: str) -> None:
    assert draft_length.figure(replaced_cost(results.main, draft_step, "1")).title == title


@pytest.mark.parametrize(
    ("draft_step", "verify_pass"),
    [("1000000", "1"), ("20", "1"), ("0", "1/10000"), ("3000000", "1/1000000000"), ("1/10", "1")],
)
def test_the_drawn_line_is_the_curve(draft_step: str, verify_pass: str) -> None:
    """Half way between neighbouring points it is off by little, whatever the prices."""
    this = with_rates("1/2", "2/3", "3/4")
    priced = replace(this.scenario, cost_model=CostModel(draft_step, verify_pass))
    figure = draft_cost.figure(exact_results(priced, priced.profiles[0]))
    points = list(zip(figure.data["prices"], figure.data["speedups"], strict=True))
    expected = float(this.report.expected_tokens)
    for (price, speedup), (further, lower) in pairwise(points):
        half = (price + further) / 2
        curve = expected / (3 * half + float(Fraction(verify_pass)))
        assert abs((speedup + lower) / 2 - curve) < 0.01 * points[0][1]
    canvas = drawn(figure)
    assert outside(canvas) == []


def together(*drafts: ProfileResults, names: tuple[str, ...] = ()) -> ScenarioResults:
    """Return drafts as those of one file, as far as the figure looks at it."""
    called = names or tuple(f"Draft {number}" for number in range(len(drafts)))
    for number, (draft, name) in enumerate(zip(drafts, called, strict=True)):
        draft.profile = replace(draft.profile, id=f"draft-{number}", short_title=name)
    home = ScenarioResults.__new__(ScenarioResults)
    vars(home).update(
        slug="made", file_name="data.json", sha256="0" * 64, profiles=drafts,
        scenario=SimpleNamespace(title="A scenario", k=drafts[0].k),
    )  # fmt: skip
    return home


def side_by_side(*rates: str, names: tuple[str, ...] = ()) -> Figure:
    """Return drafts with these rates, position by position, side by side."""
    drafts = (with_rates(*each.split(), whole=2520 * 997) for each in rates)
    return comparison.figure(together(*drafts, names=names))


def test_drafts_side_by_side(results: Results) -> None:
    figure = comparison.figure(results.main)
    plain = [PLAIN[this.profile.id] for this in results.main.profiles]
    assert [each.id for each in plain] == ["aligned", "divergent"]
    rows = columns(figure, "profile", "position", "acceptance_rate", "all_accepted")
    assert rows == [
        (each.id, j, each.rates[j - 1] if j else None, each.survival[j])
        for each in plain
        for j in range(each.k + 1)
    ]
    sums = dict(columns(figure, "profile", "sum"))  # of each draft, the last
    assert sums == {each.id: each.expected for each in plain}
    assert figure.data["names"] == ["Closely aligned", "Divergent"]
    assert figure.data["rates"] == [list(map(float, each.rates)) for each in plain]
    assert figure.data["survival"] == [list(map(float, each.survival)) for each in plain]


def test_only_files_of_several_drafts_are_compared(results: Results) -> None:
    compared = [each.slug for each in all_figures(results) if each.kind == "comparison"]
    assert compared == ["comparison-profiles"]


# Words.


def said(figure: Figure) -> list[str]:
    return [figure.title, figure.alt, figure.caption, figure.assumption, figure.omits]


def test_words_of_the_price(results: Results) -> None:
    divergent = next(this for this in results.profiles if this.profile.id == "divergent")
    assert said(draft_cost.figure(divergent)) == [
        "With k = 5, speculation pays up to about 0.324 target steps per draft step",
        "A falling curve for “A divergent draft”: the speed-up is 2.62× if drafting is free and "
        "0.75× if a draft step costs 1/2 in target steps. At the assumed price of 1/10 it is "
        "1.75×. It is 1, no gain, at a price of about 0.324.",
        "“A divergent draft”: speed-up E[N] / (kc + v) against the price c of a draft step, in "
        "target steps, with k = 5 proposals. The dot is the price assumed on this site. Below "
        "the dashed line, generating one token at a time is quicker.",
        FIXED_ROWS + " The pass that checks a round costs v = 1, in target steps, whatever k is.",
        "No clock was read. The acceptance rates stay the same at every price, though a dearer "
        "draft would usually agree more often; with fewer proposals it may pay at higher prices.",
    ]


def test_words_of_the_timeline() -> None:
    golden = next(each for each in GOLDEN if each.id == "divergent")
    figure = timeline.figure(shipped(golden))
    assert figure.title == "This round: three tokens in 1.5 target steps instead of 3"
    assert figure.alt == (
        "Two rows of boxes over time for “A divergent draft”. Above, one at a time: three target "
        "steps of length 1, each making one token. Below, the round: five draft steps of length "
        "1/10, then one checking pass of length 1, at whose end all three tokens are committed, "
        "after 3/2 target steps."
    )
    assert "worth a speed-up of 1.75× on average; this one alone, 2.00×." in figure.caption


def test_words_of_the_comparison(results: Results) -> None:
    assert said(comparison.figure(results.main)) == [
        "“Closely aligned” gets further on average: 3.92 tokens a round",
        "Two panels with a line for each of two drafts of “One target, two drafts”, from 0 to 1. "
        "Left, the acceptance rate at each position; right, never rising, the chance that the "
        "first proposals are all accepted, from none to all 5. “Closely aligned”: rates 3/4, 7/8, "
        "7/8, 7/8, 7/8; all accepted with chance 7203/16384. “Divergent”: rates 7/8, 1/2, 3/8, "
        "1/2, 3/4; all accepted with chance 63/1024.",
        "The drafts of “One target, two drafts” on one scale. Left: how often a proposal that is "
        "checked is accepted, position by position. Right: how often the first 0, 1, 2, … "
        "proposals are all accepted, the products of these rates; over 0 to k, they add up to "
        "E[N], the tokens of a round on average: “Closely aligned” ≈ 3.92, “Divergent” ≈ 2.62. "
        "Marks of one position stand side by side, so that equal ones do not hide each other; "
        "lines only join them.",
        FIXED_ROWS,
        "It does not show what a draft costs: the file assumes one price for all, but a draft "
        "that gets further is often a larger and dearer one. Nor does it show which tokens are "
        "accepted.",
    ]


@pytest.mark.parametrize(
    ("rates", "title"),
    [
        (["1/2", "1"], "“Draft 1” gets further on average: 2 tokens a round"),
        (["0", "0"], "Both drafts get equally far on average: 1 token a round"),
        (["996/997", "1"], "“Draft 1” gets further on average, by less than 0.01 tokens"),
        (["1/2 1", "1 0"], "Both drafts get equally far on average: 2 tokens a round"),
        (["1/4 1", "1/2 0"], "Both drafts get equally far on average: 1.5 tokens a round"),
        (["1/3"] * 3, "All three drafts get equally far on average: 1.33 tokens a round"),
        (["1", "0", "1/2"], "“Draft 0” gets furthest on average: 2 tokens a round"),
        (["1", "0", "1"], "Two drafts of three get furthest on average: 2 tokens a round"),
    ],
)
def test_the_title_of_a_comparison_is_true(rates: list[str], title: str) -> None:
    assert side_by_side(*rates).title == title


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("A small draft of 7", "“A small draft of 7”"),
        ("WWWWWWWWWWWW", "“WWWWWWWWWWWW”"),
        ("ŒŒŒŒŒŒŒŒŒŒŒŒ", "“ŒŒŒŒŒŒŒŒŒŒŒŒ”"),
        ("WWWWWWWWWWWWW", "One draft"),  # too wide
        ("日本", "One draft"),  # not in the font
        (" x", "One draft"),
        ("\u202eabc", "One draft"),
        ("the other", "One draft"),  # which is called so, too
    ],
)
def test_a_title_names_a_draft_where_it_can(name: str, called: str) -> None:
    figure = side_by_side("1", "0", "0", names=(name, "the other", "a third"))
    assert figure.title == f"{called} gets furthest on average: 2 tokens a round"
    canvas = drawn(replace(figure, title=figure.title.replace("2 tokens", "64.99 tokens")))
    assert outside(canvas) == []


@each_golden
def test_the_build_up_says_its_numbers(golden: Golden) -> None:
    figure = expected_tokens.figure(shipped(golden))
    assert f"E[N] = {golden.expected} ≈ {rounded(golden.expected)} of at most" in figure.alt


@pytest.mark.parametrize(
    ("value", "short", "long"),
    [
        ("1/3", ["1/3", "≈ 0.333"], ["1/3 ≈ 0.33", "≈ 0.33"]),
        ("3/2", ["3/2", "1.5"], ["3/2 = 1.5", "1.5"]),
        ("2", ["2", "2"], ["2", "2"]),
    ],
)
def test_numbers_from_long_to_short(value: str, short: list[str], long: list[str]) -> None:
    assert spelled(Fraction(value)) == short
    assert both(Fraction(value)) == long


# Pictures.


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.split(".")[-1])
@pytest.mark.parametrize("case", EXTREMES)
def test_extremes_fit(kind: ModuleType, case: str) -> None:
    canvas = drawn(kind.figure(EXTREMES[case]()))  # warnings are errors here
    assert outside(canvas) == []
    assert overlapping(canvas) == []


@pytest.mark.parametrize("prices", [("0", "1"), ("1/10", "1"), ("2", "1"), ("1/2", "10")])
def test_lines_of_any_prices_fit(results: Results, prices: tuple[str, str]) -> None:
    canvas = drawn(draft_length.figure(replaced_cost(results.main, *prices)))
    assert outside(canvas) == []
    assert overlapping(canvas) == []


LONG = "1/3 996/997 " * 32

COMPARISONS = {
    "two, one position": ["0", "1"],
    "two equal": ["1/2 3/4"] * 2,
    "ten equal, all accepted": ["1 1 1"] * 10,
    "ten, one position": [f"{n}/9" for n in range(10)],
    "ten, none accepted": ["0 " * 12] * 10,
    "ten, twelve positions": [f"{n}/10 " * 12 for n in range(1, 11)],
    "two, sixty-four positions": [LONG, "1 " * 64],
    "ten, sixty-four positions": [LONG] * 10,
    "thirty": ["1/2 1/3"] * 30,
}


@pytest.mark.parametrize("case", COMPARISONS)
def test_any_drafts_fit_side_by_side(case: str) -> None:
    rates = COMPARISONS[case]
    canvas = drawn(side_by_side(*rates))
    assert outside(canvas) == []
    assert overlapping(canvas) == []
    left, right = (axes for axes in canvas.axes)
    assert left.get_ylim() == right.get_ylim() == (0, 1)
    assert left.get_position().height == right.get_position().height
    looks = {(line.get_marker(), line.get_color()) for line in left.lines}
    assert len(looks) == len(left.lines) == len(rates)
    if len(rates) <= 10:
        assert len({marker for marker, _colour in looks}) == len(rates), "without colour, too"


@pytest.mark.parametrize("name", TEXTS)
def test_any_name_of_a_draft_fits(name: str) -> None:
    names = (name, *(f"{name} {number}" for number in range(9)))
    canvas = drawn(side_by_side(*(f"{n}/10" for n in range(10)), names=names))
    assert outside(canvas) == []
    assert overlapping(canvas) == []


def test_marks_stand_where_the_numbers_are() -> None:
    """Those of one position side by side, nearer to it than to the next."""
    left, right = drawn(side_by_side("1/2 3/4", "1/2 1/4", "1/2 1")).axes
    for axes, first, lines in (
        (left, 1, [[1 / 2, 3 / 4], [1 / 2, 1 / 4], [1 / 2, 1]]),
        (right, 0, [[1, 1 / 2, 3 / 8], [1, 1 / 2, 1 / 8], [1, 1 / 2, 1 / 2]]),
    ):
        drawn_ = [np.asarray(line.get_xydata()) for line in axes.lines[:3]]
        assert [list(line[:, 1]) for line in drawn_] == lines
        aside = [line[:, 0] - np.arange(first, first + len(lines[0])) for line in drawn_]
        assert np.all(np.diff(aside, axis=0) > 0), "one after the other"
        assert np.abs(aside).max() <= 0.25
