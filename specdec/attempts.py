"""Accept or correct at one position, for many rounds at once (NumPy).

The rule is that of `specdec.verification`; here are its numbers in arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property

import numpy as np

from specdec.choices import (
    FEW_CELLS,
    FEW_NUMBERS,
    Choice,
    Floats,
    Integers,
    Row,
    Tokens,
    add,
    threshold,
)
from specdec.distribution import Distribution
from specdec.verification import accept_probability, residual


class Attempt(ABC):
    """One position, as the rounds that reach it find it.

    Attributes:
        proposals: picks what the draft proposes.
        replacements: picks what is committed after a rejection.
    """

    proposals: Choice
    replacements: Choice

    @abstractmethod
    def acceptance(self, tokens: Tokens) -> Floats:
        """Return a number for each proposal, shape as ``tokens``; a draw below it accepts."""

    def check(self, proposing: Floats, accepting: Floats, counts: Integers) -> int:
        """Propose and check, once per number of each array.

        Args:
            proposing: the numbers that pick the proposals, shape (rounds,).
            accepting: the numbers that decide on them, shape (rounds,).
            counts: shape (V,); the accepted proposals are added to it.

        Returns:
            How many proposals were rejected.
        """
        if proposing.size > FEW_NUMBERS and len(self.proposals.cells) <= FEW_CELLS:
            return self._check_by_cell(proposing, accepting, counts)
        tokens = self.proposals.tokens(proposing)
        rejected = tokens.take(np.flatnonzero(accepting >= self.acceptance(tokens)))
        add(counts, tokens)
        add(counts, rejected, -1)
        return rejected.size

    def _check_by_cell(self, proposing: Floats, accepting: Floats, counts: Integers) -> int:
        total = 0
        for (token, inside), limit in zip(
            self.proposals.inside(proposing), self._limits, strict=True
        ):
            rejected = int(np.count_nonzero(inside & (accepting >= limit))) if limit < 1 else 0
            counts[token] += np.count_nonzero(inside) - rejected
            total += rejected
        return total

    @cached_property
    def _limits(self) -> list[float]:
        """The acceptance of every token that can be proposed, in the order of the cells."""
        limits = self.acceptance(np.array([token for token, _end in self.proposals.cells]))
        return list(map(float, limits))


class ExactAttempt(Attempt):
    """A position given exactly: every decision is that of `speculative_round`."""

    def __init__(self, target: Distribution, draft: Distribution) -> None:
        """Turn the rule's numbers into thresholds on the grid of the random numbers."""
        self.proposals = Choice.exact(draft)
        # Where the two are equal nothing is rejected, and no residual exists.
        self.replacements = Choice.exact(target if target == draft else residual(target, draft))
        self._acceptance = np.array(
            [
                threshold(accept_probability(target, draft, token) if offered else Fraction(0))
                for token, offered in draft.items()
            ]
        )

    def acceptance(self, tokens: Tokens) -> Floats:
        """Return the thresholds of acceptance."""
        return self._acceptance.take(tokens)


class FloatAttempt(Attempt):
    """A position given by rows of floats."""

    def __init__(self, target: Row, draft: Row) -> None:
        """Take the two rows, which need not sum to exactly 1."""
        self.proposals = draft
        self._target, self._draft = target, draft
        self._scale = draft.total / target.total

    def acceptance(self, tokens: Tokens) -> Floats:
        """Return the ratios capped at 1, such that none is too large for a float."""
        offered = self._draft.weights.take(tokens)
        ratios: Floats = (
            np.minimum(self._target.weights.take(tokens) * self._scale, offered) / offered
        )
        return ratios

    @cached_property
    def replacements(self) -> Choice:  # type: ignore[override]  # computed at the first rejection
        """Picks from max(0, target - draft), both divided by their sums."""
        shares = (row.weights / row.total for row in (self._target, self._draft))
        leftover = np.maximum(np.subtract(*shares), 0)
        (row,) = Row.each(leftover[np.newaxis])
        # Rounding alone can reject where the two are equal; then nothing is left over.
        return row if row.total > 0 else self._target
