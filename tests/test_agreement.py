"""Random pairs that agree to a set degree: what the seed gives, and what holds for every seed."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specdec import acceptance_rate, committed_law
from specdec.agreement import (
    AGREEMENT_PROFILES,
    AGREEMENT_SEED,
    AGREEMENT_VOCABULARY,
    AgreementProfile,
    agreement_profiles,
)

POSITIONS = 5
EIGHTH = Fraction(1, 8)

SHARED = (39, 36, 32, 29, 25, 22, 18, 15, 11, 8, 4, 1)
"""Eighths that target and draft share over all positions: 39 - step·38/11, rounded."""

RATES = """
8 7 8 8 8
8 7 7 7 7
7 6 7 6 6
5 6 6 6 6
5 5 5 5 5
4 5 5 4 4
3 4 4 3 4
3 3 3 3 3
2 2 3 2 2
2 2 1 1 2
1 1 0 1 1
0 0 0 1 0
"""
"""Acceptance rates in eighths, one profile per line, for the seed of the site."""


def test_the_seed_of_the_site_gives_these_rates() -> None:
    assert [[rate / EIGHTH for rate in profile.rates] for profile in agreement_profiles()] == [
        list(map(int, line.split())) for line in RATES.strip().splitlines()
    ]


def test_the_seed_of_the_site_gives_these_rows() -> None:
    fifth = agreement_profiles()[4]
    laws = *fifth.target, fifth.bonus, *fifth.draft
    assert [[p / EIGHTH for p in law.probabilities] for law in laws] == [
        [2, 3, 1, 0, 1, 1],
        [0, 0, 2, 4, 0, 2],
        [3, 2, 1, 1, 1, 0],
        [2, 0, 0, 2, 4, 0],
        [0, 0, 4, 0, 0, 4],
        [0, 2, 0, 0, 3, 3],
        [3, 2, 3, 0, 0, 0],
        [1, 1, 2, 2, 1, 1],
        [2, 4, 2, 0, 0, 0],
        [3, 2, 0, 1, 2, 0],
        [1, 0, 3, 1, 1, 2],
    ]


def test_the_profiles_are_the_same_every_time() -> None:
    assert agreement_profiles() == agreement_profiles(AGREEMENT_SEED)
    assert agreement_profiles() != agreement_profiles(AGREEMENT_SEED + 1)


def test_the_steps_are_equal_but_for_rounding() -> None:
    assert len(SHARED) == AGREEMENT_PROFILES == 12
    for step, shared in enumerate(SHARED):
        assert abs(shared - (39 - Fraction(38 * step, 11))) < Fraction(1, 2)
    assert {here - further for here, further in pairwise(SHARED)} == {3, 4}


def check(profile: AgreementProfile) -> None:
    """Check one profile, row by row."""
    assert len(profile.target) == len(profile.draft) == len(profile.rates) == POSITIONS
    for law in (*profile.target, profile.bonus, *profile.draft):
        assert law.vocabulary == AGREEMENT_VOCABULARY
        assert sum(law.probabilities) == 1
        assert all((p / EIGHTH).denominator == 1 for p in law.probabilities)
    for law in (*profile.target, profile.bonus):
        assert 2 <= sum(p > 0 for p in law.probabilities) <= 5
    for target, draft, rate in zip(profile.target, profile.draft, profile.rates, strict=True):
        assert rate == acceptance_rate(target, draft)
        assert committed_law(target, draft) == target


@settings(max_examples=50)
@given(seed=st.just(AGREEMENT_SEED) | st.integers(0, 2**64))
def test_every_seed_gives_laws_that_agree_as_promised(seed: int) -> None:
    profiles = agreement_profiles(seed)
    assert tuple(profile.number for profile in profiles) == tuple(range(1, 13))
    for profile, shared in zip(profiles, SHARED, strict=True):
        check(profile)
        assert sum(profile.rates) == shared * EIGHTH
        assert max(profile.rates) - min(profile.rates) <= EIGHTH


def test_from_nearly_identical_to_nearly_disjoint() -> None:
    closest, *_, farthest = agreement_profiles()
    same = [target == draft for target, draft in zip(closest.target, closest.draft, strict=True)]
    assert same.count(True) == POSITIONS - 1
    assert [rate > 0 for rate in farthest.rates].count(True) == 1


def test_what_is_shared_is_spread_over_the_positions_by_chance() -> None:
    """The position that gets one unit more or less is not always the same."""
    odd = {agreement_profiles(seed)[-1].rates.index(EIGHTH) for seed in range(40)}
    assert odd == set(range(POSITIONS))


@pytest.mark.parametrize("number", range(1, 13))
def test_every_position_has_a_law_of_its_own(number: int) -> None:
    profile = agreement_profiles()[number - 1]
    assert len(set(profile.target)) == len(set(profile.draft)) == POSITIONS
