"""Text of the data in a figure: short enough for its place, and in characters the font has."""

from __future__ import annotations

from functools import lru_cache

LONGEST = 16
"""Characters of a token that fit beside a bar."""


def label(token: str, longest: int = LONGEST) -> str:
    """Return a token as a figure can show it.

    A character that the font lacks is written as its code point, a space at an end as ␣, and what
    is too long is cut; tables on the page hold every token whole.
    """
    drawn = token.lstrip(" ")
    drawn = "␣" * (len(token) - len(drawn)) + drawn
    drawn = drawn.rstrip(" ") + "␣" * (len(drawn) - len(drawn.rstrip(" ")))
    drawn = "".join(
        character if character in _known() else f"⟨U+{ord(character):04X}⟩" for character in drawn
    )
    return drawn if len(drawn) <= longest else drawn[: longest - 1] + "…"


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """Return the characters of the figures' font that show as themselves in any order."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family="DejaVu Sans")))
    return frozenset(
        character for character in map(chr, font.get_charmap()) if character.isprintable()
    )
