"""One position as a table: every token with everything computed from its two probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from specdec.distribution import Distribution, Token
from specdec.verification import (
    accept_probability,
    acceptance_rate,
    committed_law,
    overlap,
    residual,
    uncovered,
)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token at one position, with everything computed from its two probabilities.

    Attributes:
        token: the token.
        target: its target probability; ``draft`` likewise.
        draft: its draft probability.
        kept: min(target, draft), committed by acceptance.
        leftover: max(0, target - draft), committed by correction.
        ratio: target / draft; None where the draft never proposes it.
        acceptance: the ratio capped at 1; None where the draft never proposes it.
        replacement: probability in the residual; None where nothing is ever rejected.
        committed: probability that the position commits it.
    """

    token: Token
    target: Fraction
    draft: Fraction
    kept: Fraction
    leftover: Fraction
    ratio: Fraction | None
    acceptance: Fraction | None
    replacement: Fraction | None
    committed: Fraction

    @property
    def refused(self) -> Fraction:
        """max(0, draft - target): probability that it is proposed and rejected."""
        return self.draft - self.kept


@dataclass(frozen=True, slots=True)
class Position:
    """One position of a profile.

    Attributes:
        number: from 1.
        rows: one per token, in vocabulary order.
        rate: its acceptance rate.
        proposal: the token that the profile's round drafts here.
    """

    number: int
    rows: tuple[TokenRow, ...]
    rate: Fraction
    proposal: Token

    @property
    def rejection(self) -> Fraction:
        """Z, the probability that a checked proposal is rejected: the sum of the leftover."""
        return 1 - self.rate


def position(number: int, target: Distribution, draft: Distribution, proposal: Token) -> Position:
    """Return the table of one position, every column from the rule that defines it."""
    leftover = uncovered(target, draft)
    replacements = residual(target, draft).probabilities if any(leftover) else None
    columns = zip(
        target.items(),
        draft.probabilities,
        overlap(target, draft),
        leftover,
        committed_law(target, draft).probabilities,
        strict=True,
    )
    return Position(
        number=number,
        rows=tuple(
            TokenRow(
                token=token,
                target=wanted,
                draft=offered,
                kept=kept,
                leftover=left,
                ratio=wanted / offered if offered else None,
                acceptance=accept_probability(target, draft, token) if offered else None,
                replacement=replacements[index] if replacements else None,
                committed=committed,
            )
            for index, ((token, wanted), offered, kept, left, committed) in enumerate(columns)
        ),
        rate=acceptance_rate(target, draft),
        proposal=proposal,
    )
