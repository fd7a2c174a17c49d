"""One version of the site as values: everything that is generated, and nothing drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from build_scripts.cache import Say
from build_scripts.comparing.sides import Side
from build_scripts.comparing.units import (
    Unit,
    converter,
    html_units,
    json_units,
    page_units,
)
from build_scripts.comparing.values import (
    Values,
    data_values,
    profile_data,
    profile_results,
    scenario_results,
)
from build_scripts.figures.files import Drawn, undrawn
from build_scripts.figures.registry import all_figures
from build_scripts.generate import site_config
from build_scripts.pages import profile_path, site_tree, social_image
from build_scripts.results import Results, compute
from build_scripts.work import read_work

_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass(frozen=True)
class Rendered:
    """One version of the site.

    Attributes:
        side: the data it is made of.
        results: what the engine makes of them.
        figures: by slug, with stand-ins for pictures.
        tree: all generated pages and files by path, as `site_tree` returns them.
        convert: returns the Markdown of a page as HTML.
    """

    side: Side
    results: Results
    figures: dict[str, Drawn]
    tree: dict[str, bytes]
    convert: Callable[[str], str]
    _units: dict[str, list[Unit]] = field(default_factory=dict)

    def units(self, path: str) -> list[Unit]:
        """Return the pieces of a page or file; none if there is no such path."""
        if path not in self._units:
            self._units[path] = self._read(path, self.tree.get(path, b""))
        return self._units[path]

    def _read(self, path: str, content: bytes) -> list[Unit]:
        if not content:
            return []
        if path.endswith(".json"):
            return json_units(content)
        text = content.decode()
        return page_units(text, self.convert) if path.endswith(".md") else html_units(text)

    @cached_property
    def data(self) -> dict[str, Values]:
        """What the data hold, by file and by profile."""
        return {
            **{home.file_name: data_values(home) for home in self.results.scenarios.values()},
            **{each.profile.id: profile_data(each) for each in self.results.profiles},
        }

    @cached_property
    def numbers(self) -> dict[str, Values]:
        """What the engine makes of the data, by file and by profile."""
        return {
            **{home.file_name: scenario_results(home) for home in self.results.scenarios.values()},
            **{each.profile.id: profile_results(each) for each in self.results.profiles},
        }

    @property
    def navigation(self) -> list[Unit]:
        """What each page shows or says besides itself: the menu's profiles, the social image."""
        profiles = [
            Unit("menu entry", f"{each.profile.short_title}: {profile_path(each)}")
            for each in self.results.profiles
        ]
        return [*profiles, Unit("social image", social_image(self.results, self.tree))]

    def mask(self, text: str) -> str:
        """Return a text without the digests of this version’s files."""
        return _DIGEST.sub(lambda found: self._digests.get(found[0], found[0]), text)

    @cached_property
    def _digests(self) -> dict[str, str]:
        """What to read in place of each digest."""
        return {
            **{
                drawn.sha256(name): f"⟨SHA-256 of {drawn.path(name)}⟩"
                for drawn in self.figures.values()
                for name in drawn.files
            },
            **{file.sha256: f"⟨SHA-256 of data/{name}⟩" for name, file in self.side.files.items()},
        }


def rendered(
    side: Side, data: Path, root: Path, cache: Path, say: Say, *, earlier: bool
) -> Rendered:
    """Compute and render one version.

    Args:
        side: the data.
        data: the folder that holds them under their names.
        root: the project, whose pages, templates and code are used.
        cache: for what follows from the data; the rest is remembered in the project's own cache.
        say: told what happens.
        earlier: whether the data may be older than the record of moved figures.

    Raises:
        SiteError: bad data, or a page that cannot be rendered.
    """
    config = site_config(root / "mkdocs.yml")
    results = compute(root, say, data=data, of_data=cache)
    work = read_work(root, config["site_url"])
    figures = undrawn(all_figures(results), work)
    tree = site_tree(root / "docs", results, figures, work, earlier=earlier)
    return Rendered(side, results, figures, tree, converter(config["markdown_extensions"]))
