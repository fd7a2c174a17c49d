"""Distances and chi-square tests: by hand, by going through all outcomes, and against SciPy."""

from __future__ import annotations

import time
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import factorial, prod
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, chi2

from specdec import Distribution, SpecdecError
from specdec.convergence import (
    FEWEST_EXPECTED,
    ChiSquare,
    chi_square,
    chi_square_tail,
    corrected_threshold,
    distance,
    distance_band,
    distance_spread,
    expected_distance,
    total_variation,
)
from tests.strategies import distributions


def law(text: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, text.split()))


def close(value: float, error: float) -> object:
    """Return what equals a float within a relative error, however small the float."""
    return pytest.approx(value, rel=error, abs=0)


LAWS = [
    law("1/2 1/2"),
    law("1/3 2/3"),
    law("1/8 0 7/8"),
    law("5/8 1/8 1/8 0 1/8 0"),
    law("1/5 1/5 1/5 1/5 1/5"),
    law("1/6 1/6 1/6 1/6 1/6 1/6"),
    law("1/20 3/20 1/4 1/4 3/10"),
]
each_law = pytest.mark.parametrize("chances", LAWS, ids=lambda chances: " ".join(map(str, chances)))


# Distances


def test_total_variation_by_hand() -> None:
    assert total_variation(law("1/2 1/2 0"), law("1/4 1/4 1/2")) == Fraction(1, 2)
    assert total_variation(law("1/3 2/3"), law("1/3 2/3")) == 0
    assert total_variation(law("1 0"), law("0 1")) == 1


@given(one=distributions(), other=distributions())
def test_total_variation_is_the_largest_difference_of_an_event(
    one: Distribution, other: Distribution
) -> None:
    gains = [max(p - q, Fraction(0)) for p, q in zip(one.values(), other.values(), strict=True)]
    assert total_variation(one.values(), other.values()) == sum(gains)


def test_distance_by_hand() -> None:
    assert distance([3, 1, 0], law("1/2 1/4 1/4")) == Fraction(1, 4)
    assert distance([1, 2], law("1/3 2/3")) == 0
    assert distance([0, 7], law("1 0")) == 1


def outcomes(chances: Sequence[Fraction], draws: int) -> Iterator[tuple[list[int], Fraction]]:
    """Yield all counts of so many draws from a law, each with its chance."""
    for first in product(range(draws + 1), repeat=len(chances) - 1):
        counts = [*first, draws - sum(first)]
        if counts[-1] >= 0:
            ways = Fraction(factorial(draws), prod(map(factorial, counts)))
            yield counts, ways * prod(p**n for p, n in zip(chances, counts, strict=True))


@each_law
@pytest.mark.parametrize("draws", [1, 2, 3, 5])
def test_the_expected_distance_is_the_mean_over_all_outcomes(
    chances: tuple[Fraction, ...], draws: int
) -> None:
    mean = sum(chance * distance(counts, chances) for counts, chance in outcomes(chances, draws))
    assert expected_distance(chances, draws) == close(float(mean), 1e-12)


@each_law
@pytest.mark.parametrize("draws", [1, 7, 8, 100, 2400, 10**5])
def test_the_expected_distance_is_that_of_scipys_binomials(
    chances: tuple[Fraction, ...], draws: int
) -> None:
    counts = np.arange(draws + 1)
    shares = list(map(float, chances))
    mean = sum(float(np.abs(counts / draws - p) @ binom.pmf(counts, draws, p)) for p in shares)
    assert expected_distance(chances, draws) == close(mean / 2, 1e-8)


@given(st.lists(st.integers(1, 10**6), min_size=3, max_size=9), st.randoms())
def test_the_order_of_outcomes_changes_nothing(weights: list[int], random: Random) -> None:
    """Else nor would the numbers be the same in each version of Python, which adds up otherwise."""
    chances = [Fraction(each, sum(weights)) for each in weights]
    other = random.sample(chances, len(chances))
    for far in (expected_distance, distance_spread):
        assert far(other, 1000) == far(chances, 1000)


def test_a_certain_law_is_met_at_once() -> None:
    for draws in (1, 10**9):
        assert expected_distance(law("0 1 0"), draws) == 0
        assert distance_spread(law("0 1 0"), draws) == 0
        assert distance_band(law("0 1 0"), draws) == (0, 0, 0)


def test_the_distance_falls_with_the_root_of_the_draws() -> None:
    chances = law("1/8 3/8 1/2")
    for far in (expected_distance, distance_spread):
        assert far(chances, 10**4) / far(chances, 10**8) == close(100, 1e-3)


def test_a_law_that_is_nearly_certain() -> None:
    """A file may have a denominator of 10¹⁸; a float cannot tell 1 - 10⁻¹⁸ from 1."""
    least = Fraction(1, 10**18)
    assert expected_distance([1 - least, least], 1000) == close(2e-18, 1e-9)
    assert distance_spread([1 - least, least], 1000) < 1e-10


