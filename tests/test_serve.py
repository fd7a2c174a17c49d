"""What serving rests on: what changed, what is kept, what a fault says. `browser/` serves."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import jinja2
import pytest
import yaml

from build_scripts.results import Results
from build_scripts.serving.faults import (
    HOOK_LOG,
    Listener,
    banner,
    explained,
    page_of,
    syntax_faults,
    told,
)
from build_scripts.serving.inputs import Inputs, Snapshot, changed
from build_scripts.serving.kept import KeptParts
from build_scripts.serving.report import Report
from build_scripts.serving.server import forget_code
from tests.live import PATIENCE, serving
from tests.site_checks import copy_project, run
from tests.test_pages import computed

# What changed.


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with a few files that a build reads, and others."""
    for path in ("data/a.json", "docs/a.md", "docs/b.md", "docs/a.css", "specdec/cost.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path, encoding="utf-8")
    for path in ("docs/.a.md.swp", "docs/a.md~", "docs/#a.md#", "specdec/__pycache__/cost.pyc"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("", encoding="utf-8")
    return tmp_path


def snapshot(project: Path) -> Snapshot:
    return Inputs(project, tuple(project / name for name in ("data", "docs", "specdec"))).read()


def test_files_of_editors_and_of_python_are_no_inputs(project: Path) -> None:
    files = ["data/a.json", "docs/a.css", "docs/a.md", "docs/b.md", "specdec/cost.py"]
    assert sorted(snapshot(project).digests) == files


def test_a_save_that_changes_nothing_is_none_and_any_other_is(project: Path) -> None:
    before = snapshot(project)
    os.utime(project / "docs/a.md")
    touched = snapshot(project)
    assert touched.stamps != before.stamps
    assert touched.digests == before.digests
    stat = (project / "docs/a.md").stat()
    (project / "docs/a.md").write_text("docs/A.md", encoding="utf-8")  # as long as before
    os.utime(project / "docs/a.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert changed(before.digests, snapshot(project).digests) == ["docs/a.md"]


def test_a_file_that_goes_while_files_are_read_is_no_fault(project: Path) -> None:
    inputs = Inputs(project, (project / "docs/a.md", project / "docs/gone.md"))
    assert list(inputs.read().digests) == ["docs/a.md"]


# What is kept.


@pytest.mark.parametrize(
    ("saved", "made"),
    [
        ("docs/a.md", {"docs/a.md"}),
        ("docs/a.css", set()),
        ("data/a.json", {"results", "figures", "docs/a.md", "docs/b.md", "other pages"}),
        ("specdec/cost.py", {"results", "figures", "docs/a.md", "docs/b.md", "other pages"}),
        ("CHANGELOG.md", {"docs/a.md", "docs/b.md", "other pages"}),
        ("build_scripts/templates/_a.html", {"docs/a.md", "docs/b.md", "other pages"}),
        ("docs/benchmark.json", {"docs/a.md", "docs/b.md", "other pages"}),
    ],
)
def test_a_part_is_made_again_when_something_in_it_has_changed(
    project: Path, saved: str, made: set[str]
) -> None:
    parts = KeptParts(project)
    names = ("results", "figures", "docs/a.md", "docs/b.md", "other pages")
    log: list[str] = []
    digests = snapshot(project).digests
    for now in (digests, {**digests, saved: "another"}):
        log.clear()
        parts.start(Snapshot({}, now))
        for name in names:
            parts(name, lambda name=name: log.append(name))  # type: ignore[misc]
        parts.settle(steady=True)
    assert set(log) == made


def test_a_page_that_includes_another_depends_on_it(project: Path) -> None:
    (project / "docs/a.md").write_text('[% include "b.md" %]', encoding="utf-8")
    parts = KeptParts(project)
    made = []
    for text in ("one", "two", "two"):
        (project / "docs/b.md").write_text(text, encoding="utf-8")
        parts.start(snapshot(project))
        parts("docs/a.md", lambda: made.append(1))
    assert len(made) == 2


def test_what_was_made_while_files_changed_is_not_kept(project: Path) -> None:
    """It may be of the text between: saved, read and saved as it was before."""
    parts = KeptParts(project)
    now = snapshot(project)
    parts.start(now)
    assert parts("docs/a.md", lambda: "of the text between") == "of the text between"
    parts.settle(steady=False)
    parts.start(now)
    assert parts("docs/a.md", lambda: "right") == "right"
    parts.settle(steady=True)
    parts.start(now)
    assert parts("docs/a.md", lambda: "made for nothing") == "right"


def test_our_code_is_read_anew_and_what_serves_stays() -> None:
    kept = {name: module for name, module in sys.modules.items() if name.startswith("build_scr")}
    before = {name: each for name, each in sys.modules.items() if name.startswith("specdec")}
    import build_scripts
    from build_scripts import wording

    try:
        forget_code()
        assert "specdec.cost" not in sys.modules
        assert "build_scripts.wording" not in sys.modules
        assert sys.modules["build_scripts.serving.server"] is kept["build_scripts.serving.server"]
        from build_scripts import wording as read_anew

        assert read_anew is not wording
    finally:
        forget_code()
        sys.modules.update({**kept, **before})
        for name, module in kept.items():
            if name.count(".") == 1:
                setattr(build_scripts, name.partition(".")[2], module)


# What a fault says.


def test_a_fault_of_mkdocs_gets_its_place(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# A\n\n[b](b.md#c)\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("features: navigation\nnav:\n- x.md\n", encoding="utf-8")
    link = "Doc file 'a.md' contains a link 'b.md#c', but the doc 'b.md' does not"
    entry = "A reference to 'x.md' is included in the 'nav' configuration, which is not found"
    left_out = 'The following pages exist in the docs directory, but are not included in the "nav"'
    messages = ["Error reading page 'a.md':", link, entry, f"{left_out} configuration:\n  - y.md"]
    assert told(
        [*messages, "Config value 'nav': Expected a list", "Aborted with 1 warnings"], tmp_path
    ) == [
        f"docs/a.md:3: {link}",
        f"mkdocs.yml:3: {entry}",
        f"mkdocs.yml:2: {left_out} configuration:\n  - y.md",
        "mkdocs.yml:2: Config value 'nav': Expected a list",
    ]


def test_a_fault_is_told_once_with_its_place(tmp_path: Path) -> None:
    assert told(["docs/a.md:2: $x$: no", "$x$: no", "a:1: b\nc:2: d"], tmp_path) == [
        "docs/a.md:2: $x$: no",
        "a:1: b",
        "c:2: d",
    ]


def test_exceptions_are_told_with_their_places(tmp_path: Path) -> None:
    with pytest.raises(yaml.YAMLError) as bad_yaml:
        yaml.safe_load("a: 1\nnav: [\n")
    assert explained(bad_yaml.value, tmp_path).startswith("mkdocs.yml:3: ")
    with pytest.raises(jinja2.TemplateSyntaxError) as bad_template:
        jinja2.Environment().from_string("one\n{% makro %}")
    bad_template.value.filename = str(tmp_path / "overrides/main.html")
    assert explained(bad_template.value, tmp_path).startswith("overrides/main.html:2: ")
    source = tmp_path / "own.py"
    source.write_text("\nnope\n", encoding="utf-8")
    with pytest.raises(NameError) as bad_name:
        exec(compile(source.read_bytes(), source, "exec"))
    assert explained(bad_name.value, tmp_path) == "own.py:2: NameError: name 'nope' is not defined"


def test_python_that_cannot_be_read_is_told_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("\ndeff f(): pass\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("def f():\nreturn\n", encoding="utf-8")
    (tmp_path / "c.py").write_text("x = 1\n", encoding="utf-8")
    assert [
        each.partition(": ")[0] for each in syntax_faults(tmp_path, ["a.py", "b.py", "c.py"])
    ] == [
        "a.py:2",
        "b.py:2",
    ]


def test_what_is_shown_of_a_fault_is_text() -> None:
    for html in (banner(["<script>alert(1)</script>"]), page_of(["<script>alert(1)</script>"])):
        assert b"<script>" not in html
        assert b"&lt;script&gt;" in html
        assert b"style=" not in html


# What the terminal shows.


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return computed(tmp_path_factory.mktemp("project"))


def test_a_build_is_quiet_and_its_faults_are_collected() -> None:
    def said(name: str, level: int, text: str) -> bool:
        return listener.filter(logging.LogRecord(name, level, "", 0, text, None, None))

    listener = Listener()
    assert said("mkdocs.livereload", logging.INFO, "Serving on http://127.0.0.1:8000/")
    assert not said("mkdocs.livereload", logging.INFO, "Detected file changes")
    with listener.build() as faults:
        assert not said("mkdocs.commands.build", logging.INFO, "Cleaning site directory")
        assert not said("mkdocs.structure.pages", logging.WARNING, "a dead link")
        assert said("mkdocs.livereload", logging.WARNING, '"GET /x" code 404')
        assert said(HOOK_LOG, logging.INFO, "drawing a figure")
    assert faults == ["a dead link"]
    assert said("mkdocs.commands.serve", logging.WARNING, "later")


def test_a_build_is_told_in_a_few_lines(results: Results) -> None:
    report = Report()
    report.computed(results)
    assert report.good([], (9, 9), 7.66) == ["built 9 pages, in 7.7 s"]
    report.start(quiet=True)
    report.computed(results)
    assert not report.heard("drawing positions-divergent")
    assert report.good(["a", "b", "c", "d", "e"], (1, 9), 0.5) == [
        "saved a, b, c and 2 more: drew 1 figure: positions-divergent",
        "  1 of 9 pages changed, in 0.5 s",
    ]
    assert report.bad(["a"], ["a:1: no", "a:2: no"], served=True) == [
        "saved a: 2 faults; the pages are those of the last good save",
        "  a:1: no",
        "  a:2: no",
    ]


# Beginning and end.


def test_a_taken_address_is_told_and_a_server_ends_by_sigterm_as_by_ctrl_c(tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project")
    (project / "data/profiles.v1.json").write_text("{", encoding="utf-8")  # so nothing is built
    with serving(project) as session:
        session.until_said("1 fault")
        address = f"127.0.0.1:{session.port}"
        done = run(project, "mkdocs", "serve", "--dev-addr", address)
        assert done.returncode == 1
        assert done.stdout.splitlines()[-1] == (
            f"http://{address}/: Address already in use; is a server of yours running? Another "
            "address: make serve ARGS='--dev-addr 127.0.0.1:8001'"
        )
        assert "Traceback" not in done.stdout
        session.process.terminate()
        session.process.wait(PATIENCE)
