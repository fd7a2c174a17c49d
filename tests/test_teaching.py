"""What the pages promise a learner: where they begin and end, exercises, beliefs put right."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from bs4 import Tag

from specdec.textbook import beliefs
from tests.plain import WORDS, Plain, about, divisor, scenarios
from tests.site_checks import BuiltSite, attribute, shown, tables

EVERY_EXERCISE = "exercises/index.html"
SHEET, ANSWERS = "exercises/sheet.html", "exercises/answers.html"

NO_LESSON = {"404.html", "index.html", "changelog.html", SHEET, ANSWERS}
"""Pages that say at once what they are; Home shows it."""


def lessons(site: BuiltSite) -> list[str]:
    from_templates = r"figures/.+/.*|profiles/(?!index).*"
    return [path for path in site.pages if not re.fullmatch(from_templates, path)]


def section(page: Tag, anchor: str) -> str:
    """Return what stands below a heading, up to the next one."""
    heading = page.find(id=anchor)
    assert isinstance(heading, Tag), anchor
    text = []
    for each in heading.find_next_siblings():
        if re.fullmatch("h[1-3]", each.name):
            break
        text.append(shown(each))
    return " ".join(text)


def subjects(site: BuiltSite) -> dict[str, Plain]:
    """Return the profiles by title, as pages show titles."""
    return {
        " ".join(each.title.split()): each
        for profiles in scenarios(site.project / "data").values()
        for each in profiles
    }


# Where a page begins and ends.


def test_a_page_opens_with_what_one_learns(site: BuiltSite) -> None:
    for path in set(lessons(site)) - NO_LESSON:
        first = " ".join(shown(each) for each in site.article(path).find_all("p")[:2])
        assert re.search(r"\bAfter (this page|these) you\b", first), path


def test_a_page_ends_with_where_to_go(each_site: BuiltSite) -> None:
    pages = {path for path in each_site.pages if "/embed/" not in path and path != "404.html"}
    pages -= {path for path in pages if path.startswith("figures/") and path.count("/") > 1}
    assert len(pages) > 20
    for path in pages - {"index.html"}:
        last = each_site.article(path).select(".next")[-1]
        assert last.select("a[href]"), path
        after = [each for each in last.find_next_siblings() if each.name != "div"]
        assert after == [], path
    home = each_site.article("index.html").find(id="where-to-go")
    assert isinstance(home, Tag)


# The notes behind the site.


def test_each_statement_of_the_notes_has_its_place(site: BuiltSite) -> None:
    page = site.article("coverage.html")
    statements = page.select("dt")
    assert len(statements) >= 40
    for statement in statements:
        place = statement.find_next_sibling("dd")
        assert isinstance(place, Tag)
        anchored = [
            attribute(link, "href").partition("#")
            for link in place.select("a:not(.term)")
            if "#" in attribute(link, "href")
        ]
        assert anchored, shown(statement)
        for path, _, anchor in anchored:
            assert anchor in site.anchors[path], (path, anchor)


# Misconceptions.


def test_each_belief_is_quoted_put_right_and_has_a_number(site: BuiltSite) -> None:
    page = site.article("misconceptions.html")
    headings = page.select("h3")
    assert len(headings) == 15
    for heading in headings:
        belief = heading.find_next_sibling()
        assert isinstance(belief, Tag)
        assert belief.name == "blockquote"
        assert re.fullmatch("“.+”", shown(belief))
        text = section(page, attribute(heading, "id")).replace(shown(belief), "")
        assert re.search(r"\d/\d|\b0\b|\d\.\d|\b1\b", text), shown(heading)


def test_the_numbers_of_the_beliefs(site: BuiltSite) -> None:
    numbers, page = beliefs(), site.article("misconceptions.html")
    for anchor, sentence in {
        "same-text": f"the same one with probability {about(numbers.same_twice)} only",
        "greedy": f"accepted with probability {numbers.greedy_rate} and otherwise",
        "threshold": "would commit the two tokens with probabilities 0 and 1",
        "replacement": "would commit 3/8, 15/32 and 5/32 instead of 1/2, 3/8 and 1/8, a distance "
        "of 1/8",
        "never-again": "the residual is 1, 0 and 0",
        "one-hot": f"probability of that token: {numbers.certain_rate} for the second token",
        "rejection-sampling": f"accepts with probability {numbers.envelope}. Speculative sampling "
        f"accepts with {numbers.rates_of_one_draft[0]}",
        "rates": f"{about(numbers.rate_times_k)} accepted tokens instead of "
        f"{about(numbers.accepted)}",
        "pair": "the rate is 3/4. After other words, where the draft says the same and the target "
        "1/8, 1/8 and 6/8, it is 1/2. Back on the blackboard, with both models at temperature 1/2, "
        "it is 43/78 ≈ 0.55, and with both greedy 0",
        "bonus": "that has probability 256/625 ≈ 0.41",
        "ratio-of-means": "The mean of their speed-ups is 16/7 ≈ 2.29. All tokens over all the "
        "time is 5/2 = 2.5",
        "better-draft": "T5-large gives a speed-up of 2.50× and T5-small one of 3.16×",
        "not-free": f"it scores {about(numbers.positions_per_token)} positions for each token",
        "one-step": "2.40× if the pass costs 1 step, 1.40× if the pass costs 2 steps and 0.62× if "
        "the pass costs 5 steps",
        "slower": f"has spent {about(numbers.slowest)} target steps on one token",
    }.items():
        assert sentence in section(page, anchor), anchor
    (table,) = tables(page).values()
    assert [row[1] for row in table.rows] == ["4/5 = 0.8", "369/625 ≈ 0.590", "2101/3125 ≈ 0.672"]


# Exercises.


def test_there_are_enough_exercises_and_each_has_an_answer(each_site: BuiltSite) -> None:
    page = each_site.article(EVERY_EXERCISE)
    headings = [shown(heading) for heading in page.select("h3")]
    assert len(headings) == 16, "as the description says"
    assert [heading.partition(".")[0] for heading in headings] == [
        str(n) for n in range(1, len(headings) + 1)
    ]
    answers = page.select("details.answer")
    assert len(answers) == len(headings)
    assert not [answer for answer in answers if answer.has_attr("open")]


def test_the_sheets_have_the_same_exercises_with_and_without_answers(each_site: BuiltSite) -> None:
    page, sheet, answers = map(each_site.article, (EVERY_EXERCISE, SHEET, ANSWERS))
    headings = [shown(heading) for heading in page.select("h3")]
    assert [shown(heading) for heading in sheet.select("h3")] == headings
    assert [shown(heading) for heading in answers.select("h3")] == headings
    assert sheet.select(".answer, details") == []
    assert len(sheet.select(".room")) == len(headings)
    assert answers.select("details, .room") == []
    folded = [shown(each).removeprefix("Answer ") for each in page.select("details.answer")]
    opened = [shown(each).removeprefix("Answer. ") for each in answers.select(".answer")]
    assert folded == opened


@pytest.mark.parametrize(
    ("exercise", "answer"),
    {
        "ratios": "With probability min(1, p/q): “a”: min(1, (4/8)/(2/8)) = min(1, 2) = 1 “b”: "
        "min(1, (3/8)/(4/8)) = 3/4 “c”: min(1, (1/8)/(2/8)) = 1/2",
        "draws": "1/2 is below it: kept 3/4 is not below it: rejected 7/8 is not below it: "
        "rejected",
        "rate": "Add up min(p, q): 2/8 + 3/8 + 1/8 = 3/4. The distance is 1 minus that: 1/4.",
        "residual": "is 2/8, 0 and 0, with sum 1/4. Divided by its sum it is 1, 0 and 0: the "
        "replacement is always “a”.",
        "identity": "“a”: 1/4 + 1/4 × 1 = 1/2 “b”: 3/8 + 1/4 × 0 = 3/8 “c”: 1/8 + 1/4 × 0 = 1/8",
        "sure-draft": "probability of that token: 1/8. The residual is the target without it, "
        "rescaled: “a” 4/7, “b” 3/7, “c” 0.",
        "law-of-n": "The chances are 1/4, 3/16, 9/64 and 27/64, which add up to 1. The mean is "
        "1 + 3/4 + 9/16 + 27/64 = 175/64 ≈ 2.73.",
        "order": "With 1/2 first, E[N] = 1 + 1/2 + 1/2 × 7/8 = 31/16 ≈ 1.94. With 7/8 first, E[N] "
        "= 1 + 7/8 + 7/8 × 1/2 = 37/16 ≈ 2.31.",
        "one-more": "One proposal: 3/2 tokens for 5/4 steps, a speed-up of 6/5 = 1.2. Two "
        "proposals: 7/4 tokens for 3/2 steps, a speed-up of 7/6 ≈ 1.17. Three proposals: 15/8 "
        "tokens for 7/4 steps, a speed-up of 15/14 ≈ 1.07. The best of these is one proposal: "
        "the second adds 1/4 of a token for 1/4 of a step, and the third 1/8, which is less per "
        "step than the round makes without them.",
    }.items(),
)
def test_the_answers_on_the_blackboard(site: BuiltSite, exercise: str, answer: str) -> None:
    assert answer in section(site.article(EVERY_EXERCISE), exercise)


def test_the_answers_about_a_profile(each_site: BuiltSite) -> None:
    page = each_site.article(EVERY_EXERCISE)
    asked = section(page, "round-by-hand")
    found = re.match(r"This is position (\d+) of “(.*?)”, in \S+\. ", asked)
    assert found
    number, this = int(found[1]), subjects(each_site)[found[2]]
    rows = [
        (token, *row[:2]) for token, *row in (each[:3] for each in this.position_rows(number - 1))
    ]
    table = tables(page)[f"Target and draft at position {number} of “{found[2]}”"]
    assert list(table.rows) == rows
    rule = this.rules[number - 1].removeprefix("Rule ").partition(";")[0]
    assert f"The acceptance probability is {rule}." in asked
    assert f"The acceptance rate is {this.rates[number - 1]}." in asked
    if this.accepted < number:
        assert f"falls on “{this.committed[-1]}”." in asked
    sums = " + ".join(map(str, this.survival))
    assert f"{sums} = {about(this.expected)}." in section(page, "expected-tokens")
    cost = section(page, "speed-up")
    draft_step, verify_pass = this.price
    assert this.assumption in cost
    assert f"A round costs {this.k} × {draft_step} + {verify_pass} = {this.cost} target" in cost
    assert f"{this.expected} ÷ {divisor(this.cost)} = {about(this.speedup)}." in cost
    assert f"that is while c < {about(this.break_even)}" in cost
    grows = section(page, "arithmetic")
    scored = about((this.k + 1) / this.expected)
    assert f"({this.k} + 1) ÷ {divisor(this.expected)} = {scored}," in grows


# Side by side.


def test_profiles_stand_side_by_side(each_site: BuiltSite) -> None:
    page = each_site.article("compare.html")
    found = tables(page)
    compared = [
        profiles for profiles in scenarios(each_site.project / "data").values() if len(profiles) > 1
    ]
    assert compared
    assert len(page.select("h2")) == len(compared)
    for profiles in compared:
        title = " ".join(str(profiles[0].scenario["title"]).split())
        positions = range(1, profiles[0].k + 1)
        assert [row[1:] for row in found[f"Acceptance rate per position: {title}"].rows] == [
            tuple(str(each.rates[n - 1]) for each in profiles) for n in positions
        ]
        passed = found[f"Chance that a round gets past a position: {title}"]
        assert [row[1:] for row in passed.rows] == [
            tuple(str(each.survival[n]) for each in profiles) for n in positions
        ]
        worth = {row[0]: row[1:] for row in found[f"What a round is worth: {title}"].rows}
        k = WORDS[profiles[0].k] if profiles[0].k < len(WORDS) else str(profiles[0].k)
        assert worth == {
            "Tokens per round, E[N]": tuple(about(each.expected) for each in profiles),
            "Chance that all are accepted": tuple(about(each.survival[-1]) for each in profiles),
            f"Target passes for {k} token{'s' * (k != 'one')}": tuple(
                about(each.passes) for each in profiles
            ),
            "Target positions scored per token": tuple(
                about((each.k + 1) / each.expected) for each in profiles
            ),
            "Cost of a round, in target steps": tuple(about(each.cost) for each in profiles),
            "Speed-up": tuple(f"{about(each.speedup)}×" for each in profiles),
            "Pays while a draft step costs less than": tuple(
                about(each.break_even) if each.break_even > 0 else "never" for each in profiles
            ),
        }


def test_bars_of_the_comparison_are_on_one_scale(site: BuiltSite) -> None:
    page = site.article("compare.html")
    cells = page.select("td.bar-cell")
    assert len(cells) == 20
    for cell in cells:
        bar = cell.find("rect")
        assert isinstance(bar, Tag)
        share = Fraction(shown(cell)) * 100
        assert abs(Fraction(attribute(bar, "width")) - share) <= Fraction(1, 200)


def test_what_differs_most_is_said(site: BuiltSite) -> None:
    assert (
        "On average “A closely aligned draft” gets furthest, with 64267/16384 ≈ 3.92 tokens per "
        "round; “A divergent draft” gets least far, with 2683/1024 ≈ 2.62. Acceptance rates are "
        "furthest apart at position 3, by 1/2."
    ) in site.texts["compare.html"]
