"""Rules that look like the right one and are not, and the laws they really produce.

Nothing else in the engine knows of them. Each is described by what it changes: how a proposal is
accepted, where a replacement comes from, which random number decides what, or what a round does
after a rejection. The law that comes of it is exact: every decision depends on its random number
through an interval, so its chance is the measure of intervals cut with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import exp, prod
from typing import Literal

from specdec.convergence import total_variation
from specdec.distribution import Distribution, Token, require_one_vocabulary
from specdec.errors import SpecdecError
from specdec.expectations import committed_length_law, survival
from specdec.verification import accept_probability, residual, uncovered

Row = Sequence[Fraction]
"""Shares in vocabulary order."""

Interval = tuple[Fraction, Fraction]
"""The numbers from the first, which is in it, to the second, which is not."""

Accept = Callable[[Distribution, Distribution, Token], Fraction]
Correct = Callable[[Distribution, Distribution, Token], Distribution]


def _from_residual(target: Distribution, draft: Distribution, _rejected: Token) -> Distribution:
    return residual(target, draft)


@dataclass(frozen=True, slots=True)
class WrongRule:
    """A rule that differs from the right one in what is not left at its default.

    Attributes:
        id: names it, in addresses too.
        accept: target, draft, proposal → chance of acceptance.
        correct: target, draft, rejected proposal → law of the replacement.
        numbers: which random number of a position proposes, decides and replaces.
        bonus: ``right``, or ``repeated``: from the last position's row once more.
        after_rejection: ``stop``, or ``go on``: the later proposals are checked all the same.
        tallied: ``committed`` tokens, or ``accepted`` ones and the bonus only.
        exact: False where a rule needs numbers that no fraction is equal to.
        by_rejected: whether the law of the replacement depends on the rejected proposal.
    """

    id: str
    accept: Accept = accept_probability
    correct: Correct = _from_residual
    numbers: tuple[int, int, int] = (0, 1, 2)
    bonus: Literal["right", "repeated"] = "right"
    after_rejection: Literal["stop", "go on"] = "stop"
    tallied: Literal["committed", "accepted"] = "committed"
    exact: bool = True
    by_rejected: bool = False


def _from_target(target: Distribution, _draft: Distribution, _rejected: Token) -> Distribution:
    return target


def _without_rejected(target: Distribution, _draft: Distribution, rejected: Token) -> Distribution:
    left = 1 - target[rejected]
    return Distribution(
        {token: Fraction(0) if token == rejected else p / left for token, p in target.items()}
    )


def _softmax(target: Distribution, draft: Distribution, _rejected: Token) -> Distribution:
    """Return the softmax of the leftover in float64; its floats are fractions, made to sum to 1."""
    weights = [Fraction(exp(left)) for left in uncovered(target, draft)]
    total = sum(weights)
    return Distribution(
        {token: weight / total for token, weight in zip(target, weights, strict=True)}
    )


def _if_target_is_larger(target: Distribution, draft: Distribution, token: Token) -> Fraction:
    return Fraction(target[token] >= draft[token])


def _inverted(target: Distribution, draft: Distribution, token: Token) -> Fraction:
    return accept_probability(draft, target, token) if target[token] else Fraction(1)


def _from_other_leftover(
    target: Distribution, draft: Distribution, _rejected: Token
) -> Distribution:
    return residual(draft, target)


RIGHT = WrongRule("right")
"""The right rule, as one more case of what the others are described by."""

RESAMPLES_TARGET = WrongRule("resample-from-target", correct=_from_target)
REMOVES_ONE_TOKEN = WrongRule(
    "remove-only-the-rejected", correct=_without_rejected, by_rejected=True
)
SOFTMAX = WrongRule("softmax-the-residual", correct=_softmax, exact=False)
THRESHOLD = WrongRule("accept-if-target-is-larger", accept=_if_target_is_larger)
SWAPPED = WrongRule("letters-swapped", accept=_inverted, correct=_from_other_leftover)
SHARED_WITH_PROPOSAL = WrongRule("one-number-proposes-and-accepts", numbers=(0, 0, 1))
SHARED_WITH_REPLACEMENT = WrongRule("one-number-accepts-and-replaces", numbers=(0, 1, 1))
REPEATED_BONUS = WrongRule("bonus-from-the-wrong-row", bonus="repeated")
GOES_ON = WrongRule("accept-after-a-rejection", after_rejection="go on")
ACCEPTED_ONLY = WrongRule("count-only-accepted", tallied="accepted")

WRONG_RULES = (
    RESAMPLES_TARGET,
    REMOVES_ONE_TOKEN,
    SOFTMAX,
    THRESHOLD,
    SWAPPED,
    SHARED_WITH_PROPOSAL,
    SHARED_WITH_REPLACEMENT,
    REPEATED_BONUS,
    GOES_ON,
    ACCEPTED_ONLY,
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a wrong rule does to one profile.

    Attributes:
        laws: law of the tokens tallied per position, given that the round reached it; the last is
            the bonus token's. None where no round comes or nothing is ever tallied.
        distances: total variation distance of each from its target; None likewise.
        silent: positions, from 1, that rounds reach but where nothing is ever tallied.
        length_law: (P(N = 1), …, P(N = k + 1)).
        length_distance: its total variation distance from the right one.
    """

    laws: tuple[Row | None, ...]
    distances: tuple[Fraction | None, ...]
    silent: tuple[int, ...]
    length_law: Row
    length_distance: Fraction

    @property
    def worst(self) -> tuple[int, Fraction]:
        """The position, from 1, at which the law is farthest off, and how far; 0 if none is."""
        known = [(n, far) for n, far in enumerate(self.distances, start=1) if far is not None]
        return max(known, key=lambda each: each[1], default=(1, Fraction(0)))

    @property
    def shows(self) -> bool:
        """Whether anything is wrong at all."""
        return self.worst[1] > 0 or self.length_distance > 0 or bool(self.silent)


