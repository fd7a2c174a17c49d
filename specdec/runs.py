"""One run of random rounds, watched as it grows: how far the counts are from the laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from specdec.convergence import (
    ChiSquare,
    chi_square,
    corrected_threshold,
    distance,
    distance_band,
)
from specdec.distribution import Distribution
from specdec.errors import SpecdecError

CHECKPOINTS_PER_DECADE = 8


def log_grid(first: int, last: int) -> tuple[int, ...]:
    """Return whole numbers in equal steps of their logarithm, both ends included, for first >= 7.

    >>> log_grid(10, 100)
    (10, 13, 18, 24, 32, 42, 56, 75, 100)
    """
    grid, step = [], 0
    while (here := round(first * 10 ** (step / CHECKPOINTS_PER_DECADE))) < last:
        grid.append(here)
        step += 1
    return (*grid, last)


@dataclass(frozen=True, slots=True)
class Point:
    """One position at one checkpoint.

    Attributes:
        rounds: played so far.
        reached: of these, those that reached the position.
        distance: between the shares of the tokens they committed there and the law.
        low: about 95 of 100 runs of so many draws from the law end between this and ``high``.
        expected: mean of the distance for so many independent draws from the law.
        high: see ``low``.
    """

    rounds: int
    reached: int
    distance: Fraction
    low: float
    expected: float
    high: float

    @property
    def inside(self) -> bool:
        """Whether the distance is in the band."""
        return self.low <= self.distance <= self.high

    @property
    def ratio(self) -> float:
        """The distance as a multiple of what is expected, where anything is."""
        return float(self.distance) / self.expected


@dataclass(frozen=True)
class Run:
    """What a run of rounds committed, and what it should have.

    Attributes:
        laws: target of each position, then of the bonus token.
        length_law: (P(N = 1), …, P(N = k + 1)).
        checkpoints: numbers of rounds, ascending.
        counts: shape (checkpoints, k + 1, V): committed tokens up to each checkpoint.
        lengths: rounds by the number of tokens they committed, at the last checkpoint.
        seed: of the run.
    """

    laws: tuple[Distribution, ...]
    length_law: tuple[Fraction, ...]
    checkpoints: tuple[int, ...]
    counts: Sequence[Sequence[Sequence[int]]]
    lengths: Sequence[int]
    seed: int

    @property
    def rounds(self) -> int:
        """Rounds in all."""
        return self.checkpoints[-1]

    @cached_property
    def series(self) -> tuple[tuple[Point, ...], ...]:
        """How each position came closer, the bonus last: its points from its first visit on."""
        return tuple(
            tuple(
                _point(rounds, counts[place], law.probabilities)
                for rounds, counts in zip(self.checkpoints, self.counts, strict=True)
                if any(counts[place])
            )
            for place, law in enumerate(self.laws)
        )

    @property
    def ends(self) -> tuple[Point | None, ...]:
        """Every position at the last checkpoint, the bonus last; None where no round came."""
        return tuple(points[-1] if points else None for points in self.series)

    def shares(self, rounds: int) -> tuple[tuple[Fraction, ...], ...]:
        """Return each position's shares of tokens at a checkpoint; () where no round came.

        Raises:
            SpecdecError: ``rounds`` is no checkpoint.
        """
        if rounds not in self.checkpoints:
            raise SpecdecError(f"rounds: expected one of the checkpoints, got {rounds}")
        return tuple(
            tuple(Fraction(count, sum(counts)) for count in counts) if any(counts) else ()
            for counts in self.counts[self.checkpoints.index(rounds)]
        )

    @property
    def largest_gap(self) -> Fraction:
        """The largest difference between a token's share and its chance, at the end."""
        return max(
            abs(share - chance)
            for shares, law in zip(self.shares(self.rounds), self.laws, strict=True)
            for share, chance in zip(shares, law.probabilities if shares else (), strict=True)
        )

    @cached_property
    def tests(self) -> tuple[ChiSquare, ...]:
        """One test per position, then the bonus, at the last checkpoint."""
        return tuple(
            chi_square(counts, law.probabilities)
            for counts, law in zip(self.counts[-1], self.laws, strict=True)
        )

    @cached_property
    def length_test(self) -> ChiSquare:
        """The test of the law of N: what a position's own counts cannot show."""
        return chi_square(self.lengths, self.length_law)

    @property
    def threshold(self) -> Fraction:
        """The p-value below which one of the tests fails, corrected for their number."""
        return corrected_threshold(len(self.laws) + 1)

    @property
    def tested(self) -> int:
        """How many of the tests have anything to test: more than one cell."""
        return sum(test.degrees > 0 for test in (*self.tests, self.length_test))

    @property
    def least_p_value(self) -> float:
        """The smallest p-value of all tests."""
        return min(test.p_value for test in (*self.tests, self.length_test))

    @property
    def passes(self) -> bool:
        """Whether no test fails."""
        return self.least_p_value >= self.threshold


def _point(rounds: int, counts: Sequence[int], law: Sequence[Fraction]) -> Point:
    reached = sum(counts)
    return Point(rounds, reached, distance(counts, law), *distance_band(law, reached))
