"""The whole site from the project folder, and its export as plain Markdown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import yaml
from mkdocs.utils.yaml import yaml_load

from build_scripts.cache import Say
from build_scripts.errors import SiteError
from build_scripts.figures.drawing import drawn
from build_scripts.figures.registry import all_figures
from build_scripts.pages import authored_pages, site_tree, with_profile_pages
from build_scripts.results import Results, compute

_ONLY_WITH_HOOK = ("hooks", "watch")


def generate(root: Path, say: Say, site_url: str) -> tuple[Results, dict[str, bytes]]:
    """Compute all results and render every generated page and file.

    Raises:
        SiteError: bad data or a page that cannot be rendered.
    """
    results = compute(root, say)
    figures = drawn(all_figures(results), root / ".cache", say)
    say("rendering pages")
    return results, site_tree(root / "docs", results, figures, site_url)


def export(root: Path, destination: Path, say: Say) -> None:
    """Write the site as plain Markdown, assets and a resolved ``mkdocs.yml``.

    The result needs no hook: any generator that reads Markdown and ``mkdocs.yml`` builds it.

    Args:
        root: the project folder.
        destination: a folder that is new or empty.
        say: told what happens.

    Raises:
        SiteError: bad data, a page that cannot be rendered, or a folder that is not empty.
    """
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise SiteError(f"{destination}: expected a new or an empty folder, found something there")
    if destination.resolve().is_relative_to(root.resolve() / "docs"):
        raise SiteError(f"{destination}: expected a folder outside docs/, whose pages it copies")
    try:
        _export(root, destination, say)
    except BaseException:
        shutil.rmtree(destination, ignore_errors=True)  # what is left there would stop a retry
        raise


def _export(root: Path, destination: Path, say: Say) -> None:
    config = _config(root / "mkdocs.yml")
    results, tree = generate(root, say, config["site_url"])
    docs = destination / "docs"
    shutil.copytree(root / "docs", docs, ignore=shutil.ignore_patterns("decisions"))
    for page in authored_pages(docs):
        (docs / page).unlink()
    for path, content in tree.items():
        target = docs / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    shutil.copytree(root / "overrides", destination / "overrides")
    config = _without_hook(config, results)
    (destination / "mkdocs.yml").write_text(
        yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8"
    )


def _config(path: Path) -> dict[str, Any]:
    """Return ``mkdocs.yml`` with the environment read."""
    with path.open(encoding="utf-8") as file:
        config: dict[str, Any] = yaml_load(file)
    return config


def _without_hook(config: dict[str, Any], results: Results) -> dict[str, Any]:
    """Return a configuration that lists the profiles' pages and needs no hook."""
    nav = with_profile_pages(config["nav"], results)
    plain = {**config, "nav": json.loads(json.dumps(nav))}  # YAML writes no Markup, only text
    return {key: value for key, value in plain.items() if key not in _ONLY_WITH_HOOK}
