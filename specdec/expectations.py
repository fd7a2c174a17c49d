"""How many tokens a round commits: the closed forms.

A round commits one token more than it accepts, the replacement or the bonus. Positions are taken
as independent, so the chance to pass the first j of them is the product of their acceptance rates.
`specdec.laws` finds the same numbers by enumeration; neither module imports the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from specdec.exact import Exact, exact_in_unit, listed


def survival(rates: Iterable[Exact]) -> tuple[Fraction, ...]:
    """Return the chance that the first j proposals are all accepted, for j = 0 … k.

    Args:
        rates: acceptance rate of each of the k positions, in [0, 1].

    Raises:
        SpecdecError: a rate that is no exact number in [0, 1].

    >>> survival(["3/4", "1/2"])
    (Fraction(1, 1), Fraction(3, 4), Fraction(3, 8))
    """
    reached = [Fraction(1)]
    for position, rate in enumerate(listed(rates, "rates"), start=1):
        reached.append(reached[-1] * exact_in_unit(rate, f"rate {position}", one_allowed=True))
    return tuple(reached)


def build_up(rates: Iterable[Exact]) -> tuple[Fraction, ...]:
    """Return the sums of `survival` up to j, for j = 0 … k; the last is `expected_tokens`.

    Raises:
        SpecdecError: a rate that is no exact number in [0, 1].

    >>> build_up(["3/4", "1/2"])
    (Fraction(1, 1), Fraction(7, 4), Fraction(17, 8))
    """
    return tuple(accumulate(survival(rates)))


def committed_length_law(rates: Iterable[Exact]) -> tuple[Fraction, ...]:
    """Return (P(N = 1), …, P(N = k + 1)) for the number N of tokens a round commits.

    Raises:
        SpecdecError: a rate that is no exact number in [0, 1].

    >>> committed_length_law(["3/4", "1/2"])
    (Fraction(1, 4), Fraction(3, 8), Fraction(3, 8))
    """
    reached = survival(rates)
    stopped = (here - further for here, further in pairwise(reached))
    return (*stopped, reached[-1])


def expected_tokens(rates: Iterable[Exact]) -> Fraction:
    """Return E[N] = 1 + Σ_j Π_{i ≤ j} rate_i, in tokens per round.

    With equal rates this is (1 - α^(k+1)) / (1 - α), Leviathan et al. 2023, equation 1, without
    its division by zero at α = 1.

    Raises:
        SpecdecError: a rate that is no exact number in [0, 1].

    >>> expected_tokens(["4/5"] * 4)
    Fraction(2101, 625)
    """
    return sum(survival(rates), start=Fraction(0))


def mean_rate(rates: Sequence[Fraction]) -> Fraction:
    """Return the average of acceptance rates, for k >= 1; E[N] depends on their order, too."""
    return sum(rates, start=Fraction(0)) / len(rates)


def mean(length_law: Sequence[Fraction]) -> Fraction:
    """Return Σ n·P(N = n) for a law of N that starts at N = 1."""
    return sum((n * chance for n, chance in enumerate(length_law, start=1)), start=Fraction(0))


def second_moment(length_law: Sequence[Fraction]) -> Fraction:
    """Return E[N²] for a law of N that starts at N = 1, in tokens squared."""
    return sum((n * n * chance for n, chance in enumerate(length_law, start=1)), start=Fraction(0))


def variance(length_law: Sequence[Fraction]) -> Fraction:
    """Return E[N²] - E[N]² for a law of N that starts at N = 1, in tokens squared."""
    return second_moment(length_law) - mean(length_law) ** 2


def widest_gap(rates: Sequence[Sequence[Fraction]]) -> tuple[Fraction, tuple[int, ...]]:
    """Return how far rates at one position are apart, at most, and at which positions, from 1.

    Args:
        rates: of each of several drafts, a rate per position, k >= 1.

    >>> widest_gap([[Fraction(3, 4), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)]])
    (Fraction(1, 4), (1,))
    """
    gaps = [max(column) - min(column) for column in zip(*rates, strict=True)]
    widest = max(gaps)
    return widest, tuple(number for number, gap in enumerate(gaps, start=1) if gap == widest)
