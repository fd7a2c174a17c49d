"""The claims, verified: on one profile, and on random pairs of distributions.

Each check computes both sides and compares them with ``==``. What fails is returned as False, not
raised: whoever asks decides what a broken claim is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from random import Random

from specdec.distribution import Distribution
from specdec.expectations import mean
from specdec.laws import (
    ENUMERATION_LIMIT,
    by_position,
    enumerated_expected_tokens,
    generation_law,
    sequence_law,
)
from specdec.profiles import Profile, Scenario
from specdec.report import ProfileReport
from specdec.verification import committed_law, overlap, uncovered

GENERATED_TOKENS = 3
"""Length of the generations whose law is enumerated."""

GENERATION_ROUNDS = (1, 2, 3)
"""Proposals per round, for the enumerated generations."""


@dataclass(frozen=True, slots=True)
class ProfileClaims:
    """What was verified on one profile.

    Attributes:
        identity_tokens: (position, token) pairs on which min + residual mass was compared with
            the target.
        identity_holds: whether all were equal.
        committed_law_holds: whether the law of the committed token equals the target, at every
            position.
        expected_by_product: E[N] by the closed form.
        expected_by_law: E[N] as Σ n·P(N = n).
        proposal_tuples: V^k, the tuples of proposals that there are.
        possible_tuples: those that the draft can propose, which brute force goes through.
        expected_by_brute_force: E[N] over all of them; None above `ENUMERATION_LIMIT`.
        generated_length: tokens of the enumerated generations; 0 when above the limit.
        generation_holds: whether their law equals the target's own, for every number of proposals
            per round in `GENERATION_ROUNDS`.
    """

    identity_tokens: int
    identity_holds: bool
    committed_law_holds: bool
    expected_by_product: Fraction
    expected_by_law: Fraction
    proposal_tuples: int
    possible_tuples: int
    expected_by_brute_force: Fraction | None
    generated_length: int
    generation_holds: bool

    @property
    def routes_agree(self) -> bool:
        """Whether every route to E[N] that was taken gives the same number."""
        return self.expected_by_product == self.expected_by_law and (
            self.expected_by_brute_force in (None, self.expected_by_product)
        )

    @property
    def hold(self) -> bool:
        """Whether everything that was verified is true."""
        return (
            self.identity_holds
            and self.committed_law_holds
            and self.routes_agree
            and self.generation_holds
        )


def check_profile(scenario: Scenario, profile: Profile, results: ProfileReport) -> ProfileClaims:
    """Verify every claim on one profile, by enumeration where it is small enough."""
    pairs = list(zip(scenario.target, profile.draft, strict=True))
    k, tokens = len(pairs), len(scenario.vocabulary)
    target, draft = by_position(scenario.target), by_position(profile.draft)
    brute_force = (
        enumerated_expected_tokens(target, draft, k) if tokens**k <= ENUMERATION_LIMIT else None
    )
    length = min(GENERATED_TOKENS, k)
    if tokens**length > ENUMERATION_LIMIT:
        length = 0
    alone = sequence_law(target, length)
    return ProfileClaims(
        identity_tokens=k * tokens,
        identity_holds=all(identity_holds(*pair) for pair in pairs),
        committed_law_holds=all(committed_law(*pair) == pair[0] for pair in pairs),
        expected_by_product=results.expected_tokens,
        expected_by_law=mean(results.committed_length_law),
        proposal_tuples=tokens**k,
        possible_tuples=prod(
            sum(chance > 0 for chance in row.probabilities) for row in profile.draft
        ),
        expected_by_brute_force=brute_force,
        generated_length=length,
        generation_holds=all(
            generation_law(target, draft, per_round, length) == alone
            for per_round in GENERATION_ROUNDS
        ),
    )


def identity_holds(target: Distribution, draft: Distribution) -> bool:
    """Say whether min(target, draft) + max(0, target - draft) = target, for every token."""
    return all(
        kept + corrected == wanted
        for kept, corrected, wanted in zip(
            overlap(target, draft), uncovered(target, draft), target.probabilities, strict=True
        )
    )


@dataclass(frozen=True, slots=True)
class RandomPairs:
    """What was verified on random pairs of distributions.

    Attributes:
        seed: seeds the pairs.
        pairs: how many.
        equal: pairs whose two distributions are equal.
        disjoint: pairs without a token in common.
        hold: whether identity and committed law held on all of them.
    """

    seed: int
    pairs: int
    equal: int
    disjoint: int
    hold: bool


def check_random_pairs(pairs: int, seed: int) -> RandomPairs:
    """Verify the identity and the committed law on random pairs, equal and disjoint included.

    Every pair has 2 to 8 tokens and its own denominators, at most 60.
    """
    random = Random(seed)
    equal = disjoint = 0
    hold = True
    for _ in range(pairs):
        target, draft = random_pair(random)
        equal += target == draft
        disjoint += not any(overlap(target, draft))
        hold &= identity_holds(target, draft) and committed_law(target, draft) == target
    return RandomPairs(seed, pairs, equal, disjoint, hold)


def random_pair(random: Random) -> tuple[Distribution, Distribution]:
    """Return two random distributions over the same 2 to 8 tokens.

    One pair in ten is equal and one in ten disjoint, cases that chance alone would seldom give.
    """
    vocabulary = range(random.randint(2, 8))
    cut = random.randint(1, len(vocabulary) - 1)
    kind = random.randrange(10)
    target = _random_distribution(random, vocabulary, vocabulary[:cut] if kind == 1 else vocabulary)
    if kind == 0:
        return target, target
    draft = _random_distribution(random, vocabulary, vocabulary[cut:] if kind == 1 else vocabulary)
    return target, draft


def _random_distribution(random: Random, vocabulary: range, support: range) -> Distribution:
    """Throw some units onto the support: many tokens are left at 0, as in real tails."""
    numerators = [0] * len(vocabulary)
    denominator = random.randint(1, 60)
    for _ in range(denominator):
        numerators[random.choice(support)] += 1
    return Distribution.from_numerators(vocabulary, numerators, denominator)
