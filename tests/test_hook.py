"""Edit and rebuild: what changes, what does not, and what a mistake says."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from build_scripts.figures.files import FORMATS
from build_scripts.verify import CURRENT, verify
from tests.plain import scenarios
from tests.site_checks import SUB_PATH, BuiltSite, build, built_once, run

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture
def project(site: BuiltSite, tmp_path: Path) -> Path:
    """Return a copy of the project whose site was just built."""
    return copied(site, tmp_path / "project")


def copied(site: BuiltSite, folder: Path) -> Path:
    shutil.copytree(site.project, folder)
    return folder


def edit(project: Path, change: Edit, file: str = "data/profiles.v1.json") -> None:
    data = json.loads((project / file).read_bytes())
    change(data)
    (project / file).write_text(json.dumps(data), encoding="utf-8")


def changed_pages(before: BuiltSite, after: BuiltSite) -> set[str]:
    assert before.files == after.files
    return {
        path
        for path in before.files
        if not path.endswith(".gz")
        and (before.folder / path).read_bytes() != (after.folder / path).read_bytes()
    }


def files_that_say(site: BuiltSite, text: str) -> set[str]:
    """Return pages and JSON with a number, but for what was recorded of the shipped files."""
    found = re.compile(rf"(?<![\d/]){re.escape(text)}(?![\d/])")
    return {
        path
        for path in site.files
        if path.endswith((".html", ".json"))
        and path != "edit.html"
        and found.search((site.folder / path).read_text(encoding="utf-8"))
    }


# Edits.


def edited(published: BuiltSite, shared_folder: Path, name: str, change: Edit) -> BuiltSite:
    def make(folder: Path) -> BuiltSite:
        project = copied(published, folder / "project")
        edit(project, change)
        return build(project, SITE_URL=SUB_PATH, PREVIEW="true")

    return built_once(shared_folder, name, make)


def another_row(data: dict[str, Any]) -> None:
    divergent = data["profiles"][1]
    assert divergent["id"] == "divergent"
    divergent["draft"][2] = [1, 0, 1, 3, 0, 3]


def other_prices(data: dict[str, Any]) -> None:
    data["cost_model"] = {"draft_step": "1/7", "verify_pass": "3/2"}


@pytest.fixture(scope="session")
def with_another_row(published: BuiltSite, shared_folder: Path) -> BuiltSite:
    return edited(published, shared_folder, "another-row", another_row)


@pytest.fixture(scope="session")
def with_other_prices(published: BuiltSite, shared_folder: Path) -> BuiltSite:
    return edited(published, shared_folder, "other-prices", other_prices)


EXERCISES = {f"exercises/{name}.html" for name in ("index", "sheet", "answers")}

SHOW_THE_MAIN_PROFILES = {
    "index.html",
    "profiles/index.html",
    "compare.html",
    "cost.html",
    "coverage.html",  # says which numbers look alike
    *EXERCISES,
    "search/search_index.json",
    "data/profiles.v1.json",
    "frames/aligned.json",  # frames carry the digest of their data
    "frames/divergent.json",
}

OF_A_PROFILE = (
    "positions", "residual", "timeline", "acceptance", "outcome-tree", "tokens-per-round",
    "expected-tokens", "draft-cost", "convergence", "histograms",
)  # fmt: skip

OF_THE_MAIN_PROFILES = {
    "comparison-profiles",
    "draft-length-profiles",
    *(f"{kind}-{profile}" for kind in OF_A_PROFILE for profile in ("aligned", "divergent")),
}

SHOWN = ("svg", "dark", "csv", "json")
"""The formats of a preview; the others are tried by themselves, below."""

SAY_WHICH_DATA = {
    "figures/manifest.json",
    *(f"figures/{slug}{FORMATS[name]}" for slug in OF_THE_MAIN_PROFILES for name in SHOWN),
    *(f"figures/{slug}/index.html" for slug in OF_THE_MAIN_PROFILES),
}
"""Every file of a figure carries the digest of its data file."""


def test_another_row_changes_every_page_that_shows_it_and_no_other(
    published: BuiltSite, with_another_row: BuiltSite
) -> None:
    assert changed_pages(published, with_another_row) == {
        *SHOW_THE_MAIN_PROFILES,
        *SAY_WHICH_DATA,
        "convergence.html",
        "figures/index.html",
        "wrong.html",
        "profiles/divergent.html",
        "profiles/divergent/embed/index.html",
        "math.html",  # works the identity on that row
    }


def test_only_the_figures_of_the_profile_that_changed_are_drawn_again(
    with_another_row: BuiltSite, with_other_prices: BuiltSite
) -> None:
    """The others say another digest of the data, which is put into finished pictures."""
    assert drawn_for(with_another_row) == {
        "comparison-profiles",
        *(f"{kind}-divergent" for kind in OF_A_PROFILE),
    }
    assert drawn_for(with_other_prices) == {
        "draft-length-profiles",
        *(f"{kind}-{id}" for kind in ("timeline", "draft-cost") for id in ("aligned", "divergent")),
    }


def test_every_format_says_that_the_data_have_changed(
    with_another_row: BuiltSite, tmp_path: Path
) -> None:
    """Of a figure that is drawn again, and of one whose picture stays as it was."""
    slugs = ("positions-divergent", "positions-aligned")
    only = [part for slug in slugs for part in ("--only", slug)]
    done = run(with_another_row.project, "build_scripts", "figures", *only, "--out", tmp_path)
    assert done.returncode == 0, done.stdout
    assert re.findall(r"drawing (\S+)", done.stdout) == ["positions-divergent"]
    for slug in slugs:
        for name in ("svg", "pdf", "png", "slide"):
            file = tmp_path / f"{slug}{FORMATS[name]}"
            assert verify(file, with_another_row.project, lambda _line: None) == CURRENT, file


def drawn_for(site: BuiltSite) -> set[str]:
    return set(re.findall(r"drawing (\S+)", site.output))


def test_other_prices_change_every_page_that_shows_them_and_no_other(
    published: BuiltSite, with_other_prices: BuiltSite
) -> None:
    assert changed_pages(published, with_other_prices) == {
        *SHOW_THE_MAIN_PROFILES,
        *SAY_WHICH_DATA,
        "figures/index.html",
        *(f"profiles/{id}.html" for id in ("aligned", "divergent")),
        *(f"profiles/{id}/embed/index.html" for id in ("aligned", "divergent")),
    }


def test_no_number_from_before_is_left(
    published: BuiltSite, with_another_row: BuiltSite, with_other_prices: BuiltSite
) -> None:
    before = scenarios(published.project / "data")["profiles.v1.json"]
    rows = scenarios(with_another_row.project / "data")["profiles.v1.json"]
    prices = scenarios(with_other_prices.project / "data")["profiles.v1.json"]
    everywhere = {"index.html", "profiles/index.html", "compare.html", "cost.html"}
    everywhere.add("search/search_index.json")
    answers = EXERCISES - {"exercises/sheet.html"}
    showing = everywhere | {"profiles/divergent.html"}

    old, new = before[1], rows[1]
    for old_number, new_number, shown_there in (
        (old.expected, new.expected, showing | EXERCISES | {"convergence.html"}),
        (old.speedup, new.speedup, showing | answers),
    ):
        saying = files_that_say(published, str(old_number))
        assert {path for path in saying if not path.startswith("figures/")} == shown_there
        assert len(saying) >= len(shown_there) + 2, "figures, too"
        assert files_that_say(with_another_row, str(old_number)) == set()
        assert files_that_say(with_another_row, str(new_number)) == saying

    for old, new in zip(before, prices, strict=True):
        showing = {*everywhere, f"profiles/{old.id}.html", *(answers if old is before[1] else ())}
        left = files_that_say(with_other_prices, str(old.speedup))
        # Where drafting is free, E[N] / (3/2) is what it was with 5 drafts and a pass of 1.
        assert {path for path in left if not path.startswith("figures/draft-cost-")} == set()
        saying = files_that_say(with_other_prices, str(new.speedup))
        assert {path for path in saying if not path.startswith("figures/")} == showing
        assert files_that_say(with_other_prices, str(old.expected)) >= showing
        for path in ("index.html", "cost.html", "profiles/index.html", f"profiles/{old.id}.html"):
            assert new.assumption in with_other_prices.texts[path]
            assert old.assumption not in with_other_prices.texts[path]


def test_sentences_follow_the_data(published: BuiltSite, with_another_row: BuiltSite) -> None:
    """The two profiles' 2.62 no longer look alike, so nothing explains it any more."""
    assert "2.62 stands here twice" in published.texts["index.html"]
    assert "stands here twice" not in with_another_row.texts["index.html"]