SIMULATED = 20_000


def simulated(chances: tuple[Fraction, ...], draws: int) -> NDArray[np.float64]:
    """Return the distances at which many runs end."""
    shares = np.array(list(map(float, chances)))
    counts = np.random.default_rng(1).multinomial(draws, shares, SIMULATED)
    distances: NDArray[np.float64] = np.abs(counts / draws - shares).sum(axis=1) / 2
    return distances


@each_law
@pytest.mark.parametrize("draws", [30, 100, 1000, 10**6])
def test_about_95_of_100_runs_end_in_the_band(chances: tuple[Fraction, ...], draws: int) -> None:
    ends = simulated(chances, draws)
    low, _mean, high = distance_band(chances, draws)
    assert 0 <= low < expected_distance(chances, draws) < high
    inside = np.mean((low <= ends) & (ends <= high))
    assert 0.93 < inside < 0.98


@each_law
def test_mean_and_spread_are_those_of_runs(chances: tuple[Fraction, ...]) -> None:
    ends = simulated(chances, 10**5)
    spread = distance_spread(chances, 10**5)
    # Five standard errors; the spread of a spread is less than 1.2 / sqrt(SIMULATED) of it.
    assert abs(ends.mean() - expected_distance(chances, 10**5)) < 5 * spread / SIMULATED**0.5
    assert abs(ends.std() - spread) < 6 * spread / SIMULATED**0.5


# The chi-square test


def test_chi_square_by_hand() -> None:
    found = chi_square([10_000, 10_200, 19_800], law("1/4 1/4 1/2"))
    assert found.statistic == Fraction(200**2, 10_000) + Fraction(200**2, 20_000)
    assert found.degrees == 2
    assert found.p_value == close(0.049787068367863944, 1e-14)  # exp(-3)


def test_counts_that_fit_perfectly() -> None:
    assert chi_square([2000, 6000], law("1/4 3/4")) == ChiSquare(Fraction(0), 1, 1.0)


def test_what_is_impossible_fails_at_once() -> None:
    assert chi_square([10**6, 1], law("1 0")) == ChiSquare(None, 0, 0.0)
    assert chi_square([50, 49, 1], law("1/2 1/2 0")) == ChiSquare(None, 0, 0.0)


def test_what_is_certain_or_was_never_counted_cannot_be_tested() -> None:
    nothing = ChiSquare(Fraction(0), 0, 1.0)
    assert chi_square([0, 70], law("0 1")) == nothing
    assert chi_square([0, 0], law("1/2 1/2")) == nothing
    assert chi_square([4, 5], law("1/2 1/2")) == nothing  # one pool of both


def test_impossible_tokens_are_no_cells() -> None:
    assert chi_square([2500, 0, 3500, 4000], law("1/4 0 1/4 1/2")) == chi_square(
        [2500, 3500, 4000], law("1/4 1/4 1/2")
    )


@pytest.mark.parametrize(
    ("counts", "chances", "pooled", "as_if"),
    [
        pytest.param([9, 91], "1/20 19/20", [9, 91], "1/20 19/20", id="just enough"),
        pytest.param([9, 90], "1/20 19/20", [99], "1", id="less is joined, here with all"),
        pytest.param(
            [2, 1, 40, 57], "1/50 1/50 9/25 3/5", [43, 57], "2/5 3/5", id="a pool that is too small"
        ),
        pytest.param(
            [2, 1, 3, 40, 54], "1/50 1/50 1/50 17/50 3/5", [6, 40, 54], "3/50 17/50 3/5",
            id="a pool that is large enough",
        ),
        pytest.param(
            [54, 3, 40, 1, 2], "3/5 1/50 17/50 1/50 1/50", [6, 40, 54], "3/50 17/50 3/5",
            id="in any order",
        ),
        pytest.param(
            [90, 5, 5], "46/50 3/100 1/20", [90, 10], "46/50 4/50", id="with the least of others"
        ),
        pytest.param(
            [9, 3, 88], "1/50 1/10 22/25", [12, 88], "6/50 22/25",
            id="by what they expect, not by what was counted",
        ),
    ],
)  # fmt: skip
def test_outcomes_that_expect_too_little_are_joined(
    counts: list[int], chances: str, pooled: list[int], as_if: str
) -> None:
    """In the table a cell has to expect five; a fifth of a thousand times as many are counted."""
    scale = FEWEST_EXPECTED // 5
    many, joined = ([count * scale for count in each] for each in (counts, pooled))
    assert chi_square(many, law(chances)) == chi_square(joined, law(as_if))


