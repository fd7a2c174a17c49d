"""What is put on a server: versions that stay, the headers, and the workflow that does it."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from build_scripts import __main__ as command_line
from build_scripts.citations import cite, the_site
from build_scripts.errors import SiteError
from build_scripts.offline import read_files, write_files
from build_scripts.publishing import (
    CLOUDFLARE,
    NGINX,
    POLICY,
    assemble,
    cloudflare_headers,
    headers_of,
    nginx_headers,
    rules,
    script_hashes,
)
from build_scripts.work import read_work
from tests.site_checks import ROOT, SUB_PATH, BuiltSite, build, built_once, shown

VERSION = read_work(ROOT, "").version
SERVER = {CLOUDFLARE, NGINX}


# Versions.


def site_of(folder: Path, text: str) -> Path:
    page = f"<script>{text}</script>".encode()
    files = {"index.html": page, "404.html": page, "sitemap.xml": b"", "assets/a.css": b"a"}
    write_files(folder, files)
    return folder


def assembled(base: Path, version: str, earlier: Path | None = None, text: str = "") -> Path:
    text = text or version
    out = base / f"public-{version}-{text}"
    latest = site_of(base / f"latest-{version}-{text}", f"latest {text}")
    kept = site_of(base / f"kept-{version}-{text}", f"kept {text}")
    assemble(out, version, latest, kept, earlier)
    return out


def test_the_first_version(tmp_path: Path) -> None:
    out = assembled(tmp_path, "0.9.0")
    root = {"index.html", "404.html", "sitemap.xml", "assets/a.css"}
    kept = {"v/0.9.0/index.html", "v/0.9.0/assets/a.css"}
    assert read_files(out).keys() == root | kept | SERVER
    assert (out / "index.html").read_text() == "<script>latest 0.9.0</script>"
    assert (out / "v/0.9.0/index.html").read_text() == "<script>kept 0.9.0</script>"


def test_an_earlier_version_stays_byte_for_byte(tmp_path: Path) -> None:
    first = assembled(tmp_path, "0.9.0")
    before = read_files(first)
    second = assembled(tmp_path, "0.10.0", first)
    assert read_files(first) == before
    assert read_files(second / "v/0.9.0") == read_files(first / "v/0.9.0")
    assert (second / "index.html").read_text() == "<script>latest 0.10.0</script>"
    third = assembled(tmp_path, "1.0.0", second)
    assert sorted(path.name for path in (third / "v").iterdir()) == ["0.10.0", "0.9.0", "1.0.0"]
    assert len(script_hashes(third)) == 4, "the scripts of all versions are allowed"
    assert all(each in (third / CLOUDFLARE).read_text() for each in script_hashes(third))


def test_a_correction_of_an_older_version_does_not_become_the_latest(tmp_path: Path) -> None:
    newest = assembled(tmp_path, "0.10.0", assembled(tmp_path, "0.9.0"))
    (newest / ".git").write_text("gitdir: elsewhere")
    out = assembled(tmp_path, "0.9.1", newest)
    assert (out / "index.html").read_text() == "<script>latest 0.10.0</script>"
    assert (out / "v/0.9.1/index.html").read_text() == "<script>kept 0.9.1</script>"
    assert not (out / ".git").exists()


def test_the_same_again_is_the_same(tmp_path: Path) -> None:
    first = assembled(tmp_path, "0.9.0")
    latest, kept = tmp_path / "latest-0.9.0-0.9.0", tmp_path / "kept-0.9.0-0.9.0"
    assemble(tmp_path / "again", "0.9.0", latest, kept, first)
    assert read_files(tmp_path / "again") == read_files(first)


def test_another_site_of_a_published_version_is_refused(tmp_path: Path) -> None:
    first = assembled(tmp_path, "0.9.0")
    with pytest.raises(SiteError) as refused:
        assembled(tmp_path, "0.9.0", first, "changed")
    assert str(refused.value) == (
        "version 0.9.0 is published, and one file would change, such as index.html: "
        "give what you have a new version"
    )
    assert not (tmp_path / "public-0.9.0-changed").exists()


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path / "public-0.9.0-0.9.0", {"mine": b""})
    with pytest.raises(SiteError, match="expected a new or an empty folder"):
        assembled(tmp_path, "0.9.0")
    assert read_files(tmp_path / "public-0.9.0-0.9.0") == {"mine": b""}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ((), "none"),
        (("v/latest/index.html", "v/1.0.0/index.html"), "latest"),
        (("v/1.0.0/index.html", "v/1.1.0/404.html", "v/1.2.0"), "1.1.0, 1.2.0"),
        (("v/1.0.0/index.html", "v/01.0.0/index.html"), "01.0.0"),
    ],
)
def test_what_was_published_before_must_have_versions(
    tmp_path: Path, files: tuple[str, ...], found: str
) -> None:
    """A mistyped folder would otherwise lose all that was cited."""
    earlier = tmp_path / "earlier"
    write_files(earlier, dict.fromkeys((*files, "index.html"), b""))
    with pytest.raises(SiteError) as refused:
        assembled(tmp_path, "1.1.0", earlier)
    assert str(refused.value) == (
        f"{earlier / 'v'}: expected sites of versions such as 1.2.3, found {found}"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "../1.0.0", "1.0.0rc1"])
def test_a_version_is_three_numbers(tmp_path: Path, version: str) -> None:
    with pytest.raises(SiteError, match=r"expected a version such as 1\.2\.3, got"):
        assemble(
            tmp_path / "out", version, site_of(tmp_path / "a", ""), site_of(tmp_path / "b", "")
        )
    assert not (tmp_path / "out").exists()


BUILD = """
import os, sys
from pathlib import Path
assert sys.argv[1:-1] == ["offline", "--folder"]
kept = os.environ.get("KEPT", "latest")
site = Path(sys.argv[-1])
(site / "assets").mkdir(parents=True)
for page in ("index.html", "404.html"):
    (site / page).write_text(f"<script>{kept}</script>", encoding="utf-8")
