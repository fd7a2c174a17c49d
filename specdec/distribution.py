"""A probability for every token of a vocabulary, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TypeVar

from specdec.errors import SpecdecError, shown
from specdec.exact import Exact, exact_fraction, exact_in_unit, shown_number

Token = str | int
"""A token: its text, or its id where a vocabulary is only numbered."""

AnyToken = TypeVar("AnyToken", bound=Token)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Distribution:
    """A probability for every token, summing to exactly 1.

    Exact `Fraction`s let ``==`` state a theorem; no tolerance appears anywhere.

    Attributes:
        vocabulary: the tokens, in the order in which draws walk through them.
        probabilities: one Fraction per token, in the same order.

    >>> d = Distribution({"a": "1/2", "b": Fraction(1, 3), "c": "1/6"})
    >>> d["b"]
    Fraction(1, 3)
    """

    vocabulary: tuple[Token, ...]
    probabilities: tuple[Fraction, ...]
    _position: dict[Token, int] = field(compare=False)

    def __init__(self, probabilities: Mapping[AnyToken, Exact]) -> None:
        """Read the probabilities, in the order given.

        Raises:
            SpecdecError: a token that is neither text nor a whole number, a value that is no
                exact number or is negative, or a sum other than 1.
        """
        if not isinstance(probabilities, Mapping):
            raise SpecdecError(
                f"probabilities: expected a mapping, got {type(probabilities).__name__}"
            )
        for token in probabilities:
            if not _is_token(token):
                raise SpecdecError(
                    f"vocabulary: expected tokens of type str or int, got {shown(token)}"
                )
        values = tuple(
            value
            if isinstance(value, Fraction)  # the common case spares the words of a refusal
            else exact_fraction(value, f"probability of {shown(token)}")
            for token, value in probabilities.items()
        )
        for token, value in zip(probabilities, values, strict=True):
            if value < 0:
                raise SpecdecError(
                    f"probability of {shown(token)}: expected >= 0, got {shown_number(value)}"
                )
        total = _sum(values)
        if total != 1:
            raise SpecdecError(f"probabilities: expected sum 1, got {shown_number(total)}")
        object.__setattr__(self, "vocabulary", tuple(probabilities))
        object.__setattr__(self, "probabilities", values)
        object.__setattr__(self, "_position", {t: i for i, t in enumerate(probabilities)})

    @staticmethod
    def from_numerators(
        vocabulary: Sequence[Token], numerators: Sequence[int], denominator: int
    ) -> Distribution:
        """Return the distribution that gives ``vocabulary[i]`` ``numerators[i] / denominator``.

        >>> Distribution.from_numerators(["a", "b"], [3, 5], 8)
        Distribution({'a': '3/8', 'b': '5/8'})
        """
        return Distribution(
            {
                token: Fraction(numerator, denominator)
                for token, numerator in zip(vocabulary, numerators, strict=True)
            }
        )

    def __getitem__(self, token: Token) -> Fraction:
        """Return the probability of ``token``.

        Raises:
            SpecdecError: the token is not in the vocabulary.
        """
        if token not in self:
            raise SpecdecError(f"token: expected one of the vocabulary, got {shown(token)}")
        return self.probabilities[self._position[token]]

    def __contains__(self, token: object) -> bool:
        """Say whether ``token`` is in the vocabulary; True and 1.0 are not the token 1."""
        return _is_token(token) and token in self._position

    def __len__(self) -> int:
        """Return the size of the vocabulary."""
        return len(self.vocabulary)

    def __iter__(self) -> Iterator[Token]:
        """Iterate over the tokens in vocabulary order."""
        return iter(self.vocabulary)

    def keys(self) -> tuple[Token, ...]:
        """Return the tokens in vocabulary order, so that ``dict(distribution)`` works."""
        return self.vocabulary

    def values(self) -> tuple[Fraction, ...]:
        """Return the probabilities in vocabulary order."""
        return self.probabilities

    def items(self) -> Iterator[tuple[Token, Fraction]]:
        """Iterate over (token, probability) in vocabulary order."""
        return zip(self.vocabulary, self.probabilities, strict=True)

    def token_at(self, draw: Fraction) -> Token:
        """Return the token whose cell of the inverse CDF holds ``draw``.

        Cells are half-open, [lower, upper), in vocabulary order, so a token of probability 0
        has none.

        Raises:
            SpecdecError: the draw is no exact number in [0, 1).

        >>> Distribution({"a": 0, "b": "1/4", "c": 0, "d": "3/4"}).token_at(Fraction(1, 4))
        'd'
        """
        draw = exact_in_unit(draw, "draw", one_allowed=False)
        upper = Fraction(0)
        for token, probability in self.items():
            upper += probability
            if draw < upper:
                return token
        raise AssertionError("unreachable: the cells of a distribution fill [0, 1)")

    def __repr__(self) -> str:
        """Return the call that makes an equal distribution."""
        return f"Distribution({ {token: str(value) for token, value in self.items()} })"


def require_one_vocabulary(first: Distribution, *others: Distribution) -> None:
    """Refuse distributions that do not list the same tokens in the same order.

    Raises:
        SpecdecError: two vocabularies differ, or something is no Distribution.
    """
    for each in (first, *others):
        if not isinstance(each, Distribution):
            raise SpecdecError(
                f"distribution: expected a Distribution, got {type(each).__name__} {shown(each)}"
            )
    for other in others:
        if other.vocabulary != first.vocabulary:
            raise SpecdecError(
                "distributions: expected one vocabulary in one order, "
                f"got {shown(first.vocabulary)} and {shown(other.vocabulary)}"
            )


def _sum(values: Sequence[Fraction]) -> Fraction:
    """Add over one common denominator: much faster than reducing after every term."""
    common = lcm(*(value.denominator for value in values))
    return Fraction(
        sum(value.numerator * (common // value.denominator) for value in values), common
    )


def _is_token(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
