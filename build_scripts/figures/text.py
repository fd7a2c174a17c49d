"""Text of the data in a figure: short enough for its place, and in characters the font has."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from build_scripts.figures.rdf import spelt_out

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font


def label(text: str, inches: float, size: float) -> str:
    """Return a text of the data as a figure can show it in so much room, at a size in points.

    A character that the font lacks is written as its code point, a space at an end as ␣, and what
    is too wide is cut; tables on the profile's page hold every token whole.
    """
    drawn = text.lstrip(" ")
    drawn = "␣" * (len(text) - len(drawn)) + drawn
    drawn = drawn.rstrip(" ") + "␣" * (len(drawn) - len(drawn.rstrip(" ")))
    drawn = "".join(
        character if character in _known() else spelt_out(character) for character in drawn
    )
    if width(drawn, size) <= inches:
        return drawn
    fits = bisect_right(range(len(drawn)), inches, key=lambda n: width(drawn[:n] + "…", size))
    return drawn[: max(0, fits - 1)] + "…"


@lru_cache(maxsize=10_000)  # tokens come back in panel after panel
def width(text: str, size: float) -> float:
    """Return how wide a text is, in inches."""
    from matplotlib.ft2font import LoadFlags

    font = _font()
    font.set_size(100, 72)  # large, since small letters have whole pixels
    font.set_text(text, flags=LoadFlags.NO_HINTING)
    return float(font.get_width_height()[0]) / 64 / 72 * size / 100  # from 26.6 fixed-point pixels


def fitting(texts: Iterable[str], inches: float, size: float) -> str:
    """Return the first text that fits into so much room, or the last."""
    *longer, shortest = texts
    return next((text for text in longer if width(text, size) <= inches), shortest)


def wrapped(text: str, inches: float, size: float, lines: int) -> str:
    """Return words of ours in lines that fit into so much room; what is too long ends in ``…``."""
    found: list[str] = []
    taken = inches
    for word in text.split():
        room = width(f" {word}", size)
        if taken + room <= inches:
            found[-1] += f" {word}"
            taken += room
        else:
            found.append(word)
            taken = room
    if len(found) > lines:
        found = [*found[: lines - 1], label(" ".join(found[lines - 1 :]), inches, size)]
    return "\n".join(found)


@lru_cache(maxsize=1)
def _font() -> FT2Font:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family="DejaVu Sans")))


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """Return the characters of the figures' font that show as themselves in any order."""
    return frozenset(
        character for character in map(chr, _font().get_charmap()) if character.isprintable()
    )
