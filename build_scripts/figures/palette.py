"""The colours of figures: those of `docs/stylesheets/tokens.css`, for either background."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what they stand for; blue is the target and what comes of it, ochre the draft.

    The ochre of lines and areas is too pale for words, which have `draft_text`.
    """

    ground: str
    text: str
    muted: str
    line: str
    target: str
    share: str
    draft: str
    draft_text: str
    kept: str
    rejected: str

    @property
    def settings(self) -> dict[str, str]:
        """The colours of axes and text, as matplotlib settings."""
        return {
            "figure.facecolor": self.ground,
            "savefig.facecolor": self.ground,
            "axes.facecolor": self.ground,
            "text.color": self.text,
            "axes.titlecolor": self.text,
            "axes.labelcolor": self.text,
            "axes.edgecolor": self.muted,
            "xtick.color": self.muted,
            "ytick.color": self.muted,
            "xtick.labelcolor": self.muted,
            "ytick.labelcolor": self.muted,
            "grid.color": self.line,
        }


LIGHT = Palette(
    ground="#ffffff",
    text="#1d2129",
    muted="#515866",
    line="#dce0e5",
    target="#0a5fa8",
    share="#cfe1f2",
    draft="#c46a10",
    draft_text="#8a4706",
    kept="#05704f",
    rejected="#b0261c",
)
DARK = Palette(
    ground="#14171c",
    text="#e6e9ee",
    muted="#b3bac6",
    line="#363c47",
    target="#6cb6f5",
    share="#24425e",
    draft="#f0a14f",
    draft_text="#f3b372",
    kept="#5fcf9f",
    rejected="#ff8f84",
)

_IN_THE_DARK = dict(zip(astuple(LIGHT), astuple(DARK), strict=True))
_ANY_COLOUR = re.compile("|".join(_IN_THE_DARK))


def in_the_dark(svg: str) -> str:
    """Return a drawing in the colours for dark: the same one, each colour exchanged.

    >>> in_the_dark('<path style="fill: #ffffff; stroke: #0a5fa8"/>')
    '<path style="fill: #14171c; stroke: #6cb6f5"/>'
    """
    return _ANY_COLOUR.sub(lambda colour: _IN_THE_DARK[colour[0]], svg)
