"""Probabilities in a figure: as the pages word them where there is room, else rounded."""

from __future__ import annotations

from fractions import Fraction

from build_scripts.figures.chart import spelled

LONGEST_WORDED = 12
"""Characters of a fraction in a sentence."""

_EDGES = {"≈ 0.000": "< 0.001", "≈ 1.000": "> 0.999"}
"""What is possible is not rounded to impossible, nor what can fail to certain."""


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
