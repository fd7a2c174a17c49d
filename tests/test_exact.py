"""What is read as an exact number, and what is refused."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec import Fault, ProfileError, SpecdecError
from specdec.errors import shown
from specdec.exact import exact_fraction, exact_in_unit


@pytest.mark.parametrize(
    ("value", "number"),
    [
        pytest.param("1/2", Fraction(1, 2), id="a fraction"),
        pytest.param("2/4", Fraction(1, 2), id="an unreduced fraction"),
        pytest.param("0.1", Fraction(1, 10), id="a decimal, exactly"),
        pytest.param("-3", Fraction(-3), id="a negative whole number"),
        pytest.param("007", Fraction(7), id="leading zeros"),
        pytest.param(3, Fraction(3), id="an int"),
        pytest.param(Fraction(5, 7), Fraction(5, 7), id="a Fraction"),
    ],
)
def test_exact_numbers_are_read(value: Fraction | int | str, number: Fraction) -> None:
    assert exact_fraction(value, "x") == number


@given(st.fractions())
def test_every_fraction_survives_its_own_text(number: Fraction) -> None:
    assert exact_fraction(str(number), "x") == number


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.5, "x: expected a Fraction, an int or an exact string, got float 0.5"),
        (True, "x: expected a Fraction, an int or an exact string, got bool True"),
        (None, "x: expected a Fraction, an int or an exact string, got NoneType None"),
        (
            Decimal("0.5"),
            "x: expected a Fraction, an int or an exact string, got Decimal Decimal('0.5')",
        ),
        *(
            (text, f'x: expected an exact number such as "1/2" or "0.1", got {text!r}')
            for text in (
                "1e3",
                "1e999999999",
                "1/0",
                "1/00",
                "1 / 2",
                " 1",
                "1_000",
                "+1",
                ".5",
                "5.",
                "1/2/3",
                "NaN",
                "Infinity",
                "½",
                "١",
                "0x10",
                "",
                "1/-2",
                "1.5/2",
                "1\n",
            )
        ),
        (
            "9" * 5000,
            'x: expected an exact number such as "1/2" or "0.1", got '
            "'9999999999999999999999999999999999999999999999999999999999…",
        ),
    ],
    ids=lambda value: shown(value)[:40],
)
def test_everything_else_is_refused(value: object, message: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        exact_fraction(value, "x")  # type: ignore[arg-type]
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("value", "one_allowed", "message"),
    [
        ("-1/8", True, "x: expected a number in [0, 1], got -1/8"),
        ("9/8", True, "x: expected a number in [0, 1], got 9/8"),
        (1, False, "x: expected a number in [0, 1), got 1"),
        ("-0.001", False, "x: expected a number in [0, 1), got -1/1000"),
        (
            Fraction(10**90),
            False,
            f"x: expected a number in [0, 1), got 1{'0' * 58}…",
        ),
        (
            Fraction(10**5000),
            False,
            "x: expected a number in [0, 1), got a number of thousands of digits",
        ),
    ],
)
def test_outside_the_unit_interval(value: str | int, one_allowed: bool, message: str) -> None:
    with pytest.raises(SpecdecError) as refusal:
        exact_in_unit(value, "x", one_allowed=one_allowed)
    assert str(refusal.value) == message


@pytest.mark.parametrize("value", [0, "0.999", Fraction(1, 3)])
def test_inside_the_unit_interval(value: Fraction | int | str) -> None:
    assert exact_in_unit(value, "x", one_allowed=False) == Fraction(value)


def test_one_where_it_is_allowed() -> None:
    assert exact_in_unit(1, "x", one_allowed=True) == 1


def test_huge_values_are_named_not_printed() -> None:
    assert shown(10**6000) == "int with thousands of digits"
    assert len(shown("x" * 10**7)) == 60


def test_a_profile_error_survives_pickling_with_its_faults() -> None:
    fault = Fault("a.json", 3, "/x", "2", "1")
    copy = pickle.loads(pickle.dumps(ProfileError([fault])))
    assert copy.faults == (fault,)
    assert str(copy) == "a.json:3: /x: 2, expected 1"
