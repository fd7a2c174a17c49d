"""How a build says no."""

from __future__ import annotations


class SiteError(Exception):
    """The site cannot be built; the message is one readable line per fault."""
