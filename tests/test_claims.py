"""The checks that the pages report can fail: each is shown an engine that breaks its claim."""

from __future__ import annotations

from fractions import Fraction

import pytest

from specdec import Distribution, claims
from specdec.claims import ProfileClaims, RandomPairs, check_profile, check_random_pairs
from specdec.laws import Contextual, Prefix, sequence_law
from specdec.report import report
from tests.shipped import GOLDEN


def checked() -> ProfileClaims:
    golden = GOLDEN[1]
    return check_profile(golden.scenario, golden.profile, report(golden.scenario, golden.profile))


def random_pairs() -> RandomPairs:
    return check_random_pairs(50, seed=3)


def nothing(target: Distribution, _draft: Distribution) -> tuple[Fraction, ...]:
    """Stand in for a leftover that is not computed."""
    return (Fraction(0),) * len(target)


def the_draft(_target: Distribution, draft: Distribution) -> Distribution:
    """Stand in for a rule that keeps whatever is proposed."""
    return draft


def always_one(_target: Contextual, _draft: Contextual, _k: int) -> Fraction:
    """Stand in for an enumeration in which every round stops at once."""
    return Fraction(1)


def from_the_draft(
    _target: Contextual, draft: Contextual, _k: int, length: int
) -> dict[Prefix, Fraction]:
    """Stand in for a generation that follows the draft."""
    return sequence_law(draft, length)


def test_what_is_true_holds() -> None:
    assert checked().hold
    assert random_pairs().hold


@pytest.mark.parametrize(
    ("name", "broken", "claim"),
    [
        ("uncovered", nothing, "identity_holds"),
        ("committed_law", the_draft, "committed_law_holds"),
        ("enumerated_expected_tokens", always_one, "routes_agree"),
        ("mean", lambda law: law[0], "routes_agree"),
        ("generation_law", from_the_draft, "generation_holds"),
    ],
)
def test_what_is_broken_does_not(
    monkeypatch: pytest.MonkeyPatch, name: str, broken: object, claim: str
) -> None:
    monkeypatch.setattr(claims, name, broken)
    found = checked()
    assert getattr(found, claim) is False
    assert not found.hold


@pytest.mark.parametrize(("name", "broken"), [("uncovered", nothing), ("committed_law", the_draft)])
def test_random_pairs_notice_too(
    monkeypatch: pytest.MonkeyPatch, name: str, broken: object
) -> None:
    monkeypatch.setattr(claims, name, broken)
    assert not random_pairs().hold


def test_above_the_limit_the_enumerations_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "ENUMERATION_LIMIT", 10)
    found = checked()
    assert found.expected_by_brute_force is None
    assert found.generated_length == 0
    assert found.hold
