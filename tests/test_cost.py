"""What rounds cost: known values, limits, and a second route to each formula."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec import CostModel, SpecdecError, committed_length_law, expected_passes, expected_tokens
from specdec.cost import cost_table, positions_per_token
from tests.strategies import rates

SHIPPED = CostModel("1/10", "1")


def test_a_round_costs_its_drafts_and_one_pass() -> None:
    assert CostModel("1/10", "3/2").round_cost(5) == Fraction(2)
    assert SHIPPED.round_cost(0) == 1


@pytest.mark.parametrize(
    ("alpha", "k", "c", "speedup"),
    [
        ("11/25", 5, "11/100", "69248304/60546875"),
        ("1", 4, "1/4", "5/2"),
        ("0", 4, "1/4", "1/2"),
        ("4/5", 6, "1/10", "61741/25000"),
    ],
)
def test_speedup(alpha: str, k: int, c: str, speedup: str) -> None:
    assert CostModel(c, 1).speedup([alpha] * k) == Fraction(speedup)


def test_the_best_draft_length() -> None:
    speedups = {k: SHIPPED.speedup(["4/5"] * k) for k in range(20)}
    assert max(speedups, key=speedups.__getitem__) == 6


def test_no_proposals_cost_a_pass_and_yield_a_token() -> None:
    assert SHIPPED.speedup([]) == 1


@given(rates=rates(), price=st.fractions(0, 2))
def test_a_draft_pays_exactly_below_break_even(rates: list[Fraction], price: Fraction) -> None:
    if rates:
        break_even = SHIPPED.break_even_draft_step(rates)
        assert (CostModel(price, 1).speedup(rates) > 1) == (price < break_even)
        if break_even >= 0:
            assert CostModel(break_even, 1).speedup(rates) == 1


@pytest.mark.parametrize(
    ("rate", "draft_step", "best"),
    [
        pytest.param("4/5", "1/10", 6, id="as long as a further proposal pays"),
        pytest.param("1/10", "1/10", 1, id="as likely as it is dear: the fewer, the better"),
        pytest.param("1", "1/10", 12, id="always accepted: as many as there may be"),
        pytest.param("1/2", "0", 12, id="free: as many as there may be"),
        pytest.param("0", "0", 1, id="of equals, the smallest"),
    ],
)
def test_the_best_of_all_draft_lengths(rate: str, draft_step: str, best: int) -> None:
    cost, alpha = CostModel(draft_step, 1), Fraction(rate)
    speedups = {
        k: sum((alpha**j for j in range(k + 1)), start=Fraction(0)) / (k * Fraction(draft_step) + 1)
        for k in range(1, 13)
    }
    assert cost.best_draft_length(rate, 12) == best
    assert best == min(k for k, speedup in speedups.items() if speedup == max(speedups.values()))


def test_the_steps_of_a_round_follow_one_another() -> None:
    assert [
        (step.name, step.start, step.end) for step in CostModel("1/4", "3/2").round_steps(2)
    ] == [
        ("draft step", Fraction(0), Fraction(1, 4)),
        ("draft step", Fraction(1, 4), Fraction(1, 2)),
        ("checking pass", Fraction(1, 2), Fraction(2)),
    ]
    (only,) = SHIPPED.round_steps(0)
    assert (only.name, only.start, only.end) == ("checking pass", Fraction(0), Fraction(1))


def test_what_one_round_gains() -> None:
    assert SHIPPED.round_speedup(3, 5) == 2
    assert SHIPPED.round_saves(3, 5) == Fraction(3, 2)
    assert SHIPPED.round_saves(1, 5) == Fraction(-1, 2), "it takes longer"
    assert CostModel(0, 2).round_speedup(1, 4) == Fraction(1, 2), "a pass that is dear"


def test_a_best_draft_length_needs_one_to_choose_from() -> None:
    with pytest.raises(SpecdecError) as refusal:
        SHIPPED.best_draft_length("1/2", 0)
    assert str(refusal.value) == "most: expected >= 1, got 0"


def test_break_even_needs_a_position() -> None:
    with pytest.raises(SpecdecError) as refusal:
        SHIPPED.break_even_draft_step([])
    assert str(refusal.value) == "rates: expected at least one position, got none"


@given(alpha=st.fractions(0, 1), k=st.integers(1, 6), data=st.data())
def test_equal_rates_give_the_known_number_of_passes(
    alpha: Fraction, k: int, data: st.DataObject
) -> None:
    tokens = data.draw(st.integers(1, k + 1))
    assert expected_passes([alpha] * k, tokens) == 1 + (tokens - 1) * (1 - alpha)


@given(rates=rates(max_size=3), tokens=st.integers(0, 4))
def test_passes_by_going_through_every_sequence_of_rounds(
    rates: list[Fraction], tokens: int
) -> None:
    law = committed_length_law(rates)

    def walk(missing: int, chance: Fraction, passes: int) -> Fraction:
        if missing <= 0:
            return chance * passes
        return sum(
            (walk(missing - n, chance * p, passes + 1) for n, p in enumerate(law, start=1)),
            start=Fraction(0),
        )

    assert expected_passes(rates, tokens) == walk(tokens, Fraction(1), 0)


def test_over_a_long_text_passes_per_token_tend_to_the_inverse_of_the_mean() -> None:
    rates = ["3/4", "7/8"]
    long = expected_passes(rates, 301) - expected_passes(rates, 300)
    assert abs(long - 1 / expected_tokens(rates)) < Fraction(1, 10**20)


def test_the_cost_table_of_five_tokens() -> None:
    rows = {row.case: row for row in cost_table(["1/2"] * 5, SHIPPED)}
    figures = {
        case: " ".join(map(str, (row.passes, row.positions_scored, row.draft_steps, row.time)))
        for case, row in rows.items()
    }
    assert figures == {
        "one at a time": "5 5 0 5",
        "best": "1 6 5 3/2",
        "average": "3 18 15 9/2",
        "worst": "5 30 25 15/2",
    }


@given(rates=rates())
def test_average_lies_between_best_and_worst(rates: list[Fraction]) -> None:
    if rates:
        _alone, best, average, worst = cost_table(rates, SHIPPED)
        assert best.passes <= average.passes <= worst.passes
        assert best.time <= average.time <= worst.time


def test_arithmetic_per_token_grows() -> None:
    assert positions_per_token(["4/5"] * 4) == Fraction(5) / Fraction(2101, 625)
    assert positions_per_token([]) == positions_per_token([1, 1]) == 1


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        (("-1/10", "1"), "draft_step: expected >= 0, got -1/10"),
        (("0", "0"), "verify_pass: expected > 0, got 0"),
        (("0", "-1"), "verify_pass: expected > 0, got -1"),
        ((0.1, "1"), "draft_step: expected a Fraction, an int or an exact string, got float 0.1"),
        (
            ("0", "1e3"),
            'verify_pass: expected an exact number such as "1/2" or "0.1", got \'1e3\'',
        ),
    ],
)
def test_prices_out_of_range_are_refused(prices: tuple[str, str], message: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        CostModel(*prices)
    assert str(refusal.value) == message


@pytest.mark.parametrize("wrong", [-1, True, "2"])
def test_counts_that_are_none_are_refused(wrong: int) -> None:
    with pytest.raises(SpecdecError) as refusal:
        SHIPPED.round_cost(wrong)
    assert str(refusal.value) == f"k: expected a whole number >= 0, got {wrong!r}"
    with pytest.raises(SpecdecError) as refusal:
        expected_passes(["1/2"], wrong)
    assert str(refusal.value) == f"tokens: expected a whole number >= 0, got {wrong!r}"
