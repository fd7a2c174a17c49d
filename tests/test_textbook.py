"""The numbers that put common beliefs right, and those of the exercises, by another route."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import pytest
from hypothesis import given

from specdec.distribution import Distribution
from specdec.errors import SpecdecError
from specdec.textbook import (
    DRAFT,
    OTHER_TARGET,
    TARGET,
    Beliefs,
    beliefs,
    blackboard,
    certain,
    coincidence,
    envelope_acceptance,
    likeliest,
    sharpened,
)
from specdec.verification import acceptance_rate
from tests.strategies import pairs


@pytest.fixture(scope="module")
def numbers() -> Beliefs:
    return beliefs()


def every_round(rate: Fraction, k: int) -> list[tuple[int, Fraction]]:
    """Return (tokens committed, chance) of every way the checks of a round could end."""
    return [
        (next((n for n, kept in enumerate(checks, 1) if not kept), k + 1),
         prod((rate if kept else 1 - rate for kept in checks), start=Fraction(1)))
        for checks in product((True, False), repeat=k)
    ]  # fmt: skip


def mean_of(rounds: Sequence[tuple[int, Fraction]]) -> Fraction:
    return sum((n * chance for n, chance in rounds), start=Fraction(0))


# By hand, as in the literature.


def test_the_published_values(numbers: Beliefs) -> None:
    assert list(numbers.threshold.law) == [0, 1]
    assert numbers.resampled.law == (Fraction(12, 32), Fraction(15, 32), Fraction(5, 32))
    assert numbers.resampled.distance == Fraction(1, 8)
    assert numbers.tokens == Fraction(2101, 625)
    assert numbers.by_token == Fraction(8669, 2101)
    assert numbers.all_accepted == Fraction(256, 625)
    assert round(float(numbers.accepted_per_proposal), 3) == 0.590
    # Leviathan et al. print 3.2 and 2.5 for these drafts.
    assert round(float(numbers.cheap_speedup), 1) == 3.2
    assert round(float(numbers.dear_speedup), 1) == 2.5


def test_the_numbers_of_one_position(numbers: Beliefs) -> None:
    assert numbers.same_twice == Fraction(4 * 4 + 3 * 3 + 1, 64)
    assert numbers.greedy_rate == Fraction(2, 8)
    assert numbers.certain_rate == Fraction(3, 8)
    assert numbers.envelope == Fraction(1, 2)
    assert numbers.rates_of_one_draft[0] == Fraction(2 + 3 + 1, 8)
    # 1 minus half the absolute differences, where the page adds minima.
    cold = (
        Fraction(16, 26) - Fraction(4, 24),
        Fraction(9, 26) - Fraction(16, 24),
        Fraction(1, 26) - Fraction(4, 24),
    )
    assert numbers.rates_of_one_draft == (
        Fraction(3, 4),
        1 - Fraction(1 + 3 + 4, 16),
        1 - sum(map(abs, cold), start=Fraction(0)) / 2,
        Fraction(0),
    )


def test_the_numbers_of_rounds(numbers: Beliefs) -> None:
    rounds = every_round(Fraction(4, 5), 4)
    assert numbers.rate == Fraction(4, 5)
    assert numbers.tokens == mean_of(rounds)
    assert numbers.accepted == mean_of([(n - 1, chance) for n, chance in rounds])
    assert numbers.accepted_per_proposal == numbers.accepted / 4
    assert numbers.filled == mean_of(rounds) / 5
    assert numbers.rate_times_k == Fraction(16, 5)
    assert numbers.all_accepted == dict(rounds)[5]
    assert numbers.positions_per_token == 5 / mean_of(rounds)
    assert numbers.by_token == mean_of([(n * n, chance) for n, chance in rounds]) / mean_of(rounds)
    most_likely: dict[int, Fraction] = {}
    for n, chance in rounds:
        most_likely[n] = most_likely.get(n, Fraction(0)) + chance
    assert max(most_likely, key=most_likely.__getitem__) == 5


def test_the_numbers_of_time(numbers: Beliefs) -> None:
    tokens = mean_of(every_round(Fraction(4, 5), 4))
    assert numbers.speedups_by_pass == tuple(
        (Fraction(price), tokens / (price + Fraction(4, 10))) for price in (1, 2, 5)
    )
    assert numbers.speedups_by_pass[-1][1] < 1
    assert numbers.slowest == Fraction(14, 10)
    assert numbers.mean_of_ratios == (1 + 5 / Fraction(14, 10)) / 2
    assert numbers.ratio_of_means == (1 + 5) / (1 + Fraction(14, 10))
    small, large = every_round(Fraction(3, 4), 7), every_round(Fraction(82, 100), 7)
    assert numbers.cheap_speedup == mean_of(small) / (1 + 7 * Fraction(2, 100))
    assert numbers.dear_speedup == mean_of(large) / (1 + 7 * Fraction(11, 100))


def test_order_changes_a_sum_of_floats(numbers: Beliefs) -> None:
    assert numbers.sums[0] != numbers.sums[1]
    assert sorted(map(str, numbers.sums)) == ["0.6", "0.6000000000000001"]


def test_the_blackboard() -> None:
    board = blackboard()
    assert [row.acceptance for row in board.position.rows] == [1, Fraction(3, 4), Fraction(1, 2)]
    assert board.acceptance == Fraction(3, 4)
    assert [draw < board.acceptance for draw in board.draws] == [True, False, False]
    assert board.draws[1] == board.acceptance
    assert [row.replacement for row in board.position.rows] == [1, 0, 0]
    assert board.replacement == "a"
    assert board.sure.rate == Fraction(1, 8)
    assert [row.replacement for row in board.sure.rows] == [Fraction(4, 7), Fraction(3, 7), 0]
    assert board.law == (Fraction(1, 4), Fraction(3, 16), Fraction(9, 64), Fraction(27, 64))
    assert board.survival == (Fraction(1), Fraction(3, 4), Fraction(9, 16), Fraction(27, 64))
    assert board.tokens == mean_of(every_round(Fraction(3, 4), 3)) == Fraction(175, 64)
    assert board.orders == (
        ((Fraction(1, 2), Fraction(7, 8)), 1 + Fraction(1, 2) + Fraction(7, 16)),
        ((Fraction(7, 8), Fraction(1, 2)), 1 + Fraction(7, 8) + Fraction(7, 16)),
    )
    assert board.coin.rounds == tuple(
        (k, mean_of(every_round(Fraction(1, 2), k)), 1 + Fraction(k, 4),
         mean_of(every_round(Fraction(1, 2), k)) / (1 + Fraction(k, 4)))
        for k in (1, 2, 3)
    )  # fmt: skip
    tokens = [Fraction(1), *(each[1] for each in board.coin.rounds)]
    assert list(board.coin.added) == [more - less for less, more in pairwise(tokens)]
    assert board.coin.best == 1


# Laws.


@given(pairs())
def test_speculative_sampling_keeps_at_least_what_rejection_sampling_does(
    pair: tuple[Distribution, Distribution],
) -> None:
    assert acceptance_rate(*pair) >= envelope_acceptance(*pair)


@given(pairs())
def test_equal_rows_are_accepted_by_either(pair: tuple[Distribution, Distribution]) -> None:
    assert envelope_acceptance(pair[0], pair[0]) == 1


def test_a_token_that_the_draft_misses_leaves_no_envelope() -> None:
    assert envelope_acceptance(TARGET, certain(DRAFT, "a")) == 0


@given(pairs())
def test_sharpening_keeps_the_order_and_ends_at_the_favourite(
    pair: tuple[Distribution, Distribution],
) -> None:
    law = pair[0]
    assert sharpened(law, 1) == law
    colder = sharpened(law, 2)
    assert likeliest(colder) == likeliest(law)
    assert colder[likeliest(law)] >= law[likeliest(law)]
    assert [chance == 0 for chance in colder.values()] == [chance == 0 for chance in law.values()]
    assert coincidence(colder) >= coincidence(law)


@pytest.mark.parametrize("power", [-1, True, 0.5, "2"])
def test_a_power_is_a_whole_number(power: object) -> None:
    with pytest.raises(SpecdecError, match=r"^power: expected a whole number"):
        sharpened(OTHER_TARGET, power)  # type: ignore[arg-type]
