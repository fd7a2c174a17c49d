"""Text of the data in a figure: short enough for its place, and in characters the font has."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

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
        character if character in _known() else f"⟨U+{ord(character):04X}⟩" for character in drawn
    )
    if width(drawn, size) <= inches:
        return drawn
    whole = next(n for n in range(len(drawn), -1, -1) if width(drawn[:n] + "…", size) <= inches)
    return drawn[:whole] + "…"


def width(text: str, size: float) -> float:
    """Return how wide a text is, in inches."""
    font = _font()
    font.set_size(100, 72)  # large, since small letters have whole pixels
    font.set_text(text)
    return float(font.get_width_height()[0]) / 64 / 72 * size / 100  # from 26.6 fixed-point pixels


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
