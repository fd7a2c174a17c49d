"""The MkDocs hook: hands the generated pages to MkDocs, and keeps serving when an edit is bad."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files

from build_scripts.cache import CompiledTemplates
from build_scripts.errors import SiteError
from build_scripts.generate import generate, offline_asked, preview_asked
from build_scripts.pages import social_image, with_profile_pages
from build_scripts.site_folder import Replacement, require_earlier_site
from build_scripts.source_date import tell_mkdocs

_log = logging.getLogger("mkdocs.hooks.specdec")

_tree: dict[str, bytes] = {}
"""From `on_config` to `on_files` of one build: MkDocs gives a hook no place of its own."""


_serving = False

_site: tuple[MkDocsConfig, Path, Replacement] | None = None
"""What is built now, and which folder is replaced: MkDocs would begin by emptying it."""

_whole = False
"""Whether the new folder is complete."""


def on_startup(command: str, dirty: bool) -> None:  # noqa: ARG001: MkDocs names them
    """Remember whether somebody is editing and waits for each build."""
    global _serving
    _serving = command == "serve"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Compute and render everything, before MkDocs empties the folder of the last good site."""
    try:
        results, tree = generate(
            Path(config.config_file_path).parent,
            _log.info,
            config.site_url or "",
            preview=_serving or preview_asked(),
            offline=offline_asked() and not _serving,
        )
        tell_mkdocs()
        if not _serving:
            _replace_as_a_whole(config)
    except SiteError as fault:
        raise PluginError(str(fault)) from fault
    _tree.clear()
    _tree.update(tree)
    config.nav = with_profile_pages(config.nav or [], results)
    config.extra["social_image"] = social_image(results, tree)
    return config


def _replace_as_a_whole(config: MkDocsConfig) -> None:
    """Have MkDocs fill a new folder; what is no earlier site it empties itself, as it is told."""
    global _site
    folder = Path(config.site_dir)
    try:
        require_earlier_site(folder)
    except SiteError:
        return
    replacement = Replacement(folder, require_earlier_site)
    _site = config, folder, replacement
    config.site_dir = str(replacement.fresh)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace authored pages by what they rendered to, and add the generated ones."""
    for path, content in _tree.items():
        file = files.get_file_from_path(path)
        if file is None:
            files.append(File.generated(config, path, content=content))
        else:
            file.content_bytes = content
    return files


def on_env(
    env: jinja2.Environment,
    config: MkDocsConfig,
    files: Files,  # noqa: ARG001: MkDocs names it
) -> jinja2.Environment:
    """Keep what the templates of the theme are compiled to."""
    folder = Path(config.config_file_path).parent / ".cache/templates"
    env.bytecode_cache = CompiledTemplates(folder, b"theme")
    return env


def on_post_build(config: MkDocsConfig) -> None:
    """Remember that every file is written."""
    global _whole
    _whole = True


def on_build_error(error: Exception) -> None:
    """Remember that the build failed, perhaps only by its warnings: then every file is written."""
    global _whole
    _whole = False


def on_shutdown() -> None:
    """Put a complete site in the place of the last one."""
    global _site
    if _site is None:
        return
    config, folder, replacement = _site
    _site = None
    config.site_dir = str(folder)  # `mkdocs gh-deploy` goes on with it
    try:
        if _whole:
            replacement.swap()
    except SiteError as fault:
        raise Abort(str(fault)) from fault
    finally:
        replacement.discard()


def on_serve(
    server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., None]
) -> LiveReloadServer:
    """Go on serving the last good site after a bad edit; MkDocs would answer no request."""

    def build_or_keep() -> None:
        try:
            builder()
        except Abort:  # which has been explained
            _log.error("the pages served are those from before this edit")
        except Exception as fault:
            _log.error("the pages served are those from before this edit: %s", fault)

    server.builder = build_or_keep
    return server
