"""Do the rounds that are played follow their laws, and would these tests notice if they did not?

Each profile has k + 2 chi-square tests: one per position, one of the bonus token and one of the law
of N. A test fails if its p-value is below 10⁻⁶ / (k + 2), so that a sampler with nothing wrong
fails on a profile with a chance of 10⁻⁶ (Bonferroni), and on one of the 23 profiles here with a
chance of about 2·10⁻⁵. The seeds are fixed: what passes once passes always.

The second half is the proof of power. Rounds under each known wrong rule fail the same tests at the
same size, at exactly those positions where the exact law of the rule is not the right one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from specdec import (
    Distribution,
    acceptance_rate,
    committed_length_law,
    sample_rounds,
    sample_rows,
)
from specdec.agreement import AGREEMENT_SEED, agreement_profiles
from specdec.convergence import chi_square, corrected_threshold
from specdec.laws import Prefix, sequence_law
from specdec.sampling import Tally
from specdec.wrong_contexts import context_draft, context_target, first_tokens_going_on
from specdec.wrong_rules import (
    GOES_ON,
    RIGHT,
    SHARED_WITH_PROPOSAL,
    SHARED_WITH_REPLACEMENT,
    THRESHOLD,
    WRONG_RULES,
    Effect,
    WrongRule,
    effect,
)
from tests.shipped import SHIPPED, Rows
from tests.wrong_sampler import draw_rounds, first_two_tokens

SIZE = 200_000
"""Rounds of every test."""

RANDOM: dict[str, Rows] = {
    f"seed {seed}, number {profile.number}": (profile.target, profile.bonus, profile.draft)
    for seed, numbers in ((AGREEMENT_SEED, range(1, 13)), (1, (2, 6, 10)), (2, (3, 7, 11)))
    for profile in agreement_profiles(seed)
    if profile.number in numbers
}


def sloping(vocabulary: int) -> Rows:
    """Return rows over many tokens: the target's rise, the draft's fall."""
    weights = range(1, vocabulary + 1)
    rising, falling = (
        Distribution.from_numerators(range(vocabulary), row, sum(weights))
        for row in (weights, weights[::-1])
    )
    return (rising, rising), falling, (falling, falling)


def failures(
    tally: Tally, laws: Iterable[Sequence[Fraction]], length_law: Sequence[Fraction]
) -> list[bool]:
    """Say of each position, of the bonus and of the law of N whether its test fails."""
    tests = [*map(chi_square, tally.counts.tolist(), laws)]
    tests.append(chi_square(tally.lengths.tolist(), length_law))
    return [test.p_value < corrected_threshold(len(tests)) for test in tests]


def failures_of(tally: Tally, rows: Rows) -> list[bool]:
    """Test against what rounds with nothing wrong follow."""
    target, bonus, draft = rows
    laws = [law.probabilities for law in (*target, bonus)]
    return failures(tally, laws, committed_length_law(map(acceptance_rate, target, draft)))


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(rows, id=id)
        for id, rows in (SHIPPED | RANDOM | {"forty tokens": sloping(40)}).items()
    ],
)
def test_the_rounds_follow_their_laws(rows: Rows) -> None:
    tally = sample_rounds(*rows, SIZE, seed=1)
    assert tally.rounds == SIZE
    assert failures_of(tally, rows) == [False] * (len(rows[0]) + 2)


def test_rounds_of_float_rows_follow_their_laws() -> None:
    target, bonus, draft = rows = sloping(600)
    wanted, last, offered = (
        np.array([law.probabilities for law in part], float) for part in (target, [bonus], draft)
    )
    tally = sample_rows(wanted, last[0], offered, SIZE, seed=1)
    assert tally.rounds == SIZE
    assert failures_of(tally, rows) == [False] * 4


@cache
def played(rule: WrongRule, profile: str) -> Tally:
    """Return rounds under a rule."""
    return draw_rounds(rule, SHIPPED[profile], SIZE, seed=1)


@cache
def derived(rule: WrongRule, profile: str) -> Effect:
    """Return the laws that follow from a rule."""
    return effect(rule, *SHIPPED[profile])


def everywhere(*rules: WrongRule) -> pytest.MarkDecorator:
    """Run a test under every rule on every shipped profile."""
    return pytest.mark.parametrize(
        ("rule", "profile"),
        [pytest.param(*case, id=f"{case[0].id}-{case[1]}") for case in product(rules, SHIPPED)],
    )


@everywhere(RIGHT, *WRONG_RULES)
def test_rounds_under_a_rule_follow_the_laws_derived_from_it(rule: WrongRule, profile: str) -> None:
    expected = derived(rule, profile)
    laws = [law for law in expected.laws if law is not None]
    assert len(laws) == len(expected.laws)
    assert not any(failures(played(rule, profile), laws, expected.length_law))


@everywhere(RIGHT, *WRONG_RULES)
def test_the_tests_fail_exactly_where_a_rule_is_wrong(rule: WrongRule, profile: str) -> None:
    expected = derived(rule, profile)
    wrong = [bool(far) for far in (*expected.distances, expected.length_distance)]
    assert failures_of(played(rule, profile), SHIPPED[profile]) == wrong


@pytest.mark.parametrize("rule", WRONG_RULES, ids=lambda rule: rule.id)
def test_the_tests_notice_every_wrong_rule(rule: WrongRule) -> None:
    def most(profile: str) -> Fraction:
        found = derived(rule, profile)
        return max(found.worst[1], found.length_distance)

    profile = max(SHIPPED, key=most)
    assert any(failures_of(played(rule, profile), SHIPPED[profile]))


def test_what_a_profile_does_not_show() -> None:
    """Each of these passed above because it is right there: one profile is not enough."""
    hidden = {
        (rule.id, profile)
        for rule, profile in product(WRONG_RULES, SHIPPED)
        if not any(failures_of(played(rule, profile), SHIPPED[profile]))
    }
    assert hidden == {
        (THRESHOLD.id, "aligned"),
        (SHARED_WITH_PROPOSAL.id, "aligned"),
        (SHARED_WITH_REPLACEMENT.id, "aligned"),
        (SHARED_WITH_REPLACEMENT.id, "divergent"),
    }


@pytest.mark.parametrize("profile", SHIPPED)
def test_going_on_after_a_rejection_shows_in_the_law_of_n_alone(profile: str) -> None:
    *positions, length = failures_of(played(GOES_ON, profile), SHIPPED[profile])
    assert not any(positions)
    assert length


# Rows that depend on the token before: the case in which going on shows in the text


def text_fails(rule: WrongRule, law: dict[Prefix, Fraction]) -> bool:
    """Test the first two tokens of texts against their joint law."""
    counts = first_two_tokens(rule, context_target, context_draft, SIZE, seed=1)
    assert sum(counts.values()) == SIZE
    test = chi_square(list(counts.values()), [law[tokens] for tokens in counts])
    return test.p_value < corrected_threshold(1)


def test_with_contexts_going_on_shows_in_the_text() -> None:
    right = sequence_law(context_target, 2)
    assert not text_fails(RIGHT, right)
    assert text_fails(GOES_ON, right)
    assert not text_fails(GOES_ON, first_tokens_going_on(context_target, context_draft, 2))
