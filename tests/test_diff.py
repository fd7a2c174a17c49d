"""What a change of data changes for readers: complete, the same both ways, and readable."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from build_scripts import __main__
from build_scripts.comparing import comparison
from build_scripts.comparing.aligning import Change, aligned
from build_scripts.comparing.as_json import SCHEMA, as_json
from build_scripts.comparing.as_text import as_text
from build_scripts.comparing.comparison import Comparison, FigureChange, FileChange, compare
from build_scripts.comparing.rendered import Rendered, rendered
from build_scripts.comparing.sides import DataFile, Side, read_sides, staged
from build_scripts.comparing.units import Unit, html_units
from build_scripts.errors import SiteError
from build_scripts.figures.table import read_csv
from build_scripts.pages import DATA_SCHEMA
from build_scripts.results import compute
from tests.faults import GOOD, edited
from tests.site_checks import ROOT

SMALL = "small.v1.json"


def silent(_line: str) -> None:
    """Say nothing."""


# A small project, each version of which is rendered once.


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a project with a page and a data file, whose random rounds are few."""
    root = tmp_path_factory.mktemp("project").resolve()
    for folder in ("docs", "data"):
        (root / folder).mkdir()
    for name in ("mkdocs.yml", "CITATION.cff", "CHANGELOG.md", DATA_SCHEMA):
        shutil.copy(ROOT / name, root / name)
    (root / "docs/index.md").write_text(
        "# Home\n\n[% for this in results.profiles %]\n[[ this.profile.title ]] gains "
        "[[ this.report.speedup|times ]]. It is a draft.\n\n[% endfor %]\n",
        encoding="utf-8",
    )
    (root / "data" / SMALL).write_text(GOOD, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("build_scripts.results.RANDOM_PAIRS", 20)
        patch.setattr("build_scripts.sampled.CHECKPOINTS", (10, 100, 1000))
        yield root


Versions = Callable[..., Rendered]


@pytest.fixture(scope="module")
def version(project: Path) -> Versions:
    """Return what renders a version of the small project from the texts of its data files."""

    @lru_cache
    def make(text: str = GOOD, *others: str) -> Rendered:
        files = {SMALL: text, **{f"other-{n}.json": each for n, each in enumerate(others)}}
        side = Side("data", {name: DataFile(name, each.encode()) for name, each in files.items()})
        folder = project / f"staged-{make.cache_info().misses}"
        staged(side, folder)
        return rendered(side, folder, project, project / ".cache/diff", silent, earlier=True)

    return make


def sections(of: Comparison) -> dict[str, list[str]]:
    """Return the lines of each section of a comparison as text; the head has no title."""
    found: dict[str, list[str]] = {"": []}
    for line in as_text(of):
        if line.startswith("# "):
            found[line.removeprefix("# ")] = []
        elif line:
            found[list(found)[-1]].append(line)
    return found


# One row of a shipped draft, worked by hand.


PAGES = ("index", "compare", "wrong", "exercises/answers", "figures/index", "profiles/index")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rendered, Rendered]:
    """Return some pages of the shipped site, and the same with another row in `divergent`."""
    root = tmp_path_factory.mktemp("shipped").resolve()
    for name in (".cache", "specdec", "mkdocs.yml", "CITATION.cff"):
        (root / name).symlink_to(ROOT / name)
    for name in (*(f"docs/{page}.md" for page in PAGES), DATA_SCHEMA, "data/profiles.v1.json"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    text = (root / "data/profiles.v1.json").read_text(encoding="utf-8")
    row, other = "[1, 0, 2, 2, 0, 3]", "[1, 0, 1, 3, 0, 3]"
    assert text.count(row) == 1
    (root / "new.json").write_text(text.replace(row, other), encoding="utf-8")
    sides = read_sides(str(root / "data/profiles.v1.json"), str(root / "new.json"), root)
    caches = root / ".cache", root / "fresh"  # the tests of figures use the first one, too
    for side, name in zip(sides, ("old", "new"), strict=True):
        staged(side, root / name)
    old, new = (
        rendered(side, root / name, root, cache, silent, earlier=False)
        for side, name, cache in zip(sides, ("old", "new"), caches, strict=True)
    )
    return old, new


@pytest.fixture(scope="module")
def row_changed(both: tuple[Rendered, Rendered]) -> Comparison:
    return compare(*both)


def test_one_row_of_a_draft(row_changed: Comparison) -> None:
    """Target 1 0 0 5 2 0; draft 1 0 2 2 0 3 agrees in 1 + 2 of 8, 1 0 1 3 0 3 in 1 + 3."""
    told = sections(row_changed)
    assert list(told) == [
        "", "Addresses that break", "Data", "Numbers", "Pages", "Figures", "Other files", "Origin",
    ]  # fmt: skip
    assert told["Addresses that break"] == ["  profiles/index.html#look-alike"]
    assert told["Data"] == [
        "divergent:",
        "  draft, position 3, “dog”: 2/8 → 1/8",
        "  draft, position 3, “sat”: 2/8 → 3/8",
    ]
    # Rates 7/8 1/2 1/2 1/2 3/4; survival 7/8 7/16 7/32 7/64 21/256; their sum and 1: 697/256.
    assert told["Numbers"][:-3] == [
        "divergent:",
        "  E[N], tokens per round: 2683/1024 ≈ 2.62 → 697/256 ≈ 2.72",
        "  speed-up: 2683/1536 ≈ 1.75× → 697/384 ≈ 1.82×",
        "  break-even price of a draft step: 1659/5120 ≈ 0.32 → 441/1280 ≈ 0.34",
        "  variance of N: 1584359/1048576 ≈ 1.51 → 119119/65536 ≈ 1.82",
        "  mean acceptance rate: 3/5 = 0.6 → 5/8 ≈ 0.63",
        "  acceptance rate, position 3: 3/8 ≈ 0.38 → 1/2 = 0.5",
        "  chance to get past position 3: 21/128 ≈ 0.16 → 7/32 ≈ 0.22",
        "  chance to get past position 4: 21/256 ≈ 0.08 → 7/64 ≈ 0.11",
        "  chance to get past position 5: 63/1024 ≈ 0.06 → 21/256 ≈ 0.08",
        "  chance of N = 3: 35/128 ≈ 0.27 → 7/32 ≈ 0.22",
        "  chance of N = 4: 21/256 ≈ 0.08 → 7/64 ≈ 0.11",
        "  chance of N = 5: 21/1024 ≈ 0.02 → 7/256 ≈ 0.03",
        "  chance of N = 6: 63/1024 ≈ 0.06 → 21/256 ≈ 0.08",
        "  target passes for k tokens: 9525/4096 ≈ 2.33 → 9357/4096 ≈ 2.28",
        "  target positions scored per token: 6144/2683 ≈ 2.29 → 1536/697 ≈ 2.20",
        "  frame 4: “mat” rejected, “sat” in its place → “mat” rejected, “on” in its place",
        "  committed: “the” “cat” “sat” → “the” “cat” “on”",
        "  Z (mass left uncovered), position 3: 5/8 ≈ 0.63 → 1/2 = 0.5",
        "  ratio of “sat”, position 3: 5/2 = 2.5 → 5/3 ≈ 1.67",
        "  residual of “sat”, position 3: 3/5 = 0.6 → 1/2 = 0.5",
        "  residual of “on”, position 3: 2/5 = 0.4 → 1/2 = 0.5",
    ]
    # Positions that the rounds reach more often now: other counts, other distances.
    assert [line.partition(":")[0] for line in told["Numbers"][-3:]] == [
        f"  distance after 1,000,000 rounds, position {n}" for n in (4, 5, 6)
    ]
    assert told["Origin"][-1] == (
        "Only digests differ in eleven pages, one file, eleven figures; `verify` calls older "
        "copies outdated."
    )


def test_sentences_stand_under_their_page_and_heading(row_changed: Comparison) -> None:
    pages = "\n".join(sections(row_changed)["Pages"])
    cost = pages.partition("## profiles/divergent.md\n")[2].partition("\n## ")[0]
    assert (
        "@@ Speed-up @@\n"
        "- A round then costs 5 × 1/10 + 1 = 3/2 = 1.5 target steps and yields 2683/1024 ≈ 2.62 "
        "tokens on average.\n"
        "+ A round then costs 5 × 1/10 + 1 = 3/2 = 1.5 target steps and yields 697/256 ≈ 2.72 "
        "tokens on average.\n"
        "- 2683/1024 ÷ (3/2) = 2683/1536 ≈ 1.75×\n"
        "+ 697/256 ÷ (3/2) = 697/384 ≈ 1.82×\n"
    ) in cost
    assert "@@ Positions, Position 3: acceptance rate 1/2 @@\n" in cost
    assert (
        "@@ Speculative decoding, in exact fractions, divergent-4 @@\n"
        "- Committed: the cat sat\n"
        "+ Committed: the cat on\n"
    ) in pages


def test_what_is_told_once_is_not_told_again(row_changed: Comparison) -> None:
    lines = [line for line in as_text(row_changed) if line.startswith("- A round of “A divergent")]
    assert lines == ["- A round of “A divergent draft” commits 2683/1024 tokens on average."]


def test_figures_say_what_is_drawn_anew(row_changed: Comparison) -> None:
    heads = [line for line in sections(row_changed)["Figures"] if line.startswith("## ")]
    assert heads == [
        *(
            f"## {slug}-divergent (drawn anew)"
            for slug in ("positions", "residual", "timeline", "acceptance", "outcome-tree")
        ),
        "## tokens-per-round-divergent (drawn anew)",
        "## expected-tokens-divergent (drawn anew)",
        "## comparison-profiles (drawn anew)",
        *(
            f"## {slug}-divergent (drawn anew)"
            for slug in ("draft-cost", "convergence", "histograms")
        ),
    ]
    others = [each.slug for each in row_changed.figures if each.of_origin]
    assert len(others) == 11
    assert "residual-aligned" in others
    assert "draft-length-profiles" in others


# Laws.


def test_a_version_does_not_differ_from_itself(both: tuple[Rendered, Rendered]) -> None:
    for each in both:
        same = compare(each, each)
        assert same == Comparison(each.side.shown, each.side.shown, (), {}, *[()] * 7)
        assert not same.for_readers


def turned(of: Comparison) -> Comparison:
    """Return a comparison with old and new in each other's place, as far as it lists both."""

    def change(each: Change) -> Change:
        return replace(each, near="", old=each.new, new=each.old)

    def file(each: FileChange) -> FileChange:
        return replace(each, changes=tuple(map(change, each.changes)))

    def figure(each: FigureChange) -> FigureChange:
        return replace(each, changes=tuple(map(change, each.changes)))

    return replace(
        of,
        old=of.new,
        new=of.old,
        data=tuple(
            replace(each, old_sha256=each.new_sha256, new_sha256=each.old_sha256)
            for each in of.data
        ),
        edits=tuple(turned_values(of.edits)),
        numbers=tuple(turned_values(of.numbers)),
        pages=tuple(map(file, of.pages)),
        files=tuple(map(file, of.files)),
        figures=tuple(map(figure, of.figures)),
        gone=(),
    )


def turned_values(groups: tuple[comparison.ValuesOf, ...]) -> Iterator[comparison.ValuesOf]:
    for group in groups:
        values = (replace(each, old=each.new, new=each.old) for each in group.values)
        yield replace(group, values=tuple(values))


def test_the_way_back_is_the_same_way(
    both: tuple[Rendered, Rendered], row_changed: Comparison
) -> None:
    old, new = both
    back = compare(new, old)
    assert turned(back) == turned(turned(row_changed))


_NUMBERS = re.compile(r"(?<![\w.])\d+(?:[.,/]\d+)*")
_MATH = re.compile(r"<math\b.*?(?:<annotation[^>]*>(.*?)</annotation>.*?)?</math>", re.DOTALL)


def numbers(source: str) -> Counter[str]:
    """Return all numbers in HTML, in attributes, too; a formula counts once, not as TeX also."""
    return Counter(_NUMBERS.findall(html.unescape(_MATH.sub(r" \1 ", source))))


def words(source: str) -> Counter[str]:
    """Return all words in the text of HTML."""
    text = re.sub(r"<[^>]*>", " ", _MATH.sub(r" \1 ", source))
    return Counter(re.findall(r"\w+", html.unescape(text)))


def balance(changes: tuple[Change, ...], count: Callable[[str], Counter[str]]) -> Counter[str]:
    """Return what changes take away, less what they bring."""
    total: Counter[str] = Counter()
    for each in changes:
        total.update(count(each.old or ""))
        total.subtract(count(each.new or ""))
    return total


def difference(old: Counter[str], new: Counter[str]) -> Counter[str]:
    total = Counter(old)
    total.subtract(new)
    return total


IN_TEXT = {"heading", "sentence", "table row", "caption", "code"}


def as_read(change: Change) -> bool:
    """Say whether a change is of text, hidden from a screen reader or not."""
    text = change.new or change.old or ""
    return change.kind in IN_TEXT or (change.kind == "markup" and not text.startswith("<"))


def test_whatever_a_page_loses_or_gains_is_in_a_change_of_it(
    both: tuple[Rendered, Rendered], row_changed: Comparison
) -> None:
    """All numbers and words of both versions, counted by another route, differ as said."""
    old, new = both
    pages = [each for each in row_changed.pages if not each.of_origin]
    assert len(pages) > 15
    for page in pages:
        before, after = (side.tree[page.path].decode() for side in both)
        if page.path.endswith(".md"):
            before, after = old.convert(body(before)), new.convert(body(after))
        shown = tuple(each for each in page.changes if each.kind not in FRONT)
        told = balance(shown, lambda text: Counter(_NUMBERS.findall(text)))
        found = difference(numbers(before), numbers(after))
        assert (+told, -told) == (+found, -found), page.path
        read = tuple(filter(as_read, page.changes))
        told = balance(read, lambda text: Counter(re.findall(r"\w+", text)))
        found = difference(words(before), words(after))
        assert (+told, -told) == (+found, -found), page.path


FRONT = {"title", "description", "metadata"}


def body(page: str) -> str:
    """Return a page without its front matter."""
    return page.split("\n---\n", 1)[1] if page.startswith("---\n") else page


def test_every_file_that_differs_is_accounted_for(
    both: tuple[Rendered, Rendered], row_changed: Comparison
) -> None:
    old, new = both
    differ = {
        path
        for path in old.tree.keys() | new.tree.keys()
        if old.tree.get(path) != new.tree.get(path)
    }
    told = {each.path for each in (*row_changed.pages, *row_changed.files)}
    told |= {path for each in row_changed.figures for path in each.files}
    told |= {f"data/{each.name}" for each in row_changed.data}
    assert told == differ


def test_every_value_of_a_json_file_that_differs_is_told(
    both: tuple[Rendered, Rendered], row_changed: Comparison
) -> None:
    for file in row_changed.files:
        before, after = (json.loads(side.tree[file.path]) for side in both)
        told = balance(file.changes, lambda text: Counter([text] if text else []))
        leaves = (Counter(plain_leaves(each)) for each in (before, after))
        found = difference(*leaves)
        assert (+told, -told) == (+found, -found), file.path


def plain_leaves(value: Any) -> Iterator[str]:
    """Yield each value that holds no other, as JSON."""
    if isinstance(value, dict | list) and value:
        for each in value.values() if isinstance(value, dict) else value:
            yield from plain_leaves(each)
    else:
        yield json.dumps(value, ensure_ascii=False)


def test_every_row_of_a_figure_that_differs_is_told(
    both: tuple[Rendered, Rendered], row_changed: Comparison
) -> None:
    for each in row_changed.figures:
        tables = [
            read_csv(
                side.tree[f"figures/{each.slug}.csv"], side.figures[each.slug].figure.table.columns
            )
            for side in both
        ]
        old, new = (
            {" | ".join("–" if cell is None else str(cell) for cell in row) for row in table.rows}
            for table in tables
        )
        rows = [change for change in each.changes if change.kind == "table row"]
        assert {row.old for row in rows} - {None} >= old - new
        assert {row.new for row in rows} - {None} >= new - old


def test_json_fits_its_schema(row_changed: Comparison) -> None:
    schema = json.loads((ROOT / "build_scripts/comparing" / SCHEMA).read_bytes())
    Draft202012Validator.check_schema(schema)
    document = json.loads(as_json(row_changed))
    Draft202012Validator(schema).validate(document)
    assert document["for_readers"] is True
    (divergent,) = document["numbers"]
    assert divergent["values"][0] == {
        "name": "E[N], tokens per round",
        "old": {"exact": "2683/1024", "rounded": "2.62", "worded": "2683/1024 ≈ 2.62"},
        "new": {"exact": "697/256", "rounded": "2.72", "worded": "697/256 ≈ 2.72"},
    }


# Other edits, of a small file.


def test_a_price(version: Versions) -> None:
    """A round of two proposals: 2/10 + 1 was 6/5, 2/5 + 1 is 7/5."""
    told = sections(compare(version(), version(edited(('"1/10"', '"1/5"')))))
    assert list(told) == ["", "Data", "Numbers", "Pages", "Figures", "Other files", "Origin"]
    assert told["Data"] == ["small.v1.json:", "  price of a draft step: 1/10 = 0.1 → 1/5 = 0.2"]
    assert told["Numbers"] == [
        "small.v1.json:",
        "  best draft length at acceptance rate 2/5: 2 → 1",
        "  best draft length at acceptance rate 3/5: 3 → 2",
        "  best draft length at acceptance rate 7/10: 4 → 3",
        "  best draft length at acceptance rate 4/5: 6 → 4",
        "  best draft length at acceptance rate 9/10: 10 → 7",
        "  best draft length at acceptance rate 19/20: 15 → 10",
        "near:",
        "  cost of a round, target steps: 6/5 = 1.2 → 7/5 = 1.4",
        "  speed-up: 845/384 ≈ 2.20× → 845/448 ≈ 1.89×",
        "  time saved by the round: 9/5 = 1.8 → 8/5 = 1.6",
        "far:",
        "  cost of a round, target steps: 6/5 = 1.2 → 7/5 = 1.4",
        "  speed-up: 215/192 ≈ 1.12× → 215/224 ≈ 0.96×",
        "  time saved by the round: 9/5 = 1.8 → 8/5 = 1.6",
    ]
    assert told["Pages"][:6] == [
        "## index.md",
        "@@ Home @@",
        "- A near draft gains 2.20×.",
        "+ A near draft gains 1.89×.",
        "- A far draft gains 1.12×.",
        "+ A far draft gains 0.96×.",
    ]
    assert told["Other files"] == ["  figures/manifest.json: 35 values"]


OF_A_PROFILE = (
    "positions", "residual", "timeline", "acceptance", "outcome-tree", "tokens-per-round",
    "expected-tokens", "draft-cost", "convergence", "histograms",
)  # fmt: skip

RENAMED = edited(('"id": "far"', '"id": "away"'))


def test_another_id_breaks_addresses_and_says_how_to_keep_them(version: Versions) -> None:
    found = compare(version(), version(RENAMED))
    assert found.renamed == {"far": "away"}
    assert found.numbers == ()
    told = sections(found)
    assert told["Addresses that break"] == [
        *(f"  figures/{kind}-far/" for kind in OF_A_PROFILE),
        "  profiles/far.html",
        "  profiles/far/embed/index.html",
        "  frames/far.json",
        'The same figures have other names. Recorded under "moved" in '
        "build_scripts/figures/published.json,",
        "their old addresses lead to them:",
        *(f'  "{kind}-far": "{kind}-away",' for kind in OF_A_PROFILE),
    ]
    assert told["New figures"] == [
        *(f"  {kind}-away" for kind in OF_A_PROFILE),
        'They stay for ever once published: record them under "slugs" in '
        "build_scripts/figures/published.json.",
    ]
    assert told["Data"] == [
        "far is away now: nothing but its id and its words can differ",
        "small.v1.json:",
        "  profiles: near, far → near, away",
    ]
    assert told["Pages"] == [
        "## (every page)",
        "- A far draft: profiles/far.md",
        "+ A far draft: profiles/away.md",
        "## profiles/away.md (new)",
        "## profiles/away/embed/index.html (new)",
    ]
    assert "13 addresses break." in told[""][-1]


def test_what_has_moved_breaks_no_address(
    version: Versions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = tmp_path / "published.json"
    slugs = {f"{kind}-far": f"{kind}-away" for kind in OF_A_PROFILE}
    record.write_text(json.dumps({"slugs": [*slugs, *slugs.values()], "moved": slugs}))
    monkeypatch.setattr("build_scripts.figure_pages.PUBLISHED", record)
    # With a space at its end the file is another one, so it is rendered with this record.
    told = sections(compare(version(), version(f"{RENAMED} ")))
    assert told["Addresses that break"] == [
        "  profiles/far.html",
        "  profiles/far/embed/index.html",
        "  frames/far.json",
    ]
    assert told["Figures that have moved"] == [
        f"  {kind}-far → {kind}-away: the old address leads there" for kind in OF_A_PROFILE
    ]
    assert told["New figures"] == [f"  {kind}-away" for kind in OF_A_PROFILE]


OTHER = (
    edited(('"id": "near"', '"id": "third"'), ('"A small scenario"', '"Other"')).partition(
        ',\n    {\n      "id": "far"'
    )[0]
    + "]}"
)


def test_another_file(version: Versions) -> None:
    found = compare(version(), version(GOOD, OTHER))
    told = sections(found)
    assert "Addresses that break" not in told
    assert told["New figures"][:-1] == [
        *(f"  {kind}-third" for kind in OF_A_PROFILE[:-3]),
        "  draft-cost-third",
        "  draft-length-other-0",
        "  convergence-third",
        "  histograms-third",
    ]
    assert told["Data"] == [
        "other-0.json (new):",
        "  title: Other",
        "  short title: Small",
        "  context: Once upon",
        "  … and 15 more, with --json",
        "third (new):",
        "  title: A near draft",
        "  short title: Near",
        "  description: Close.",
        "  … and twelve more, with --json",
    ]
    assert "+ Near: profiles/third.md" in told["Pages"]
    assert "  frames/third.json (new)" in told["Other files"]
    assert told["Origin"][:2] == [
        "data/other-0.json",
        f"  SHA-256 none → {DataFile('', OTHER.encode()).sha256}",
    ]
    back = sections(compare(version(GOOD, OTHER), version()))
    assert back["Addresses that break"][0] == "  figures/positions-third/"
    assert "  data/other-0.json" in back["Addresses that break"]


HOSTILE = "\u202e\\u001b[2J <script>`x` @all | **b** \u2066"


def test_a_hostile_title_controls_no_terminal(version: Versions) -> None:
    found = compare(version(), version(edited(('"A near draft"', json.dumps(HOSTILE)))))
    lines = list(as_text(found))
    assert "  title: A near draft → ⟨U+202E⟩\\u001b[2J <script>`x` @all | **b** ⟨U+2066⟩" in lines
    assert [line for line in lines if not line.isprintable()] == []
    assert as_json(found).isascii()
    assert "\x1b" not in as_json(found)


# The command.


@pytest.fixture
def run(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return what runs the command in the small project and returns its code and outputs."""
    monkeypatch.setattr(__main__, "ROOT", project)
    monkeypatch.chdir(project)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        code = __main__.main(["diff", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_only_another_spelling_changes_nothing_for_readers(
    run: Callable[..., tuple[int, str, str]], project: Path, tmp_path: Path
) -> None:
    """The digest changes, and nothing else: not even what the project remembers of its data."""
    compute(project)
    before = files(project)
    respelt = json.dumps(
        {**json.loads(GOOD), "cost_model": {"draft_step": "0.1", "verify_pass": "1"}}
    )
    (tmp_path / SMALL).write_text(respelt, encoding="utf-8")
    code, out, err = run(f"data/{SMALL}", tmp_path / SMALL)
    old, new = (DataFile("", text.encode()).sha256 for text in (GOOD, respelt))
    assert (code, out, err) == (
        0,
        f"""\
old: data/{SMALL}
new: {tmp_path / SMALL}

Nothing changes for readers.

# Origin

data/{SMALL}: says the same in other bytes
  SHA-256 {old} → {new}
Only digests differ in 22 pages, three files, 22 figures; `verify` calls older copies outdated.
""",
        "",
    )
    after = files(project)
    assert [path for path in before if after[path] != before[path]] == []
    assert [path for path in after if not path.startswith(".cache/") and path not in before] == []


def test_every_fault_of_both_is_told_with_its_place(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text(edited(("[1, 2, 5]", "[1, 2, 6]"), ('"1/10"', "0.1")), encoding="utf-8")
    other.write_text(edited(('["bee", "bee"]', '["bee", "\\u001b[2J"]')), encoding="utf-8")
    assert run(one, other) == (
        2,
        "",
        f"{one}:12: /target/1: numerators sum to 9, expected 8\n"
        f"{one}:15: /cost_model/draft_step: 0.1, "
        'expected a string such as "1/2" or "0.1", >= 0\n'
        f"{other}:37: /profiles/1/proposals/1: U+001B in '\\x1b[2J', "
        "expected no control character, line end or lone surrogate\n",
    )


def test_output_for_which_there_is_no_room_is_no_verdict(
    run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        said = run("data", "data")
        monkeypatch.undo()
    assert said == (2, "", "output: cannot be written (No space left on device)\n")


def test_what_is_no_data_is_refused(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    assert run("\x1b[2J", "data")[::2] == (
        2,
        "⟨U+001B⟩[2J: no such file or folder, and no revision of git (fatal: not a git repository "
        "(or any of the parent directories): .git)\n",
    )
    assert run("data", f"data/{SMALL}") == (
        2,
        "",
        f"data data/{SMALL}: expected two files or two folders, found one of each\n",
    )
    assert run(tmp_path) == (
        2,
        "",
        f"{tmp_path}: expected at least one data file (*.json), found none\n",
    )
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.b.json").write_text("{}")
    assert run(tmp_path)[2] == (
        f"{tmp_path}/a.json: expected a name that differs before its first dot from a.b.json\n"
    )


# Which data are meant.


def test_two_files_stand_for_the_file_whose_name_or_profiles_they_have(
    project: Path, tmp_path: Path
) -> None:
    text, changed = GOOD, edited(('"1/10"', '"1/5"'))
    for name in ("old", "new.json", SMALL):
        (tmp_path / name).write_text(changed, encoding="utf-8")
    (tmp_path / "third.json").write_text(OTHER, encoding="utf-8")

    def contents(old: Path, new: Path) -> list[dict[str, str]]:
        sides = read_sides(str(old), str(new), project)
        return [
            {name: file.content.decode() for name, file in side.files.items()} for side in sides
        ]

    shipped = project / "data" / SMALL
    assert contents(tmp_path / "old", shipped) == [{SMALL: changed}, {SMALL: text}]
    assert contents(shipped, tmp_path / "new.json") == [{SMALL: text}, {SMALL: changed}]
    assert contents(tmp_path / SMALL, tmp_path / SMALL) == [{SMALL: changed}, {SMALL: changed}]
    # By the profiles in them; else the file is one more.
    assert contents(tmp_path / "old", tmp_path / "new.json") == [{SMALL: changed}] * 2
    assert (
        contents(tmp_path / "third.json", tmp_path / "third.json")
        == [{SMALL: text, "third.json": OTHER}] * 2
    )


def test_two_different_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SiteError) as refusal:
        read_sides("data/nimbus.v1.json", "data/profiles.v1.json", ROOT)
    assert str(refusal.value) == (
        "data/nimbus.v1.json data/profiles.v1.json: expected two versions of one data file, found "
        "two files"
    )


def test_a_revision_stands_for_its_data(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / SMALL

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "data/profiles.v1.schema.json").write_text("{}", encoding="utf-8")
    file.write_text(GOOD, encoding="utf-8")
    git("add", "data")
    git("commit", "-m", "first")
    file.write_text(edited(('"1/10"', '"1/5"')), encoding="utf-8")
    for new in (tmp_path / "data", file):
        old_side, new_side = read_sides("HEAD", str(new), tmp_path)
        assert old_side == Side("HEAD", {SMALL: DataFile(f"HEAD:data/{SMALL}", GOOD.encode())})
        assert new_side.files[SMALL].content == file.read_bytes()
    file.rename(tmp_path / "data/other.json")
    with pytest.raises(SiteError) as refusal:
        read_sides("HEAD", str(tmp_path / "data/other.json"), tmp_path)
    assert str(refusal.value) == (
        "HEAD: expected data/other.json in this revision, found no such file"
    )
    for option in ("-o/tmp/x", "--output=x"):
        with pytest.raises(SiteError):
            read_sides(option, "HEAD", tmp_path)
    assert not (tmp_path / "x:").exists()


# Pieces.


def test_a_page_is_taken_apart_into_what_is_read_and_what_is_not() -> None:
    assert html_units(
        '<h2 id="rates">Rates<a class="headerlink" title="Permanent link" href="#rates">¶</a></h2>'
        "<p>One\n  <b>rate</b> is 3.5. Another is <math><mi>x</mi><annotation>\\alpha</annotation>"
        '</math>.</p><table><caption>Both</caption><tr><th>a</th><td><bdi class="token"> b  </bdi>'
        '</td></tr></table><img alt="A bar. A line." src="x.svg"><p aria-hidden="true">bar</p>'
    ) == [
        Unit("markup", "<h2>"),
        Unit("anchor", "rates"),
        Unit("markup", "<a>"),
        Unit("markup", "<a class='headerlink'>"),
        Unit("markup", "<a title='Permanent link'>"),
        Unit("markup", "<a href='#rates'>"),
        Unit("markup", "¶"),
        Unit("heading", "Rates", "Rates"),
        Unit("markup", "<p>", "Rates"),
        Unit("markup", "<b>", "Rates"),
        Unit("markup", "<math>", "Rates"),
        Unit("markup", "<mi>", "Rates"),
        Unit("markup", "<annotation>", "Rates"),
        Unit("sentence", "One rate is 3.5.", "Rates"),
        Unit("sentence", "Another is $\\alpha$.", "Rates"),
        Unit("markup", "<table>", "Rates"),
        Unit("markup", "<caption>", "Rates"),
        Unit("caption", "Both", "Rates"),
        Unit("markup", "<tr>", "Rates"),
        Unit("markup", "<th>", "Rates"),
        Unit("markup", "<td>", "Rates"),
        Unit("markup", "<bdi>", "Rates"),
        Unit("markup", "<bdi class='token'>", "Rates"),
        Unit("table row", "a |  b", "Rates, Both"),
        Unit("markup", "<img>", "Rates"),
        Unit("alternative text", "A bar.", "Rates"),
        Unit("alternative text", "A line.", "Rates"),
        Unit("link", "x.svg", "Rates"),
        Unit("markup", "<p>", "Rates"),
        Unit("markup", "<p aria-hidden='true'>", "Rates"),
        Unit("markup", "bar", "Rates"),
    ]


def test_a_sentence_is_paired_with_what_it_has_become() -> None:
    old = ["Same.", "It takes 3 steps.", "A draft that is close gains.", "Gone for good."]
    new = ["New at all.", "Same.", "It takes 4 steps.", "A draft that is far gains nothing."]
    before, after = ([Unit("sentence", text) for text in texts] for texts in (old, new))
    changes = aligned(before, after, str, str)
    assert [(each.old, each.new) for each in changes] == [
        (None, "New at all."),
        ("It takes 3 steps.", "It takes 4 steps."),
        ("A draft that is close gains.", "A draft that is far gains nothing."),
        ("Gone for good.", None),
    ]
