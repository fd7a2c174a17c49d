"""What wrong rules do to a profile, rule by rule from what each says, in plain fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import exp

from tests.plain import Plain

Law = list[Fraction]
Pair = Sequence[tuple[Fraction, Fraction]]
"""(target, draft) of every token at a position."""

ZERO, ONE = Fraction(0), Fraction(1)


def _leftover(pair: Pair) -> Law:
    return [max(p - q, ZERO) for p, q in pair]


def _excess(pair: Pair) -> Law:
    return [max(q - p, ZERO) for p, q in pair]


def _share(weights: Law) -> Law:
    return [each / sum(weights) for each in weights] if any(weights) else weights


def _ratio(p: Fraction, q: Fraction) -> Fraction:
    return min(p / q, ONE) if q else ZERO


def _cells(law: Law) -> list[tuple[Fraction, Fraction]]:
    return list(pairwise([ZERO, *accumulate(law)]))


def _common(one: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]) -> Fraction:
    return max(ZERO, min(one[1], other[1]) - max(one[0], other[0]))


def _resampled(pair: Pair) -> Law:
    mass = sum(_leftover(pair))
    return [min(p, q) + mass * p for p, q in pair]


def _one_removed(pair: Pair) -> Law:
    refused = _excess(pair)
    return [
        min(p, q) + sum(r * p / (1 - pair[x][0]) for x, r in enumerate(refused) if r and x != y)
        for y, (p, q) in enumerate(pair)
    ]


def _softmaxed(pair: Pair) -> Law:
    mass = sum(_leftover(pair))
    weights = [Fraction(exp(each)) for each in _leftover(pair)]
    return [min(p, q) + mass * w for (p, q), w in zip(pair, _share(weights), strict=True)]


def _threshold(pair: Pair) -> Law:
    refused = sum((q for p, q in pair if p < q), ZERO)
    left = _share(_leftover(pair))
    return [(q if p >= q else ZERO) + refused * s for (p, q), s in zip(pair, left, strict=True)]


def _kept_by_swapped(pair: Pair) -> Law:
    return [q * _ratio(q, p) if p else q for p, q in pair]


def _swapped(pair: Pair) -> Law:
    kept = _kept_by_swapped(pair)
    left = _share(_excess(pair))
    return [each + (1 - sum(kept)) * s for each, s in zip(kept, left, strict=True)]


def _kept_by_shared(pair: Pair) -> Law:
    """Count a number that proposes a token and is below its acceptance probability."""
    cells = _cells([q for _, q in pair])
    return [_common(cell, (ZERO, _ratio(p, q))) for cell, (p, q) in zip(cells, pair, strict=True)]


def _shared_with_proposal(pair: Pair) -> Law:
    kept, left = _kept_by_shared(pair), _share(_leftover(pair))
    return [each + (1 - sum(kept)) * s for each, s in zip(kept, left, strict=True)]


def _shared_with_replacement(pair: Pair) -> Law:
    cells = _cells(_share(_leftover(pair)))
    return [
        min(p, q) + sum(qx * _common(cells[y], (_ratio(px, qx), ONE)) for px, qx in pair)
        for y, (p, q) in enumerate(pair)
    ]


def _accepted_only(pair: Pair) -> Law:
    return _share([min(p, q) for p, q in pair])


def _right(pair: Pair) -> Law:
    return [p for p, _ in pair]


def _overlap(pair: Pair) -> Fraction:
    return sum((min(p, q) for p, q in pair), ZERO)


@dataclass(frozen=True)
class Wrong:
    """A rule: the law of what a position tallies, and its rate of acceptance."""

    law: Callable[[Pair], Law] = _right
    rate: Callable[[Pair], Fraction] = _overlap
    repeats_the_last_row: bool = False
    goes_on: bool = False
    exact: bool = True


RULES = {
    "Resample from the target": Wrong(_resampled),
    "Remove only the rejected token": Wrong(_one_removed),
    "Softmax the residual": Wrong(_softmaxed, exact=False),
    "Accept if the target is at least as large": Wrong(
        _threshold, lambda pair: sum((q for p, q in pair if p >= q), ZERO)
    ),
    "Swap the letters": Wrong(_swapped, lambda pair: sum(_kept_by_swapped(pair), ZERO)),
    "One number proposes and accepts": Wrong(
        _shared_with_proposal, lambda pair: sum(_kept_by_shared(pair), ZERO)
    ),
    "One number accepts and replaces": Wrong(_shared_with_replacement),
    "Take the bonus from the wrong row": Wrong(repeats_the_last_row=True),
    "Go on after a rejection": Wrong(goes_on=True),
    "Count only accepted tokens": Wrong(_accepted_only),
}


def distance(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((abs(a - b) for a, b in zip(one, other, strict=True)), ZERO) / 2


@dataclass(frozen=True)
class Harm:
    """What a rule does to one profile.

    Attributes:
        laws: what each position tallies, the bonus last; None where nothing is tallied.
        distances: of each from its target, 0 where there is no law.
        lengths: how far the law of N is off.
        silent: positions, from 1, that are reached and tally nothing.
    """

    laws: list[Law | None]
    distances: list[Fraction]
    lengths: Fraction
    silent: list[int]

    @property
    def worst(self) -> tuple[int, Fraction]:
        """The position, from 1, where most is wrong, and how much; the first of equals."""
        most = max(self.distances)
        return self.distances.index(most) + 1, most


def harm(rule: Wrong, plain: Plain) -> Harm:
    """Return what a rule does to a profile."""
    pairs = [plain.pair(n) for n in range(plain.k)]
    rates = [rule.rate(pair) for pair in pairs]
    beyond = [ONE, *accumulate(rates, lambda a, b: a * b)]
    all_kept = beyond[-1]
    lengths = [here - next_ for here, next_ in pairwise([*beyond, ZERO])]
    if rule.goes_on:
        lengths = [*[ZERO] * (plain.k - 1), 1 - all_kept, all_kept]
    last = _right(pairs[-1]) if rule.repeats_the_last_row else plain.bonus
    reached = [*([ONE] * plain.k if rule.goes_on else beyond[:-1]), all_kept]
    found = [*(rule.law(pair) for pair in pairs), last]
    laws = [
        law if chance and any(law) else None for law, chance in zip(found, reached, strict=True)
    ]
    targets = [*map(_right, pairs), plain.bonus]
    return Harm(
        laws,
        [
            ZERO if law is None else distance(law, target)
            for law, target in zip(laws, targets, strict=True)
        ],
        distance(lengths, plain.law),
        [
            n
            for n, (law, chance) in enumerate(zip(found, reached, strict=True), 1)
            if chance and not any(law)
        ],
    )
