"""The MkDocs hook: hands the generated pages to MkDocs, and does nothing else."""

from __future__ import annotations

import logging
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from build_scripts.errors import SiteError
from build_scripts.pages import with_profile_pages
from build_scripts.site import generate

_log = logging.getLogger("mkdocs.hooks.specdec")

_tree: dict[str, bytes] = {}
"""From `on_config` to `on_files` of one build: MkDocs gives a hook no place of its own."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Compute and render everything, before MkDocs empties the folder of the last good site."""
    try:
        results, tree = generate(Path(config.config_file_path).parent, _log.info)
    except SiteError as fault:
        raise PluginError(str(fault)) from fault
    _tree.clear()
    _tree.update(tree)
    config.nav = with_profile_pages(config.nav or [], results)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace authored pages by what they rendered to, and add the generated ones."""
    for path, content in _tree.items():
        file = files.get_file_from_path(path)
        if file is None:
            files.append(File.generated(config, path, content=content))
        else:
            file.content_bytes = content
    return files
