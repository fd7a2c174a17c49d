"""The date that everything dated in a build is from: SOURCE_DATE_EPOCH, else none."""

from __future__ import annotations

import os
import time

from build_scripts.errors import SiteError

NAME = "SOURCE_DATE_EPOCH"

_LAST = 2**32 - 1
"""A gzip header has no room for a later second."""


def source_date() -> int:
    """Return SOURCE_DATE_EPOCH, in seconds since 1970; 0, which no source is from, without it.

    Raises:
        SiteError: it is no such number.
    """
    text = os.environ.get(NAME, "") or "0"
    try:
        if not (text.isascii() and text.isdigit()):
            raise ValueError(text)
        seconds = int(text)
        time.gmtime(seconds)
    except (ValueError, OverflowError, OSError) as fault:
        raise SiteError(f"{NAME}: expected whole seconds since 1970, got {text!r}") from fault
    return seconds


def tell_mkdocs() -> None:
    """Have MkDocs put this date, and not today's, into the header of ``sitemap.xml.gz``."""
    os.environ[NAME] = str(min(source_date(), _LAST))
