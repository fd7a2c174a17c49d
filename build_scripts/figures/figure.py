"""What a figure is before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, in words and data; drawing adds nothing to what it says.

    Attributes:
        slug: names it for ever, in addresses too.
        kind: the module of this package that draws it.
        title: what it shows to be so.
        subject: of what.
        alt: what a reader who cannot see it needs to know.
        caption: what it shows, under which assumption, and what it does not show.
        data: everything that is drawn, as JSON values; a figure with the same data is the same.
    """

    slug: str
    kind: str
    title: str
    subject: str
    alt: str
    caption: str
    data: dict[str, Any]