# Mistakes.


def failed(project: Path) -> list[str]:
    """Return what a build that fails says."""
    old = {path.name: path.stat().st_mtime_ns for path in (project / "site").iterdir()}
    done = run(project, "build_scripts", "site")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout
    assert {path.name: path.stat().st_mtime_ns for path in (project / "site").iterdir()} == old
    assert {path.name for path in project.iterdir() if path.name.startswith("site")} == {"site"}
    *lines, last = done.stdout.splitlines()
    assert last == f"no site was built; {project / 'site'} is as it was"
    return [
        re.sub("^(ERROR|WARNING) +-  ", "", line)
        for line in lines
        if line and not line.startswith("INFO")
    ]


def line_of(path: Path, text: str) -> int:
    """Return the number of the only line that holds a text."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    (number,) = (number for number, line in lines if text in line)
    return number


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_every_fault_of_broken_data_is_told_on_its_own_line(project: Path) -> None:
    main, nimbus = project / "data/profiles.v1.json", project / "data/nimbus.v1.json"
    replace(main, "[1, 0, 0, 5, 2, 0]", "[1, 0, 0, 4, 2, 0]")
    replace(main, '"the", "cat", "mat"', '"the", "cow", "mat"')
    replace(nimbus, '"id": "nimbus-mini"', '"id": "aligned"')
    row, proposals = line_of(main, "[1, 0, 0, 4, 2, 0]"), line_of(main, '"the", "cow"')
    first, again = line_of(main, '"id": "aligned"'), line_of(nimbus, '"id": "aligned"')
    assert failed(project) == [
        f"data/profiles.v1.json:{row}: /target/2: numerators sum to 7, expected 8",
        f"data/profiles.v1.json:{proposals}: /profiles/1/proposals/1: 'cow', expected a token of "
        "the vocabulary",
        f"data/nimbus.v1.json:{again}: /profiles/0/id: 'aligned' again, first in "
        f"data/profiles.v1.json:{first}, expected an id of its own",
        "Aborted with a BuildError!",
    ]


def test_a_mistake_on_a_page_is_told_with_its_line(project: Path) -> None:
    page = project / "docs/cost.md"
    replace(page, "[[ words.", "[[ wrds.")
    assert failed(project) == [
        f"docs/cost.md:{line_of(page, 'wrds')}: 'wrds' is undefined",
        "Aborted with a BuildError!",
    ]


def test_a_wrong_formula_is_told_with_its_page(project: Path) -> None:
    replace(project / "docs/cost.md", "$O(kV)$", r"$k^\foo$")
    assert failed(project) == [
        "Error reading page 'cost.md':",
        r'$k^\foo$: Unknown command "\foo", at character 3',
        "Aborted with a BuildError!",
    ]


def test_a_dead_anchor_is_no_site(project: Path) -> None:
    replace(project / "docs/cost.md", "(limits.md)", "(limits.md#gone)")
    assert failed(project) == [
        "Doc file 'cost.md' contains a link 'limits.md#gone', but the doc 'limits.md' does not "
        "contain an anchor '#gone'.",
        "Aborted with 1 warnings in strict mode!",
    ]


# Again.


def test_a_builds_first_site_and_its_next_are_the_same(site: BuiltSite, project: Path) -> None:
    again = build(project)
    assert changed_pages(site, again) == set()
