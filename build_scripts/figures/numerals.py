"""Numbers in a figure: as the pages word them where there is room, else rounded."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from build_scripts import wording

LONGEST_WORDED = 12
"""Characters of a fraction in a sentence."""

_EDGES = {"≈ 0.000": "< 0.001", "≈ 1.000": "> 0.999"}
"""What is possible is not rounded to impossible, nor what can fail to certain."""


def spelled(value: Fraction, places: int = 3) -> list[str]:
    """Return a number exactly and, for where that is too long, rounded; see `text.fitting`."""
    rounded = wording.rounded(value, places)
    return [wording.exact(value), rounded if Fraction(rounded) == value else f"≈ {rounded}"]


def both(value: Fraction, places: int = 2) -> list[str]:
    """Return a number exactly and rounded, and for where that is too long, rounded alone."""
    exact, near = wording.exact(value), wording.near(value, places)
    if value.denominator == 1:
        return [exact, exact]
    if near == wording.rounded(value, places) and Fraction(near) == value:
        return [f"{exact} = {near}", near]
    return [f"{exact} ≈ {near}", f"≈ {near}"]


def readings(value: Fraction, exact: str) -> list[str]:
    """Return a probability as the pages word it and, where that is too long, rounded.

    >>> readings(Fraction(1, 3), "8/24"), readings(Fraction(1, 2), "4/8")
    (['8/24', '≈ 0.333'], ['4/8', '0.5'])
    >>> readings(Fraction(1, 9999), "1/9999"), readings(Fraction(9998, 9999), "9998/9999")
    (['1/9999', '< 0.001'], ['9998/9999', '> 0.999'])
    """
    rounded = spelled(value)[-1]
    return [exact, _EDGES.get(rounded, rounded)]


def brief(value: Fraction, exact: str) -> str:
    """Return a probability for a sentence: as the pages word it, or rounded where that is long.

    >>> brief(Fraction(5, 8), "5/8"), brief(Fraction(1, 3), "100000000/300000000")
    ('5/8', '≈ 0.333')
    """
    worded, rounded = readings(value, exact)
    return worded if len(worded) <= LONGEST_WORDED else rounded


def sequence(values: Iterable[Fraction]) -> str:
    """Return probabilities one after the other, for a sentence.

    >>> sequence([Fraction(1), Fraction(7, 8), Fraction(7, 8) ** 12])
    '1, 7/8, ≈ 0.201'
    """
    return ", ".join(brief(value, wording.exact(value)) for value in values)
