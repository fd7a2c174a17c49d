"""Closed forms against enumeration, and exactness for models with contexts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specdec import (
    Distribution,
    SpecdecError,
    acceptance_rate,
    committed_length_law,
    expected_tokens,
    generation_law,
)
from specdec.expectations import mean, survival, variance
from specdec.laws import Contextual, Prefix, by_position, enumerated_length_law, sequence_law
from tests.strategies import distributions, models, rates


@given(rates=rates())
def test_the_law_of_n_is_a_law_with_the_closed_form_as_its_mean(rates: list[Fraction]) -> None:
    law = committed_length_law(rates)
    assert len(law) == len(rates) + 1
    assert sum(law) == 1
    assert min(law) >= 0
    assert mean(law) == expected_tokens(rates)


@given(rates=rates())
def test_the_mean_is_the_sum_of_the_tails(rates: list[Fraction]) -> None:
    law = committed_length_law(rates)
    assert expected_tokens(rates) == sum(sum(law[n:]) for n in range(len(law)))
    assert survival(rates) == tuple(sum(law[n:]) for n in range(len(law)))


@given(rates=rates())
def test_the_variance_is_the_mean_squared_distance_from_the_mean(rates: list[Fraction]) -> None:
    law = committed_length_law(rates)
    centre = mean(law)
    assert variance(law) == sum(p * (n - centre) ** 2 for n, p in enumerate(law, start=1))


@pytest.mark.parametrize("alpha", ["0", "1/3", "4/5", "1"])
@pytest.mark.parametrize("k", [0, 1, 4, 9])
def test_equal_rates_give_the_geometric_formula(alpha: str, k: int) -> None:
    a = Fraction(alpha)
    geometric = Fraction(k + 1) if a == 1 else (1 - a ** (k + 1)) / (1 - a)
    assert expected_tokens([a] * k) == geometric


def test_known_values() -> None:
    base = [Fraction(3, 4)] * 3
    assert committed_length_law(base) == tuple(map(Fraction, ("1/4", "3/16", "9/64", "27/64")))
    assert expected_tokens(base) == Fraction(175, 64)
    paper = committed_length_law(["4/5"] * 4)
    assert mean(paper) == Fraction(2101, 625)
    assert variance(paper) == Fraction(1003924, 390625)
    assert max(paper) == paper[4] == Fraction(256, 625)


def test_no_positions() -> None:
    assert committed_length_law([]) == (Fraction(1),)
    assert expected_tokens([]) == 1
    assert enumerated_length_law(by_position([]), by_position([]), 0) == (Fraction(1),)


@pytest.mark.parametrize("rate", ["-1/8", "9/8"])
def test_a_rate_outside_the_unit_interval_is_refused(rate: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        expected_tokens(["1/2", rate])
    assert str(refusal.value) == f"rate 2: expected a number in [0, 1], got {rate}"


@given(rows=st.lists(st.tuples(distributions(), distributions()), max_size=4))
def test_three_routes_to_the_law_of_n_agree(
    rows: list[tuple[Distribution, Distribution]],
) -> None:
    target, draft = [row[0] for row in rows], [row[1] for row in rows]
    closed = committed_length_law([acceptance_rate(*row) for row in rows])
    brute = enumerated_length_law(by_position(target), by_position(draft), len(rows))
    assert brute == closed
    assert mean(brute) == expected_tokens([acceptance_rate(*row) for row in rows])


def rows_after(rows: dict[str, str]) -> Contextual:
    """Return a model over 0 and 1 whose row depends on the last token: "" first, then 0 or 1."""
    laws = {after: Distribution(dict(enumerate(text.split()))) for after, text in rows.items()}

    def model(prefix: Prefix) -> Distribution:
        return laws[str(prefix[-1]) if prefix else ""]

    return model


TARGET = rows_after({"": "1/2 1/2", "0": "1/4 3/4", "1": "2/3 1/3"})
DRAFT = rows_after({"": "3/4 1/4", "0": "1/2 1/2", "1": "1/3 2/3"})


@pytest.mark.parametrize(("k", "expected"), [(1, "7/4"), (2, "55/24"), (3, "769/288")])
def test_expected_tokens_with_contexts(k: int, expected: str) -> None:
    assert mean(enumerated_length_law(TARGET, DRAFT, k)) == Fraction(expected)


def test_the_first_rate_throughout_is_wrong_with_contexts() -> None:
    first = acceptance_rate(TARGET(()), DRAFT(()))
    assert expected_tokens([first] * 2) == Fraction(37, 16)
    assert mean(enumerated_length_law(TARGET, DRAFT, 2)) != Fraction(37, 16)


@pytest.mark.parametrize("k", range(5))
def test_the_first_two_tokens_have_the_targets_law_for_every_k(k: int) -> None:
    assert generation_law(TARGET, DRAFT, k, 2) == {
        (0, 0): Fraction(1, 8),
        (0, 1): Fraction(3, 8),
        (1, 0): Fraction(1, 3),
        (1, 1): Fraction(1, 6),
    }


@settings(max_examples=150, deadline=None)
@given(data=st.data(), k=st.integers(0, 3), length=st.integers(0, 3))
def test_generation_is_exact_for_models_with_contexts(
    data: st.DataObject, k: int, length: int
) -> None:
    tokens = data.draw(st.sampled_from(["ab", "abc"]))
    target, draft = (data.draw(models(tokens, length)) for _ in range(2))
    assert generation_law(target, draft, k, length) == sequence_law(target, length)


def test_sequence_law_multiplies_along_the_prefix() -> None:
    law = sequence_law(TARGET, 2)
    assert law[(1, 0)] == Fraction(1, 2) * Fraction(2, 3)
    assert sum(law.values()) == 1
    assert sequence_law(TARGET, 0) == {(): 1}


@pytest.mark.parametrize("wrong", [-1, True, 1.0, "1"])
def test_counts_that_are_none_are_refused(wrong: object) -> None:
    for call in (
        lambda: generation_law(TARGET, DRAFT, wrong, 1),  # type: ignore[arg-type]
        lambda: enumerated_length_law(TARGET, DRAFT, wrong),  # type: ignore[arg-type]
    ):
        with pytest.raises(SpecdecError) as refusal:
            call()
        assert str(refusal.value) == f"k: expected a whole number >= 0, got {wrong!r}"
    for call in (
        lambda: generation_law(TARGET, DRAFT, 1, wrong),  # type: ignore[arg-type]
        lambda: sequence_law(TARGET, wrong),  # type: ignore[arg-type]
    ):
        with pytest.raises(SpecdecError) as refusal:
            call()
        assert str(refusal.value) == f"length: expected a whole number >= 0, got {wrong!r}"
