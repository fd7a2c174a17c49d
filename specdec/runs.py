"""One run of random rounds, watched as it grows: how far the counts are from the laws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from specdec.convergence import (
    ChiSquare,
    chi_square,
    corrected_threshold,
    distance,
    distance_band,
    expected_distance,
)
from specdec.distribution import Distribution
from specdec.expectations import committed_length_law
from specdec.verification import acceptance_rate

CHECKPOINTS_PER_DECADE = 8


def log_grid(first: int, last: int) -> tuple[int, ...]:
    """Return whole numbers in equal steps of their logarithm, both ends included.

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
        expected: mean of that distance for so many independent draws from the law.
        low: about 95 of 100 such runs end between ``low`` and ``high``.
        high: see ``low``.
    """

    rounds: int
    reached: int
    distance: Fraction
    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
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

    def series(self, position: int) -> tuple[Point, ...]:
        """Return how a position came closer, from its first visit on; positions count from 1."""
        law = self.laws[position - 1].probabilities
        return tuple(
            _point(rounds, counts[position - 1], law)
            for rounds, counts in zip(self.checkpoints, self.counts, strict=True)
            if any(counts[position - 1])
        )

    @property
    def ends(self) -> tuple[Point | None, ...]:
        """Every position at the last checkpoint, the bonus last; None where no round came."""
        return tuple(
            _point(self.rounds, counts, law.probabilities) if any(counts) else None
            for counts, law in zip(self.counts[-1], self.laws, strict=True)
        )

    @property
    def tests(self) -> tuple[ChiSquare, ...]:
        """One test per position, then the bonus, at the last checkpoint."""
        return tuple(
            chi_square(counts, law.probabilities)
            for counts, law in zip(self.counts[-1], self.laws, strict=True)
        )

    @property
    def length_test(self) -> ChiSquare:
        """The test of the law of N: what a position's own counts cannot show."""
        return chi_square(self.lengths, self.length_law)

    @property
    def threshold(self) -> Fraction:
        """The p-value below which one of the tests fails, corrected for their number."""
        return corrected_threshold(len(self.laws) + 1)

    @property
    def tested(self) -> int:
        """How many of the tests have anything to test: more than one possible outcome."""
        return sum(test.degrees > 0 for test in (*self.tests, self.length_test))

    @property
    def least_p_value(self) -> float:
        """The smallest p-value of all tests."""
        return min(test.p_value for test in (*self.tests, self.length_test))

    @property
    def passes(self) -> bool:
        """Whether no test fails."""
        return self.least_p_value >= self.threshold


def play(
    target: Sequence[Distribution],
    bonus: Distribution,
    draft: Sequence[Distribution],
    checkpoints: Sequence[int],
    seed: int,
) -> dict[str, object]:
    """Play the rounds of a run; return its counts and lengths by name, as lists (needs NumPy).

    Raises:
        SpecdecError: as `specdec.sampling.sample_path`.
    """
    from specdec.sampling import sample_path

    path = sample_path(target, bonus, draft, checkpoints, seed)
    return {
        "counts": [tally.counts.tolist() for tally in path],
        "lengths": path[-1].lengths.tolist(),
    }


def length_law_of(
    target: Iterable[Distribution], draft: Iterable[Distribution]
) -> tuple[Fraction, ...]:
    """Return the law of N that the rows of a run imply."""
    return committed_length_law(map(acceptance_rate, target, draft))


def _point(rounds: int, counts: Sequence[int], law: Sequence[Fraction]) -> Point:
    reached = sum(counts)
    low, high = distance_band(law, reached)
    return Point(
        rounds=rounds,
        reached=reached,
        distance=distance(counts, law),
        expected=expected_distance(law, reached),
        low=low,
        high=high,
    )
