"""What README and CONTRIBUTING tell people to do works, the worked examples included."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from build_scripts.__main__ import _parser as build_parser
from specdec import Distribution, accept_probability, residual
from specdec.__main__ import _parser as engine_parser
from tests.plain import Plain, about, scenarios
from tests.site_checks import (
    ROOT,
    BuiltSite,
    attribute,
    build,
    built_once,
    run,
    shown,
    structure_faults,
    tables,
)
from tests.test_layers import ALLOWED

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/edit.md", "docs/publish.md")


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each fenced block with the paragraph before it: (before, language, content)."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text[: found.start()].rstrip().rpartition("\n")[2], found[1], found[2]


# Commands.


def commands() -> list[tuple[str, str]]:
    """Return every command that is told, with its document: in blocks, and between backticks."""
    found = []
    for document in DOCUMENTS:
        text = text_of(document)
        lines = [
            line
            for _, language, content in blocks(text)
            if language == "console"
            for line in content.splitlines()
        ]
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        lines += re.findall(r"`((?:make|python) [^`]*)`", prose)
        found += [(document, line) for line in lines]
    return found


def words(command: str) -> list[str]:
    """Return a command without settings before it and the comment after it."""
    parts = shlex.split(command, comments=True)
    return [part for n, part in enumerate(parts) if n or "=" not in part]


def test_there_are_commands_to_check() -> None:
    told = {" ".join(words(command)[:4]) for _, command in commands()}
    assert {"make site", "make offline", "make golden", "python -m specdec check"} <= told
    assert ".venv/bin/python -m build_scripts figures" in told


@pytest.mark.parametrize(("document", "command"), commands())
def test_a_command_is_one(document: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = words(command)
    if program == "make":
        targets = re.findall(r"^([a-z]+):.*## ", text_of("Makefile"), re.MULTILINE)
        assert arguments[0] in targets, document
        return
    assert Path(program).name == "python", document
    assert arguments[0] == "-m", document
    parser = {"specdec": engine_parser, "build_scripts": build_parser}[arguments[1]]()
    try:
        options = parser.parse_args(arguments[2:])
    except SystemExit:
        pytest.fail(f"{document}: {command}: {capsys.readouterr().err}")
    for path in [*getattr(options, "files", []), getattr(options, "file", None)]:
        assert path is None or Path(path).parts[0] != "data" or (ROOT / path).is_file(), document


def test_python_in_the_readme_gives_what_it_says() -> None:
    names: dict[str, Any] = {"Distribution": Distribution, "residual": residual}
    said = 0
    for _, language, content in blocks(text_of("README.md")):
        if language == "python":
            few = content.replace("10**7", "10**3").replace('"data/', f'"{ROOT}/data/')
            exec(few, names)
            for line, result in re.findall(r"^(\w.*?)  # (\w+\(.*\))$", few, re.MULTILINE):
                assert repr(eval(line, names)) == result
                said += 1
    assert said == 2
    assert names["accept_probability"] is accept_probability
    assert sum(names["tally"].lengths) == 10**3


def test_every_module_of_the_engine_is_in_the_table() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", text_of("CONTRIBUTING.md"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert set(ALLOWED) - named == set()


# The worked examples.


def examples() -> list[tuple[str, str, str]]:
    _, _, text = text_of("CONTRIBUTING.md").partition("\n## Add a kind of figure\n")
    return list(blocks(text))


def apply_examples(project: Path) -> None:
    """Do what the blocks say: write a file that the line before names, or apply a difference."""
    for before, language, content in examples():
        if language == "diff":
            # Not as a part of a repository around it, whose files alone it would change.
            alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(project.parent)}
            done = subprocess.run(
                ["git", "apply", "-"], cwd=project, input=content, env=alone,
                capture_output=True, text=True, encoding="utf-8", check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{done.stderr}\nin this block of CONTRIBUTING:\n{content}"
        else:
            named = re.search(r"`([^`]+)`:$", before)
            assert named, f"expected a line that ends in the path of a file, got {before!r}"
            assert not (project / named[1]).exists()
            (project / named[1]).write_text(content, encoding="utf-8")


def keep_what_is_drawn(project: Path, original: Path) -> None:
    """Let a project take the code as unchanged that figures were drawn with.

    All are drawn again when a module is new, as they should be, but not once more in every test.
    """
    with (project / "build_scripts/cache.py").open("a", encoding="utf-8") as file:
        file.write(
            "\n_digest = code_digest\n"
            f"code_digest = lambda folder: _digest(Path({str(original)!r}) / "
            f"folder.resolve().relative_to({str(project.resolve())!r}))\n"
        )


@pytest.fixture(scope="session")
def extended(site: BuiltSite, shared_folder: Path) -> BuiltSite:
    """Return the site of a project with all examples."""

    def make(folder: Path) -> BuiltSite:
        project = folder / "project"
        shutil.copytree(site.project, project, ignore=shutil.ignore_patterns("site"))
        apply_examples(project)
        keep_what_is_drawn(project, site.project)
        return build(project, PREVIEW="1")

    return built_once(shared_folder, "extended", make)


def profiles_of(site: BuiltSite) -> list[Plain]:
    return [each for home in scenarios(site.project / "data").values() for each in home]


def constant(file: Path, name: str) -> Any:
    """Return a constant of a test without running it."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(node.value)
    raise AssertionError(f"no {name} in {file}")


