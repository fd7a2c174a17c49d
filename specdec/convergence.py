"""How close counts of committed tokens come to a law, and how close they should.

Counts are what `specdec.sampling` tallies. Distances and test statistics of counts are rational,
and exact here; what is expected of them is float64, added up by `fsum`: `sum` rounds otherwise from
Python 3.12 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import asin, erfc, exp, fsum, lcm, lgamma, log, log1p, pi, sqrt
from operator import itemgetter

from specdec.errors import SpecdecError
from specdec.exact import require_count

FALSE_ALARM = Fraction(1, 10**6)
"""Chance that a sampler with nothing wrong fails one of a profile's tests."""

FEWEST_EXPECTED = 1000
"""Outcomes that expect fewer counts are joined with others for a chi-square test.

The usual 5 is for p-values of some hundredths. At a few in ten million, where these tests fail, the
approximation has to be good much farther out: from 1000 on, the true chance is within a fifth.
"""

BAND = 1.96
"""Standard deviations on either side of the mean: about 95 runs in 100 stay within."""


def total_variation(first: Sequence[Fraction], second: Sequence[Fraction]) -> Fraction:
    """Return half the sum of the absolute differences, in [0, 1], of two laws in one order."""
    return sum((abs(a - b) for a, b in zip(first, second, strict=True)), start=Fraction(0)) / 2