@pytest.mark.parametrize("expected", [FEWEST_EXPECTED, 2 * FEWEST_EXPECTED, 10**5])
@pytest.mark.parametrize("tests", [3, 7, 14])
def test_the_false_alarm_rate_is_the_stated_one(expected: int, tests: int) -> None:
    """Exactly, by SciPy's binomials, for the hardest case: a rare token and all the others."""
    draws = 10**6
    chances = (Fraction(expected, draws), 1 - Fraction(expected, draws))
    stated = corrected_threshold(tests)

    def alarm(count: int) -> bool:
        return chi_square([count, draws - count], chances).p_value < stated

    reach = int(10 * expected**0.5)
    low = bisect(range(expected - reach, expected), False, key=lambda count: not alarm(count))
    high = bisect(range(expected, expected + reach), False, key=alarm)
    share = expected / draws
    rate = binom.cdf(expected - reach + low - 1, draws, share) + binom.sf(
        expected + high - 1, draws, share
    )
    assert 0.8 * stated < rate < 1.25 * stated


def test_many_outcomes_are_tested_in_time() -> None:
    tokens = 5000
    counts, chances = [3] + [0] * (tokens - 1), [Fraction(1, tokens)] * tokens
    started = time.process_time()
    assert chi_square(counts, chances).degrees == 0
    assert distance_spread([Fraction(1, 800)] * 800, 10) > 0
    assert time.process_time() - started < 2


@given(
    cells=st.lists(st.tuples(st.integers(0, 40_000), st.integers(1, 9)), min_size=1, max_size=6),
    weight=st.integers(1, 9),
)
def test_chi_square_by_another_formula(cells: list[tuple[int, int]], weight: int) -> None:
    """Σ observed² / expected - total; there are too many draws for anything to be joined."""
    counts, weights = zip(*cells, (100_000, weight), strict=True)
    chances = [Fraction(each, sum(weights)) for each in weights]
    total = sum(counts)
    squares = [count**2 / (p * total) for count, p in zip(counts, chances, strict=True)]
    found = chi_square(counts, chances)
    assert found.statistic == sum(squares) - total
    assert found.degrees == len(counts) - 1


@pytest.mark.parametrize("degrees", range(1, 13))
def test_the_tail_is_scipys(degrees: int) -> None:
    for statistic in (0.0, 1e-9, 0.01, 0.5, 1.0, 2.0, 5.0, 12.5, 40.0, 150.0, 700.0, 1300.0):
        expected = chi2.sf(statistic, degrees)
        assert chi_square_tail(statistic, degrees) == close(expected, 1e-10)


def test_a_tail_too_small_for_a_float_is_nothing() -> None:
    assert chi_square_tail(1e6, 3) == 0.0
    assert chi_square_tail(1e300, 4) == 0.0


@each_law
def test_one_test_in_twenty_has_a_p_value_below_a_twentieth(chances: tuple[Fraction, ...]) -> None:
    shares = list(map(float, chances))
    counts = np.random.default_rng(2).multinomial(10**5, shares, 2000).tolist()
    p_values = np.array([chi_square(each, chances).p_value for each in counts])
    for level in (0.05, 0.5):
        error = (level * (1 - level) / p_values.size) ** 0.5
        assert abs(np.mean(p_values < level) - level) < 4 * error


def test_the_threshold_is_shared_among_the_tests() -> None:
    assert corrected_threshold(1) == Fraction(1, 10**6)
    assert corrected_threshold(7) == Fraction(1, 7 * 10**6)


# What is refused


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(SpecdecError) as refused:
        call()
    return str(refused.value)


def test_a_distance_of_nothing_is_refused() -> None:
    message = "counts: expected at least one, got none"
    assert refusal(lambda: distance([0, 0], law("1/2 1/2"))) == message


@pytest.mark.parametrize("far", [expected_distance, distance_spread, distance_band])
@pytest.mark.parametrize(
    ("draws", "message"),
    [
        (0, "draws: expected at least 1, got 0"),
        (-1, "draws: expected a whole number >= 0, got -1"),
        (True, "draws: expected a whole number >= 0, got True"),
        (10.0, "draws: expected a whole number >= 0, got 10.0"),
    ],
)
def test_draws_that_are_none_are_refused(
    far: Callable[[Sequence[Fraction], int], object], draws: Any, message: str
) -> None:
    assert refusal(partial(far, law("1/2 1/2"), draws)) == message


def test_counts_and_a_law_of_different_lengths_are_an_error() -> None:
    for call in (distance, chi_square):
        with pytest.raises(ValueError, match="zip"):
            call([1, 2, 3], law("1/2 1/2"))


def test_counts_of_numpy_are_counts() -> None:
    """Denominators as a file may have them would overflow NumPy's integers."""
    law = (Fraction(10**18 // 3, 10**18), 1 - Fraction(10**18 // 3, 10**18))
    counts = [3_333_000, 6_667_000]
    for kind in (np.int16, np.int32, np.int64, np.uint64):
        small = [3, 7] if kind is np.int16 else counts
        assert distance(list(np.array(small, kind)), law) == distance(small, law)
