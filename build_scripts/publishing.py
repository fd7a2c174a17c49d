"""What is put on a server: the latest version, every earlier one, and which headers go with them.

``SITE/v/<version>/`` keeps a version as it was published, for ever; the root is the latest. The
headers are decided here once: `headers_of` says which go with an address, and the files for servers
say the same in their languages. The browser tests serve the site with them, but for how long a
file is kept.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from build_scripts.errors import SiteError
from build_scripts.offline import read_files, write_files
from build_scripts.site_folder import Replacement, require_empty
from build_scripts.wording import count
from build_scripts.work import VERSIONS

POLICY = "Content-Security-Policy"
CLOUDFLARE, NGINX = "_headers", "headers.nginx.conf"
"""The files for servers, in the root of what is published."""

_ONLY_LATEST = {"404.html", "sitemap.xml", "sitemap.xml.gz"}
"""Of a kept version: a server looks for them in the root alone."""

_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
_LONGEST_LINE = 2000
"""Of the file for Cloudflare Pages."""

_INLINE_SCRIPT = re.compile(
    r"<script(?![^>]*\ssrc=)(?![^>]*json)[^>]*>(.*?)</script>",  # JSON never runs
    re.DOTALL | re.IGNORECASE,
)
"""Found without parsing all pages, which takes a good part of a minute."""

_EVERYWHERE = {
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Figures, frames and data are there to be used elsewhere.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-cache",  # kept, but asked for again: answered by 304 while unchanged
}
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


@dataclass(frozen=True, slots=True)
class Rule:
    """Headers for some addresses; those of a later rule take the place of earlier ones.

    Attributes:
        pattern: of a path; ``*`` is anything, ``:name`` one part.
        headers: by name; an empty value is none.
    """

    pattern: str
    headers: Mapping[str, str]

    @property
    def regex(self) -> str:
        """The pattern as a regular expression."""
        escaped = re.escape(self.pattern).replace(r"\*", ".*")
        return f"^{re.sub(r':[a-z]+', '[^/]+', escaped)}$"


def rules(scripts: Iterable[str]) -> list[Rule]:
    """Return the headers of a site.

    Args:
        scripts: the hashes of `script_hashes`.
    """
    hashes = " ".join(scripts)
    below = [
        # Opened alone, a drawing styles itself, and a browser styles the page that it makes of it.
        *(Rule(f"/figures/*.{kind}", {POLICY: ""}) for kind in ("svg", "pdf", "png")),
        Rule("/profiles/:id/embed/*", {POLICY: _policy(hashes, frame_ancestors="*")}),
        # Named by their content.
        Rule("/assets/stylesheets/*", _FOR_EVER),
        Rule("/assets/javascripts/bundle.*", _FOR_EVER),
        Rule("/assets/javascripts/workers/*", _FOR_EVER),
    ]
    return [
        Rule("/*", {**_EVERYWHERE, POLICY: _policy(hashes, frame_ancestors="'self'")}),
        *below,
        *(Rule(f"/{VERSIONS}/:version{rule.pattern}", rule.headers) for rule in below),
    ]


def _policy(hashes: str, *, frame_ancestors: str) -> str:
    return (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; "
        f"base-uri 'none'; form-action 'self'; frame-ancestors {frame_ancestors}"
    )


def script_hashes(folder: Path) -> list[str]:
    """Return what allows the inline scripts of all pages below a folder: the theme has some."""
    scripts = {
        script
        for page in folder.rglob("*.html")
        for script in _INLINE_SCRIPT.findall(page.read_text(encoding="utf-8", errors="replace"))
    }
    return sorted(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )


def headers_of(path: str, rules: Iterable[Rule]) -> dict[str, str]:
    """Return the headers that go with an address.

    Args:
        path: from the root of the site, beginning with a slash.
        rules: of `rules`.
    """
    found: dict[str, str] = {}
    for rule in rules:
        if re.fullmatch(rule.regex, path):
            found.update(rule.headers)
    return {name: value for name, value in found.items() if value}


def cloudflare_headers(rules: Iterable[Rule]) -> str:
    """Return the rules as Cloudflare Pages reads them.

    There the headers of all rules for an address add up, unless a rule takes one away first.

    Raises:
        SiteError: a line longer than what is read there.
    """
    blocks = []
    known: set[str] = set()
    for rule in rules:
        lines = [rule.pattern]
        for name, value in rule.headers.items():
            lines += [f"  ! {name}"] * (name in known) + [f"  {name}: {value}"] * bool(value)
        known.update(rule.headers)
        blocks.append("\n".join(lines) + "\n")
    text = "\n".join(blocks)
    longest = max(map(len, text.splitlines()))
    if longest > _LONGEST_LINE:
        raise SiteError(f"{CLOUDFLARE}: expected lines of {_LONGEST_LINE} at most, got {longest}")
    return text


def nginx_headers(rules: Iterable[Rule]) -> str:
    """Return the rules for nginx, to be included where a server is described, at its root."""
    first, *others = rules
    maps = ["# Beside the server; an empty value sends no header:"]
    for name, value in first.headers.items():
        special = [rule for rule in reversed(others) if name in rule.headers]  # the first counts
        lines = [f'  "~{rule.regex}" "{rule.headers[name]}";' for rule in special]
        maps += [f"map $uri {_variable(name)} {{", f'  default "{value}";', *lines, "}"]
    added = [f"add_header {name} {_variable(name)} always;" for name in first.headers]
    return "\n".join([*maps, "", "# In the server:", *added, ""])


def _variable(header: str) -> str:
    return f"$specdec_{header.lower().replace('-', '_')}"


def assemble(
    folder: Path, version: str, latest: Path, kept: Path, earlier: Path | None = None
) -> None:
    """Write what is to be published: a site, its version to keep, and all versions kept before.

    Args:
        folder: new or empty.
        version: of the site, such as ``1.2.3``.
        latest: the site, for the root; it goes there unless a later version is kept.
        kept: the same, with the notice that it is kept.
        earlier: what was published before; it stays as it is. None for the first time.

    Raises:
        SiteError: another site of this version is kept, or a folder is not what it should be.
    """
    versions = kept_versions(earlier)
    ours = {path: each for path, each in read_files(kept).items() if path not in _ONLY_LATEST}
    if version in versions:
        _require_same(read_files(versions[version]), ours, version)
    is_latest = _key(version) >= max(map(_key, versions), default=(0,))
    with Replacement(folder, require_empty) as fresh:
        write_files(fresh, read_files(latest) if earlier is None or is_latest else _root(earlier))
        for name, source in versions.items():
            shutil.copytree(source, fresh / VERSIONS / name)
        if version not in versions:
            write_files(fresh / VERSIONS / version, ours)
        found = rules(script_hashes(fresh))
        write_files(
            fresh,
            {CLOUDFLARE: cloudflare_headers(found).encode(), NGINX: nginx_headers(found).encode()},
        )


def kept_versions(earlier: Path | None) -> dict[str, Path]:
    """Return the versions in what was published before, by name.

    Raises:
        SiteError: there is none, or something there is no site of a version.
    """
    if earlier is None:
        return {}
    folder = earlier / VERSIONS
    versions = sorted(folder.iterdir()) if folder.is_dir() else []
    strange = [
        each.name
        for each in versions
        if not _VERSION.fullmatch(each.name)
        or each.is_symlink()
        or not (each / "index.html").is_file()
    ]
    if strange or not versions:
        found = ", ".join(strange) or "none"
        raise SiteError(f"{folder}: expected sites of versions such as 1.2.3, found {found}")
    return {each.name: each for each in versions}


def _require_same(was: Mapping[str, bytes], ours: Mapping[str, bytes], version: str) -> None:
    """Refuse to publish something else under an address that may have been cited."""
    differing = sorted(path for path in was.keys() | ours.keys() if was.get(path) != ours.get(path))
    if differing:
        raise SiteError(
            f"version {version} is published, and {count(len(differing), 'file')} would change, "
            f"such as {differing[0]}: give what you have a new version"
        )


def _key(version: str) -> tuple[int, ...]:
    found = _VERSION.fullmatch(version)
    if not found:
        raise SiteError(f"expected a version such as 1.2.3, got {version!r}")
    return tuple(map(int, found.groups()))


def _root(published: Path) -> dict[str, bytes]:
    """Return what was published, without the kept versions and what git keeps there."""
    files = read_files(published)
    return {path: files[path] for path in files if path.partition("/")[0] not in {VERSIONS, ".git"}}