def distance(counts: Sequence[int], law: Sequence[Fraction]) -> Fraction:
    """Return the total variation distance between the shares that were counted and a law.

    Raises:
        SpecdecError: nothing was counted.
    """
    counts = _whole(counts)
    total = sum(counts)
    if total == 0:
        raise SpecdecError("counts: expected at least one, got none")
    # In whole units of 1 / (total · whole): adding fractions one by one would be slow.
    whole = lcm(*(chance.denominator for chance in law))
    units = sum(
        abs(count * whole - total * (chance.numerator * (whole // chance.denominator)))
        for count, chance in zip(counts, law, strict=True)
    )
    return Fraction(units, 2 * total * whole)


def expected_distance(law: Sequence[Fraction], draws: int) -> float:
    """Return the mean of `distance` over counts of independent draws from the law itself.

    Half the sum of the mean absolute deviations of a binomial share; each by de Moivre's closed
    form, 2(1 - p)·m·P(X = m) with m = floor(np) + 1. Good to 10⁻⁵ of its value up to 10¹⁰ draws.

    Raises:
        SpecdecError: ``draws`` is no whole number >= 1.
    """
    _require_draws(draws)
    return fsum(_mean_deviation(*chance, draws) for chance in _inner(tuple(law))) / 2


def distance_spread(law: Sequence[Fraction], draws: int) -> float:
    """Return the standard deviation of `distance` under the same draws, for many of them.

    The deviations of the shares are taken as jointly normal, as they nearly are for many draws:
    E|AB| = 2/π · (sqrt(1 - r²) + r·asin r) for standard normals of correlation r.

    Raises:
        SpecdecError: ``draws`` is no whole number >= 1.
    """
    _require_draws(draws)
    return _spread_of_one(tuple(law)) / sqrt(draws)


@lru_cache
def _spread_of_one(law: tuple[Fraction, ...]) -> float:
    # Standard deviation and odds of each share; the correlation of two is -sqrt(odds · odds).
    shares = [(sqrt(p * (1 - p)), float(p / (1 - p))) for p in law if 0 < p < 1]
    parts = [d * d * (1 - 2 / pi) for d, _odds in shares]
    for (a, first), (b, second) in combinations(shares, 2):
        r = -min(1.0, sqrt(first * second))
        parts.append(2 * (a * b) * (2 / pi) * (sqrt(1 - r * r) + r * asin(r) - 1))
    return sqrt(max(fsum(parts), 0.0)) / 2


def distance_band(law: Sequence[Fraction], draws: int) -> tuple[float, float, float]:
    """Return (low, mean, high): about 95 of 100 runs end between low, maybe 0, and high."""
    mean, spread = expected_distance(law, draws), distance_spread(law, draws)
    return max(0.0, mean - BAND * spread), mean, mean + BAND * spread


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """A test of whether counts come from a law.

    Attributes:
        statistic: Σ (observed - expected)² / expected; None if something impossible occurred.
        degrees: of freedom, one less than the cells.
        p_value: chance of a statistic at least as large if they do.
    """

    statistic: Fraction | None
    degrees: int
    p_value: float


def chi_square(counts: Sequence[int], law: Sequence[Fraction]) -> ChiSquare:
    """Test counts against a law; Pearson 1900.

    Outcomes are joined, the unlikeliest first, until each cell expects `FEWEST_EXPECTED` counts.
    Where one cell is left there is nothing to test, and the p-value is 1.
    """
    counts = _whole(counts)
    if any(count and not chance for count, chance in zip(counts, law, strict=True)):
        return ChiSquare(None, 0, 0.0)
    cells = _cells(counts, law)
    if len(cells) < 2:
        return ChiSquare(Fraction(0), 0, 1.0)
    statistic = sum(
        ((count - expected) ** 2 / expected for expected, count in cells), start=Fraction(0)
    )
    return ChiSquare(statistic, len(cells) - 1, chi_square_tail(float(statistic), len(cells) - 1))


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Return the chance that a chi-square variable is at least ``statistic``, for degrees >= 1.

    For whole degrees it is a finite sum of Poisson terms, for odd ones after a normal tail.
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    start, tail = (1.0, 0.0) if degrees % 2 == 0 else (1.5, erfc(sqrt(half)))
    steps = (degrees + 1) // 2 - (start == 1.5)
    terms = (start - 1 + step for step in range(steps))
    return fsum([tail, *(exp(power * log(half) - half - lgamma(power + 1)) for power in terms)])


def corrected_threshold(tests: int) -> Fraction:
    """Return the p-value below which one of several tests fails; Bonferroni."""
    return FALSE_ALARM / tests


def expected_least(tests: int) -> Fraction:
    """Return the mean of the smallest of so many independent p-values, if nothing is wrong."""
    return Fraction(1, tests + 1)


def _whole(counts: Sequence[int]) -> list[int]:
    """Return counts as Python's integers: NumPy's would overflow, without a word."""
    return list(map(int, counts))


def _cells(counts: Sequence[int], law: Sequence[Fraction]) -> list[tuple[Fraction, int]]:
    """Return (expected, counted) of each cell; the counts have no say in what is joined."""
    total = sum(counts)
    cells: list[tuple[Fraction, int]] = []
    expected, counted = Fraction(0), 0
    for chance, count in sorted(zip(law, counts, strict=True), key=itemgetter(0)):
        expected, counted = expected + chance * total, counted + count
        if expected >= FEWEST_EXPECTED:
            cells.append((expected, counted))
            expected, counted = Fraction(0), 0
    if expected and cells:  # the likeliest of all, joined with the cell before it
        before, further = cells.pop()
        cells.append((before + expected, further + counted))
    return cells


@lru_cache
def _inner(law: tuple[Fraction, ...]) -> list[tuple[Fraction, float, float]]:
    """Return (chance, its logarithm, that of its complement) where a share can deviate."""
    return [(p, _log(p), _log(1 - p)) for p in law if 0 < p < 1]


def _mean_deviation(chance: Fraction, log_chance: float, log_other: float, n: int) -> float:
    """Return E|X/n - p| for a binomial X; the mass at m by logarithms, as n may be large."""
    m = chance.numerator * n // chance.denominator + 1
    ways = lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)
    return 2 * m * exp(ways + m * log_chance + (n - m + 1) * log_other) / n


def _log(chance: Fraction) -> float:
    """Return the logarithm of a chance, which may be too close to 0 or 1 for a float."""
    if chance > Fraction(1, 2):
        return log1p(-float(1 - chance))
    return log(chance.numerator) - log(chance.denominator)


def _require_draws(draws: int) -> None:
    require_count("draws", draws)
    if draws == 0:
        raise SpecdecError("draws: expected at least 1, got 0")
