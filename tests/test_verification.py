"""Accept or correct at one position: hand-worked cases, and the theorem as a property."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings

from specdec import (
    Distribution,
    SpecdecError,
    accept_probability,
    acceptance_rate,
    committed_law,
    residual,
)
from specdec.claims import identity_holds
from specdec.verification import overlap, uncovered
from tests.strategies import pairs


def law(text: str) -> Distribution:
    """Return a distribution over a, b, c … from ``"1/2 3/10 1/5"``."""
    return Distribution(dict(zip("abcdef", text.split(), strict=False)))


@pytest.mark.parametrize(
    ("target", "draft", "kept"),
    [
        pytest.param("1/2 1/2", "1/4 3/4", "1", id="target likes it more: always keep"),
        pytest.param("1/4 3/4", "1/2 1/2", "1/2", id="target likes it less: keep the ratio"),
        pytest.param("1/2 1/2", "1/2 1/2", "1", id="both like it as much: always keep"),
        pytest.param("0 1", "1/2 1/2", "0", id="target forbids it: never keep"),
        pytest.param("1/2 1/2", "1 0", "1/2", id="one-hot draft: keep with the target's chance"),
    ],
)
def test_accept_probability(target: str, draft: str, kept: str) -> None:
    assert accept_probability(law(target), law(draft), "a") == Fraction(kept)


def test_a_token_that_the_draft_never_proposes_is_refused() -> None:
    with pytest.raises(SpecdecError) as refusal:
        accept_probability(law("0 1"), law("0 1"), "a")
    assert str(refusal.value) == "proposal 'a': expected draft probability > 0, got 0"


# Worked by hand: p = (4, 3, 1)/8, q = (2, 4, 2)/8.
TARGET, DRAFT = law("4/8 3/8 1/8"), law("2/8 4/8 2/8")


def test_worked_example() -> None:
    assert overlap(TARGET, DRAFT) == (Fraction(2, 8), Fraction(3, 8), Fraction(1, 8))
    assert uncovered(TARGET, DRAFT) == (Fraction(2, 8), Fraction(0), Fraction(0))
    assert acceptance_rate(TARGET, DRAFT) == Fraction(3, 4)
    assert residual(TARGET, DRAFT) == law("1 0 0")
    assert committed_law(TARGET, DRAFT) == TARGET


def test_disjoint_never_accept_and_correct_to_the_target() -> None:
    target, draft = law("1/3 2/3 0"), law("0 0 1")
    assert acceptance_rate(target, draft) == 0
    assert residual(target, draft) == target == committed_law(target, draft)


def test_equal_always_accept_and_leave_no_residual() -> None:
    assert acceptance_rate(TARGET, TARGET) == 1
    assert committed_law(TARGET, TARGET) == TARGET
    with pytest.raises(SpecdecError) as refusal:
        residual(TARGET, TARGET)
    assert str(refusal.value) == (
        "residual: expected target and draft to differ, got two equal distributions"
    )


@pytest.mark.parametrize("rule", [acceptance_rate, overlap, uncovered, residual, committed_law])
def test_two_vocabularies_are_refused_together(
    rule: Callable[[Distribution, Distribution], object],
) -> None:
    with pytest.raises(SpecdecError) as refusal:
        rule(law("1/2 1/2"), law("1/2 1/2 0"))
    assert str(refusal.value) == (
        "distributions: expected one vocabulary in one order, got ('a', 'b') and ('a', 'b', 'c')"
    )


@settings(max_examples=1500)  # the build checks 5,000 more
@given(pair=pairs())
def test_accept_or_correct_commits_exactly_the_target(
    pair: tuple[Distribution, Distribution],
) -> None:
    target, draft = pair
    assert identity_holds(target, draft)
    assert committed_law(target, draft) == target


@given(pair=pairs())
def test_the_rate_is_one_minus_total_variation(pair: tuple[Distribution, Distribution]) -> None:
    target, draft = pair
    distances = zip(target.probabilities, draft.probabilities, strict=True)
    total_variation = sum(abs(p - q) for p, q in distances) / 2
    assert acceptance_rate(target, draft) == 1 - total_variation


@given(pair=pairs())
def test_the_rate_averages_acceptance_over_proposals(
    pair: tuple[Distribution, Distribution],
) -> None:
    target, draft = pair
    assert acceptance_rate(target, draft) == sum(
        chance * accept_probability(target, draft, token)
        for token, chance in draft.items()
        if chance
    )


@given(pair=pairs())
def test_the_residual_never_holds_a_token_that_can_be_rejected(
    pair: tuple[Distribution, Distribution],
) -> None:
    target, draft = pair
    for token, proposed in draft.items():
        if proposed and accept_probability(target, draft, token) < 1:
            assert residual(target, draft)[token] == 0