sys.exit(os.environ["RELEASE"] != os.environ["EXPECTED"])
"""
"""Stands for the building of a site, which is in a process of its own."""


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Return a function that publishes this version of a project whose builds expect a tag."""
    (tmp_path / "project/build_scripts").mkdir(parents=True)
    (tmp_path / "project/build_scripts/__main__.py").write_text(BUILD, encoding="utf-8")
    shutil.copy(ROOT / "CITATION.cff", tmp_path / "project")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path / "project")
    monkeypatch.setattr(command_line, "ROOT", tmp_path / "project")
    monkeypatch.setenv("SITE_URL", SUB_PATH)

    def release(expected: str) -> int:
        monkeypatch.setenv("EXPECTED", expected)
        return command_line.main(["publish", f"v{VERSION}", str(tmp_path / "out")])

    return release


def test_the_command_builds_both_and_assembles_them(
    tmp_path: Path, release: Callable[[str], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(f"v{VERSION}") == 0
    out = tmp_path / "out"
    assert capsys.readouterr().out == f"ready to publish: {out}\n"
    assert (out / "index.html").read_text() == "<script>latest</script>"
    assert (out / f"v/{VERSION}/index.html").read_text() == f"<script>{VERSION}</script>"


def test_what_is_published_comes_as_a_whole_or_not_at_all(
    tmp_path: Path, release: Callable[[str], int], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def full(_folder: Path) -> list[str]:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("build_scripts.publishing.script_hashes", full)  # asked for near the end
    assert release(f"v{VERSION}") == 1
    assert capsys.readouterr().err == f"{tmp_path / 'out'}: No space left on device\n"
    assert {path.name for path in tmp_path.iterdir()} == {"project"}


def test_a_build_that_fails_is_not_published(
    tmp_path: Path, release: Callable[[str], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert release("v0") == 1
    assert capsys.readouterr().err == "nothing is ready to publish\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("tag", "address", "message"),
    [
        ("v9.9.9", SUB_PATH, f"tag: expected v{VERSION}, as in CITATION.cff, got 'v9.9.9'"),
        (VERSION, SUB_PATH, f"tag: expected v{VERSION}, as in CITATION.cff, got {VERSION!r}"),
        ("", SUB_PATH, f"tag: expected v{VERSION}, as in CITATION.cff, got ''"),
        (f"v{VERSION}", "", "SITE_URL: expected an address, at which the version is to be kept"),
    ],
)
def test_a_release_is_of_this_version_and_has_an_address(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tag: str,
    address: str,
    message: str,
) -> None:
    monkeypatch.setenv("SITE_URL", address)
    assert command_line.main(["publish", tag, str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == f"{message}\n"
    assert not (tmp_path / "out").exists()


# What a kept version says.


@pytest.fixture(scope="session")
def kept(published: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return the published site as its version is kept."""
    tag = f"v{VERSION}"
    return built_once(
        shared_folder,
        "kept",
        lambda folder: build(
            published.project,
            folder / "site",
            SITE_URL=SUB_PATH,
            RELEASE=tag,
            KEPT=VERSION,
            PREVIEW="true",
        ),
    )


def test_every_page_says_which_version_it_is_and_leads_to_the_latest(
    kept: BuiltSite, published: BuiltSite
) -> None:
    assert kept.files == published.files
    for path in kept.files:
        if path.endswith(".html") and "/embed/" not in path and path != "404.html":
            text = (kept.folder / path).read_text(encoding="utf-8")
            (canonical,) = re.findall(r'<link rel="canonical" href="([^"]*)">', text)
            assert canonical.startswith(SUB_PATH), path
            assert "/v/" not in canonical, path
            assert (
                f"This is version {VERSION}, kept as it was published. "
                f'<a href="{canonical}">The latest version of this page</a>.'
            ) in text, path
            assert "kept as it was published" not in (published.folder / path).read_text("utf-8")


def test_citations_name_the_address_that_stays(kept: BuiltSite, published: BuiltSite) -> None:
    at = f"{SUB_PATH}v/{VERSION}/"
    manifests = [
        json.loads((built.folder / "figures/manifest.json").read_bytes())
        for built in (kept, published)
    ]
    for entry, plain in zip(*(each["figures"] for each in manifests), strict=True):
        page = f"figures/{entry['id']}/"
        assert f"url = {{{at}{page}}}" in entry["citation"]["bibtex"]
        assert f"UR  - {at}{page}\r\n" in entry["citation"]["ris"]
        assert json.loads(entry["citation"]["csl"])[0]["URL"] == f"{at}{page}"
        assert f" {at}{page} " in entry["citation"]["text"]
        assert f" {SUB_PATH}{page} " in plain["citation"]["text"]
    text = (kept.folder / "figures/agreement/index.html").read_text(encoding="utf-8")
    assert f'<meta name="citation_public_url" content="{at}figures/agreement/">' in text
    assert f'"url": "{SUB_PATH}figures/agreement/", "archivedAt": "{at}figures/agreement/"' in text
    assert f"{at}figures/agreement/" in (kept.folder / "figures/agreement.svg").read_text("utf-8")
    assert f" {at} " in shown(kept.article("cite/index.html"))


def test_without_a_release_no_version_is_cited() -> None:
    work = read_work(ROOT, SUB_PATH)
    assert f" {SUB_PATH} " in cite(work, the_site(work, "")).text
    assert "/v/" not in cite(work, the_site(work, "")).text
    unpublished = replace(work, address="", kept=True)
    assert unpublished.cited_at("figures/") == ""


# Headers.

PAGE = "default-src 'none'; script-src 'self' 'sha256-a'; style-src 'self'; "
SHARED = {
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
}
ASKED_AGAIN, FOR_EVER = "no-cache", "public, max-age=31536000, immutable"
SELF, ANYBODY, NO_POLICY = "frame-ancestors 'self'", "frame-ancestors *", ""


@pytest.mark.parametrize("below", ["", "/v/1.2.3"])
@pytest.mark.parametrize(
    ("path", "cache", "framed_by"),
    [
        ("/", ASKED_AGAIN, SELF),
        ("/cost.html", ASKED_AGAIN, SELF),
        ("/cost", ASKED_AGAIN, SELF),
        ("/figures/agreement/", ASKED_AGAIN, SELF),
        ("/figures/agreement/index.html", ASKED_AGAIN, SELF),
        ("/figures/agreement.svg", ASKED_AGAIN, NO_POLICY),
        ("/figures/agreement.slide.png", ASKED_AGAIN, NO_POLICY),
        ("/figures/agreement.pdf", ASKED_AGAIN, NO_POLICY),
        ("/figures/agreement.json", ASKED_AGAIN, SELF),
        ("/profiles/aligned.html", ASKED_AGAIN, SELF),
        ("/profiles/aligned/embed/", ASKED_AGAIN, ANYBODY),
        ("/profiles/aligned/embed/index.html", ASKED_AGAIN, ANYBODY),
        ("/stylesheets/player.css", ASKED_AGAIN, SELF),
        ("/assets/stylesheets/main.57a0d79d.min.css", FOR_EVER, SELF),
        ("/assets/javascripts/bundle.a5f9d56c.min.js", FOR_EVER, SELF),
        ("/assets/javascripts/workers/search.c47bb847.min.js", FOR_EVER, SELF),
        ("/assets/javascripts/lunr/min/lunr.de.min.js", ASKED_AGAIN, SELF),
        ("/assets/images/favicon.png", ASKED_AGAIN, SELF),
    ],
)
def test_headers(below: str, path: str, cache: str, framed_by: str) -> None:
    found = headers_of(below + path, rules(["'sha256-a'"]))
    policy = found.pop(POLICY, "")
    assert found == {**SHARED, "Cache-Control": cache}
    assert policy.endswith(framed_by)
    assert policy.startswith(PAGE if framed_by else "")
    assert bool(policy) == bool(framed_by)


def test_only_files_named_by_their_content_are_kept_for_ever(published: BuiltSite) -> None:
    found = rules([])
    for path in published.files:
        if headers_of(f"/{path}", found)["Cache-Control"] == FOR_EVER:
            assert re.search(r"\.[0-9a-f]{8}\.min\.(?:css|js)(?:\.map)?$", path), path


def test_servers_are_told_the_same(published: BuiltSite) -> None:
    found = rules(script_hashes(published.folder))
    cloudflare, nginx = cloudflare_headers(found), nginx_headers(found)
    for path in ("", *published.files):
        for address in (f"/{path}", f"/{path.removesuffix('index.html')}", f"/v/1.2.3/{path}"):
            expected = headers_of(address, found)
            assert as_cloudflare(cloudflare, address) == expected, address
            assert as_nginx(nginx, address) == expected, address


def as_cloudflare(text: str, path: str) -> dict[str, str]:
    """Read `_headers` as its host says it does: values add up, ``!`` takes away."""
    sent: dict[str, list[str]] = {}
    for block in text.strip().split("\n\n"):
        pattern, *lines = block.splitlines()
        assert pattern.count("*") <= 1, "only one is read"
        parts = [re.escape(part) for part in re.split(r"\*|:\w+", pattern)]
        wild = [".*" if each == "*" else "[^/]+" for each in re.findall(r"\*|:\w+", pattern)]
        regex = "".join(part + each for part, each in zip(parts, [*wild, ""], strict=True))
        if re.fullmatch(regex, path):
            for line in lines:
                if line.startswith("  ! "):
                    sent.pop(line[4:], None)
                else:
                    name, _, value = line.strip().partition(": ")
                    sent.setdefault(name, []).append(value)
    assert text.count("\n/") + 1 <= 100, "so many are read"
    return {name: ", ".join(values) for name, values in sent.items()}


def as_nginx(text: str, path: str) -> dict[str, str]:
    """Read maps as nginx does: the first pattern that fits, else the default; nothing if empty."""
    maps: dict[str, str] = {}
    for variable, body in re.findall(r"^map \$uri (\$\w+) \{\n(.*?)^\}$", text, re.M | re.S):
        entries = re.findall(r'^  (?:"~(.*?)"|default) "(.*)";$', body, re.M)
        fits = [value for regex, value in entries if regex and re.search(regex, path)]
        default = next(value for regex, value in entries if not regex)
        maps[variable] = fits[0] if fits else default
    added = re.findall(r"^add_header (\S+) (\$\w+) always;$", text, re.M)
    return {name: maps[variable] for name, variable in added if maps[variable]}


def test_a_policy_too_long_for_a_host_is_refused() -> None:
    with pytest.raises(SiteError, match=r"_headers: expected lines of 2000 at most, got \d{4}"):
        cloudflare_headers(rules(f"'sha256-{number:044}'" for number in range(40)))


def test_the_page_shows_every_header(site: BuiltSite) -> None:
    text = shown(site.article("publish.html"))
    for rule in rules(["'sha256-…'"]):
        for name, value in rule.headers.items():
            # Below /v/<version>/ the same holds, as test_headers says.
            pattern = rule.pattern.removeprefix("/v/:version")
            assert f"{name} {pattern} {value or 'none'}" in text


# The workflow. Lint has a tool for its form and its permissions.

WORKFLOW = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")


def steps() -> list[dict[str, object]]:
    jobs = yaml.safe_load(WORKFLOW)["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_what_the_workflow_runs_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    run = " ".join(str(step.get("run", "")) for step in steps())
    asked = re.findall(r"\bmake ([a-z]+)", run)
    assert asked == ["lint", "test", "publish"]
    assert set(asked) <= targets
    arguments = re.search(r'make publish ARGS="(.*?)"', run)
    assert arguments
    parsed = command_line._parser().parse_args(
        ["publish", *arguments[1].replace("$earlier", "--earlier published").split()]
    )
    assert (parsed.folder, parsed.earlier) == (Path("public"), Path("published"))


def test_nothing_is_published_before_it_is_tested() -> None:
    jobs = yaml.safe_load(WORKFLOW)["jobs"]
    assert [jobs[name].get("needs") for name in ("test", "build", "deploy")] == [
        None,
        "test",
        "build",
    ]
    assert jobs["build"]["if"] == "github.ref_type == 'tag'"
    assert yaml.safe_load(WORKFLOW)["permissions"] == {}
    assert jobs["test"]["permissions"] == {"contents": "read"}


def test_actions_are_of_one_owner_and_pinned() -> None:
    used = [str(step["uses"]) for step in steps() if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", each) for each in used)


MAKE = """#!/bin/sh
echo "$2" >>"$LOG"
test -d published/v && mkdir public && cp -r published/v public
mkdir -p "public/v/$TAG" && echo "$TAG" | tee "public/v/$TAG/index.html" >public/index.html
"""
"""Stands for `make publish`, which would take minutes."""


def test_the_scripts_of_the_workflow_keep_each_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str | Path) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@localhost")
        command = ["git", *who, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    write_files(tmp_path / "bin", {"make": MAKE.encode()})
    (tmp_path / "bin/make").chmod(0o755)
    log = tmp_path / "log"
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("LOG", str(log))
    origin = tmp_path / "origin"
    git("init", "--quiet", "--bare", origin)
    scripts = [str(step["run"]) for step in steps()[3:] if "run" in step]
    assert len(scripts) == 3
    for tag in ("v1.0.0", "v1.1.0"):
        monkeypatch.setenv("TAG", tag)
        project = tmp_path / tag
        git("clone", "--quiet", origin, project)
        git("-C", project, "commit", "--quiet", "--allow-empty", "--message", tag)
        git("-C", project, "tag", tag)
        for script in scripts:
            subprocess.run(["bash", "-e", "-c", script], cwd=project, check=True)
    assert log.read_text().splitlines() == [
        "ARGS=v1.0.0 public ",
        "ARGS=v1.1.0 public --earlier published",
    ]
    shown = [
        git("-C", origin, "show", f"published:{path}")
        for path in ("index.html", "v/v1.0.0/index.html")
    ]
    assert shown == ["v1.1.0\n", "v1.0.0\n"]
    listed = git("-C", origin, "ls-tree", "-r", "--name-only", "published").splitlines()
    assert listed == ["index.html", "v/v1.0.0/index.html", "v/v1.1.0/index.html"]
    assert git("-C", origin, "log", "--format=%s", "published").splitlines() == ["v1.1.0", "v1.0.0"]
