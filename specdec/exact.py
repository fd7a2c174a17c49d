"""Reading numbers exactly: what may become a `Fraction`, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from specdec.errors import LONGEST_SHOWN, SpecdecError, shown

Value = TypeVar("Value")

Exact = Fraction | int | str
"""What exact code accepts as a number."""

EXACT_TEXT = re.compile(r"-?[0-9]+(?:/[0-9]*[1-9][0-9]*|\.[0-9]+)?")
"""``n``, ``n/d`` or a plain decimal. No exponent: Fraction("1e999999999") never returns."""

_LONGEST_TEXT = 4000  # Python converts at most 4,300 digits


def exact_fraction(value: Exact, place: str) -> Fraction:
    """Return ``value`` as a Fraction, refusing everything that could have been rounded.

    Args:
        value: a Fraction, an int, or text such as ``"1/2"`` or ``"0.1"`` (read exactly).
        place: what the number is, for the message.

    Raises:
        SpecdecError: a float, a bool, another type, or text in another form.

    >>> sum(exact_fraction("0.1", "tenth") for _ in range(10)) == 1
    True
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str):
        if len(value) <= _LONGEST_TEXT and EXACT_TEXT.fullmatch(value):
            return Fraction(value)
        raise SpecdecError(
            f'{place}: expected an exact number such as "1/2" or "0.1", got {shown(value)}'
        )
    raise SpecdecError(
        f"{place}: expected a Fraction, an int or an exact string, "
        f"got {type(value).__name__} {shown(value)}"
    )


def exact_in_unit(value: Exact, place: str, *, one_allowed: bool) -> Fraction:
    """Return ``value`` as a Fraction in [0, 1], or in [0, 1) where 1 is not allowed.

    Raises:
        SpecdecError: as `exact_fraction`, or a number outside the interval.
    """
    number = exact_fraction(value, place)
    if 0 <= number < 1 or (one_allowed and number == 1):
        return number
    interval = "[0, 1]" if one_allowed else "[0, 1)"
    raise SpecdecError(f"{place}: expected a number in {interval}, got {shown_number(number)}")


def listed(values: Iterable[Value], place: str) -> tuple[Value, ...]:
    """Return what a list, a tuple or a generator holds.

    Raises:
        SpecdecError: text or a mapping, whose parts would be taken for values, or no iterable.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise SpecdecError(f"{place}: expected a list, got {type(values).__name__} {shown(values)}")
    return tuple(values)


def require_count(name: str, value: object) -> None:
    """Refuse anything but a whole number >= 0.

    Raises:
        SpecdecError: it is a bool, no int, or negative.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SpecdecError(f"{name}: expected a whole number >= 0, got {shown(value)}")


def shown_number(number: Fraction) -> str:
    """Return a Fraction as ``n/d``, cut to a length that fits a message."""
    try:
        text = str(number)
    except ValueError:  # Python refuses to print an int of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
