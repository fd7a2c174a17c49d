"""The MkDocs hook: hands the generated pages to MkDocs, and replaces a site as a whole.

While serving, `serving` does the rest. MkDocs loads this file once. What it needs is imported when
it is needed, so that an edit of other code is in the next build of a server.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from build_scripts.serving.server import Workshop
    from build_scripts.site_folder import Replacement

_log = logging.getLogger("mkdocs.hooks.specdec")

_tree: dict[str, bytes] = {}
"""From `on_config` to `on_files` of one build: MkDocs gives a hook no place of its own."""

_serving = False

_workshop: Workshop | None = None
"""While somebody edits, sees each save and never the end of a build."""

_site: tuple[MkDocsConfig, Path, Replacement] | None = None
"""What is built now, and which folder is replaced: MkDocs would begin by emptying it."""

_whole = False
"""Whether the new folder is complete."""


def on_startup(command: str, dirty: bool) -> None:
    """Remember whether somebody is editing and waits for each build."""
    global _serving
    _serving = command == "serve"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Compute and render everything, before MkDocs empties the folder of the last good site."""
    global _workshop
    root = Path(config.config_file_path).parent
    if _serving and _workshop is None and "--no-livereload" not in sys.argv:
        from build_scripts.serving.server import Workshop

        _workshop = Workshop(root)
        _workshop.build_nothing(config)
        return config

    # After that, for while serving a fault in this code is one to be shown, too.
    from build_scripts.cache import anew
    from build_scripts.errors import SiteError
    from build_scripts.generate import generate, offline_asked, preview_asked
    from build_scripts.pages import social_image, with_profile_pages
    from build_scripts.source_date import tell_mkdocs

    def say(line: str) -> None:
        if not _workshop or _workshop.report.heard(line):
            _log.info(line)

    # Asked at once: what comes into the folder while we compute is not MkDocs' to remove.
    as_a_whole = not _serving and _as_a_whole(Path(config.site_dir))
    try:
        results, tree = generate(
            root,
            say,
            config.site_url or "",
            preview=_serving or preview_asked(),
            offline=offline_asked() and not _serving,
            keep=_workshop.parts if _workshop else anew,
        )
        tell_mkdocs()
        if as_a_whole:
            _fill_another_folder(config)
    except SiteError as fault:
        raise PluginError(str(fault)) from fault
    _tree.clear()
    _tree.update(tree)
    config.nav = with_profile_pages(config.nav or [], results)
    config.extra["social_image"] = social_image(results, tree)
    if _workshop:
        _workshop.report.computed(results)
        _workshop.build_what_changed(config)
    return config


def _as_a_whole(folder: Path) -> bool:
    """Return whether a folder can be replaced; what it may not replace MkDocs empties, as told."""
    from build_scripts.errors import SiteError
    from build_scripts.site_folder import require_earlier_site

    try:
        require_earlier_site(folder)
    except SiteError:
        return False
    return True


def _fill_another_folder(config: MkDocsConfig) -> None:
    from build_scripts.site_folder import Replacement, require_earlier_site

    global _site, _whole
    _whole = False
    folder = Path(config.site_dir)
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


def on_env(env: jinja2.Environment, config: MkDocsConfig, files: Files) -> jinja2.Environment:
    """Keep what the templates of the theme are compiled to."""
    from build_scripts.compiled_templates import CompiledTemplates

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
    from build_scripts.errors import SiteError

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
    """Serve with a server that outlives a bad edit; that of MkDocs would answer no request."""
    if not _workshop:
        return server
    from build_scripts.serving.server import LiveServer

    host, port = config.dev_addr
    live = LiveServer(_workshop, builder, config, (host, port), server.mount_path)
    live.watch(config.docs_dir)
    live.watch(config.config_file_path)
    return live