def test_only_the_new_figures_are_drawn(extended: BuiltSite) -> None:
    assert set(re.findall(r"drawing (\S+)", extended.output)) == {
        f"passes-{each.id}" for each in profiles_of(extended)
    }


def test_the_new_figure_is_everywhere(extended: BuiltSite) -> None:
    gallery = extended.article("figures/index.html")
    manifest = json.loads((extended.folder / "figures/manifest.json").read_bytes())["figures"]
    for each in profiles_of(extended):
        slug = f"passes-{each.id}"
        (entry,) = [figure for figure in manifest if figure["id"] == slug]
        assert entry["files"].keys() == {"svg", "dark", "csv", "json"}
        assert len(gallery.select(f"a[href='{slug}/index.html']")) == 1
        page = extended.article(f"figures/{slug}/index.html")
        assert shown(page.h1 or page) == "How many passes of the target n tokens take"
        assert structure_faults(extended.pages[f"figures/{slug}/index.html"]) == []
        lines = (extended.folder / f"figures/{slug}.csv").read_text(encoding="utf-8").splitlines()
        assert lines[-1].split(",")[:2] == [str(each.k), f"'{each.passes}"]
        shown_there = extended.article(f"profiles/{each.id}.html").select("figure img")
        sources = [attribute(picture, "src") for picture in shown_there]
        assert sources.count(f"../figures/{slug}.svg") == 1


def test_the_new_page_is_one_of_the_site(extended: BuiltSite) -> None:
    (link,) = extended.pages["index.html"].select(".md-nav--primary a[href='all-kept.html']")
    assert shown(link) == "All kept"
    page = extended.pages["all-kept.html"]
    assert structure_faults(page) == []
    assert [shown(item) for item in extended.article("all-kept.html").select("li")] == [
        f"“{each.title}”: {about(each.survival[-1])}" for each in profiles_of(extended)
    ]
    (onward,) = extended.article("all-kept.html").select(".next a")
    assert attribute(onward, "href") == "cost.html"


def test_the_new_field_is_checked_and_reaches_its_page(extended: BuiltSite) -> None:
    said = {
        each.id: shown(extended.article(f"profiles/{each.id}.html"))
        for each in profiles_of(extended)
    }
    assert [id for id, text in said.items() if "Numbers by" in text] == ["nimbus-mini"]
    assert " Numbers by The makers of this site. After this page" in said["nimbus-mini"]
    rows = {
        row[0]: row for row in tables(extended.article("edit.html"))["Fields of each profile"].rows
    }
    assert rows["author optional"][2] == "' ', expected text that is not blank"
    path = extended.project / "data/nimbus.v1.json"
    bad = extended.folder.parent / "bad.json"
    bad.write_text(path.read_text(encoding="utf-8").replace("The makers of this site", ""), "utf-8")
    done = run(extended.project, "specdec", "check", bad)
    assert done.returncode == 1
    assert done.stdout.endswith("/profiles/0/author: '', expected text that is not blank\n")


def test_the_examples_leave_the_tests_complete(extended: BuiltSite) -> None:
    """Lists that tests of whole sites have, and the tests of schema, loader and figures."""
    tests = extended.project / "tests"
    own = {path for path in extended.files if path.endswith(".html")}
    generated = r"figures/.+/.*|profiles/(?!index).*|404\.html"
    assert constant(tests / "test_site.py", "AUTHORED") == {
        path for path in own if not re.fullmatch(generated, path)
    }
    kinds = constant(tests / "test_hook.py", "OF_A_PROFILE")
    assert {f"{kind}-aligned" for kind in kinds} == {
        path.split("/")[1] for path in own if re.fullmatch(r"figures/.*-aligned/index\.html", path)
    }
    figures = (tests / "test_figures.py").read_text(encoding="utf-8")
    assert f"assert len(figures) == {2 * len(kinds)}\n" in figures
    touched = ("schema", "profiles", "edit_guide", "layers", "figures", "figures_of_rates")
    chosen = "author or every_field_of or explains or good_file or near_to_none or slugs or passes"
    done = run(
        extended.project, "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", chosen,
        *(f"tests/test_{name}.py" for name in touched),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
