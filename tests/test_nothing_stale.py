"""After an edit of every number, text and id of the data, nothing on the site is as it was.

Sites of data made at random are compared with what follows from that data by another route
(`tests.plain` and its like, which import nothing of the project), and searched for what only the
shipped data, or data that had these ids before, can say.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from bs4 import Tag
from bs4.element import NavigableString
from markupsafe import Markup

from build_scripts import pages, wording
from build_scripts.errors import SiteError
from build_scripts.figures import comparison as comparison_figure
from build_scripts.figures import draft_cost, length_law, outcome_tree, positions, timeline
from build_scripts.generate import generate
from build_scripts.results import Moment, compute
from build_scripts.work import read_work
from specdec import textbook
from specdec.textbook import beliefs, blackboard
from specdec.wrong_contexts import context_case
from tests import test_site, test_teaching, test_timing
from tests.made_data import Files, Kind, Shape, made_files
from tests.made_sites import made_project, made_site, results_of
from tests.plain import Plain, about, counted, rounded, scenarios
from tests.plain_figures import TABLES, comparison, draft_length, numbers
from tests.plain_sentences import (
    TITLES,
    apart,
    captions,
    comparison_title,
    frame_count,
    leftover,
    listed,
    lookalikes,
    luck,
    outcome,
    quoted,
)
from tests.plain_wrong import RULES, harm
from tests.shipped import DATA
from tests.site_checks import ROOT, BuiltSite, attribute, build, one_line, shown, tables

SHIPPED = {
    name: json.loads((DATA / name).read_bytes()) for name in ("profiles.v1.json", "nimbus.v1.json")
}
STORY = "nimbus.v1.json"

SETS: dict[str, tuple[Shape, ...]] = {
    "many": (
        Shape(
            "profiles.v1.json", 101, 3, 4,
            (("any",), ("near",), ("near", "apart", "any"), ("equal",), ("sure", "any")),
            ("1/37", "1"),
        ),
        Shape(STORY, 103, 1, 3, (("near",),), ("0", "3/2")),
    ),
    "single": (
        Shape("profiles.v1.json", 107, 1, 2, (("any",),), ("2/41", "5/43")),
        Shape(STORY, 109, 2, 2, (("equal",), ("equal",)), ("47/10", "1")),
        Shape("further.v1.json", 113, 12, 3, (("near",),), ("0.37", "2"), draws="0.003"),
    ),
}  # fmt: skip
"""Shapes of data whose numbers all differ from those shipped, and from each other's."""

BUILT = (
    Shape("profiles.v1.json", 137, 2, 12, (("near", "any"),), ("5/71", "73/79")),
    Shape(STORY, 139, 3, 4, (("sure", "near"),), ("7/83", "1")),
)


def data_of(name: str) -> Files:
    """Return one of the sets; in the first, profiles have the ids of those shipped."""
    files = made_files(list(SETS).index(name), SETS[name])
    return with_shipped_ids(files) if name == "many" else files


def with_shipped_ids(files: Files) -> Files:
    """Return data whose results would, by their names, be those that a cache of ours has."""
    for name, scenario in files.items():
        for profile, shipped in zip(scenario["profiles"], SHIPPED[name]["profiles"], strict=False):
            profile["id"] = shipped["id"]
    return files


