"""The whole site as a zip, to read and search without a network.

The site in it is the exported one, built by plain MkDocs with the theme's `offline` plugin.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import distributions
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import yaml

from build_scripts.cache import Say, code_digest, remembered
from build_scripts.errors import SiteError
from build_scripts.source_date import NAME as SOURCE_DATE
from build_scripts.source_date import source_date

OFFLINE_ZIP = "offline/speculative-decoding.zip"
"""Where the zip stands in the site."""

FOLDER = "speculative-decoding"
"""The one folder in the zip."""

SHIM = "iframe-worker/shim.js"
"""Lets the theme search where a page has no address; else the theme loads it from elsewhere."""

_VENDOR = Path(__file__).parent / "vendor"
_FOR_SERVERS = {"404.html", "sitemap.xml", "sitemap.xml.gz"}

_Date = tuple[int, int, int, int, int, int]
_EARLIEST: _Date = (1980, 1, 1, 0, 0, 0)
_LATEST: _Date = (2107, 12, 31, 23, 59, 58)


def offline_zip(root: Path, project: Mapping[str, bytes], say: Say) -> bytes:
    """Return the zip of a site, built again only if something in it has changed.

    Args:
        root: the project folder.
        project: the files of the exported site, by path: Markdown, assets and ``mkdocs.yml``.
        say: told when the site in the zip is built.

    Raises:
        SiteError: that site cannot be built, or SOURCE_DATE_EPOCH is no time.
    """
    date = _date()
    files = _for_a_folder(project)

    def build() -> dict[str, bytes]:
        say("building the site for the zip")
        return {"zip": zipped(_built(root, files), date)}

    inputs = [repr(date).encode(), _tools(), *_digests(files)]
    kept: bytes = remembered(root / ".cache", "offline", inputs, build)["zip"]
    return kept


def zipped(files: Mapping[str, bytes], date: _Date) -> bytes:
    """Return a zip with one folder; its bytes depend on nothing but the files and the date."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for path in sorted(files):
            entry = ZipInfo(f"{FOLDER}/{path}", date)
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, files[path], compresslevel=6)
    return buffer.getvalue()


def _date() -> _Date:
    """Return when all files in the zip are from: the day of the source, or the first of zips."""
    return min(max(_EARLIEST, time.gmtime(source_date())[:6]), _LATEST)


def _for_a_folder(project: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the project with what its site needs to work without a server."""
    config = yaml.safe_load(project["mkdocs.yml"])
    config["use_directory_urls"] = False
    config["plugins"] = [*config["plugins"], "offline"]
    theme, extra = config["theme"], config["extra"]
    # From a folder it does nothing; from a server it would ask for the sitemap.
    theme["features"] = [name for name in theme["features"] if name != "navigation.instant"]
    extra["polyfills"] = [*extra["polyfills"], f"javascripts/{SHIM}"]
    shim = {f"docs/javascripts/{SHIM}": (_VENDOR / SHIM).read_bytes()}
    licence = Path(SHIM).with_name("LICENSE").as_posix()
    shim[f"docs/javascripts/{licence}"] = (_VENDOR / licence).read_bytes()
    settings = yaml.safe_dump(config, sort_keys=False, allow_unicode=True).encode()
    return {**project, **shim, "mkdocs.yml": settings}


def _tools() -> bytes:
    """Return what a built page depends on besides its project: the code and all libraries."""
    installed = sorted(f"{each.name} {each.version}" for each in distributions())
    return code_digest(Path(__file__).parent) + "\n".join(installed).encode()


def _digests(files: Mapping[str, bytes]) -> Iterable[bytes]:
    for path in sorted(files):
        yield path.encode() + b"\0" + hashlib.sha256(files[path]).digest()


def _built(root: Path, project: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a project's site, without those that only a server needs."""
    try:
        with tempfile.TemporaryDirectory(prefix="offline.") as name:
            folder = Path(name)
            write_files(folder, project)
            _run_mkdocs(root, folder / "mkdocs.yml")
            site = read_files(folder / "site")
    except OSError as fault:
        raise SiteError(f"{fault.filename or 'offline'}: {fault.strerror}") from fault
    return {path: content for path, content in site.items() if path not in _FOR_SERVERS}


def _run_mkdocs(root: Path, config: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)],
        cwd=root,  # where our Markdown extension is
        # What MkDocs dates is not for the zip; a date too late for that must not end the build.
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", SOURCE_DATE: "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line and not line.startswith("INFO")]
        raise SiteError("\n".join(re.sub("^(ERROR|WARNING) +-  ", "", line) for line in lines))


def paths_below(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[Path]:
    """Yield every file below a folder, in order; through links to folders, as MkDocs does.

    Args:
        folder: where to begin.
        above: the folders that led here, where they really are.

    Raises:
        SiteError: a link leads back to a folder above it, so there is no end.
    """
    here = folder.resolve()
    if here in above:
        raise SiteError(
            f"{folder}: expected a link to another folder, found one to a folder it is in"
        )
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from paths_below(path, (*above, here))
        elif path.is_file():
            yield path


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder by its path there."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths_below(folder)}


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder, by their paths there."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
