"""The whole site from the project folder, and its export as plain Markdown."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils.yaml import yaml_load

from build_scripts.cache import Keep, Say, anew
from build_scripts.errors import SiteError
from build_scripts.figure_pages import figure_files, moved_slugs, require_moved
from build_scripts.figures.files import drawn
from build_scripts.figures.registry import all_figures
from build_scripts.manifest import MANIFEST, manifest
from build_scripts.offline import offline_zip, read_files, write_files
from build_scripts.pages import TEMPLATES, site_tree, social_image, with_profile_pages
from build_scripts.portable import OURS, portable
from build_scripts.results import Results, compute
from build_scripts.site_folder import Replacement, require_empty, require_folder, write_whole
from build_scripts.source_date import source_date
from build_scripts.work import read_work

STORIES = {"nimbus.v1.json": "docs/nimbus.md"}
"""Pages that are about one data file, by the name of the file."""

_ONLY_WITH_HOOK = ("hooks", "watch")


def generate(
    root: Path,
    say: Say,
    site_url: str,
    *,
    preview: bool = False,
    offline: bool = False,
    keep: Keep = anew,
) -> tuple[Results, dict[str, bytes]]:
    """Compute all results and render every generated page and file.

    Args:
        root: the project folder.
        say: told what happens.
        site_url: the published address; empty while there is none.
        preview: whether to leave out the formats of figures that no page shows.
        offline: whether to add the site as a zip, and the link to it.
        keep: what makes the parts of a build, or has them from the build before.

    Raises:
        SiteError: bad data, a page that cannot be rendered, a zip that cannot be built, or a
            SOURCE_DATE_EPOCH that is no time.
    """
    source_date()  # refused before anything slow
    results = keep("results", lambda: compute(root, say, stories=STORIES))
    work = read_work(root, site_url, os.environ.get("RELEASE", ""))
    figures = keep(
        "figures",
        lambda: drawn(all_figures(results), work, root / ".cache", say, preview=preview),
    )
    say("rendering pages")
    tree = site_tree(root / "docs", results, figures, work, keep=keep)
    if offline:
        archive = offline_zip(root, _plain_project(root, results, tree), say)
        say("rendering pages with a link to the zip")
        tree = site_tree(root / "docs", results, figures, work, archive)
    return results, tree


def write_figures(root: Path, destination: Path, only: Collection[str], say: Say) -> list[str]:
    """Write the files of figures to a folder, and the list of all if all are written.

    Args:
        root: the project folder.
        destination: a folder, made if needed; other files in it stay.
        only: the slugs to write; empty for all.
        say: told of each figure that is drawn.

    Returns:
        The slugs that were written.

    Raises:
        SiteError: bad data, or a slug that no figure has.
    """
    require_folder(destination)
    figures = {each.slug: each for each in all_figures(compute(root, say))}
    require_moved(figures)
    moved = moved_slugs()
    asked = {slug if slug in figures else moved.get(slug, slug) for slug in only}
    if unknown := asked - figures.keys():
        raise SiteError(
            f"no figure is called {', '.join(map(repr, sorted(unknown)))}; "
            f"there are {', '.join(figures)}"
        )
    wanted = [each for slug, each in figures.items() if not only or slug in asked]
    address = site_config(root / "mkdocs.yml")["site_url"]
    work = read_work(root, address, os.environ.get("RELEASE", ""))
    complete = drawn(wanted, work, root / ".cache", say)
    files = figure_files(complete)
    if not only:  # a list of some would take the place of the list of all
        files[MANIFEST] = manifest(complete, work)
    write_whole(destination, {Path(path).name: content for path, content in files.items()})
    return list(complete)


def preview_asked() -> bool:
    """Return whether somebody wants a quick build: PREVIEW is set, and not to 0 or false."""
    return _is_set("PREVIEW")


def offline_asked() -> bool:
    """Return whether the site is to have a zip of itself: OFFLINE_ZIP is set, likewise."""
    return _is_set("OFFLINE_ZIP")


def _is_set(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false")


def export(root: Path, destination: Path, say: Say) -> None:
    """Write the site as plain Markdown, assets and a resolved ``mkdocs.yml``.

    The result needs nothing of this project: MkDocs, ProperDocs and Zensical build it.

    Args:
        root: the project folder.
        destination: a folder that is new or empty.
        say: told what happens.

    Raises:
        SiteError: bad data, a page that cannot be rendered, or a folder that is not empty.
    """
    require_empty(destination)
    if destination.resolve().is_relative_to(root.resolve() / "docs"):
        raise SiteError(f"{destination}: expected a folder outside docs/, whose pages it copies")
    with Replacement(destination, require_empty) as fresh:
        site_url = site_config(root / "mkdocs.yml")["site_url"]
        results, tree = generate(root, say, site_url, preview=preview_asked())
        project = _without_extensions(_plain_project(root, results, tree))
        write_files(fresh, {**project, **_how_to_build(root)})


def _plain_project(root: Path, results: Results, tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the exported site by path: Markdown and assets, ``mkdocs.yml``, the theme's rest."""
    authored = read_files(root / "docs")
    docs = {path: authored[path] for path in authored if "decisions" not in Path(path).parts}
    docs.update(tree)
    config = _without_hook(site_config(root / "mkdocs.yml"), results)
    config["extra"] = {**config["extra"], "social_image": social_image(results, tree)}
    settings = yaml.safe_dump(config, sort_keys=False, allow_unicode=True).encode()
    return {
        **{f"docs/{path}": content for path, content in docs.items()},
        **{f"overrides/{path}": each for path, each in read_files(root / "overrides").items()},
        "mkdocs.yml": settings,
    }


def _how_to_build(root: Path) -> dict[str, bytes]:
    """Return what says how an export is built, and the generators that were tried, pinned."""
    return {
        "README.md": (TEMPLATES / "export.md").read_bytes(),
        "requirements.txt": (root / "requirements-generators.txt").read_bytes(),
    }


def site_config(path: Path) -> dict[str, Any]:
    """Return ``mkdocs.yml`` with the environment read.

    Raises:
        SiteError: DIRECTORY_URLS is neither true nor false.
    """
    with path.open(encoding="utf-8") as file:
        config: dict[str, Any] = yaml_load(file)
    if not isinstance(asked := config["use_directory_urls"], bool):
        raise SiteError(f"DIRECTORY_URLS: expected true or false, got {asked!r}")
    return config


def _without_hook(config: dict[str, Any], results: Results) -> dict[str, Any]:
    """Return a configuration that lists the profiles' pages and needs no hook."""
    nav = with_profile_pages(config["nav"], results)
    plain = {**config, "nav": json.loads(json.dumps(nav))}  # YAML writes no Markup, only text
    return {key: value for key, value in plain.items() if key not in _ONLY_WITH_HOOK}


def _without_extensions(project: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return an exported site that needs nothing of this project."""
    config = yaml.safe_load(project["mkdocs.yml"])
    extensions = config["markdown_extensions"]
    pages = {path: content for path, content in project.items() if path.endswith(".md")}
    config["markdown_extensions"] = [each for each in extensions if str(each) not in OURS]
    config["theme"]["variant"] = "classic"  # of Zensical: looks like Material
    if not config["site_url"]:
        del config["site_url"]  # of an empty one Zensical would make addresses
    settings = yaml.safe_dump(config, sort_keys=False, allow_unicode=True).encode()
    return {**project, **portable(pages, extensions), "mkdocs.yml": settings}
