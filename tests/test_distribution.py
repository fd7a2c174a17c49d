"""Distributions: what they are, what they refuse, and how a draw picks a token."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest
from hypothesis import given

from specdec import Distribution, SpecdecError
from specdec.distribution import require_one_vocabulary
from tests.strategies import distributions, fractions_in_unit


def test_ten_tenths_make_one() -> None:
    tenths = Distribution(dict.fromkeys("abcdefghij", "0.1"))
    assert tenths["j"] == Fraction(1, 10)
    assert sum(tenths.probabilities) == 1


def test_equal_means_the_same_law_in_the_same_order() -> None:
    one = Distribution({"a": "1/2", "b": "0.5"})
    assert one == Distribution({"a": Fraction(1, 2), "b": Fraction(2, 4)})
    assert hash(one) == hash(Distribution({"a": "1/2", "b": "1/2"}))
    assert one != Distribution({"b": "1/2", "a": "1/2"})
    assert pickle.loads(pickle.dumps(one)) == one


def test_it_reads_like_an_ordered_mapping() -> None:
    law = Distribution({"b": "3/4", "a": "1/4"})
    assert list(law) == ["b", "a"]
    assert list(law.items()) == [("b", Fraction(3, 4)), ("a", Fraction(1, 4))]
    assert len(law) == 2
    assert "a" in law
    assert "c" not in law
    assert repr(law) == "Distribution({'b': '3/4', 'a': '1/4'})"


def test_it_cannot_be_changed() -> None:
    given = {"a": Fraction(1)}
    law = Distribution(given)
    given["a"] = Fraction(0)
    assert law["a"] == 1
    with pytest.raises(FrozenInstanceError):
        law.vocabulary = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        law["a"] = Fraction(0)  # type: ignore[index]


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ({}, "probabilities: expected sum 1, got 0"),
        ({"a": "1/2", "b": "3/8"}, "probabilities: expected sum 1, got 7/8"),
        (
            {"a": "0.5", "b": "0.5000000001"},
            "probabilities: expected sum 1, got 10000000001/10000000000",
        ),
        ({"a": "-1/8", "b": "9/8"}, "probability of 'a': expected >= 0, got -1/8"),
        (
            {"a": 0.5, "b": "1/2"},
            "probability of 'a': expected a Fraction, an int or an exact string, got float 0.5",
        ),
        (
            {"a": True, "b": 0},
            "probability of 'a': expected a Fraction, an int or an exact string, got bool True",
        ),
        (
            {"a": "NaN"},
            "probability of 'a': expected an exact number such as \"1/2\" or \"0.1\", got 'NaN'",
        ),
        ({True: 1}, "vocabulary: expected tokens of type str or int, got True"),
        ({1.0: 1}, "vocabulary: expected tokens of type str or int, got 1.0"),
    ],
)
def test_no_law_is_refused(probabilities: dict[str, str], message: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        Distribution(probabilities)
    assert str(refusal.value) == message


@pytest.mark.parametrize("token", [-1, 2, "0", True, 1.0, None, ("a",)])
def test_a_token_outside_the_vocabulary_is_refused(token: object) -> None:
    numbered = Distribution({0: "1/2", 1: "1/2"})
    with pytest.raises(SpecdecError) as refusal:
        numbered[token]  # type: ignore[index]
    assert str(refusal.value) == f"token: expected one of the vocabulary, got {token!r}"


@pytest.mark.parametrize(
    ("draw", "token"),
    [("0", "b"), ("1/8", "b"), ("1/4", "d"), ("1/2", "d"), ("0.999999999999999999999", "d")],
)
def test_cells_are_half_open_and_zero_has_none(draw: str, token: str) -> None:
    law = Distribution({"a": 0, "b": "1/4", "c": 0, "d": "3/4", "e": 0})
    assert law.token_at(Fraction(draw)) == token


@given(law=distributions(), draw=fractions_in_unit())
def test_a_draw_lands_in_the_cell_of_its_token(law: Distribution, draw: Fraction) -> None:
    token = law.token_at(draw)
    before = law.vocabulary.index(token)
    lower = sum(law.probabilities[:before])
    assert lower <= draw < lower + law[token]


@pytest.mark.parametrize(("draw", "shown"), [(Fraction(1), "1"), (Fraction(-1, 9), "-1/9")])
def test_a_draw_outside_the_unit_interval_is_refused(draw: Fraction, shown: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        Distribution({"a": 1}).token_at(draw)
    assert str(refusal.value) == f"draw: expected a number in [0, 1), got {shown}"


def test_a_float_draw_is_refused() -> None:
    with pytest.raises(SpecdecError, match=r"got float 0\.5"):
        Distribution({"a": 1}).token_at(0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", [{"b": 0, "a": 1}, {"a": 1}, {"a": 1, "b": 0, "c": 0}])
def test_vocabularies_must_agree_in_tokens_and_order(other: dict[str, int]) -> None:
    first, second = Distribution({"a": 1, "b": 0}), Distribution(other)
    with pytest.raises(SpecdecError) as refusal:
        require_one_vocabulary(first, first, second)
    assert str(refusal.value) == (
        f"distributions: expected one vocabulary in one order, got ('a', 'b') and {tuple(other)}"
    )
