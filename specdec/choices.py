"""How a number in [0, 1) picks a token, for many numbers at once (NumPy).

Cells are half-open and in vocabulary order, as in `Distribution.token_at`: a number picks the first
token whose cell ends above it, so a token of probability 0 is never picked.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec.distribution import Distribution

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Tokens: TypeAlias = NDArray[np.intp]
"""Places in the vocabulary, from 0."""

FEW_NUMBERS = 64
"""Up to so many numbers are looked up one by one; preparing more would cost more than it saves."""

FEW_CELLS = 16
"""Up to so many cells, comparing all numbers with each end is quicker than looking them up."""

SEGMENT = 256
"""Weights that are summed first when a row of floats is searched."""

_GRID = 2**53
"""NumPy's random float64 numbers are the multiples of 1 / _GRID in [0, 1)."""

_MOST_BUCKETS = 2**18


def threshold(value: Fraction) -> float:
    """Return the least number on the grid that is not below ``value``, which is in [0, 1].

    A number of the grid is below the result exactly if it is below ``value``.
    """
    return -(-value.numerator * _GRID // value.denominator) / _GRID


class Choice:
    """The inverse CDF of one law.

    Attributes:
        edges: shape (V,): where each token's cell ends, 1 from the last possible token on.
    """

    edges: Floats

    def __init__(self, edges: Floats) -> None:
        """Take the ends of the cells, which never fall."""
        self.edges = edges

    @staticmethod
    def exact(law: Distribution) -> Choice:
        """Return the choice that picks as ``law.token_at`` does, exactly, for random numbers."""
        return Choice(np.array([threshold(edge) for edge in accumulate(law.probabilities)]))

    def tokens(self, numbers: Floats) -> Tokens:
        """Return the token that each number picks, shape as ``numbers``."""
        if numbers.size <= FEW_NUMBERS:
            return self.edges.searchsorted(numbers, side="right")
        guide = self._guide
        picked = guide.take((numbers * guide.size).astype(np.intp))
        unsure = np.flatnonzero(picked < 0)
        if unsure.size:
            picked[unsure] = self.edges.searchsorted(numbers[unsure], side="right")
        return picked

    def count(self, numbers: Floats, counts: Integers) -> None:
        """Add to ``counts``, shape (V,), how many numbers pick each token."""
        if numbers.size > FEW_NUMBERS and len(self.cells) <= FEW_CELLS:
            for token, inside in self.inside(numbers):
                counts[token] += np.count_nonzero(inside)
        else:
            add(counts, self.tokens(numbers))

    @cached_property
    def cells(self) -> list[tuple[int, float]]:
        """(token, end of its cell) for every token that can be picked."""
        possible = np.flatnonzero(np.diff(self.edges, prepend=0.0))
        return list(zip(possible.tolist(), self.edges[possible].tolist(), strict=True))

    def inside(self, numbers: Floats) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Yield (token, which numbers pick it) for every token that can be picked."""
        below_last = np.zeros(numbers.shape, np.bool_)
        for token, end in self.cells:
            below = numbers < end
            yield token, below ^ below_last
            below_last = below

    @cached_property
    def _guide(self) -> Tokens:
        """The token of each bucket of equal width, or -1 where a cell ends inside the bucket.

        Their number is a power of two, so that a number's bucket is found without rounding.
        """
        buckets = min(2 ** (16 * self.edges.size).bit_length(), _MOST_BUCKETS)
        bounds = np.arange(buckets + 1) / buckets
        first = self.edges.searchsorted(bounds[:-1], side="right")
        last = self.edges.searchsorted(bounds[1:], side="left")
        return np.where(first == last, first, -1)


class Row(Choice):
    """The inverse CDF of float weights, built as far as it is needed.

    Sums of segments come first. A few numbers then need the cells of their own segments only;
    many have all cells computed, by the same arithmetic, so both ways pick the same tokens.

    Attributes:
        weights: shape (V,), none negative.
        total: their sum.
    """

    def __init__(self, weights: Floats, ends: Floats) -> None:
        """Take weights with the running sum of their segments' sums."""
        self.weights = weights
        self.total = float(ends[-1])
        self._ends = ends

    @staticmethod
    def each(rows: Floats) -> list[Row]:
        """Return the choice of each row of an array of shape (rows, V)."""
        starts = np.arange(0, rows.shape[1], SEGMENT)
        ends = np.add.reduceat(rows, starts, axis=1).cumsum(axis=1)
        return list(map(Row, rows, ends))

    def tokens(self, numbers: Floats) -> Tokens:
        """Return the token that each number picks, shape as ``numbers``."""
        if numbers.size > FEW_NUMBERS or self._ends.size == 1 or "edges" in vars(self):
            return super().tokens(numbers)
        segments = (self._ends / self.total).searchsorted(numbers, side="right")
        return np.array(
            [
                segment * SEGMENT
                + self._edges(segment, segment + 1).searchsorted(number, side="right")
                for segment, number in zip(segments.tolist(), numbers.tolist(), strict=True)
            ],
            dtype=np.intp,
        )

    @cached_property
    def edges(self) -> Floats:  # type: ignore[override]  # computed when asked for
        """Where each token's cell ends, shape (V,)."""
        return self._edges(0, self._ends.size)[: self.weights.size]

    def _edges(self, first: int, last: int) -> Floats:
        """Return where the cells of some segments end, the row's last segment filled up."""
        edges: Floats
        if self._ends.size == 1:
            within = self.weights.cumsum()
            edges = within / within[-1]
            return edges
        part = self.weights[first * SEGMENT : last * SEGMENT]
        if last - first > 1:
            part = np.pad(part, (0, -part.size % SEGMENT)).reshape(-1, SEGMENT)
        within = part.cumsum(axis=-1).reshape(last - first, -1)
        bounds = np.concatenate([[0.0], self._ends])[first : last + 1, np.newaxis]
        before, ends = bounds[:-1], bounds[1:]
        # Segments were summed in another order: the last cell of each is made to fill it.
        full = within == within[:, -1:]
        edges = np.where(full, ends, np.minimum(before + within, ends)).ravel() / self.total
        return edges


def add(counts: Integers, tokens: Tokens, sign: int = 1) -> None:
    """Add ``sign`` to ``counts``, shape (V,), at every token as often as it occurs."""
    if tokens.size <= 8:
        for token in tokens.tolist():
            counts[token] += sign
    elif tokens.size < counts.size:
        np.add.at(counts, tokens, sign)
    else:
        counts += sign * np.bincount(tokens, minlength=counts.size)
