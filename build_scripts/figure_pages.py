"""Pages and files of the figures below ``docs/``: each with its page, old addresses, the list."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from build_scripts.errors import SiteError
from build_scripts.figures.files import Drawn
from build_scripts.manifest import MANIFEST, citation_of, manifest
from build_scripts.metadata import citation_tags, json_ld
from build_scripts.work import Work, page_path

FIGURE_TEMPLATE = "figure.md"
MOVED_TEMPLATE = "moved.md"

PUBLISHED = Path(__file__).parent / "figures" / "published.json"
"""Slugs that somebody may have cited, and where a figure is now that has another one."""


def figure_tree(
    figures: Mapping[str, Drawn],
    work: Work,
    render: Callable[..., bytes],
    *,
    earlier: bool = False,
) -> dict[str, bytes]:
    """Return every page and file of the figures, by its path below ``docs/``.

    Args:
        figures: all of them, by slug.
        work: what they are part of.
        render: renders a template with what it is given.
        earlier: whether figures that others have moved to may be missing.

    Raises:
        SiteError: a figure has moved to a slug that no figure has.
    """
    if not earlier:
        require_moved(figures)
    tree = {**figure_files(figures), MANIFEST: manifest(figures, work)}
    for slug, drawn in figures.items():
        tree[f"{page_path(slug)}index.md"] = render(
            FIGURE_TEMPLATE,
            drawn=drawn,
            this=drawn.figure,
            citation=citation_of(drawn, work),
            tags=citation_tags(drawn, work),
            json_ld=json_ld(drawn, work),
        )
    for old, new in _old_slugs(figures).items():
        tree[f"{page_path(old)}index.md"] = render(MOVED_TEMPLATE, this=figures[new].figure)
    return tree


def figure_files(figures: Mapping[str, Drawn]) -> dict[str, bytes]:
    """Return the files of figures, under old slugs, too."""
    tree = {
        drawn.path(name): content
        for drawn in figures.values()
        for name, content in drawn.files.items()
    }
    for old, new in _old_slugs(figures).items():
        drawn = figures[new]
        tree.update({drawn.path(name, old): content for name, content in drawn.files.items()})
    return tree


def require_moved(figures: Collection[str]) -> None:
    """Refuse a figure that has moved to a slug that no figure has.

    Raises:
        SiteError: the slugs.
    """
    lost = [f"{old} → {new}" for old, new in moved_slugs().items() if new not in figures]
    if lost:
        raise SiteError(f"{PUBLISHED.name}: moved to figures that are not there: {', '.join(lost)}")


def _old_slugs(figures: Mapping[str, Drawn]) -> dict[str, str]:
    """Return the slugs that these figures had and, for each, the one that the figure has now."""
    return {old: new for old, new in moved_slugs().items() if new in figures and old not in figures}


def moved_slugs() -> dict[str, str]:
    """Return the slugs that figures had and no longer have, each with the one it has now."""
    moved: dict[str, str] = json.loads(PUBLISHED.read_bytes())["moved"]
    return moved


def published_slugs() -> frozenset[str]:
    """Return the slugs that somebody may have cited."""
    return frozenset(json.loads(PUBLISHED.read_bytes())["slugs"])
