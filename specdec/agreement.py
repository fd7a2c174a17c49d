"""Random pairs of a target and a draft, from nearly identical to nearly disjoint.

The shipped profiles are two points. These go the whole way between agreement and disagreement, in
eighths, and nobody has chosen them: a seed has.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from specdec.distribution import Distribution
from specdec.verification import acceptance_rate

AGREEMENT_PROFILES = 12
AGREEMENT_SEED = 20230211  # any fixed number: the profiles are the same in every build
AGREEMENT_VOCABULARY = ("a", "b", "c", "d", "e", "f")

_POSITIONS = 5
_UNITS = 8


@dataclass(frozen=True, slots=True)
class AgreementProfile:
    """One random target with a draft that agrees with it to a set degree.

    Attributes:
        number: from 1, the closest, to `AGREEMENT_PROFILES`, the farthest.
        target: one row per position.
        bonus: the target row after the last position.
        draft: one row per position.
    """

    number: int
    target: tuple[Distribution, ...]
    bonus: Distribution
    draft: tuple[Distribution, ...]

    @property
    def rates(self) -> tuple[Fraction, ...]:
        """The acceptance rate of each position."""
        return tuple(map(acceptance_rate, self.target, self.draft))


def agreement_profiles(seed: int = AGREEMENT_SEED) -> tuple[AgreementProfile, ...]:
    """Return the profiles, the closest pair first.

    Over all positions, the first shares all units of probability but one, the last only one, and
    those between come down in equal steps.
    """
    random = Random(seed)
    most = _POSITIONS * _UNITS - 1
    return tuple(
        _profile(random, number, round(most - Fraction(step * (most - 1), AGREEMENT_PROFILES - 1)))
        for step, number in enumerate(range(1, AGREEMENT_PROFILES + 1))
    )


def _profile(random: Random, number: int, shared: int) -> AgreementProfile:
    """Share the units out evenly among the positions; which get one more is left to chance."""
    each, more = divmod(shared, _POSITIONS)
    units = [each + (position < more) for position in range(_POSITIONS)]
    random.shuffle(units)
    target, draft = zip(*(_pair(random, here) for here in units), strict=True)
    return AgreementProfile(number, target, _law(_target(random)), draft)


def _pair(random: Random, shared: int) -> tuple[Distribution, Distribution]:
    """Return two rows whose minima sum to exactly ``shared`` units.

    The draft keeps that many of the target's units. The others go to tokens of which it has kept
    all, so that they add nothing to a minimum.
    """
    target = _target(random)
    draft = Counter(random.sample(list(target.elements()), shared))
    spare = [token for token in AGREEMENT_VOCABULARY if draft[token] == target[token]]
    draft.update(random.choices(spare, k=_UNITS - shared))
    return _law(target), _law(draft)


def _target(random: Random) -> Counter[str]:
    """Throw the units onto two to five of the tokens, at least one each."""
    support = random.sample(AGREEMENT_VOCABULARY, random.randint(2, 5))
    return Counter([*support, *random.choices(support, k=_UNITS - len(support))])


def _law(units: Counter[str]) -> Distribution:
    return Distribution.from_numerators(
        AGREEMENT_VOCABULARY, [units[token] for token in AGREEMENT_VOCABULARY], _UNITS
    )
