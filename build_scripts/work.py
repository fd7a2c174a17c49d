"""What is cited: the site as a work, its author, version, licence and address.

`CITATION.cff` says it all, but for the address, which is the ``site_url`` of ``mkdocs.yml``, read
from the environment as SITE_URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import yaml

from build_scripts.errors import SiteError

UNPUBLISHED = "unpublished build"
"""Stands in place of an address while the site has none."""

CONTENT_LICENCE = "CC BY 4.0"
CONTENT_LICENCE_URL = "https://creativecommons.org/licenses/by/4.0/"

VERSIONS = "v"
"""The folder of the versions that stay."""


def page_path(slug: str) -> str:
    """Return the address of a figure's page below the site: the same for all kinds of addresses."""
    return f"figures/{slug}/"


_ADDRESS = re.compile(
    r"https?://[A-Za-z0-9.-]+(:[0-9]+)?(/(?!\.\.?(/|$))([A-Za-z0-9._~+-]|%[0-9A-Fa-f]{2})*)*"
)
"""What can stand as it is in HTML, Markdown, BibTeX, headers and shells."""


@dataclass(frozen=True, slots=True)
class Work:
    """The site as something to cite.

    Attributes:
        title: of the site.
        author: an organisation; nobody's first and last name.
        version: of the engine, and so of every number.
        released: the day of that version.
        address: where the site is published, ending in a slash; empty while it is not.
        kept: whether this version also stays at an address of its own.
    """

    title: str
    author: str
    version: str
    released: date
    address: str
    kept: bool = False

    @property
    def credit(self) -> str:
        """Whom to name beside a copy of a part of it, and what it is part of."""
        return f"{self.author}: {self.title}"

    def at(self, path: str) -> str:
        """Return the address of a page or file of the site; empty while there is none."""
        return self.address + path if self.address else ""

    def cited_at(self, path: str) -> str:
        """Return the address to cite: where this version stays, if it is kept."""
        return self.at(f"{VERSIONS}/{self.version}/{path}" if self.kept else path)


def read_work(root: Path, site_url: str, release: str = "") -> Work:
    """Return the work that ``root/CITATION.cff`` describes, published at ``site_url`` if any.

    Args:
        root: the project folder.
        site_url: the published address; empty while there is none.
        release: the tag of the version that is published, to be kept; empty for none.

    Raises:
        SiteError: an address that cannot stand in citations, or the tag of another version.
    """
    if site_url and not _ADDRESS.fullmatch(site_url):
        raise SiteError(
            "SITE_URL: expected an address such as https://example.org/path/, of letters, digits "
            f"and - . _ ~ + %, got {site_url!r}"
        )
    cff = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    if release and release != f"v{cff['version']}":
        raise SiteError(f"tag: expected v{cff['version']}, as in CITATION.cff, got {release!r}")
    if release and not site_url:
        raise SiteError("SITE_URL: expected an address, at which the version is to be kept")
    return Work(
        title=cff["title"],
        author=cff["authors"][0]["name"],
        version=cff["version"],
        released=cff["date-released"],
        address=site_url and site_url.rstrip("/") + "/",
        kept=bool(release),
    )