@pytest.fixture(scope="module", params=[*SETS, "built"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """Return one site after the other; the last is a real one, with the theme and pictures."""
    compute(ROOT)  # so that the project's cache, of which each has a copy, holds the shipped data
    folder = tmp_path_factory.mktemp("made")
    if request.param == "built":
        files = made_files(len(SETS), BUILT)
        files["profiles.v1.json"]["profiles"][0]["id"] = "aligned"  # whose pictures are remembered
        return build(made_project(folder / "project", files, drawn=True), PREVIEW="true")
    return made_site(folder, data_of(request.param))


@cache
def plains_of(site: BuiltSite) -> dict[str, list[Plain]]:
    return scenarios(site.project / "data")


def everyone(site: BuiltSite) -> list[Plain]:
    return list(chain.from_iterable(plains_of(site).values()))


def main_of(site: BuiltSite) -> list[Plain]:
    return plains_of(site)["profiles.v1.json"]


# Everything by another route.


SEEN_ON_ANY_SITE: tuple[Callable[[BuiltSite], None], ...] = (
    test_site.test_the_data_files_are_on_the_site_byte_for_byte,
    test_site.test_frames_are_those_of_the_engine_in_order,
    test_site.test_frames_read_without_a_script,
    test_site.test_position_tables,
    test_site.test_the_proposed_token_is_marked,
    test_site.test_rate_and_length_tables,
    test_site.test_sentences_with_numbers,
    test_site.test_brute_force_is_a_third_route_where_it_can_be,
    test_site.test_whether_a_draft_pays,
    test_site.test_headline_tables,
    test_site.test_cost_page,
    test_site.test_every_speedup_stands_with_its_assumption,
    test_site.test_no_python_shows,
    test_teaching.test_the_answers_about_a_profile,
    test_teaching.test_the_sheets_have_the_same_exercises_with_and_without_answers,
    test_timing.test_each_player_shows_its_round_in_time,
)
"""What other modules say of the shipped site and of a hostile one, and what holds of any."""


@pytest.mark.parametrize("check", SEEN_ON_ANY_SITE, ids=lambda check: check.__name__)
def test_what_holds_of_any_site(made: BuiltSite, check: Callable[[BuiltSite], None]) -> None:
    check(made)


def test_profiles_stand_side_by_side(made: BuiltSite) -> None:
    compared = [plains for plains in plains_of(made).values() if len(plains) > 1]
    if compared:
        test_teaching.test_profiles_stand_side_by_side(made)
    text = made.texts["compare.html"]
    for plains in compared:
        assert f"{counted(len(plains), 'draft').capitalize()} at the same prices." in text
        assert apart(plains) in text
    assert ("No data file here has two profiles" in text) == (not compared)
    assert text.count("gets furthest") + text.count("get furthest") + text.count(
        "They commit the same number"
    ) == len(compared)


def test_frames_say_what_happened(made: BuiltSite) -> None:
    for plain in everyone(made):
        for path in (test_site.page_of(plain), test_site.embed_of(plain)):
            player = made.article(path).select_one("specdec-player")
            assert player is not None
            assert [shown(each) for each in player.select(".frame-caption")] == captions(plain)
            said = [shown(each) for each in player.select("div.frame-rule > span:last-child")]
            assert [text[text.index("what the target has") :] for text in said] == leftover(plain)
        frames = json.loads((made.folder / f"frames/{plain.id}.json").read_bytes())
        assert [each["caption"] for each in frames["frames"]] == captions(plain)
        assert [each["kind"] for each in frames["frames"]] == plain.kinds
        assert frames["frames"][-1]["committed"] == plain.committed
        assert (frames["context"], frames["vocabulary"], frames["title"]) == (
            plain.scenario["context"],
            plain.vocabulary,
            plain.title,
        )
        for n, frame in enumerate(frames["frames"][1 : len(plain.rules) + 1]):
            p, q = plain.chances(n)
            assert [frame[name] for name in ("target", "draft", "ratio", "draw")] == [
                str(number) for number in (p, q, p / q, plain.draw(n))
            ]


def test_sentences_about_a_round(made: BuiltSite) -> None:
    for plain in everyone(made):
        text = made.texts[test_site.page_of(plain)]
        assert one_line(f"{outcome(plain)} {luck(plain)}") in text
        assert frame_count(plain) in text
        assert text.count("kept by luck") == len(plain.lucky)
        assert outcome(plain) in made.texts["profiles/index.html"]
    for plain in [*main_of(made), *plains_of(made)[STORY][:1]]:
        path = "nimbus.html" if plain.scenario == plains_of(made)[STORY][0].scenario else ""
        page = made.article(path or "index.html")
        player = page.select_one(f"specdec-player[data-profile={plain.id}]")
        assert player is not None
        assert [shown(each) for each in player.select(".frame-caption")] == captions(plain)


def test_the_story_follows_its_data(made: BuiltSite) -> None:
    text, this = made.texts["nimbus.html"], plains_of(made)[STORY][0]
    k, step = this.k, this.price[0]
    assert outcome(this) in text
    assert luck(this) in text
    next_ = "the next token" if k == 1 else f"the next {counted(k, 'token')}"
    every = {1: "the one position", 2: "both positions"}.get(k, f"all {counted(k, 'position')}")
    assert f"guesses {next_}; Nimbus-large then scores {every}, and the one after" in text
    cost = {0: "nothing", 1: "one ordinary target step"}.get(
        int(step) if step.denominator == 1 else -1,
        f"{step} of an ordinary target step" if step < 1 else f"{step} ordinary target steps",
    )
    assert f"each step of Nimbus-mini in between is assumed to cost {cost}." in text
    assert ("The arithmetic grows." in text) == (this.expected < k + 1)
    assert ("it is a bad one: no time is gained" in text) == (this.speedup <= 1)
    assert ("No fewer passes" in text) == (this.expected == 1)


# Sentences that lead to a frame where something can be seen.


def attempted(plain: Plain) -> range:
    return range(min(plain.accepted + 1, plain.k))


def rejection_of(site: BuiltSite) -> Plain | None:
    """Return the profile with the rejection that drops most that is certain."""
    rejected = [each for each in everyone(site) if each.accepted < each.k]
    return max(rejected, key=lambda each: len(each.dropped_though_certain), default=None)


Seen = Callable[[Plain, int], bool]
MOMENTS: dict[tuple[str, str], tuple[Seen, Callable[[Plain, int], str]]] = {
    ("math.html", "capped"): (
        lambda plain, n: plain.chances(n)[0] > plain.chances(n)[1],
        lambda plain, n: (
            f": the ratio is {plain.chances(n)[0] / plain.chances(n)[1]} and counts as 1."
        ),
    ),
    ("math.html", "forbidden"): (
        lambda plain, n: plain.chances(n)[0] == 0,
        lambda plain, n: f": the draft gave it {plain.input(plain.chances(n)[1])}.",
    ),
    ("math.html", "less-likely"): (
        lambda plain, n: n in plain.lucky,
        lambda plain, n: (
            f": kept with probability {plain.acceptance(n)}, and the draw of {plain.draw(n)} was "
            "below it."
        ),
    ),
    ("misconceptions.html", "threshold"): (
        lambda plain, n: n in plain.lucky,
        lambda _plain, _n: ", which the target likes less and keeps.",
    ),
    ("math.html", "never-itself"): (
        lambda plain, n: n == plain.accepted,
        lambda plain, n: f": the replacement comes from {_replacements(plain, n)}.",
    ),
    ("misconceptions.html", "never-again"): (
        lambda plain, n: n == plain.accepted,
        lambda _plain, _n: ": another token takes its place.",
    ),
    ("math.html", "dropped"): (
        lambda plain, n: n == plain.accepted and bool(plain.dropped_though_certain),
        lambda plain, n: (
            f": it takes {counted(plain.k - n - 1, 'proposal')} with it, and any draw would have "
            f"accepted {listed(list(map(quoted, plain.dropped_though_certain)))}."
        ),
    ),
}
"""By page and anchor: at which position something is to be seen, and what is said of it."""


def _replacements(plain: Plain, position: int) -> str:
    shares = zip(plain.vocabulary, plain.residual(position), strict=True)
    return " or ".join(quoted(token) for token, share in shares if share)


def seen_in(site: BuiltSite, page: str, anchor: str) -> tuple[str, str, int] | None:
    """Return (text, id, number of the frame) of the place that a section leads to, if any."""
    text = test_teaching.section(site.article(page), anchor)
    heading = site.article(page).find(id=anchor)
    assert isinstance(heading, Tag)
    for below in heading.find_next_siblings():
        if re.fullmatch("h[1-3]", below.name):
            break
        for link in below.select("a[href*='profiles/']"):
            if shown(link).startswith("See “"):
                id_, _, frame = attribute(link, "href").partition("#")[2].rpartition("-")
                assert attribute(link, "href").startswith(f"profiles/{id_}.html#")
                return text, id_, int(frame)
    assert "See “" not in text
    return None


@pytest.mark.parametrize(("page", "anchor"), MOMENTS)
def test_what_can_be_seen_is_there(made: BuiltSite, page: str, anchor: str) -> None:
    holds, said = MOMENTS[page, anchor]
    found = seen_in(made, page, anchor)
    there = [(each, n) for each in everyone(made) for n in attempted(each) if holds(each, n)]
    assert (found is not None) == bool(there)
    if found:
        text, id_, frame = found
        (plain,) = (each for each in everyone(made) if each.id == id_)
        position = frame - 2  # frame 1 has the proposals
        assert (plain, position) in there
        token = quoted(plain.proposals[position])
        assert f"See {token} in {plain.title}{said(plain, position)}" in text


def test_the_bonus_token_to_be_seen_is_one(made: BuiltSite) -> None:
    found = seen_in(made, "misconceptions.html", "bonus")
    there = [each for each in everyone(made) if each.accepted == each.k]
    assert (found is not None) == bool(there)
    if found:
        text, id_, frame = found
        (plain,) = (each for each in there if each.id == id_)
        assert frame == len(plain.kinds) - 1
        seen = f"See {quoted(plain.committed[-1])} in {plain.title}, drawn after all proposals"
        assert seen in text


def test_where_the_identity_is_worked(made: BuiltSite) -> None:
    plain = rejection_of(made) or everyone(made)[0]
    n = plain.accepted if rejection_of(made) else 0
    (table,) = tables(made.article("math.html")).values()
    assert table.caption == f"The identity at position {n + 1} of “{plain.title}”"
    for row, (p, q) in zip(table.rows, plain.pair(n), strict=True):
        left = max(p - q, Fraction(0))
        assert row[1:] == (
            plain.input(p), plain.input(q), str(min(p, q)), str(left), f"{min(p, q)} + {left} = {p}"
        )  # fmt: skip
    turns = "Everything turns on the moment when" in made.texts["index.html"]
    assert turns == (rejection_of(made) is not None and plain.id in {x.id for x in main_of(made)})


def test_numbers_that_look_alike_are_said_to(made: BuiltSite) -> None:
    for path, plains, sentence in (
        ("index.html", main_of(made), "tokens per round for {}, and a speed-up for {}."),
        ("cost.html", everyone(made), "tokens per round of {} and the factor {number} of {} are"),
        ("profiles/index.html", everyone(made), "E[N] of {} and the speed-up of {} "),
    ):
        text = made.texts[path]
        alike = lookalikes(plains)
        for number, (tokens, faster) in alike.items():
            titles = (listed(list(map(quoted, each))) for each in (tokens, faster))
            assert sentence.format(*titles, number=number) in text
        said = text.count(sentence.partition("{")[0])
        assert said == len(alike), path
    assert ("A speed-up prints like expected tokens" in made.texts["coverage.html"]) == bool(
        lookalikes(everyone(made))
    )


def test_sentences_about_all_data(made: BuiltSite) -> None:
    sizes = sorted({len(each.vocabulary) for each in everyone(made)})
    start = "Each vocabulary here has" if len(sizes) == 1 else "The vocabularies here have"
    assert f"{start} {listed(list(map(str, sizes)))} tokens." in made.texts["limits.html"]
    first = main_of(made)[0]
    routes = "three" if len(first.vocabulary) ** first.k <= 100_000 else "two"
    assert f"The formula, {routes} routes, " in made.texts["coverage.html"]
    command = f"python -m specdec sample data/profiles.v1.json --profile {first.id} plays"
    assert command in made.texts["convergence.html"]


def test_no_character_reference_shows(made: BuiltSite) -> None:
    """Where Markdown leaves text alone, in its code, what was made inert would show as such."""
    shown_on = [path for path in made.pages if "&#" in made.texts[path]]
    assert shown_on == []


# Wrong rules.


def test_what_wrong_rules_do(made: BuiltSite) -> None:
    found = tables(made.article("wrong.html"))
    plains = everyone(made)
    every = next(iter(found.values()))
    for row in every.rows:
        name, rule = row[0], RULES[row[0]]
        harms = [harm(rule, each) for each in plains]
        assert row[-1] == str(max(each.lengths for each in harms))
        effects = found[f"{name}: distance from the right laws"]
        for plain, done, cell, (title, most, at, lengths) in zip(
            plains, harms, row[1:-1], effects.rows, strict=True
        ):
            number, far = done.worst
            assert title == plain.title
            assert lengths == about(done.lengths)
            place = "bonus" if number > plain.k else str(number)
            assert at == (place if far else "–")
            if done.silent and not far:
                assert (cell, most) == ("–", "nothing is tallied")
            elif rule.exact or not far:
                assert (cell, most) == (str(far), about(far))
            else:
                assert (cell, most) == (f"≈ {rounded(far, 3)}", f"≈ {rounded(far, 4)}")
        assert_most_is_shown(found, name, plains)
    assert {row[0] for row in every.rows} == RULES.keys()


def assert_most_is_shown(found: Any, name: str, plains: Sequence[Plain]) -> None:
    """Check the table of the profile and position where a rule shows most."""
    rule = RULES[name]
    harms = [harm(rule, each) for each in plains]
    far = max(each.worst[1] for each in harms)
    details = [table for caption, table in found.items() if caption.startswith(f"{name}: ")][1:]
    assert len(details) == (far > 0)
    if far:
        plain, done = next(
            pair for pair in zip(plains, harms, strict=True) if pair[1].worst[1] == far
        )
        n = done.worst[0]
        place = "the bonus token of" if n > plain.k else f"position {n} of"
        assert details[0].caption.startswith(f"{name}: {place} “{plain.title}”")
        target = plain.bonus if n > plain.k else [p for p, _ in plain.pair(n - 1)]
        law = done.laws[n - 1]
        assert law is not None
        for row, wanted, got in zip(details[0].rows, target, law, strict=True):
            assert row[1] == str(wanted)
            if rule.exact:
                off = got - wanted
                sign = "−" if off < 0 else "+" if off else ""
                assert row[2:] == (str(got), f"{sign}{abs(off)}")
            else:
                assert row[2] == f"≈ {rounded(got, 4)}"


def test_sentences_about_wrong_rules(made: BuiltSite) -> None:
    text = made.texts["wrong.html"]
    plains = everyone(made)
    unseen = 0
    for rule in RULES.values():
        harms = [harm(rule, each) for each in plains]
        without = [
            each.title
            for each, done in zip(plains, harms, strict=True)
            if not (done.worst[1] or done.lengths or done.silent)
        ]
        unseen += bool(without)
        if without:
            assert f"On {listed(list(map(quoted, without)))} it changes nothing at all" in text
        for each, done in zip(plains, harms, strict=True):
            if done.silent:
                where = "position" if len(done.silent) == 1 else "positions"
                at = f"{where} {listed(list(map(str, done.silent)))}"
                assert f"On “{each.title}” nothing is ever tallied at {at}: all that is" in text
    assert text.count("it changes nothing at all") == unseen


# Figures.


def figure_numbers(site: BuiltSite, slug: str) -> Any:
    return json.loads((site.folder / f"figures/{slug}.json").read_bytes())


def as_cells(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    return [[str(cell) if isinstance(cell, Fraction) else cell for cell in row] for row in rows]


def csv_rows(site: BuiltSite, slug: str) -> list[dict[str, str]]:
    text = (site.folder / f"figures/{slug}.csv").read_text(encoding="utf-8")
    lines = [line for line in csv.reader(io.StringIO(text)) if not line[0].startswith("# ")]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def test_tables_behind_figures(made: BuiltSite) -> None:
    expected: dict[str, Any] = {
        f"{kind}-{plain.id}": rows(plain)
        for plain in everyone(made)
        for kind, rows in TABLES.items()
    }
    for file, plains in plains_of(made).items():
        home = file.partition(".")[0]
        expected[f"draft-length-{home}"] = draft_length(plains[0])
        if len(plains) > 1:
            expected[f"comparison-{home}"] = comparison(plains)
    for slug, rows in expected.items():
        numbers_ = figure_numbers(made, slug)
        assert [list(row.values()) for row in numbers_["rows"]] == as_cells(rows), slug
        for row, cells in zip(csv_rows(made, slug), numbers_["rows"], strict=True):
            for name, cell in cells.items():
                assert row[name].removeprefix("'") == ("" if cell is None else str(cell)), slug


def test_curves_of_the_price(made: BuiltSite) -> None:
    for plain in everyone(made):
        rows = figure_numbers(made, f"draft-cost-{plain.id}")["rows"]
        prices = [Fraction(row["draft_step"]) for row in rows]
        assert {Fraction(0), plain.price[0], max(plain.break_even, Fraction(0))} <= {*prices}
        for price, row in zip(prices, rows, strict=True):
            cost = plain.k * price + plain.price[1]
            assert Fraction(row["round_cost"]) == cost
            assert Fraction(row["speedup"]) == plain.expected / cost


def test_random_rounds_are_of_these_rows(made: BuiltSite) -> None:
    """How far the shares are from the rows of the file is what the other figure says."""
    for plain in everyone(made):
        shares = figure_numbers(made, f"histograms-{plain.id}")["rows"]
        distances = figure_numbers(made, f"convergence-{plain.id}")["rows"]
        rows = [*([p for p, _ in plain.pair(n)] for n in range(plain.k)), plain.bonus]
        for n, law in enumerate(rows, 1):
            there = [row for row in shares if row["position"] == n]
            assert [row["token"] for row in there] == plain.vocabulary
            assert [Fraction(row["target"]) for row in there] == law
            ends = [row for row in distances if row["position"] == n]
            reached = 10**6 * plain.survival[n - 1]
            if not ends:
                assert reached < 20
                continue
            assert abs(ends[-1]["reached"] - reached) <= 6 * (reached + 1) ** 0.5
            off = sum(
                abs(Fraction(row["share_many"]) - p) for row, p in zip(there, law, strict=True)
            )
            assert Fraction(ends[-1]["distance"]) == off / 2


def test_titles_of_figures_are_true(made: BuiltSite) -> None:
    listed_figures = json.loads((made.folder / "figures/manifest.json").read_bytes())["figures"]
    titles = {each["id"]: each["title"] for each in listed_figures}
    for plain in everyone(made):
        for kind, title in TITLES.items():
            assert titles[f"{kind}-{plain.id}"] == title(plain)
    for file, plains in plains_of(made).items():
        if len(plains) > 1:
            slug = f"comparison-{file.partition('.')[0]}"
            assert titles[slug] == comparison_title(plains)


def test_every_figure_says_the_data_it_is_of(made: BuiltSite) -> None:
    digests = {
        f"data/{file}": hashlib.sha256((made.project / "data" / file).read_bytes()).hexdigest()
        for file in plains_of(made)
    }
    listed_figures = json.loads((made.folder / "figures/manifest.json").read_bytes())["figures"]
    own = [each for each in listed_figures if each["data"] in digests]
    assert len(own) >= 10 * len(everyone(made))
    for figure in own:
        digest = digests[figure["data"]]
        assert figure["data_sha256"] == digest
        said = [figure["citation"][name] for name in ("bibtex", "ris", "csl", "text")]
        page = page_of_figure(made, figure["id"])
        files = [
            (made.folder / f"figures/{figure['files'][name]['path']}").read_text(encoding="utf-8")
            for name in ("svg", "dark", "csv", "json")
        ]
        for text in (*said, page, *files):
            assert set(re.findall(r"\b[0-9a-f]{64}\b", unsealed(text))) == {digest}


def page_of_figure(site: BuiltSite, slug: str) -> str:
    """Return the page of a figure as it is, HTML or, where nothing was built, Markdown."""
    (page,) = (site.folder / "figures" / slug).glob("index.*")
    return page.read_text(encoding="utf-8")


def unsealed(text: str) -> str:
    """Return a file without the digest of itself."""
    return re.sub(r"<!-- SHA-256 of all bytes.*?-->", "", text)


# Every number.

FRACTION = re.compile(r"(?<![\w/.])\d+/\d+(?![\w/])(?!\.\d)")
DECIMAL = re.compile(r"(?<![\w/.:,])\d+\.\d+(?![\w/.]*\d)")
EXACTLY_AND_ROUNDED = re.compile(r"(?<![\d/.])(\d+/\d+) ([=≈]) (\d+(?:\.\d+)?)(?![\d/])")
_JINJA = re.compile(r"\[%.*?%\]|\[\[.*?\]\]|\[#.*?#\]", re.DOTALL)
_ATTRIBUTES = ("alt", "aria-label", "content", "title")


def said_by(element: Tag) -> Iterator[str]:
    """Yield all texts of a page, those of the theme, descriptions and JSON-LD included.

    Without figures, whose words and tables are looked at by themselves; without citations and
    snippets; and without what random rounds measured.
    """
    if _is_left_out(element):
        return
    yield from (attribute(element, name) for name in _ATTRIBUTES if element.has_attr(name))
    for child in element.children:
        if isinstance(child, Tag):
            yield from said_by(child)
        elif type(child) is NavigableString or element.name == "script":
            yield str(child)


def _is_left_out(element: Tag) -> bool:
    classes = element.get("class") or ()
    return (
        element.name in {"annotation", "style"}
        or (element.name == "script" and "json" not in str(element.get("type")))
        or (element.name == "figure" and "figure" in classes)
        or (element.name == "pre" and bool({"citation", "snippet"}.intersection(classes)))
        or (
            element.name == "table"
            and element.caption is not None
            and MEASURED.search(shown(element.caption)) is not None
        )
    )


def typed(path: str) -> set[str]:
    """Return the numbers that somebody has typed into the source of a page."""
    source = ROOT / "docs" / path.replace(".html", ".md")
    text = source.read_text(encoding="utf-8") if source.is_file() else ""
    plain = _JINJA.sub(" ", text)
    return {*FRACTION.findall(plain), *DECIMAL.findall(plain)}


def exact_numbers(value: object) -> Iterator[Fraction]:
    """Yield every exact number in a value of the engine that does not depend on the data."""
    if isinstance(value, Fraction | float):
        yield from (Fraction(str(value)), 1 - Fraction(str(value)))
    elif isinstance(value, list | tuple):
        yield from chain.from_iterable(map(exact_numbers, value))
    elif isinstance(value, dict):
        yield from chain.from_iterable(map(exact_numbers, value.values()))
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from exact_numbers(getattr(value, name))
    elif hasattr(value, "probabilities"):
        yield from exact_numbers(value.probabilities)


@cache
def engine_numbers(page: str) -> frozenset[Fraction]:
    """Return the numbers of examples that no data file has any part in, by where they stand."""
    examples: dict[str, object] = {
        "misconceptions.html": (
            beliefs(),
            textbook.PRICES,
            textbook.CHEAP,
            textbook.DEAR,
            textbook.OTHER_TARGET,
        ),
        "exercises/index.html": blackboard(),
        "wrong.html": context_case(),
        "convergence.html": _agreement(),
    }
    shown_there = examples.get(re.sub("sheet|answers", "index", page), ())
    return frozenset(exact_numbers(shown_there))


def _agreement() -> list[object]:
    return [(*each.rates, each.mean_rate, each.expected_tokens) for each in compute(ROOT).agreement]


def harm_numbers(plains: Sequence[Plain]) -> Iterator[Fraction]:
    """Yield what the page about wrong rules shows of profiles."""
    for rule in RULES.values():
        for plain in plains:
            done = harm(rule, plain)
            targets = [*([p for p, _ in plain.pair(n)] for n in range(plain.k)), plain.bonus]
            yield from (*done.distances, done.lengths)
            for law, target in zip(done.laws, targets, strict=True):
                for got, wanted in zip(law or target, target, strict=True):
                    yield from (got, abs(got - wanted))


def equal_rates(plain: Plain) -> Iterator[Fraction]:
    """Yield rates, and what they gain at the prices of the file of a profile."""
    step, verify = plain.price
    for rate in map(Fraction, ("1/10", "1/2", "3/4", "7/8")):
        yield rate
        yield from (
            sum((rate**j for j in range(k + 1)), Fraction(0)) / (k * step + verify)
            for k in (1, 2, 4, 8, 16)
        )


@cache
def numbers_of_all(site: BuiltSite) -> dict[str, set[Fraction]]:
    return {each.id: numbers(each) for each in everyone(site)}


def known_on(site: BuiltSite, page: str) -> set[Fraction]:
    """Return every exact number that a page may show: of its profiles, and of fixed examples."""
    plains = plains_on(site, page)
    by_id = numbers_of_all(site)
    known = {*engine_numbers(page), *chain.from_iterable(by_id[each.id] for each in plains)}
    if page == "compare.html":
        for home in plains_of(site).values():
            rates = zip(*(each.rates for each in home), strict=True)
            known |= {max(column) - min(column) for column in rates}
    if page == "cost.html":
        known |= {*equal_rates(main_of(site)[0])}
    if page == "wrong.html":
        known |= {*harm_numbers(plains)}
    if page == "convergence.html":
        known |= {sum(each.rates, Fraction(0)) / each.k for each in plains}
    return known


def plains_on(site: BuiltSite, page: str) -> list[Plain]:
    """Return the profiles that a page is about."""
    own = re.fullmatch(r"profiles/([a-z0-9-]+)(\.html|/embed/index\.html)", page)
    if own and own[1] != "index":
        return [each for each in everyone(site) if each.id == own[1]]
    return {"index.html": main_of(site), "nimbus.html": plains_of(site)[STORY]}.get(
        page, everyone(site)
    )


NOT_OF_THE_DATA = {
    "benchmark.html", "changelog.html", "code.html", "edit.html", "cite/index.html",
    "sources.html", "glossary.html", "404.html",
}  # fmt: skip
"""Pages with measurements, source code and examples."""

MEASURED = re.compile(r"^After |: threshold |^The random profiles")
"""Captions of tables with random rounds in them."""


def strange_numbers(said: str, known: set[Fraction], typed_there: set[str]) -> set[str]:
    """Return the numbers in a text that are none of these, exactly or rounded."""
    strange = strange_fractions(said, known) - typed_there
    decimals = {*DECIMAL.findall(said)} - typed_there
    if decimals:
        ordered = sorted((float(each), each) for each in known | {100 * each for each in known})
        strange |= {text for text in decimals if not is_a_rounding(text, ordered)}
    return strange


def is_a_rounding(text: str, known: Sequence[tuple[float, Fraction]]) -> bool:
    """Say whether a decimal is one of these numbers, rounded to as many places as it has.

    Args:
        text: of the decimal.
        known: each number with the nearest double, ascending.
    """
    places = len(text.partition(".")[2])
    near = (float(text) - 10.0**-places, float(text) + 10.0**-places)
    first, last = (bisect_left(known, edge, key=lambda each: each[0]) for edge in near)
    return any(rounded(each, places) == text for _, each in known[first:last])


def pages_with_numbers(site: BuiltSite) -> list[str]:
    figures = re.compile("figures/.+/.*")
    return [path for path in site.pages if not figures.match(path) and path not in NOT_OF_THE_DATA]


def test_every_number_on_a_page_follows_from_the_data(made: BuiltSite) -> None:
    found = {}
    for path in pages_with_numbers(made):
        said = " ".join(said_by(made.pages[path]))
        said = re.sub(r"\d\.\d × 10|average be \d\.\d+", "", said)  # thresholds of tests
        found[path] = strange_numbers(said, known_on(made, path), typed(path))
    assert {path: strange for path, strange in found.items() if strange} == {}
    assert len(found) >= 15


FIXED_IN_FIGURES = {"0.0001"}
"""Numbers that the words of figures have whatever the data: the edge of an axis."""


def test_every_number_in_words_about_a_figure_follows_from_the_data(made: BuiltSite) -> None:
    by_id = numbers_of_all(made)
    listed_figures = json.loads((made.folder / "figures/manifest.json").read_bytes())["figures"]
    found = {}
    for figure in listed_figures:
        said = " ".join(
            figure[name]
            for name in ("title", "subject", "caption", "alt", "assumption", "does_not_show")
        )
        known = {*table_numbers(made, figure["id"])}
        own = [id_ for id_ in by_id if figure["id"].endswith(f"-{id_}")]
        home = plains_of(made).get(figure["data"].removeprefix("data/"), [])
        if figure["data"] == "data/random/profiles.json":
            known |= engine_numbers("convergence.html")
        for id_ in own or [each.id for each in home]:
            known |= by_id[id_]
        found[figure["id"]] = strange_numbers(said, known, FIXED_IN_FIGURES)
    assert {slug: strange for slug, strange in found.items() if strange} == {}


def table_numbers(site: BuiltSite, slug: str) -> Iterator[Fraction]:
    """Yield the numbers behind a figure, and for histograms how far a dot is from its bar."""
    rows = figure_numbers(site, slug)["rows"]
    for row in rows:
        for cell in row.values():
            if isinstance(cell, int | float) or (cell and re.fullmatch(r"\d+(/\d+)?", cell)):
                yield Fraction(str(cell))
    if slug.startswith("histograms-"):
        seen = [row for row in rows if row["share_many"] is not None]
        gap = max(abs(Fraction(row["share_many"]) - Fraction(row["target"])) for row in seen)
        yield Fraction(ceil(gap * 10_000), 10_000)


def test_what_is_said_to_be_about_a_fraction_is(made: BuiltSite) -> None:
    pairs = [
        (path, *found.groups())
        for path in made.pages
        for number in made.article(path).select(".number")
        if (found := EXACTLY_AND_ROUNDED.fullmatch(shown(number)))
    ]
    assert len(pairs) > 50
    for path, exact, sign, text in pairs:
        value, places = Fraction(exact), len(text.partition(".")[2])
        assert Fraction(rounded(value, places)) == Fraction(text), (path, exact, text)
        assert (sign == "=") == (value == Fraction(text)), (path, exact, text)


# Nothing from before.

STORY_NAMES = {"Nimbus", "Nimbus-mini", "The Nimbus thread"}
"""Names of a story that a page tells, whatever its data are called."""

MAY_STAY = {
    "Your export failed because your": {"coverage.html", "search/search_index.json"},
    "Two drafts": {"compare.html", "misconceptions.html", "search/search_index.json"},
    "aligned": {"math.html"},
}
"""What the notes are quoted with; the begin of a sentence; the name of an environment of TeX."""

EXAMPLES = {
    "benchmark.html", "benchmark.json", "data/profiles.v1.schema.json", "edit.html",
}  # fmt: skip
"""What was measured on the profiles as first shipped, and what fields may be filled with."""


def old_texts(site: BuiltSite) -> set[str]:
    """Return what only the shipped data say: texts, ids and digests."""
    texts: set[str] = {""}
    for name, scenario in SHIPPED.items():
        texts.add(hashlib.sha256((DATA / name).read_bytes()).hexdigest())
        for part in (scenario, *scenario["profiles"]):
            texts |= {part.get(key, "") for key in ("title", "short_title", "description")}
        texts |= {scenario["context"], *(each["id"] for each in scenario["profiles"])}
    return texts - {each.id for each in everyone(site)} - {""}


@cache
def old_fractions() -> frozenset[str]:
    """Return the fractions that only the shipped data give: those of no small denominator."""
    every = chain.from_iterable(scenarios(DATA).values())
    known = chain.from_iterable(map(numbers, every))
    return frozenset(str(number) for number in known if number.denominator > 64)


def test_nothing_that_only_the_old_data_say_is_left(made: BuiltSite) -> None:
    words = {text: re.compile(rf"(?<!\w){re.escape(text)}(?!\w)") for text in old_texts(made)}
    assert len(words) >= 15
    assert len(old_fractions()) > 40
    left: dict[str, set[str]] = {}
    for path in sorted(made.files - EXAMPLES):
        if path.endswith((".html", ".md", ".json", ".csv", ".svg", ".xml", ".txt")):
            text = text_of(made, path)
            found = {
                word for word, bounded in words.items() if word in text and bounded.search(text)
            }
            for each in found | (old_fractions() & {*FRACTION.findall(text)}):
                if path not in MAY_STAY.get(each, {path} if each in STORY_NAMES else ()):
                    left.setdefault(each, set()).add(path)
    assert left == {}


def text_of(site: BuiltSite, path: str) -> str:
    """Return the text of a file; of the index for the search, what is not of pages of examples."""
    text = (site.folder / path).read_text(encoding="utf-8")
    if path != "search/search_index.json":
        return text
    entries = json.loads(text)["docs"]
    return json.dumps([each for each in entries if each["location"].split("#")[0] not in EXAMPLES])


def test_every_token_is_one_of_the_data(made: BuiltSite) -> None:
    new = {token for each in everyone(made) for token in each.vocabulary} | {*"abc"}
    for path in made.pages:
        tokens = made.article(path).select("bdi.token")
        assert {token.get_text() for token in tokens} <= new | cell_texts(made, path), path


def cell_texts(site: BuiltSite, path: str) -> set[str]:
    """Return the texts in the table behind a figure, which its page shows as it shows tokens."""
    slug = re.fullmatch("figures/(.+)/index.html", path)
    if not slug:
        return set()
    rows = figure_numbers(site, slug[1])["rows"]
    return {cell for row in rows for cell in row.values() if isinstance(cell, str)}


# What is typed.

TYPED = {
    "cite/index.md": {"1/8"},  # what a spreadsheet takes for a date
    "convergence.md": {"1.96"},  # of the normal distribution
    "edit.md": {"3.11", "3/8", "3/4", "1/4", "1/10", "0.1"},  # of Python; of its example
    "misconceptions.md": {"0.1", "0.2", "0.3", "1/2", "1.7", "3.4"},  # floats; temperature; T5
}
"""Numbers in the prose of pages: examples and quotations. None may be one of the data's."""

PARTS = "halves|thirds|quarters|fifths|sixths|sevenths|eighths|ninths|tenths|twelfths|sixteenths"
COUNTED = re.compile(
    r"\b(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|both|\d+)(?: \w+)? (?:"
    r"profiles|drafts|proposals|positions|frames|tokens|rows|simulations|steps|passes|files)|"
    rf"{PARTS})\b"
)

COUNTED_IN_PROSE = {
    "cite/index.md": {"six files"},
    "compare.md": {"two profiles"},  # which no file has
    "convergence.md": {"eighths", "six tokens"},  # the random profiles
    "coverage.md": {"two drafts", "both drafts", "five positions", "six tokens", "four proposals",
                    "five steps", "four positions"},
    "edit.md": {"two drafts"},
    "misconceptions.md": {"two tokens", "three tokens", "1 tokens"},
    "profile.md": {"two rows"},  # of a position
    "wrong.md": {"two tokens", "two proposals"},
    "_exercises.html": {"two proposals"},
}  # fmt: skip
"""Numbers of things in prose: of fixed examples, and in quotations of the notes."""


def prose_of(source: Path) -> str:
    text = _JINJA.sub(" ", source.read_text(encoding="utf-8"))
    return re.sub(r"\]\([^)]*\)|https?://\S+|<svg.*?</svg>", "]", text, flags=re.DOTALL)


def sources() -> dict[str, Path]:
    docs = {
        path.relative_to(ROOT / "docs").as_posix(): path
        for path in (ROOT / "docs").rglob("*.md")
        if "decisions" not in path.parts
    }
    templates = (ROOT / "build_scripts/templates").glob("*")
    return docs | {path.name: path for path in templates}


def test_no_number_of_the_data_is_typed() -> None:
    """A new number in prose is added to the list above if no edit of the data can change it."""
    found = {
        name: {*FRACTION.findall(prose_of(path)), *DECIMAL.findall(prose_of(path))}
        for name, path in sources().items()
    }
    strange = {name: numbers_ - TYPED.get(name, set()) for name, numbers_ in found.items()}
    assert {name: left for name, left in strange.items() if left} == {}


def test_nothing_of_the_data_is_counted_in_prose() -> None:
    """As above, for “five proposals”, “two profiles” and “eighths”."""
    found = {name: {*COUNTED.findall(prose_of(path))} for name, path in sources().items()}
    strange = {name: said - COUNTED_IN_PROSE.get(name, set()) for name, said in found.items()}
    assert {name: left for name, left in strange.items() if left} == {}


# Sentences, of many profiles.

MANY = 40
"""Data files whose sentences are checked in each run; ``make long`` checks more."""


def any_shape(random: Random) -> Shape:
    """Return a shape within what the format allows, with small numbers more often than large."""
    kinds: tuple[Kind, ...] = ("any", "near", "equal", "apart", "sure")
    k = random.choice((1, 1, 2, 2, 3, 4, 5, 8, 12))
    tokens = random.choice((3, 3, 4, 6, 12)) if random.random() < 0.9 else 2
    usable = kinds if tokens > 2 else ("any", "near", "equal", "sure")
    drafts = tuple(
        tuple(random.choice(usable) for _ in range(random.randint(1, 3)))
        for _ in range(random.randint(1, 5))
    )
    prices = random.choice(
        (("1/10", "1"), ("0", "1"), ("1", "1"), ("1/37", "41/43"), ("3", "1/2"), ("0", "9"))
    )
    whole = random.choice((1, 2, 4, 8, 101)) if random.random() < 0.5 else 1009
    draws = random.choice(("random", "random", "0", "1/2", "0.999"))
    return Shape("profiles.v1.json", whole, k, tokens, drafts, prices, draws)


def is_at(moment: Moment | None, there: Sequence[tuple[Plain, int]]) -> bool:
    """Say whether a moment is the first of these places, or there is neither."""
    if moment is None or not there:
        return moment is None and not there
    plain, n = there[0]
    return (moment.of.profile.id, moment.frame.position) == (plain.id, n + 1)


def features(plains: Sequence[Plain]) -> Iterator[str]:
    """Yield what has to come up, else some sentence was never tried."""
    for each in plains:
        size = "one" if each.k == 1 else "several"
        kept = {0: "none", each.k: "all"}.get(each.accepted, "some")
        yield f"{kept} of {size} accepted"
        yield f"lucky {min(2, len(each.lucky))}"
        yield f"dropped though certain {min(2, len(each.dropped_though_certain))}"
        yield "pays" if each.speedup > 1 else "never" if each.break_even <= 0 else "too dear"
        signs = {(p > q) - (p < q) for p, q in map(each.chances, attempted(each))}
        yield from (f"ratio {sign}" for sign in signs)
        if any(each.chances(n)[0] == 0 for n in attempted(each)):
            yield "forbidden"
    if len(plains) > 1:
        means = [each.expected for each in plains]
        yield {1: "level", len(plains): "apart"}.get(len(set(means)), "some level")
        yield f"furthest {min(2, means.count(max(means)))}"
    yield f"alike {min(2, len(lookalikes(plains)))}"


EVERY_FEATURE = {
    *(f"{kept} of {size} accepted" for kept in ("none", "all") for size in ("one", "several")),
    *(f"{what} {n}" for what in ("lucky", "dropped though certain") for n in range(3)),
    *("alike 0", "alike 1"),
    *("some of several accepted", "pays", "never", "too dear", "forbidden"),
    *("ratio -1", "ratio 0", "ratio 1", "level", "apart", "some level", "furthest 1", "furthest 2"),
}


@pytest.mark.parametrize("files", [MANY, pytest.param(500, marks=pytest.mark.long)])
def test_sentences_of_any_profile(tmp_path: Path, files: int) -> None:
    seen: set[str] = set()
    words = vars(pages._environment(ROOT / "docs", cast(Any, None), {}, read_work(ROOT, ""))
                 .get_template("_words.html").module)  # fmt: skip
    for seed in range(files):
        (scenario,) = made_files(seed, [any_shape(Random(seed))]).values()
        path = tmp_path / f"made{seed}.json"
        path.write_text(json.dumps(scenario), encoding="utf-8")
        plains = [Plain(scenario, profile) for profile in scenario["profiles"]]
        results = results_of(path)
        for plain, this in zip(plains, results.main.profiles, strict=True):
            said = [words["caption"](this, frame) for frame in this.frames]
            assert list(map(as_read, said)) == captions(plain), seed
            assert as_read(words["outcome"](this)) == outcome(plain), seed
            assert as_read(words["luck"](this)) == luck(plain), seed
            assert as_read(words["timing"](this)) == plain.timing, seed
            assert as_read(words["assumption"](results.main.scenario)) == plain.assumption
            for kind, figure in FIGURES.items():
                assert figure(this).title == TITLES[kind](plain), (seed, kind)
        places = [(plain, n) for plain in plains for n in attempted(plain)]
        holds = {anchor: seen_there for (_page, anchor), (seen_there, _) in MOMENTS.items()}
        for anchor, moment in (
            ("capped", results.capped),
            ("forbidden", results.forbidden),
            ("less-likely", results.lucky),
        ):
            assert is_at(moment, [each for each in places if holds[anchor](*each)]), seed
        rejected = sorted(
            (each for each in places if holds["never-itself"](*each)),
            key=lambda each: -len(each[0].dropped_though_certain),
        )
        assert is_at(results.rejection, rejected), seed
        assert is_at(results.bonus, [(each, each.k) for each in plains if each.accepted == each.k])
        assert {
            alike.shown: tuple(
                [each.profile.title for each in some] for some in (alike.tokens, alike.faster)
            )
            for alike in results.lookalikes
        } == lookalikes(plains), seed
        if len(plains) > 1:
            assert comparison_figure.figure(results.main).title == comparison_title(plains), seed
        seen |= {*features(plains)}
    assert seen >= EVERY_FEATURE


FIGURES = {
    "positions": positions.figure,
    "timeline": timeline.figure,
    "tokens-per-round": length_law.figure,
    "outcome-tree": outcome_tree.figure,
    "draft-cost": draft_cost.figure,
}


def as_read(said: object) -> str:
    return one_line(wording.plain(Markup(said)))


# What is drawn.


@pytest.mark.parametrize("made", ["built"], indirect=True)
def test_pictures_show_the_new_data(made: BuiltSite) -> None:
    """Letters are drawn as shapes; a comment before each text says which it is."""
    tokens = {token for scenario in SHIPPED.values() for token in scenario["vocabulary"]}
    marks = {Fraction(n, 4) for n in range(5)}
    looked_at = 0
    for id_, known in numbers_of_all(made).items():
        (plain,) = (each for each in everyone(made) if each.id == id_)
        for slug in (f"{kind}-{id_}" for kind in (*TABLES, "draft-cost", "histograms")):
            for ending in (".svg", ".dark.svg"):
                svg = (made.folder / f"figures/{slug}{ending}").read_text(encoding="utf-8")
                said = re.findall("<!-- (.*?) -->", svg)
                assert not tokens.intersection(said), slug
                assert strange_fractions(" ".join(said), known | marks) == set(), slug
                assert plain.title in said, slug
                assert slug.partition("-")[0] != "positions" or {*plain.vocabulary} <= {*said}
                looked_at += 1
    assert looked_at == 2 * 9 * len(everyone(made))


def strange_fractions(said: str, known: set[Fraction]) -> set[str]:
    return {text for text in FRACTION.findall(said) if Fraction(text) not in known}


# A page that is about one data file.


def test_a_story_without_its_data_is_refused_with_all_other_faults(tmp_path: Path) -> None:
    project = made_project(tmp_path / "project", data_of("single"))
    (project / "data" / STORY).unlink()
    missing = (
        f"{project}/data/nimbus.v1.json: expected a scenario, which docs/nimbus.md tells of; found "
        "only profiles.v1.json, further.v1.json in that folder"
    )
    with pytest.raises(SiteError) as refused:
        generate(project, lambda _line: None, "", preview=True)
    assert str(refused.value) == missing
    further = project / "data/further.v1.json"
    further.write_text(further.read_text().replace('"0.37"', '"-1"'), encoding="utf-8")
    with pytest.raises(SiteError) as refused:
        generate(project, lambda _line: None, "", preview=True)
    first, second = str(refused.value).splitlines()
    assert first == missing
    assert second.startswith(f"{further}:1: /cost_model/draft_step: ")
