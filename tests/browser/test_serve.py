"""A maintainer's session: `mkdocs serve` on a copy of the project, and a browser beside it.

The tests share one server, which starts on broken data; each begins with a good site.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import HOST, Launch
from tests.browser.test_pages import violations
from tests.golden.sessions import EDITED, FOLDER, MISTAKE, ROW, comparable
from tests.live import PATIENCE, Session, serving
from tests.site_checks import BuiltSite, run

MOST_SECONDS = 2.0
"""Of processor time for a text edit: what a save takes on an idle machine, on a busy one too."""


BAD_ROW = (EDITED, ROW[0], "[1, 0, 2, 2, 0, 4]")
BAD_CODE = ("build_scripts/pages.py", "\ndef site_tree(", "\ndeff site_tree(")


def mend(session: Session, mistake: tuple[str, str, str]) -> None:
    file, good, bad = mistake
    session.save(file, bad, good)


@pytest.fixture(scope="module")
def session(site: BuiltSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    project = tmp_path_factory.mktemp("serve") / "project"
    shutil.copytree(site.project, project, ignore=shutil.ignore_patterns("site"))
    with serving(project) as session:
        for mistake in (BAD_ROW, BAD_CODE):  # before they are read
            session.save(*mistake)
        yield session


@pytest.fixture(scope="module")
def page(session: Session, launch: Launch) -> Iterator[Page]:
    browser = launch(session.port)
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    session.until_said("Serving on")
    page = context.new_page()
    page.on("load", lambda loaded: LOADS.append(loaded.url))
    page.goto(f"http://{HOST}/cost.html", timeout=1000 * PATIENCE)
    yield page
    browser.close()


LOADS: list[str] = []
"""The address of each page when it was loaded, in order."""


def until_loads(page: Page, number: int) -> None:
    """Wait for a reload, and then a while, in which there must be no other."""
    end = time.monotonic() + PATIENCE
    while len(LOADS) < number:
        assert time.monotonic() < end, "the page was not loaded again"
        page.wait_for_timeout(50)
    page.wait_for_timeout(1500)
    assert len(LOADS) == number


def test_a_bad_start_shows_the_faults_and_recovers(session: Session, page: Page) -> None:
    faults = page.get_by_role("alert").get_by_role("listitem")
    (fault,) = faults.all_inner_texts()
    assert re.fullmatch(r"build_scripts/pages\.py:\d+: SyntaxError: .*", fault), fault
    mend(session, BAD_CODE)
    until_loads(page, 2)
    assert faults.all_inner_texts() == [
        "data/profiles.v1.json:46: /profiles/1/draft/2: numerators sum to 9, expected 8"
    ]
    mend(session, BAD_ROW)
    until_loads(page, 3)
    assert page.get_by_role("alert").count() == 0
    assert page.title().startswith("What it costs")


def test_a_text_edit_is_one_reload_and_draws_nothing(session: Session, page: Page) -> None:
    before, spent, start = len(LOADS), session.processor_seconds(), len(session.said())
    page.evaluate("window.marker = 1")
    session.save("docs/cost.md", "# ", "# Edited: ")
    until_loads(page, before + 1)
    assert page.evaluate("window.marker") is None
    assert page.get_by_role("heading", level=1).inner_text().startswith("Edited: ")
    assert session.processor_seconds() - spent < MOST_SECONDS
    (line,) = session.said()[start:].splitlines()
    assert re.fullmatch(
        r"INFO +-  saved docs/cost\.md: 1 of \d+ pages changed, in [\d.]+ s", line
    ), line


def test_a_data_edit_redoes_what_depends_on_it(session: Session, page: Page) -> None:
    def remembered() -> dict[str, bytes]:
        return {
            f"{folder}/{path.stem}": path.read_bytes()
            for folder in ("claims", "runs", "wrong", "pages")
            for path in (session.project / ".cache" / folder).iterdir()
        }

    before, number, start = remembered(), len(LOADS), len(session.said())
    session.save(EDITED, *ROW)
    until_loads(page, number + 1)
    said = session.said()[start:]
    assert "saved data/profiles.v1.json: 1 profile differs: divergent\n" in said
    after = remembered()
    redone = {name for name in after if after[name] != before.get(name)}
    drawn = {name for name in redone if name.startswith("pages/")}
    assert redone - drawn == {f"{folder}/divergent" for folder in ("claims", "runs", "wrong")}
    assert {name for name in drawn if "divergent" not in name} == {"pages/comparison-profiles"}
    assert f"drew {len(drawn)} figures: " in said
    assert len(said.splitlines()) == 3
    assert comparable(said) == comparable(recorded())[3:6]


def recorded() -> str:
    """Return what the guide to editing says of a server: its start, this edit, a mistake."""
    return (FOLDER / "serve.txt").read_text(encoding="utf-8")


FAULTS = {
    EDITED: MISTAKE,
    "docs/cost.md": ("$O(kV)$", r"$k^\foo$"),
    "docs/limits.md": ("# ", r"# [x](gone.md) "),
    "build_scripts/templates/_tables.html": ("[% macro", "[% makro"),
    "overrides/main.html": ("{% macro", "{% makro"),
    "specdec/cost.py": ("def ", "deff "),
    "mkdocs.yml": ("nav:", "nav: ["),
}
"""What a hand may slip on: the file, what it held and what it holds."""

TOLD = {
    EDITED: r"data/profiles\.v1\.json:\d+: /cost_model/draft_step: .*",
    "docs/cost.md": r'docs/cost\.md:\d+: \$k\^\\foo\$: Unknown command "\\foo", at character 3',
    "docs/limits.md": r"docs/limits\.md:\d+: .*'gone\.md'.*",
    "build_scripts/templates/_tables.html": r"build_scripts/templates/_tables\.html:\d+: .*makro.*",
    "overrides/main.html": r"overrides/main\.html:\d+: .*makro.*",
    "specdec/cost.py": r"specdec/cost\.py:\d+: SyntaxError: .*",
    "mkdocs.yml": r"mkdocs\.yml:\d+: .*",
}


def test_every_kind_of_fault_is_told_and_cleared(session: Session, page: Page) -> None:
    good = session.get("cost.html").partition("<article")[2].partition("</article")[0]
    broken: tuple[str, str, str] | None = None
    for file, (old, new) in FAULTS.items():
        start = len(session.said())
        session.save(file, old, new)
        if broken:
            session.save(*broken)  # mended, in the same breath
        said = session.until_said(rf"1 fault; .* last good save\n  {TOLD[file]}\n", start)
        text = session.get("cost.html")
        assert good in text, file
        if file == EDITED:
            assert said.splitlines() == recorded().splitlines()[6:]
        (shown,) = re.findall("<li>([^<]*)</li>", text.partition("</details>")[0])
        assert unescape(shown) == said.splitlines()[-1].strip()
        assert text.count('role="alert"') == 1
        broken = (file, new, old)
        if file == "docs/cost.md":
            session.save("docs/math.md", "$", r"$\bar\foo ")
            session.until_said(r"2 faults.*\n.*docs/cost.*\n.*docs/math\.md:\d+: ", start)
            look_at_banner(page, 2)
            session.save("docs/math.md", r"$\bar\foo ", "$")
    assert broken
    start = len(session.said())
    session.save(*broken)
    session.until_said("0 of \\d+ pages changed, in", start)
    text = session.get("cost.html")
    assert 'role="alert"' not in text
    assert good in text


def test_a_fault_that_stays_is_told_again(session: Session) -> None:
    """MkDocs hides what it has said before, which would make a good save of the second."""
    old, new = FAULTS[EDITED]
    start = len(session.said())
    session.save(EDITED, old, new)
    session.until_said(r"draft_step: 0\.1, .*\n", start)
    start = len(session.said())
    session.save("docs/code.md", "# ", "#  ")
    session.until_said(r"saved docs/code\.md: 1 fault; .*\n  data/profiles.*\n", start)
    session.save("docs/code.md", "#  ", "# ")
    session.save(EDITED, new, old)
    session.until_said("pages changed", start)


def look_at_banner(page: Page, faults: int) -> None:
    """In the dark and in the light, on a phone: there, legible, no wider than the page."""
    end = time.monotonic() + PATIENCE
    while page.get_by_role("alert").get_by_role("listitem").count() != faults:
        assert time.monotonic() < end
        page.wait_for_timeout(50)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = page.get_by_role("alert").bounding_box()
        assert box
        assert box["width"] == 360
        assert box["y"] + box["height"] == 740
        assert violations(page, within=".specdec-faults") == []
        if folder := os.environ.get("LOOK"):
            page.screenshot(path=f"{folder}/banner-{scheme}.png")


def test_ten_fast_saves_end_in_the_last(session: Session, page: Page) -> None:
    file = session.project / "docs/cost.md"
    text = file.read_text(encoding="utf-8")
    page.wait_for_timeout(2000)  # whatever was due before
    start, number = len(session.said()), len(LOADS)
    for turn in range(1, 11):
        if turn % 3 == 0:
            file.write_text(f"# Turn {turn} [[ broken\n", encoding="utf-8")
        elif turn % 3 == 1:
            with file.open("w", encoding="utf-8") as out:  # half of it first
                out.write(text[: len(text) // 2])
                out.flush()
                time.sleep(0.15)
                out.write(text[len(text) // 2 :].replace("\n# ", f"\n# Turn {turn} ", 1))
        else:
            file.write_text(text.replace("\n# ", f"\n# Turn {turn} ", 1), encoding="utf-8")
        time.sleep(0.05 * (turn % 4))
    last = text.replace("# ", "# Turn last ", 1)
    file.write_text(last, encoding="utf-8")
    session.until_said(r"saved docs/cost\.md: \d+ of \d+ pages changed", start)
    page.wait_for_timeout(3000)
    assert "Turn last" in session.get("cost.html")
    assert page.get_by_role("heading", level=1).inner_text().startswith("Turn last")
    builds = len(re.findall(r"\d faults?; |pages changed, in", session.said()[start:]))
    assert builds <= 6, "most saves wait for the build before"
    # A page that is asked for during a build is that of the build, and so needs no reload after it.
    assert 1 <= len(LOADS) - number <= builds


def test_edited_python_is_in_the_next_build(session: Session) -> None:
    start = len(session.said())
    session.save("build_scripts/edit_guide.py", "data/coin.v1.json", "data/dime.v1.json")
    said = session.until_said("pages changed", start)
    assert "saved build_scripts/edit_guide.py: 1 of " in said
    assert "dime" in session.get("edit.html")


def test_what_is_served_is_what_a_build_makes(session: Session) -> None:
    """After all edits, of which each build kept what had not changed."""
    address = f"http://127.0.0.1:{session.port}/"
    folder = session.project / "tmp/built"
    done = run(
        session.project, "mkdocs", "build", "--site-dir", folder, SITE_URL=address, PREVIEW="1"
    )
    assert done.returncode == 0, done.stdout
    served = session.served()

    def files(top: Path) -> dict[str, bytes]:
        return {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in top.rglob("*")
            if path.is_file() and path.suffix != ".gz"
        }

    built, shown = files(folder), files(served)
    assert built.keys() == shown.keys()
    assert [path for path in built if built[path] != shown[path]] == []
    assert json.loads(shown["search/search_index.json"])["docs"]