def effect(
    rule: WrongRule,
    target: tuple[Distribution, ...],
    bonus: Distribution,
    draft: tuple[Distribution, ...],
) -> Effect:
    """Return what a rule does to rows that depend on the position alone.

    Raises:
        SpecdecError: no position, or lengths or vocabularies that differ.
    """
    if not target or len(draft) != len(target):
        raise SpecdecError(
            f"rows: expected a target and a draft for each position, got {len(target)} and "
            f"{len(draft)}"
        )
    require_one_vocabulary(bonus, *target, *draft)
    last = (target[-1] if rule.bonus == "repeated" else bonus).probabilities
    every = [*(position_law(rule, *pair) for pair in zip(target, draft, strict=True)), last]
    lengths = length_law(rule, target, draft)
    reached = [1 - sum(lengths[:before]) for before in range(len(lengths))]
    if rule.after_rejection == "go on":
        reached[:-1] = [Fraction(1)] * len(target)
    laws = tuple(law if chance else None for law, chance in zip(every, reached, strict=True))
    right = length_law(RIGHT, target, draft)
    return Effect(
        laws=laws,
        distances=tuple(
            None if law is None else total_variation(law, wanted.probabilities)
            for law, wanted in zip(laws, (*target, bonus), strict=True)
        ),
        silent=tuple(
            number
            for number, (law, chance) in enumerate(zip(every, reached, strict=True), start=1)
            if law is None and chance
        ),
        length_law=lengths,
        length_distance=total_variation(lengths, right),
    )


def shifts(
    target: Distribution, law: Row
) -> tuple[tuple[Token, Fraction, Fraction, Fraction], ...]:
    """Return (token, target, law, difference), token by token."""
    return tuple(
        (token, wanted, got, got - wanted)
        for (token, wanted), got in zip(target.items(), law, strict=True)
    )


def position_law(rule: WrongRule, target: Distribution, draft: Distribution) -> Row | None:
    """Return the law of what one position tallies, or None if it never tallies anything."""
    tallied: defaultdict[Token, Fraction] = defaultdict(Fraction)
    rejections = []
    for token, proposed, limit in _proposals(rule, target, draft):
        tallied[token] += _measure(rule, proposed, (Fraction(0), limit))
        if limit < 1 and rule.tallied == "committed":
            rejections.append((token, proposed, (limit, Fraction(1))))
    if rule.by_rejected or rule.numbers[2] in rule.numbers[:2]:
        for token, proposed, rejected in rejections:
            for replacement, replaced in _cells(rule.correct(target, draft, token)):
                tallied[replacement] += _measure(rule, proposed, rejected, replaced)
    elif rejections:  # one law for all of them, and a number of its own
        chance = sum(_measure(rule, proposed, rejected) for _, proposed, rejected in rejections)
        for replacement, share in rule.correct(target, draft, rejections[0][0]).items():
            tallied[replacement] += chance * share
    mass = sum(tallied.values())
    return tuple(tallied[token] / mass for token in target) if mass else None


def length_law(
    rule: WrongRule, target: tuple[Distribution, ...], draft: tuple[Distribution, ...]
) -> Row:
    """Return (P(N = 1), …, P(N = k + 1)) for the number N of tokens a round commits."""
    rates = [
        sum(
            (
                _measure(rule, proposed, (Fraction(0), limit))
                for _token, proposed, limit in _proposals(rule, *pair)
            ),
            start=Fraction(0),
        )
        for pair in zip(target, draft, strict=True)
    ]
    if rule.after_rejection == "stop":
        return committed_length_law(rates)
    all_accepted = survival(rates)[-1]
    return *[Fraction(0)] * (len(rates) - 1), 1 - all_accepted, all_accepted


def _proposals(
    rule: WrongRule, target: Distribution, draft: Distribution
) -> Iterator[tuple[Token, Interval, Fraction]]:
    """Yield every possible proposal with the interval that proposes it and its acceptance."""
    for token, cell in _cells(draft):
        yield token, cell, rule.accept(target, draft, token)


def _cells(law: Distribution) -> Iterator[tuple[Token, Interval]]:
    """Yield the interval of every token that has one."""
    bounds = pairwise(accumulate(law.probabilities, initial=Fraction(0)))
    return ((token, cell) for token, cell in zip(law, bounds, strict=True) if cell[0] < cell[1])


def _measure(rule: WrongRule, *intervals: Interval) -> Fraction:
    """Return the chance that the number of each decision, in their order, is in its interval."""
    cut: dict[int, Interval] = {}
    for number, (low, high) in zip(rule.numbers, intervals, strict=False):
        before = cut.get(number, (Fraction(0), Fraction(1)))
        cut[number] = max(before[0], low), min(before[1], high)
    return prod((max(Fraction(0), high - low) for low, high in cut.values()), start=Fraction(1))
