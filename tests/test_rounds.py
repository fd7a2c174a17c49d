"""One round: its frames, its tokens, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec import (
    Distribution,
    Draws,
    Round,
    SpecdecError,
    accept_probability,
    residual,
    speculative_round,
)
from tests.shipped import GOLDEN
from tests.strategies import distributions, fractions_in_unit

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


def one_position(target: str, draft: str, accept: str, replacement: str = "0") -> Round:
    """Play "a" at one position over the tokens a, b, c; the bonus is always c."""
    rows = [Distribution(dict(zip("abc", text.split(), strict=True))) for text in (target, draft)]
    bonus = Distribution({"a": 0, "b": 0, "c": 1})
    draws = Draws(accept=[accept], replacement=replacement, bonus="0")
    return speculative_round(rows[:1], bonus, rows[1:], ["a"], draws)


@pytest.mark.parametrize(
    ("target", "draft", "accept", "committed"),
    [
        pytest.param("1/2 1/2 0", "1 0 0", "1/4", "ac", id="draw below the ratio: kept"),
        pytest.param("1/2 1/2 0", "1 0 0", "1/2", "b", id="draw equal to the ratio: rejected"),
        pytest.param("0 1/2 1/2", "1 0 0", "0", "b", id="target 0 rejects even a draw of 0"),
        pytest.param("1 0 0", "1/2 1/2 0", "0.999999", "ac", id="capped ratio: kept by any draw"),
    ],
)
def test_the_comparison_is_strict(target: str, draft: str, accept: str, committed: str) -> None:
    played = one_position(target, draft, accept)
    assert played.committed == tuple(committed)
    assert played.accepted == len(committed) - 1


def test_the_frames_of_a_rejection_say_all_there_is_to_say() -> None:
    golden = GOLDEN[1]
    scenario, profile = golden.scenario, golden.profile
    played = speculative_round(
        scenario.target, scenario.bonus, profile.draft, profile.proposals, profile.draws
    )
    propose, first, _second, rejection, done = played.frames

    assert (propose.committed, propose.pending, propose.dropped) == (
        (),
        ("the", "cat", "mat", "on", "dog"),
        (),
    )
    assert {propose.position, propose.token, propose.draw, propose.verdict} == {None}

    assert (first.position, first.token, first.verdict) == (1, "the", "accepted")
    assert (first.target, first.draft) == (Fraction(5, 8), Fraction(4, 8))
    assert (first.ratio, first.accept_probability, first.draw) == (Fraction(5, 4), ONE, HALF)
    assert (first.committed, first.pending) == (("the",), ("cat", "mat", "on", "dog"))
    assert {first.residual, first.replacement, first.replacement_draw} == {None}

    assert (rejection.position, rejection.token, rejection.verdict) == (3, "mat", "rejected")
    assert (rejection.target, rejection.draft) == (ZERO, Fraction(3, 8))
    assert (rejection.ratio, rejection.accept_probability) == (ZERO, ZERO)
    assert rejection.residual is not None
    assert dict(rejection.residual.items()) == {
        "the": 0, "cat": 0, "dog": 0, "sat": Fraction(3, 5), "on": Fraction(2, 5), "mat": 0,
    }  # fmt: skip
    assert (rejection.replacement, rejection.replacement_draw) == ("sat", HALF)
    assert rejection.committed == ("the", "cat", "sat")
    assert (rejection.pending, rejection.dropped) == ((), ("on", "dog"))

    assert (done.kind, done.committed, done.dropped) == (
        "done",
        ("the", "cat", "sat"),
        ("on", "dog"),
    )


def test_the_bonus_comes_from_the_row_after_the_last() -> None:
    golden = GOLDEN[0]
    scenario, profile = golden.scenario, golden.profile
    played = speculative_round(
        scenario.target, scenario.bonus, profile.draft, profile.proposals, profile.draws
    )
    bonus = played.frames[-2]
    assert (bonus.kind, bonus.position, bonus.token) == ("bonus", 6, "mat")
    assert (bonus.target, bonus.draw) == (Fraction(4, 8), HALF)
    assert bonus.committed == played.committed == golden.committed


def test_no_proposals_make_a_round_of_one_bonus_token() -> None:
    bonus = Distribution({"a": 0, "b": 1})
    played = speculative_round([], bonus, [], [], Draws(accept=[], replacement="0", bonus="1/2"))
    assert played.committed == ("b",)
    assert played.accepted == 0
    assert [frame.kind for frame in played.frames] == ["propose", "bonus", "done"]
    assert played.frames[1].position == 1


@st.composite
def rounds(draw: st.DrawFn) -> dict[str, Any]:
    """Whatever a round of up to five proposals can be."""
    k = draw(st.integers(0, 5))
    draft = [draw(distributions()) for _ in range(k)]
    return {
        "target": [draw(distributions()) for _ in range(k)],
        "bonus": draw(distributions()),
        "draft": draft,
        "proposals": [
            draw(st.sampled_from([token for token, chance in row.items() if chance]))
            for row in draft
        ],
        "draws": Draws(
            accept=[draw(fractions_in_unit()) for _ in range(k)],
            replacement=draw(fractions_in_unit()),
            bonus=draw(fractions_in_unit()),
        ),
    }


@given(parts=rounds())
def test_every_round_keeps_the_rules(parts: dict[str, Any]) -> None:
    played = speculative_round(**parts)
    proposals, k = tuple(parts["proposals"]), len(parts["proposals"])
    kept = 0
    while kept < k and parts["draws"].accept[kept] < accept_probability(
        parts["target"][kept], parts["draft"][kept], proposals[kept]
    ):
        kept += 1
    attempted = min(kept + 1, k)

    assert played.accepted == kept
    assert played.committed[:-1] == proposals[:kept]
    assert len(played.frames) == 1 + attempted + (kept == k) + 1
    assert [f.kind for f in played.frames] == [
        "propose", *["verify"] * attempted, *["bonus"] * (kept == k), "done",
    ]  # fmt: skip
    assert played.frames[-1].dropped == proposals[attempted:]
    assert played.frames[-1].committed == played.committed
    if kept < k:
        assert played.committed[-1] != proposals[kept], "the replacement repeats the rejected token"
        leftover = residual(parts["target"][kept], parts["draft"][kept])
        assert played.committed[-1] == leftover.token_at(parts["draws"].replacement)
    else:
        assert played.committed[-1] == parts["bonus"].token_at(parts["draws"].bonus)


@given(parts=rounds())
def test_every_frame_accounts_for_every_proposal(parts: dict[str, Any]) -> None:
    for frame in speculative_round(**parts).frames:
        checked = len(frame.committed) if frame.kind == "verify" else None
        if checked is not None:
            assert checked + len(frame.pending) + len(frame.dropped) == len(parts["proposals"])
        assert not (frame.pending and frame.dropped)


def parts_of(k: int = 2) -> dict[str, Any]:
    row = Distribution({"a": "1/2", "b": "1/2", "c": 0})
    return {
        "target": [row] * k,
        "bonus": row,
        "draft": [row] * k,
        "proposals": ["a"] * k,
        "draws": Draws(accept=["1/2"] * k, replacement="0", bonus="0"),
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"draft": []}, "draft: expected 2, one per target row, got 0"),
        ({"proposals": ["a"] * 3}, "proposals: expected 2, one per target row, got 3"),
        (
            {"draws": Draws(accept=["0"], replacement="0", bonus="0")},
            "accept draws: expected 2, one per target row, got 1",
        ),
        (
            {"bonus": Distribution({"b": 1, "a": 0, "c": 0})},
            "distributions: expected one vocabulary in one order, "
            "got ('b', 'a', 'c') and ('a', 'b', 'c')",
        ),
        (
            {"proposals": ["a", "z"]},
            "proposal 2: expected a token of the vocabulary, got 'z'",
        ),
        ({"proposals": [-1, "a"]}, "proposal 1: expected a token of the vocabulary, got -1"),
        (
            {"proposals": ["a", "c"]},
            "proposal 2, 'c': expected draft probability > 0, got 0",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        speculative_round(**{**parts_of(), **change})
    assert str(refusal.value) == message


def test_a_proposal_that_would_be_dropped_is_checked_for_sense_all_the_same() -> None:
    parts = parts_of()
    parts["target"] = [Distribution({"a": 0, "b": 1, "c": 0})] * 2
    parts["proposals"] = ["a", "c"]
    with pytest.raises(SpecdecError, match=r"^proposal 2, 'c': expected draft probability > 0"):
        speculative_round(**parts)


@pytest.mark.parametrize(
    ("draws", "message"),
    [
        (
            {"accept": ["0", "1"], "replacement": "0", "bonus": "0"},
            "accept draw 2: expected a number in [0, 1), got 1",
        ),
        (
            {"accept": [], "replacement": "-1/2", "bonus": "0"},
            "replacement draw: expected a number in [0, 1), got -1/2",
        ),
        (
            {"accept": [], "replacement": "0", "bonus": 0.5},
            "bonus draw: expected a Fraction, an int or an exact string, got float 0.5",
        ),
    ],
)
def test_draws_outside_the_unit_interval_are_refused(draws: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        Draws(**draws)
    assert str(refusal.value) == message
